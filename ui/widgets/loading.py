"""Show a placeholder while a page loads, and later the age of the page."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

import streamlit as st

from treaty.ui import texts as ui_texts
from treaty.ui.texts import pages
from treaty.ui.widgets import viewer

ROWS = 4
OLD, EVERY = timedelta(minutes=5), timedelta(minutes=1)
# While a page is redrawn it keeps its old content, greyed out; then the placeholder stays hidden.
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
    """Show the placeholder until the content is drawn or fails; the browser delays it by 300 ms."""
    st.html(STYLE)
    place = st.empty()
    place.html(SHAPE)
    try:
        yield
    finally:
        place.empty()


def age() -> None:
    """Show the age of the page once it is old, with a refresh button; sends no request."""
    st.fragment(_age, run_every=EVERY)(viewer.now())


def _age(drawn_at: datetime) -> None:
    if viewer.now() - drawn_at < OLD:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="age"):
        shown = ui_texts.moment(drawn_at, timezone=viewer.timezone())
        st.caption(pages.as_of(shown, ui_texts.age(drawn_at, now=viewer.now())), width="content")
        if st.button(pages.REFRESH, key="refresh", icon=":material/refresh:", type="tertiary"):
            st.rerun()
