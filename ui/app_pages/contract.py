"""Contract page: status, content, versions, runs and metrics."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from treaty.registry.schemas import CheckOut, CheckResultOut, ContractOut, DatasetOut, RunOut
from treaty.ui import texts as ui_texts
from treaty.ui.parts.contract import activity, catalogs, consumers, contract_rows, document_rows, header
from treaty.ui.parts.review import next_version
from treaty.ui.texts import contract as texts
from treaty.ui.widgets import panels, viewer

TABS = (
    texts.OVERVIEW,
    texts.CHECKS,
    texts.VERSIONS,
    texts.DIFF,
    ui_texts.CONSUMERS,
    texts.RUNS,
    texts.HISTORY,
    texts.ACTIVITY,
)


def page() -> None:
    """Draw the contract named by the URL; only the open tab sends further requests."""
    contract_id = st.query_params.get("id", "")
    if not contract_id:
        panels.empty(texts.NO_CONTRACT, texts.OPEN_ONE)
        return
    contract = viewer.registry().contract(contract_id)
    header.draw(contract)
    panels.show_flash()
    draws = (overview, checks, versions, difference, consumers.draw, runs, history, activity.draw)
    for tab, draw in zip(st.tabs(TABS, key="tab", on_change="rerun", bind="query-params"), draws, strict=True):
        if tab.open:
            with tab:
                draw(contract)


def overview(contract: ContractOut) -> None:
    """Draw the active version: columns, datasets, service levels, exports and document."""
    if contract.active_version is None:
        panels.empty(texts.NO_VERSION, texts.HOW_VERSIONS_COME)
        return
    text = viewer.registry().document(contract.id).decode()
    document = document_rows.parse_document(text)
    rows = single(document_rows.columns(document))
    st.subheader(texts.columns(len(rows)))
    panels.table(rows, key="columns", alt=texts.COLUMNS_TABLE)
    st.subheader(texts.datasets(len(contract.datasets)))
    panels.table([dataset(each) for each in contract.datasets], key="datasets", alt=texts.DATASETS_TABLE)
    for each in contract.datasets:
        panels.link("lineage", texts.lineage_of(each.name), node=f"dataset:{each.namespace}:{each.name}")
    if levels := document_rows.service_levels(document):
        st.subheader(texts.SERVICE_LEVELS)
        panels.table(levels, key="levels", alt=texts.LEVELS_TABLE)
    catalogs.draw(contract)
    exported(contract, contract.active_version)
    written(contract, contract.active_version, text)


def single(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the rows without the column for the object if all have the same one."""
    if len({row[ui_texts.OBJECT] for row in rows}) > 1:
        return rows
    return [{name: text for name, text in row.items() if name != ui_texts.OBJECT} for row in rows]


def dataset(dataset: DatasetOut) -> dict[str, str]:
    """Return a dataset as a table row."""
    return {
        ui_texts.OBJECT: dataset.object or "",
        ui_texts.NAMESPACE: dataset.namespace,
        ui_texts.NAME: dataset.name,
        texts.LOCATION: dataset.location or "",
        texts.PARTITIONED_BY: ", ".join(dataset.partition_by),
    }


def checks(contract: ContractOut) -> None:
    """Draw every check of the active version, with its last result and its engine."""
    if contract.active_version is None:
        panels.empty(texts.NO_VERSION, texts.HOW_VERSIONS_COME)
        return
    entries = viewer.registry().checks(contract.id).checks
    counts = (texts.judged_by(number, ui_texts.RUNNERS[each]) for each, number in counted(entries).items())
    st.markdown(f"**{', '.join(counts) or texts.NO_CHECK}**")
    last = last_results(contract)
    rows = [entrusted(each) | contract_rows.last_result(contract.id, each, last.get(each.id)) for each in entries]
    link = st.column_config.LinkColumn(texts.HISTORY, display_text=ui_texts.OPEN)
    panels.table(single(rows), key="entrusted", alt=texts.CHECKS_JUDGED, **{texts.HISTORY: link})
    if rows := single(
        document_rows.checks(document_rows.parse_document(viewer.registry().document(contract.id).decode()))
    ):
        st.subheader(texts.written_out(len(rows)))
        panels.table(rows, key="checks", alt=texts.CHECKS_TABLE)


def last_results(contract: ContractOut) -> dict[str, CheckResultOut]:
    """Return the last result by check id; with several partitions, a failed one if there is any."""
    if contract.last_run is None:
        return {}
    results = sorted(viewer.registry().run(contract.last_run.id).results, key=lambda each: each.outcome != "failed")
    return {each.check_id: each for each in reversed(results)}


def counted(checks: Sequence[CheckOut]) -> Counter[str]:
    """Count the checks of each runner."""
    return Counter(each.runner.value for each in checks)


def entrusted(check: CheckOut) -> dict[str, str]:
    """Return a check as a table row."""
    signed = texts.signed_by(check.signed_by) if check.signed_by else ""
    return {
        ui_texts.OBJECT: check.object,
        ui_texts.CHECK: check.sentence,
        texts.VALIDATED: ui_texts.RUNNERS[check.runner.value],
        ui_texts.WHY: signed or check.reason or "",
    }


def exported(contract: ContractOut, version: str) -> None:
    """Offer the version in the formats of other tools, generated on request."""
    with st.expander(texts.OTHER_TOOLS, key="exports", icon=":material/download:", on_change="rerun") as opened:
        if opened.open:
            form = st.selectbox(
                texts.FORM, list(ui_texts.EXPORTS), format_func=ui_texts.EXPORTS.__getitem__, key="form"
            )
            body = viewer.registry().export(contract.id, version, format=form)
            st.download_button(
                texts.DOWNLOAD, body, file_name=f"{contract.id}-{version}.{form}", mime="text/plain", key="export"
            )


def written(contract: ContractOut, version: str, text: str) -> None:
    """Show the unchanged document, to read and to download."""
    with st.expander(texts.AS_WRITTEN, key="written", icon=":material/code:", on_change="rerun") as opened:
        if opened.open:
            panels.source(text, height=480)
            st.download_button(
                texts.DOWNLOAD, text, file_name=f"{contract.id}-{version}.yaml", mime="application/yaml", key="download"
            )


def versions(contract: ContractOut) -> None:
    """Draw every version, newest first, and the document of the selected one."""
    if not contract.versions:
        panels.empty(texts.NO_VERSION, texts.HOW_VERSIONS_COME)
        return
    rows = [
        {
            ui_texts.VERSION: each.version,
            ui_texts.STATE: ui_texts.glyph(ui_texts.VERSIONS[each.state]),
            texts.APPROVED_BY: each.approved_by,
            texts.APPROVED: ui_texts.moment(each.approved_at, timezone=viewer.timezone()),
            texts.FINGERPRINT: each.fingerprint[:12],
        }
        for each in contract.versions
    ]
    panels.table(rows, key="versions", alt=texts.VERSIONS)
    chosen = st.selectbox(
        texts.READ_VERSION, [each.version for each in contract.versions], key="version", bind="query-params"
    )
    if chosen:
        panels.source(viewer.registry().document(contract.id, chosen).decode(), height=480)


def difference(contract: ContractOut) -> None:
    """Compare two versions: the meaning of the changes, then both documents line by line."""
    numbers = [each.version for each in contract.versions]
    if len(numbers) < 2:
        panels.empty(texts.NOTHING_TO_COMPARE, texts.ONE_VERSION)
        return
    with st.container(horizontal=True, key="pair"):
        newer = st.selectbox(ui_texts.VERSION, numbers, key="newer", bind="query-params", width=240) or numbers[0]
        older = st.selectbox(texts.AGAINST, numbers, index=1, key="older", bind="query-params", width=240) or numbers[1]
    if newer == older:
        panels.empty(texts.SAME_VERSION, texts.CHOOSE_ANOTHER)
        return
    registry = viewer.registry()
    next_version.changes(registry.diff(contract.id, older, newer))
    with st.expander(texts.LINE_BY_LINE, key="lines", icon=":material/code:", on_change="rerun") as opened:
        if opened.open:
            both = [registry.document(contract.id, each).decode() for each in (older, newer)]
            panels.source(contract_rows.lines(*both, names=(older, newer)), height=480)


def runs(contract: ContractOut) -> None:
    """Draw the last runs, each with a link to its report."""
    if not contract.runs:
        panels.empty(texts.NO_RUN, texts.WHEN_RUNS_COME)
    for run in contract.runs:
        panels.run_row(run, named=False)


def history(contract: ContractOut) -> None:
    """Draw the history of a metric of the last run."""
    if contract.last_run is None:
        panels.empty(ui_texts.NO_HISTORY, texts.FIRST_RUN_BEGINS)
        return
    report = viewer.registry().run(contract.last_run.id)
    metrics = {each.sentence: each for each in report.results if each.measurement}
    sentence = st.selectbox(ui_texts.CHECK, list(metrics), key="metric", bind="query-params")
    if sentence is None:
        panels.empty(ui_texts.NO_METRIC, ui_texts.NOTHING_MEASURED)
        return
    chosen = metrics[sentence]
    measurements = viewer.registry().measurements(
        contract.id, object_name=report.object, identity=str(chosen.measurement)
    )
    series = panels.points(measurements)
    band = document_rows.band(
        document_rows.parse_document(viewer.registry().document(contract.id, report.version).decode()), chosen.check_id
    )
    if series:
        panels.chart(series, band, metric=title(report, chosen.measurement), key="history")
        parameters = {"contract": contract.id, "object": report.object, "check": chosen.check_id}
        panels.link("metric", texts.EXPLORE_METRIC, **parameters)
    else:
        panels.empty(ui_texts.NO_VALUES, texts.NO_NUMBER)


def title(report: RunOut, identity: str | None) -> str:
    """Return the name of a metric for an axis."""
    measurement = next((each for each in report.history.get(str(identity), ())), None)
    return measurement.analyzer.replace("_", " ") if measurement else texts.METRIC


page()
