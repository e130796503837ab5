"""Run report: the verdict, failed checks with reasons, all results, and how to reproduce them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import streamlit as st

from treaty.registry.client import ClientError
from treaty.registry.schemas import CheckResultOut, RunOut, ViolationSampleOut
from treaty.ui import texts as ui_texts
from treaty.ui.parts.contract import document_rows, inferred_consumers
from treaty.ui.parts.metric import partition_comparison
from treaty.ui.parts.run import downstream, failure_breakdown, reproduction, sufficient_change, violating_rows
from treaty.ui.texts import run as texts
from treaty.ui.widgets import charts, panels, viewer

# Number of results per check that are read to find the start of a failure.
PAST = 500
# `not evaluated` is separate: the check could not be computed, and the data may be valid.
SECTIONS = (
    ("failed", texts.FAILED),
    ("warned", texts.WARNINGS),
    ("not_evaluated", texts.NOT_EVALUATED),
    ("uncertain", texts.UNCERTAIN),
)


def page() -> None:
    """Draw the report of the run named by the URL."""
    run_id = viewer.asked_id("id")
    if run_id is None:
        panels.empty(texts.NO_RUN, texts.OPEN_ONE)
        return
    run = viewer.registry().run(run_id)
    header(run)
    text = text_of(run)
    document = document_rows.parse_document(text)
    samples = violating_rows.read(run)
    page_rows = violating_rows.DrawnRows()
    for outcome, title in SECTIONS:
        section(run, document, samples, page_rows, outcome, title)
    downstream.draw(run)
    everything(run)
    reproduce(run, text)


def header(run: RunOut) -> None:
    """Draw the verdict, the subject, and the time and duration of the run."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.title(ui_texts.esc(f"{run.contract_id} · {run.object}"), width="content")
        st.markdown(ui_texts.VERDICTS[run.verdict].badge, width="content")
    st.markdown(f"**{verdict(run)}**")
    if run.reason:
        st.text(run.reason)
    with st.container(horizontal=True, gap="medium", key="facts"):
        panels.fact(texts.PARTITIONS, partitions(run.partitions), help_text=", ".join(run.partitions)[:1000] or None)
        panels.fact(ui_texts.ROWS, ui_texts.count(run.rows))
        if run.detection_method:
            read = texts.read_version(run.read_version) if run.read_version else ""
            panels.fact(texts.FOUND_BY, f"{run.detection_method}{read}")
        panels.fact(ui_texts.VERSION, run.version)
        panels.time(texts.FINISHED, run.finished_at)
        panels.fact(texts.TOOK, ui_texts.took(run.finished_at - run.started_at))
        if run.lineage_run:
            panels.fact(texts.LINEAGE_RUN, run.lineage_run)
    panels.link("contract", ui_texts.open_contract(run.contract_id), id=run.contract_id)
    for each in viewer.registry().upstream(run.contract_id) if run.verdict != "passed" else ():
        if each.object == run.object:
            inferred_consumers.bad_data(each)


def verdict(run: RunOut) -> str:
    """Return the verdict in one sentence."""
    return f"{texts.VERDICTS[run.verdict]}: {panels.counted(Counter(map(outcome_of, run.results)), with_noun=True)}"


def partitions(names: Sequence[str]) -> str:
    """Return the names of the partitions, or their number if there are more than three."""
    shown = [name or texts.WHOLE_TABLE for name in names]
    return ui_texts.join_list(shown) if len(shown) <= 3 else ui_texts.partitions(len(shown))


def text_of(run: RunOut) -> str:
    """Fetch the document of the run's version; "" if it is gone, then charts have no limits."""
    try:
        return viewer.registry().document(run.contract_id, run.version).decode()
    except ClientError:
        return ""


def outcome_of(result: CheckResultOut) -> str:
    """Return the outcome; a failed check of severity warning is a warning."""
    return "warned" if result.outcome == "failed" and result.severity == "warning" else str(result.outcome)


def section(
    run: RunOut,
    document: Mapping[str, Any],
    samples: Mapping[str, ViolationSampleOut],
    page_rows: violating_rows.DrawnRows,
    outcome: str,
    title: str,
) -> None:
    """Draw the checks with that outcome, one panel each with its partitions.

    `page_rows`: rows that the page shows so far; extended."""
    matching = sorted((each for each in run.results if outcome_of(each) == outcome), key=lambda each: each.check_id)
    groups = [(check_id, list(group)) for check_id, group in groupby(matching, key=lambda each: each.check_id)]
    if groups:
        st.subheader(f"{title} ({len(groups):,})")
        for number, (check_id, results) in enumerate(groups):
            sample = samples.get(check_id) if outcome in ("failed", "warned") else None
            same_as = page_rows.earlier_check(sample, results[0].name or results[0].sentence)
            check(run, results, admitted(results[0], document), sample, same_as=same_as, key=f"{outcome}-{number}")


def admitted(result: CheckResultOut, document: Mapping[str, Any]) -> charts.ChartBand:
    """Return the bounds of the result: the detector's band, else the limits in the document."""
    if result.band is None:
        return document_rows.band(document, result.check_id)
    return charts.ChartBand(charts.number(result.band.get("lower")), charts.number(result.band.get("upper")))


def check(
    run: RunOut,
    results: list[CheckResultOut],
    band: charts.ChartBand,
    sample: ViolationSampleOut | None = None,
    *,
    same_as: str | None = None,
    key: str,
) -> None:
    """Draw one check: sentence, measured values, likely cause, violating rows and history.

    `same_as`: an earlier check of the page with the same rows; None if there is none."""
    first = results[0]
    with st.container(border=True, key=key, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(ui_texts.OUTCOMES[outcome_of(first)].badge, width="content")
            st.markdown(f"**{ui_texts.esc(first.name or first.sentence)}**")
        if first.name and first.name != first.sentence:
            st.caption(ui_texts.esc(first.sentence))
        for result in results[:5]:
            st.text(measured(result, band))
            if enough := sufficient_change.sentence(result, band):
                st.text(enough)
        if len(results) > 5:
            st.caption(texts.more_partitions(len(results) - 5))
        likely(run, results, sample)
        if same_as:
            st.caption(ui_texts.esc(texts.same_rows(same_as)))
        elif sample:
            violating_rows.draw(sample, results, key=key)
        past(run, first, band, key=key)
        feedback_link(run, first)


def feedback_link(run: RunOut, result: CheckResultOut) -> None:
    """Draw the link to feedback on the measured value."""
    if result.outcome == "failed" and result.measurement:
        parameters = {"contract": run.contract_id, "object": run.object, "check": result.check_id, "marking": "true"}
        panels.link("metric", texts.MARK_EXPECTED, **parameters)


def likely(run: RunOut, results: list[CheckResultOut], sample: ViolationSampleOut | None) -> None:
    """Draw the start of the failure and the affected data, as plain text."""
    check = results[0]
    if check.outcome != "failed":
        return
    course = viewer.registry().check_history(run.contract_id, run.object, check.check_id, limit=PAST)
    if (start := failure_breakdown.since(course, run.id)) is not None:
        st.text(failure_breakdown.sentence(start, now=viewer.now()))
    every = [each for each in run.results if each.check_id == check.check_id]
    if shared := failure_breakdown.parts(every):
        st.text(texts.shared(list(shared)))
    excluded = {check.column or "", *(run.dataset.partition_by if run.dataset else ())}
    if sample and failure_breakdown.segment(sample, excluded=excluded, shares={}):
        segment = failure_breakdown.segment(sample, excluded=excluded, shares=shares(run, results))
        st.text(segment.sentence if segment else texts.NOTHING_IN_COMMON)


def shares(run: RunOut, results: list[CheckResultOut]) -> Mapping[str, Mapping[str, float]]:
    """Return the share of each value, by column, in all rows of the failing partitions.

    Empty if the registry has no profile of them."""
    chosen = [partition_comparison.condition(each.partition or "") for each in results if each.outcome == "failed"]
    condition = " OR ".join(f"({each})" for each in chosen) if chosen and all(chosen) else None
    try:
        profile = viewer.registry().profile(f"{run.contract_id}.{run.object}", where=condition)
    except ClientError:
        return {}
    rows = max(profile.rows, 1)
    return {column.name: {each.value: each.count / rows for each in column.values} for column in profile.columns}


def measured(result: CheckResultOut, band: charts.ChartBand) -> str:
    """Describe the finding with its partition and the allowed limits."""
    place = f"{ui_texts.partition_label(result.partition)}: " if result.partition else ""
    if result.outcome == "not_evaluated":
        return texts.not_evaluated(place, result.reason or texts.NO_REASON)
    if result.finding:
        return f"{place}{result.finding}"
    allowed = band.words()
    description = texts.measured(place, ui_texts.value(result.value), texts.allowed(allowed) if allowed else "")
    return f"{description} ({result.reason})" if result.reason else description


def past(run: RunOut, result: CheckResultOut, band: charts.ChartBand, *, key: str) -> None:
    """Draw the metric's history with this run highlighted, if there are at least two points."""
    measurements = run.history.get(result.measurement or "", ())
    series = panels.points(measurements)
    if len(series) > 1:
        panels.chart(
            series,
            band,
            metric=measurements[0].analyzer.replace("_", " "),
            key=f"chart-{key}",
            marked=ui_texts.partition_label(result.partition or ""),
        )


def everything(run: RunOut) -> None:
    """Draw all results as one table, most urgent first."""
    st.subheader(texts.all_checks(len(run.results)))
    attention = ["failed", "warned", "not_evaluated", "uncertain", "not_applicable", "passed"]
    rows = [row(each) for each in sorted(run.results, key=lambda each: attention.index(outcome_of(each)))]
    panels.table(rows, key="results", alt=texts.EVERY_CHECK)


def row(result: CheckResultOut) -> dict[str, str]:
    """Return a result as a table row."""
    return {
        ui_texts.OUTCOME: ui_texts.glyph(ui_texts.OUTCOMES[outcome_of(result)]),
        ui_texts.CHECK: result.name or result.check_id,
        ui_texts.PROMISE: result.sentence,
        ui_texts.MEASURED: result.finding or ui_texts.value(result.value),
        texts.BROKEN_BY: texts.broken_by(result.violating_rows) if result.violating_rows else "",
        ui_texts.PARTITION: result.partition or "",
        ui_texts.COLUMN: result.column or "",
        ui_texts.SEVERITY: result.severity,
        texts.REASON: result.reason or "",
    }


def reproduce(run: RunOut, text: str) -> None:
    """Show a command and a Spark program that repeat the validation, and the document."""
    st.subheader(texts.REPRODUCE)
    location = reproduction.location(run)
    if location is None:
        st.caption(texts.NO_LOCATION)
        return
    panels.commands(reproduction.command(run, location))
    st.caption(texts.COMMAND_RUNS)
    with st.expander(texts.IN_SPARK, key="pyspark", icon=":material/code:", on_change="rerun") as opened:
        if opened.open:
            panels.source(reproduction.program(run, location))
            st.caption(texts.PROGRAM_RUNS)
    if text:
        name = reproduction.file_name(run)
        st.download_button(texts.DOWNLOAD_CONTRACT, text, file_name=name, mime="application/yaml", key="download")


page()
