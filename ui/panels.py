"""Pieces that several pages show: marks, rows, problems, and what a step just did."""

import logging
import shlex
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import uuid4

import streamlit as st

from registry.api.schemas import RunSummary
from registry.client import ClientError
from ui import charts, session, words
from ui.charts import Band, Point
from ui.words import Mark

log = logging.getLogger(__name__)
TOLD = "_told"
TITLES = {
    0: "The registry does not answer",
    401: "Your session has ended",
    403: "You may not do this",
    404: "There is nothing here for you",
    409: "Somebody changed this in the meantime",
    422: "That cannot be used as it is",
    503: "The registry is busy",
}
REMEDIES = {
    0: "Nothing was saved. Check that the API runs, then try again.",
    401: "What you had decided is kept. Sign in to go on.",
    403: "Ask an administrator if you should.",
    404: "It does not exist, or it is not yours to see.",
    409: "What you see now is the present state. Look again, then decide.",
    503: "Nothing was saved. Try again in a few seconds.",
}


def marks(*shown: Mark) -> None:
    """The marks in one line."""
    st.markdown(" ".join(mark.badge for mark in shown))


def fact(label: str, text: str, *, help_text: str | None = None) -> None:
    """A label over a plain text; the text may be foreign."""
    with st.container(gap=None, width="content"):
        st.caption(label)
        st.text(text, help=help_text)


def time(label: str, moment: datetime | None) -> None:
    """A time as its age, with the moment in the viewer's zone and in UTC beside it."""
    if moment is None:
        fact(label, "never")
        return
    zoned = words.moment(moment, timezone=session.timezone())
    fact(label, words.age(moment, now=session.now()), help_text=f"{zoned} · {words.utc(moment)}")


def link(page: str, label: str, **asked: str) -> None:
    """A link to the page that shows exactly that object; the label may be foreign text."""
    st.page_link(f"app_pages/{page}.py", label=words.esc(label), query_params=asked)


def empty(title: str, text: str) -> None:
    """What is said where there is nothing to list."""
    with st.container(border=True):
        st.markdown(f"**{title}**")
        st.caption(text)


def run_row(run: RunSummary, *, named: bool) -> None:
    """A run in a list: its verdict, what it judged, its counts and age; opens the report."""
    with st.container(border=True, key=f"run-{run.id}", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(words.VERDICTS.get(run.verdict, words.UNKNOWN).badge, width="content")
            name = f"{run.contract_id} · {run.object}" if named else run.object
            link("run", f"{name} {_partitions(run.partitions)}".strip(), id=str(run.id))
            st.space("stretch")
            st.caption(words.age(run.finished, now=session.now()), width="content", help=words.utc(run.finished))
        st.caption(f"{counts(run.counts)} · {words.count(run.rows)} rows · version {words.esc(run.version)}")


def _partitions(names: Sequence[str]) -> str:
    shown = [name for name in names if name]
    return shown[0] if len(shown) == 1 else f"({words.several(len(shown), 'partition')})" if shown else ""


def counts(found: dict[str, int]) -> str:
    """How many checks ended how, what needs attention first."""
    order = [name for name in words.OUTCOMES if name != "passed"] + ["passed"]
    parts = [f"{found[name]:,} {words.OUTCOMES[name].word.lower()}" for name in order if found.get(name)]
    return ", ".join(parts) or "no checks"


def chart(series: Sequence[Point], band: Band, *, metric: str, key: str, marked: str | None = None) -> None:
    """A metric's history, large, with the same numbers as a table for who cannot see it."""
    drawn = charts.history(series, band, metric=metric, marked=marked)
    st.altair_chart(drawn, key=key, theme=None, alt=charts.described(series, band, metric=metric))
    with st.expander("The same as a table", key=f"{key}-table", on_change="rerun") as table:
        if table.open:
            rows = [{"Partition": point.label, "Value": words.value(point.value)} for point in reversed(series)]
            st.dataframe(rows, hide_index=True, alt=f"{metric} by partition")


def commands(*lines: Sequence[str]) -> None:
    """Commands to copy, each argument quoted for the shell."""
    st.code("\n".join(shlex.join(line) for line in lines), language="bash", wrap_lines=True)


def tell(text: str, *, problem: bool = False) -> None:
    """Keeps a sentence for the page that is drawn next. It may hold foreign text."""
    st.session_state[TOLD] = (text, problem)


def told() -> None:
    """Says what the last step did, once."""
    text, problem = st.session_state.pop(TOLD, ("", False))
    if text:
        (st.warning if problem else st.success)(
            words.esc(text), icon=":material/info:" if problem else ":material/check:"
        )


def sentence(error: ClientError) -> str:
    """What went wrong with a step, in one line that names every fault."""
    faults = "; ".join(_fault(each) for each in error.faults)
    reference = f" (reference {error.reference})" if error.reference else ""
    return (
        f"{TITLES.get(error.status, 'That did not work')}: {error.message}{f': {faults}' if faults else ''}{reference}"
    )


def _fault(fault: Any) -> str:
    place = f"{fault.where}, line {fault.line}" if fault.line else fault.where
    return f"{place}: {fault.message}{f', {fault.remedy}' if fault.remedy else ''}"


def problem(error: ClientError) -> None:
    """A panel in place of the page: what failed, what to do, a reference where there is one, and a way on."""
    title = TITLES.get(error.status, "Something went wrong")
    remedy = REMEDIES.get(error.status, "Try again. If it stays, give the reference to an administrator.")
    _panel(title, error.message if error.status not in {0, 404} else "", remedy, error.reference)
    if error.status == 401:
        sign_in_again()
    else:
        st.button("Retry", icon=":material/refresh:", key="retry")


def sign_in_again() -> None:
    """A link to the sign-in page that comes back to this address."""
    st.link_button("Sign in", session.sign_in_address(), type="primary", key="sign-in")


def unexpected(error: Exception) -> bool:
    """The panel for a mistake of ours: the log has the trace, the page only its reference. Always True: answered."""
    reference = str(uuid4())
    log.error("a page failed, reference %s", reference, exc_info=error)
    _panel(
        "Something went wrong on this page",
        "",
        "Nothing was changed by it. Reload, or go back to the inbox.",
        reference,
    )
    return True


def _panel(title: str, text: str, remedy: str, reference: str | None) -> None:
    with st.container(border=True, key="problem"):
        st.markdown(f"#### :material/error: {title}")
        if text:
            st.text(text)
        st.caption(remedy)
        if reference:
            fact("Reference", reference)


def table(rows: Iterable[dict[str, Any]], *, key: str, alt: str) -> None:
    """Rows of plain texts as a table."""
    st.dataframe(list(rows), hide_index=True, key=key, alt=alt)
