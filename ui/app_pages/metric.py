"""Metric explorer: a check's metric over time with its bounds, and a comparison of two partitions."""

from collections.abc import Sequence
from datetime import timedelta

import streamlit as st

from treaty.registry.schemas import (
    CheckHistoryItemOut,
    CheckResultOut,
    ContractOut,
    FeedbackOut,
    MetricHistoryItemOut,
    MetricHistoryQuery,
    RunOut,
    RunSummaryOut,
)
from treaty.ui import texts as ui_texts
from treaty.ui.parts.contract import document_rows
from treaty.ui.parts.metric import fits, metric_charts, metric_series, partition_comparison, point_feedback
from treaty.ui.parts.metric.metric_series import ObservedPoint
from treaty.ui.texts import metric as texts
from treaty.ui.texts import pages
from treaty.ui.widgets import panels, viewer
from treaty.ui.widgets.charts import ChartBand

PERIODS = {ui_texts.DAYS_30: 30, ui_texts.DAYS_90: 90, ui_texts.YEAR: 365, ui_texts.ALL: None}
MOST = 2000


def page() -> None:
    """Draw the metric named by the URL, and the selectors for another one."""
    st.title(pages.METRICS)
    panels.show_flash()
    contract = chosen_contract()
    if contract is None:
        return
    run = last_run(contract)
    if run is None:
        panels.empty(ui_texts.NO_HISTORY, texts.FIRST_RUN_BEGINS)
        return
    report = viewer.registry().run(run.id)
    checks = {each.check_id: each for each in report.results if each.measurement}
    if not checks:
        panels.empty(ui_texts.NO_METRIC, ui_texts.NOTHING_MEASURED)
        return
    explore(contract, report, checks)


def chosen_contract() -> ContractOut | None:
    """Return the selected contract; None if there is no contract."""
    ids = viewer.registry().contract_ids()
    if not ids:
        panels.empty(ui_texts.NO_CONTRACT_YET, texts.MEASURED_FOR)
        return None
    with st.container(horizontal=True, key="which"):
        named = st.selectbox(ui_texts.CONTRACT, ids, key="contract", bind="query-params", width=320)
    return viewer.registry().contract(named or ids[0])


def last_run(contract: ContractOut) -> RunSummaryOut | None:
    """Return the newest run of the selected table, from the runs shown with the contract."""
    newest: dict[str, RunSummaryOut] = {}
    for run in contract.runs:
        newest.setdefault(run.object, run)
    if len(newest) < 2:
        return next(iter(newest.values()), None)
    name = st.selectbox(ui_texts.TABLE, list(newest), key="object", bind="query-params", width=320)
    return newest[name or next(iter(newest))]


def explore(contract: ContractOut, report: RunOut, checks: dict[str, CheckResultOut]) -> None:
    """Draw the selectors, the metric, a second one to compare, feedback and partitions."""
    with st.container(horizontal=True, key="filters"):
        check = st.selectbox(ui_texts.CHECK, list(checks), key="check", bind="query-params", width=320)
        second = st.selectbox(
            texts.COMPARE_WITH, [ui_texts.NOTHING, *checks], key="beside", bind="query-params", width=320
        )
        period = st.segmented_control(
            texts.OF_THE_LAST, list(PERIODS), default=ui_texts.ALL, required=True, key="period", bind="query-params"
        )
    document = document_rows.parse_document(viewer.registry().document(contract.id, report.version).decode())
    feedback = viewer.registry().feedback(contract.id, report.object)
    chosen = checks[check or next(iter(checks))]
    series = metric(report, chosen, document, period or ui_texts.ALL, feedback, key="course")
    fits.section(report, chosen)
    if second in checks and second != check:
        metric(report, checks[second], document, period or ui_texts.ALL, feedback, key="beside-course")
    point_feedback.section(report, chosen, series, feedback)
    partitions(report, series)


def metric(
    report: RunOut,
    check: CheckResultOut,
    document: document_rows.Document,
    period: str,
    feedback: Sequence[FeedbackOut],
    *,
    key: str,
) -> tuple[ObservedPoint, ...]:
    """Draw one metric as facts, chart and table, and return its points."""
    st.subheader(ui_texts.esc(check.name or check.check_id))
    if check.sentence != check.name:
        st.caption(ui_texts.esc(check.sentence))
    measured, results = load_history(report, check, PERIODS.get(period))
    limits = document_rows.band(document, check.check_id)
    segment = segmented(measured, key=key)
    unit = viewer.unit_of(measured[-1].analyzer) if measured else ""
    series = metric_series.course(
        [each for each in measured if segment in (None, each.segment)],
        results,
        limits,
        timezone=viewer.timezone(),
        marks=feedback,
        unit=unit,
    )
    if not any(each.value is not None for each in series):
        panels.empty(ui_texts.NO_VALUES, texts.NO_NUMBER)
        return series
    last_value(series, results)
    history_chart(series, limits, name=measured[-1].analyzer.replace("_", " "), key=key)
    return series


def load_history(
    report: RunOut, check: CheckResultOut, days: int | None
) -> tuple[list[MetricHistoryItemOut], list[CheckHistoryItemOut]]:
    """Fetch the measurements and results of the last `days`; None means all."""
    since = viewer.now() - timedelta(days=days) if days else None
    registry = viewer.registry()
    query = MetricHistoryQuery(
        contract_id=report.contract_id, object=report.object, metric=check.measurement, since=since, limit=MOST
    )
    return registry.metric_history(query), registry.check_history(
        report.contract_id, report.object, check.check_id, limit=MOST
    )


def segmented(measured: Sequence[MetricHistoryItemOut], *, key: str) -> str | None:
    """Return the selected segment; None if partition names contain no segment."""
    names = sorted({each.segment for each in measured if each.segment})
    return st.selectbox(texts.SEGMENT, names, key=f"{key}-segment", bind="query-params", width=320) if names else None


def last_value(points: Sequence[ObservedPoint], items: Sequence[CheckHistoryItemOut]) -> None:
    """Draw the last value with its expected value and bounds, and the number of anomalies."""
    last = points[-1]
    with st.container(horizontal=True, gap="medium"):
        panels.fact(ui_texts.LAST, ui_texts.value(last.value, last.unit), help_text=last.label)
        panels.fact(ui_texts.EXPECTED, ui_texts.value(last.expected, last.unit))
        panels.fact(ui_texts.ADMITTED, last.band.words(last.unit) or texts.ANYTHING)
        if last.fit:
            panels.fact(ui_texts.FIT, last.fit, help_text=texts.FIT_JUDGED)
        panels.fact(texts.ANOMALIES, ui_texts.part(sum(each.is_anomaly for each in points), len(points)))
    if message := metric_series.learning(items):
        st.info(ui_texts.esc(message.capitalize()), icon=":material/hourglass_empty:")


def history_chart(points: Sequence[ObservedPoint], limits: ChartBand, *, name: str, key: str) -> None:
    """Draw the chart, its legend, and a table with links to reports."""
    panels.show_chart(
        metric_charts.course(points, limits, metric=name),
        key=key,
        alt=metric_series.series_sentence(points, metric=name),
    )
    st.caption(legend(points, limits))
    with st.expander(ui_texts.SAME_AS_TABLE, key=f"{key}-table", on_change="rerun") as table:
        if table.open:
            link = st.column_config.LinkColumn(texts.REPORT, display_text=texts.OPEN_REPORT)
            panels.table(
                metric_series.rows(points), key=f"{key}-rows", alt=texts.newest_first(name), **{texts.REPORT: link}
            )


def legend(points: Sequence[ObservedPoint], limits: ChartBand) -> str:
    """Return the legend of the marks that occur in the chart. Contains no foreign text."""
    allowed = limits.words(points[-1].unit if points else "")
    return " · ".join(
        part
        for part in (
            texts.LEGEND_LEARNED if any(each.learned for each in points) else "",
            texts.legend_limit(allowed) if allowed else "",
            texts.LEGEND_FAILED if any(each.is_anomaly for each in points) else "",
            texts.LEGEND_GAP if any(each.value is None for each in points) else "",
        )
        if part
    )


def partitions(report: RunOut, points: Sequence[ObservedPoint]) -> None:
    """Draw the comparison of two partitions, by default the last two."""
    names = [each.partition for each in points if each.partition and partition_comparison.condition(each.partition)]
    if len(names) < 2:
        return
    st.subheader(texts.TWO_PARTITIONS)
    newest = names[::-1]
    with st.container(horizontal=True, key="pair"):
        first = st.selectbox(ui_texts.PARTITION, newest, key="first", bind="query-params", width=320)
        second = st.selectbox(texts.WITH, newest, index=1, key="second", bind="query-params", width=320)
    with st.expander(texts.THEIR_COLUMNS, key="compared", on_change="rerun") as opened:
        if opened.open and first and second:
            partition_comparison.draw(f"{report.contract_id}.{report.object}", [first, second])


page()
