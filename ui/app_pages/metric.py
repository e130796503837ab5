"""The metric explorer: one check's metric over time with what was admitted, and partitions beside each other."""

from collections.abc import Sequence
from datetime import timedelta

import streamlit as st

from registry.api.schemas import CheckedOut, ContractOut, HistoryOut, MarkOut, ResultOut, RunOut, RunSummary
from ui import compared, course_charts, documents, explored, fitted, marking, panels, session, words
from ui.charts import Band
from ui.explored import Seen

PERIODS = {"30 days": 30, "90 days": 90, "1 year": 365, "All": None}
ALL = "All"
MOST = 2000
OPEN = "Open the report"


def page() -> None:
    """Draws the metric that the address names, and the ways to choose another one."""
    st.title("Metrics")
    panels.told()
    contract = chosen_contract()
    if contract is None:
        return
    run = last_run(contract)
    if run is None:
        panels.empty("No history yet", "The first run of the contract begins it.")
        return
    report = session.registry().run(run.id)
    checks = {each.check_id: each for each in report.results if each.measurement}
    if not checks:
        panels.empty("No metric", "The last run measured nothing.")
        return
    explore(contract, report, checks)


def chosen_contract() -> ContractOut | None:
    """The contract that the address names, or that is chosen; None where there is none to choose."""
    known = session.registry().contracts()
    if not known:
        panels.empty("No contract yet", "Metrics are measured for the checks of contracts.")
        return None
    with st.container(horizontal=True, key="which"):
        named = st.selectbox("Contract", [each.id for each in known], key="contract", bind="query-params", width=320)
    return session.registry().contract(named or known[0].id)


def last_run(contract: ContractOut) -> RunSummary | None:
    """The newest run of the chosen table of the contract, of those that are shown with it."""
    newest: dict[str, RunSummary] = {}
    for run in contract.runs:
        newest.setdefault(run.object, run)
    if len(newest) < 2:
        return next(iter(newest.values()), None)
    name = st.selectbox("Table", list(newest), key="object", bind="query-params", width=320)
    return newest[name or next(iter(newest))]


def explore(contract: ContractOut, report: RunOut, checks: dict[str, ResultOut]) -> None:
    """What is to be seen, then the metric, the one beside it, and the partitions that are compared."""
    with st.container(horizontal=True, key="filters"):
        check = st.selectbox("Check", list(checks), key="check", bind="query-params", width=320)
        beside = st.selectbox("Beside it", [words.NOTHING, *checks], key="beside", bind="query-params", width=320)
        period = st.segmented_control(
            "Of the last", list(PERIODS), default=ALL, required=True, key="period", bind="query-params"
        )
    document = documents.parsed(session.registry().document(contract.id, report.version).decode())
    said = session.registry().marks(contract.id, report.object)
    chosen = checks[check or next(iter(checks))]
    seen = metric(report, chosen, document, period or ALL, said, key="course")
    fitted.section(report, chosen)
    if beside in checks and beside != check:
        metric(report, checks[beside], document, period or ALL, said, key="beside-course")
    marking.section(report, chosen, seen, said)
    partitions(report, seen)


def metric(
    report: RunOut, check: ResultOut, document: documents.Document, period: str, said: Sequence[MarkOut], *, key: str
) -> tuple[Seen, ...]:
    """One metric: what it is, how it stands, its course as a chart and as a table. What of it was drawn comes back."""
    st.subheader(words.esc(check.name or check.check_id))
    if check.sentence != check.name:
        st.caption(words.esc(check.sentence))
    measured, judged = asked(report, check, PERIODS.get(period))
    limits = documents.band(document, check.check_id)
    segment = segmented(measured, key=key)
    seen = explored.course(
        [each for each in measured if segment in (None, each.segment)],
        judged,
        limits,
        timezone=session.timezone(),
        marks=said,
    )
    if not any(each.value is not None for each in seen):
        panels.empty("No values", "This metric has no number to draw in that time.")
        return seen
    standing(seen, judged)
    drawn(seen, limits, name=measured[-1].analyzer.replace("_", " "), key=key)
    return seen


def asked(report: RunOut, check: ResultOut, days: int | None) -> tuple[list[HistoryOut], list[CheckedOut]]:
    """What was measured and how it was judged, in so many days; None: ever."""
    since = session.now() - timedelta(days=days) if days else None
    registry, told = session.registry(), since.isoformat() if since else None
    measured = registry.history(report.contract_id, report.object, metric=check.measurement, since=told, limit=MOST)
    return measured, registry.checked(report.contract_id, report.object, check.check_id, limit=MOST)


def segmented(measured: Sequence[HistoryOut], *, key: str) -> str | None:
    """The segment that is chosen among those that partitions' names tell; None where they tell none."""
    names = sorted({each.segment for each in measured if each.segment})
    return st.selectbox("Segment", names, key=f"{key}-segment", bind="query-params", width=320) if names else None


def standing(seen: Sequence[Seen], judged: Sequence[CheckedOut]) -> None:
    """The last value beside what was expected and admitted of it, and how often it was an anomaly."""
    last = seen[-1]
    with st.container(horizontal=True, gap="medium"):
        panels.fact("Last", words.value(last.value), help_text=last.label)
        panels.fact("Expected", words.value(last.expected))
        panels.fact("Admitted", words.limits(last.band.lower, last.band.upper) or "anything")
        if last.fit:
            panels.fact("Fit", last.fit, help_text="The limits that the last run was judged by")
        panels.fact("Anomalies", f"{sum(each.is_anomaly for each in seen):,} of {len(seen):,}")
    if said := explored.learning(judged):
        st.info(words.esc(said.capitalize()), icon=":material/hourglass_empty:")


def drawn(seen: Sequence[Seen], limits: Band, *, name: str, key: str) -> None:
    """The chart, what stands in it, and the same as a table that leads to each report."""
    panels.drawn(course_charts.course(seen, limits, metric=name), key=key, alt=explored.told(seen, metric=name))
    st.caption(legend(seen, limits))
    with st.expander("The same as a table", key=f"{key}-table", on_change="rerun") as table:
        if table.open:
            link = st.column_config.LinkColumn("Report", display_text=OPEN)
            panels.table(explored.rows(seen), key=f"{key}-rows", alt=f"{name}, the newest first", Report=link)


def legend(seen: Sequence[Seen], limits: Band) -> str:
    """What of the marks is there to be read. Holds no foreign text."""
    allowed = words.limits(limits.lower, limits.upper)
    return " · ".join(
        part
        for part in (
            "Shaded: what its past admits; dotted: what was expected" if any(each.learned for each in seen) else "",
            f"Dashed: the contract's limit, {allowed}" if allowed else "",
            "Triangle: the check failed" if any(each.is_anomaly for each in seen) else "",
            "Cross: no value" if any(each.value is None for each in seen) else "",
        )
        if part
    )


def partitions(report: RunOut, seen: Sequence[Seen]) -> None:
    """Two partitions, chosen among those drawn, beside each other; by default the last two."""
    names = [each.label for each in seen if compared.condition(each.label)]
    if len(names) < 2:
        return
    st.subheader("Two partitions beside each other")
    newest = names[::-1]
    with st.container(horizontal=True, key="pair"):
        first = st.selectbox("Partition", newest, key="first", bind="query-params", width=320)
        second = st.selectbox("With", newest, index=1, key="second", bind="query-params", width=320)
    with st.expander("Their columns, from stored states", key="compared", on_change="rerun") as opened:
        if opened.open and first and second:
            compared.draw(f"{report.contract_id}.{report.object}", [first, second])


page()
