"""Draw elements that several pages share: labels, rows, problems and step results."""

import logging
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from typing import Any
from uuid import uuid4

import streamlit as st

from treaty.registry.client import UNREACHABLE, ClientError
from treaty.registry.schemas import MeasurementOut, RunSummaryOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import StatusLabel
from treaty.ui.texts import steps as texts
from treaty.ui.widgets import charts, viewer
from treaty.ui.widgets.charts import ChartBand, ChartPoint

log = logging.getLogger(__name__)
FLASH_KEY = "_flash"
Step = Callable[[], object]


def status_line(*shown: StatusLabel) -> None:
    """Show the labels in one line."""
    st.markdown(" ".join(mark.badge for mark in shown))


def fact(label: str, text: str, *, help_text: str | None = None) -> None:
    """Show a label above a plain text; text and help may be foreign."""
    with st.container(gap=None, width="content"):
        st.caption(label)
        st.text(text, help=ui_texts.esc(help_text) if help_text else None)


def time(label: str, moment: datetime | None) -> None:
    """Show a time as its age; the help text has the local time and UTC."""
    if moment is None:
        fact(label, "never")
        return
    fact(label, ui_texts.age(moment, now=viewer.now()), help_text=when(moment))


def link(page: str, label: str, *, help_text: str | None = None, **parameters: str) -> None:
    """Show a link to the page of that object; the label may be foreign text."""
    shown = f":blue[**{ui_texts.esc(label)}**]"
    st.page_link(
        f"app_pages/{page}.py",
        label=shown,
        help=ui_texts.esc(help_text) if help_text else None,
        query_params=parameters,
    )


def when(moment: datetime) -> str:
    """Return a time in the viewer's zone and in UTC."""
    return f"{ui_texts.moment(moment, timezone=viewer.timezone())} · {ui_texts.utc(moment)}"


def empty(title: str, text: str) -> None:
    """Show an empty state: a title, and the next step as text."""
    with st.container(border=True):
        st.markdown(f"**{title}**")
        st.caption(text)


def row(mark: StatusLabel, *, age: datetime | None, about: str, key: str) -> ExitStack:
    """Draw a list row with a label, an age and details; enter it to place the link."""
    entered = ExitStack()
    entered.enter_context(st.container(border=True, key=key, gap=None))
    line = st.container(horizontal=True, vertical_alignment="center", gap="small")
    st.caption(ui_texts.esc(about))
    with line:
        st.markdown(mark.badge, width="content")
        place = st.container(width="content")
        st.space("stretch")
        if age:
            st.caption(ui_texts.age(age, now=viewer.now()), width="content")
    entered.enter_context(place)
    return entered


def points(measured: Sequence[MeasurementOut]) -> tuple[ChartPoint, ...]:
    """Return measured values as points, labeled by partition or local time; gaps are omitted."""
    zone = viewer.timezone()
    return tuple(
        ChartPoint(
            ui_texts.partition_label(each.partition or "") or ui_texts.moment(each.measured_at, timezone=zone),
            each.value,
            viewer.unit_of(each.analyzer),
        )
        for each in measured
        if each.value is not None
    )


def run_row(run: RunSummaryOut, *, named: bool, more: str = "") -> None:
    """Draw a run in a list: verdict, subject, counts and age; opens the report.

    `named`: show the contract's id too. `more`: additional details."""
    parts = (counted(run.outcome_counts), ui_texts.rows(run.rows), ui_texts.version(run.version), more)
    about = " · ".join(part for part in parts if part)
    name = f"{run.contract_id} · {run.object}" if named else run.object
    with row(ui_texts.VERDICTS[run.verdict], age=run.finished_at, about=about, key=f"run-{run.id}"):
        link("run", f"{name} {_partitions(run.partitions)}".strip(), help_text=when(run.finished_at), id=str(run.id))


def _partitions(names: Sequence[str]) -> str:
    shown = [name for name in names if name]
    return shown[0] if len(shown) == 1 else f"({ui_texts.partitions(len(shown))})" if shown else ""


def counted(counts: Mapping[str, int], *, with_noun: bool = False) -> str:
    """Return how many checks have each outcome, most urgent first.

    `with_noun`: name the checks, as in '3 checks failed, 1 warning'."""
    order = [name for name in ui_texts.OUTCOMES if name != "passed"] + ["passed"]
    names = [name for name in order if counts.get(name)]
    parts = [ui_texts.outcome_count(counts[name], ui_texts.OUTCOMES[name]) for name in names]
    if with_noun and names:
        parts[0] = ui_texts.checks_with(counts[names[0]], ui_texts.OUTCOMES[names[0]])
    return ", ".join(parts) or ui_texts.NO_CHECKS


def show_chart(spec: charts.Spec, *, key: str, alt: str) -> None:
    """Show a chart in the colors of the viewer's theme; `alt` describes it in words."""
    st.vega_lite_chart(spec=charts.on_dark(spec) if viewer.is_dark() else spec, key=key, theme=None, alt=alt)


def chart(series: Sequence[ChartPoint], band: ChartBand, *, metric: str, key: str, marked: str | None = None) -> None:
    """Show a metric's history as a large chart, with the same numbers as a table."""
    shown = charts.history(series, band, metric=metric, marked=marked)
    show_chart(shown, key=key, alt=charts.describe_chart(series, band, metric=metric))
    with st.expander(ui_texts.SAME_AS_TABLE, key=f"{key}-table", on_change="rerun") as table:
        if table.open:
            rows = [
                {ui_texts.PARTITION: point.label, ui_texts.VALUE: ui_texts.value(point.value, point.unit)}
                for point in reversed(series)
            ]
            st.dataframe(rows, hide_index=True, alt=ui_texts.by_partition(metric))


def source(text: str, *, height: int | None = None) -> None:
    """Show a document or program to copy; if `height` (pixels) is set, it scrolls."""
    # Without highlighting: Streamlit's colours for code lack contrast on a light page and cannot be configured.
    if height is None:
        st.code(text, language=None, wrap_lines=True)
        return
    # The Tab key skips a scrolling code block; this container can be reached through its copy button.
    with st.container(height=height, border=False):
        st.code(text, language=None, wrap_lines=True)


def commands(*lines: Sequence[str]) -> None:
    """Show commands to copy, each argument quoted for the shell."""
    source("\n".join(shlex.join(line) for line in lines))


def flash(text: str, *, problem: bool = False, undo: Callable[[], None] | None = None) -> None:
    """Store a message for the next rendering of the page; it may contain foreign text.

    `undo`: undoes the step; None means there is no undo button."""
    st.session_state[FLASH_KEY] = (text, problem, undo)


def show_flash() -> None:
    """Show the stored message once: on the page and as a toast."""
    text, problem, undo = st.session_state.pop(FLASH_KEY, ("", False, None))
    if not text:
        return
    icon = ":material/info:" if problem else ":material/check:"
    st.toast(ui_texts.esc(text), icon=icon, duration="long")
    with st.container(horizontal=True, vertical_alignment="center", key="flash"):
        (st.warning if problem else st.success)(ui_texts.esc(text), icon=icon)
        if undo:
            st.button(ui_texts.UNDO, key="take-back", icon=":material/undo:", on_click=undo)


def sentence(error: ClientError) -> str:
    """Describe the error of a step in one line that names every fault."""
    faults = "; ".join(_fault(each) for each in error.faults)
    reference = texts.reference(error.reference) if error.reference else ""
    title = texts.TITLES.get(error.status, texts.DID_NOT_WORK)
    return f"{title}: {error.message}{f': {faults}' if faults else ''}{reference}"


def _fault(fault: Any) -> str:
    place = texts.line(fault.where, fault.line) if fault.line else fault.where
    return f"{place}: {fault.message}{f', {fault.remedy}' if fault.remedy else ''}"


def problem(error: ClientError) -> None:
    """Show an error instead of the page: cause, remedy, log reference and next steps."""
    title = texts.TITLES.get(error.status, texts.WENT_WRONG)
    remedy = texts.REMEDIES.get(error.status, texts.TRY_AGAIN)
    reference = _logged(error) if error.status == UNREACHABLE else error.reference
    _panel(title, error.message if error.status not in {UNREACHABLE, 404} else "", remedy, reference)
    if error.status == 401:
        sign_in_again()
    else:
        _ways_on()


def sign_in_again() -> None:
    """Show a link to the sign-in page that leads back to this URL."""
    st.link_button(ui_texts.SIGN_IN, viewer.sign_in_address(), type="primary", key="sign-in")


def unexpected(error: Exception) -> bool:
    """Show an unexpected error; only the log contains the trace. Returns True: the error is handled."""
    _panel(texts.PAGE_WENT_WRONG, "", texts.WHAT_IS_KEPT, _logged(error))
    _ways_on()
    return True


def _logged(error: Exception) -> str:
    """Log the error and return its reference."""
    reference = str(uuid4())
    log.error("page failed, reference %s", reference, exc_info=error)
    return reference


def _panel(title: str, text: str, remedy: str, reference: str | None) -> None:
    with st.container(border=True, key="problem"):
        st.markdown(f"#### :material/error: {title}")
        if text:
            st.text(text)
        st.caption(remedy)
        if reference:
            fact(texts.REFERENCE, reference)


def _ways_on() -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(texts.RETRY, icon=":material/refresh:", key="retry")
        st.link_button(texts.GO_TO_INBOX, "/", type="tertiary", key="home")


def table(rows: Sequence[dict[str, Any]], *, key: str, alt: str, **drawn_as: Any) -> None:
    """Show rows of plain text as a table, without its empty columns.

    `drawn_as`: configuration of columns of another type, by name."""
    st.dataframe(without_empty_columns(rows), hide_index=True, key=key, alt=alt, column_config=drawn_as)


def without_empty_columns(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows without columns that are empty in every row."""
    names = [name for name in (rows[0] if rows else ()) if any(row[name] not in ("", None) for row in rows)]
    return [{name: row[name] for name in names} for row in rows]
