"""A contract: its state first, then what it promises, its versions, its runs and how its metrics went."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from registry.api.schemas import AcknowledgementOut, ContractOut, DatasetOut, EntrustedOut, RunOut
from ui import documents, next_version, panels, session, words
from ui.charts import Point

TABS = ("Overview", "Versions", "Consumers", "Runs", "History")


def page() -> None:
    """Draws the contract that the address names; only the open tab asks the registry for more."""
    contract_id = st.query_params.get("id", "")
    if not contract_id:
        panels.empty("No contract named", "Open one from the list of contracts.")
        return
    contract = session.registry().contract(contract_id)
    header(contract)
    panels.told()
    draws = (overview, versions, consumers, runs, history)
    for tab, draw in zip(st.tabs(TABS, key="tab", on_change="rerun", bind="query-params"), draws, strict=True):
        if tab.open:
            with tab:
                draw(contract)


def header(contract: ContractOut) -> None:
    """Name, state, version, owner and last verdict."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.title(words.esc(contract.name or contract.id), width="content")
        st.markdown(words.VERSIONS["active" if contract.active_version else "none"].badge, width="content")
        st.markdown(verdict(contract).badge, width="content")
    with st.container(horizontal=True, gap="medium", key="facts"):
        panels.fact("Contract", contract.id)
        panels.fact("Version", contract.active_version or words.NOTHING)
        panels.fact("Owner", contract.owner)
        panels.time("Last run", contract.last_run.finished if contract.last_run else None)
        panels.fact("Open drafts", words.count(contract.open_proposals))
    if contract.last_run:
        panels.link("run", "Open the last report", id=str(contract.last_run.id))


def verdict(contract: ContractOut) -> words.Mark:
    """The mark of the last run."""
    return words.VERDICTS[contract.last_run.verdict] if contract.last_run else words.NEVER


def overview(contract: ContractOut) -> None:
    """What the active version promises, in words and as written, and about which tables."""
    if contract.active_version is None:
        panels.empty("No version yet", "It becomes active when its first proposal is approved.")
        return
    text = session.registry().document(contract.id).decode()
    document = documents.parsed(text)
    rows = single(documents.columns(document))
    st.subheader(f"Columns ({len(rows)})")
    panels.table(rows, key="columns", alt="Columns and what they promise")
    rows = single(documents.checks(document))
    if rows:
        st.subheader(f"Checks ({len(rows)})")
        panels.table(rows, key="checks", alt="Checks in words")
    st.subheader(f"Datasets ({len(contract.datasets)})")
    panels.table([dataset(each) for each in contract.datasets], key="datasets", alt="Datasets of the contract")
    runners(contract)
    exported(contract, contract.active_version)
    written(contract, contract.active_version, text)


def single(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The rows, without the object's name where all are about one."""
    if len({row["Object"] for row in rows}) > 1:
        return rows
    return [{name: text for name, text in row.items() if name != "Object"} for row in rows]


def dataset(found: DatasetOut) -> dict[str, str]:
    """A dataset as a row."""
    return {
        "Object": found.object or "",
        "Namespace": found.namespace,
        "Name": found.name,
        "Location": found.location or "",
        "Partitioned by": ", ".join(found.partition_by),
    }


def runners(contract: ContractOut) -> None:
    """Every check by who judges it; what is judged nowhere here says why, and texts say who signed them."""
    with st.expander("Who judges what", key="runners", icon=":material/groups:", on_change="rerun") as opened:
        if opened.open:
            found = session.registry().checks(contract.id).checks
            told = (
                f"{words.several(number, 'check')} {words.RUNNERS[each]}" for each, number in counted(found).items()
            )
            st.markdown(f"**{', '.join(told)}**")
            panels.table([entrusted(each) for each in found], key="runners-table", alt="Checks by who judges them")


def counted(found: Sequence[EntrustedOut]) -> Counter[str]:
    """How many checks each judges."""
    return Counter(each.runner.value for each in found)


def entrusted(check: EntrustedOut) -> dict[str, str]:
    """A check as a row."""
    signed = f"signed by {check.signed_by}" if check.signed_by else ""
    return {
        "Object": check.object,
        "Check": check.sentence,
        "Judged": words.RUNNERS[check.runner.value],
        "Why": signed or check.reason or "",
    }


def exported(contract: ContractOut, version: str) -> None:
    """The version in the forms of other tools, made when one is chosen."""
    with st.expander("For other tools", key="exports", icon=":material/download:", on_change="rerun") as opened:
        if opened.open:
            form = st.selectbox("Form", list(words.EXPORTS), format_func=words.EXPORTS.__getitem__, key="form")
            body = session.registry().export(contract.id, version, to=form)
            st.download_button(
                "Download", body, file_name=f"{contract.id}-{version}.{form}", mime="text/plain", key="export"
            )


def written(contract: ContractOut, version: str, text: str) -> None:
    """The document byte for byte, to read and to download."""
    with st.expander("As written (YAML)", key="written", icon=":material/code:", on_change="rerun") as opened:
        if opened.open:
            st.code(text, language="yaml", height=480)
            st.download_button(
                "Download", text, file_name=f"{contract.id}-{version}.yaml", mime="application/yaml", key="download"
            )


def versions(contract: ContractOut) -> None:
    """Every version, newest first, and the text of the chosen one."""
    if not contract.versions:
        panels.empty("No version yet", "It becomes active when its first proposal is approved.")
        return
    rows = [
        {
            "Version": each.version,
            "State": words.glyph(words.VERSIONS[each.state]),
            "Approved by": each.approved_by,
            "Approved": words.moment(each.approved_at, timezone=session.timezone()),
            "Fingerprint": each.fingerprint[:12],
        }
        for each in contract.versions
    ]
    panels.table(rows, key="versions", alt="Versions")
    chosen = st.selectbox(
        "Read a version", [each.version for each in contract.versions], key="version", bind="query-params"
    )
    if chosen:
        compared(contract, chosen)
        st.code(session.registry().document(contract.id, chosen).decode(), language="yaml", height=480)


def compared(contract: ContractOut, newer: str) -> None:
    """What differs from another version to the chosen one."""
    others = [each.version for each in contract.versions if each.version != newer]
    older = st.selectbox("Compare with", [words.NOTHING, *others], key="older", bind="query-params") if others else None
    if older in others:
        next_version.changes(session.registry().diff(contract.id, older, newer))


def consumers(contract: ContractOut) -> None:
    """Who uses the contract and for what, who is behind, and whom an approved version waits for."""
    registry = session.registry()
    found = registry.subscriptions(contract_id=contract.id)
    if not found:
        panels.empty("No consumer yet", "Whoever reads the data can subscribe: treaty subscribe, or the API.")
        return
    rows = [
        {
            "Consumer": each.subscriber,
            "Uses it for": each.purpose,
            "Contact": each.contact,
            "Reads": ", ".join(f"{name}.{column}" for name, columns in each.reads.items() for column in columns),
            "Checks of their own": str(each.checks),
            "Pinned to": each.pinned_to or "",
            "Behind": each.lagging or "",
        }
        for each in found
    ]
    panels.table(rows, key="consumers", alt="Consumers of the contract")
    waited = registry.acknowledgements(contract_id=contract.id, waiting=True)
    if waited:
        st.subheader("An approved version waits for them")
        panels.table([asked(each) for each in waited], key="waited", alt="Consumers who have not acknowledged")


def asked(row: AcknowledgementOut) -> dict[str, str]:
    """What a consumer is asked, as a row."""
    return {
        "Consumer": row.subscriber,
        "Version": row.version,
        "Breaks them": "; ".join(row.breaks),
        "Answer": row.answer,
        "Said": row.comment or "",
        "Until": words.moment(row.deadline, timezone=session.timezone()) if row.deadline else "",
    }


def runs(contract: ContractOut) -> None:
    """The last runs, each opening its report."""
    if not contract.runs:
        panels.empty("No run yet", "A run follows when lineage says that a table of the contract changed.")
    for run in contract.runs:
        panels.run_row(run, named=False)


def history(contract: ContractOut) -> None:
    """How one metric went, chosen among those of the last run."""
    if contract.last_run is None:
        panels.empty("No history yet", "The first run begins it.")
        return
    report = session.registry().run(contract.last_run.id)
    metrics = {each.sentence: each for each in report.results if each.measurement}
    sentence = st.selectbox("Check", list(metrics), key="metric", bind="query-params")
    if sentence is None:
        panels.empty("No metric", "The last run measured nothing.")
        return
    chosen = metrics[sentence]
    found = session.registry().measurements(contract.id, object_name=report.object, identity=str(chosen.measurement))
    series = tuple(
        Point(each.partition or f"{each.time:%Y-%m-%d %H:%M}", each.value) for each in found if each.value is not None
    )
    band = documents.band(
        documents.parsed(session.registry().document(contract.id, report.version).decode()), chosen.check_id
    )
    if series:
        panels.chart(series, band, metric=title(report, chosen.measurement), key="history")
    else:
        panels.empty("No values", "This metric has no number to draw.")


def title(report: RunOut, identity: str | None) -> str:
    """The name of a metric for an axis."""
    found = next((each for each in report.history.get(str(identity), ())), None)
    return found.analyzer.replace("_", " ") if found else "value"


page()
