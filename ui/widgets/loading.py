"""The shape that a page has while it waits for the registry, and how old what it shows is once that is long ago."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

import streamlit as st

from treaty.ui import texts as ui_texts
from treaty.ui.texts import pages
from treaty.ui.widgets import viewer

ROWS = 4
OLD, EVERY = timedelta(minutes=5), timedelta(minutes=1)
# A page that is drawn anew keeps what it showed until that is replaced: there, what is stale stands for the shape.
STYLE = """<style>
[data-testid="stElementContainer"]:has(.loading) { order: 1 }
.loading { animation: arrive 400ms linear 300ms both }
.loading div { height: 4.2rem; margin-bottom: 1rem; border-radius: 8px; background: light-dark(#EDF1F4, #1F2832);
  animation: breathe 1.6s ease-in-out infinite }
[data-testid="stMain"]:has([data-stale="true"]) .loading { display: none }
@keyframes arrive { from { visibility: hidden; opacity: 0 } to { visibility: visible; opacity: 1 } }
@keyframes breathe { 50% { opacity: .45 } }
@media (prefers-reduced-motion: reduce) { .loading div { animation: none } }
</style>"""
SHAPE = f'<div class="loading" role="status" aria-label="{pages.LOADING}">{"<div></div>" * ROWS}</div>'


@contextmanager
def shape() -> Iterator[None]:
    """Shows it after 300 ms, which the browser counts, until what is within has been drawn, or has failed."""
    st.html(STYLE)
    place = st.empty()
    place.html(SHAPE)
    try:
        yield
    finally:
        place.empty()


def age() -> None:
    """Says how old the page is once it is old, with the way to a new one; it asks the registry nothing."""
    st.fragment(_age, run_every=EVERY)(viewer.now())


def _age(drawn: datetime) -> None:
    if viewer.now() - drawn < OLD:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="age"):
        shown = ui_texts.moment(drawn, timezone=viewer.timezone())
        st.caption(pages.as_of(shown, ui_texts.age(drawn, now=viewer.now())), width="content")
        if st.button(pages.REFRESH, key="refresh", icon=":material/refresh:", type="tertiary"):
            st.rerun()
