"""A contract: its state first, then what it promises, its versions, its runs and how its metrics went."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from registry.api.schemas import (
    ContractOut,
    DatasetOut,
    EntrustedOut,
    ResultOut,
    RunOut,
)
from ui import contract_consumers, contract_rows, documents, next_version, panels, readers, session, words

TABS = ("Overview", "Checks", "Versions", "Diff", "Consumers", "Runs", "History", "Activity")
SHOWN = 50


def page() -> None:
    """Draws the contract that the address names; only the open tab asks the registry for more."""
    contract_id = st.query_params.get("id", "")
    if not contract_id:
        panels.empty("No contract named", "Open one from the list of contracts.")
        return
    contract = session.registry().contract(contract_id)
    header(contract)
    panels.told()
    draws = (overview, checks, versions, difference, contract_consumers.draw, runs, history, activity)
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
        panels.fact("Consumers", words.count(len(session.registry().subscriptions(contract_id=contract.id))))
        panels.time("Last run", contract.last_run.finished if contract.last_run else None)
        panels.fact("Open drafts", words.count(contract.open_proposals))
    if contract.last_run:
        panels.link("run", "Open the last report", id=str(contract.last_run.id))
    for each in session.registry().upstream(contract.id):
        readers.bad_data(each)


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
    st.subheader(f"Datasets ({len(contract.datasets)})")
    panels.table([dataset(each) for each in contract.datasets], key="datasets", alt="Datasets of the contract")
    for each in contract.datasets:
        panels.link("lineage", f"Lineage of {each.name}", node=f"dataset:{each.namespace}:{each.name}")
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


def checks(contract: ContractOut) -> None:
    """Every check of the version in force in words: how it came out last, and who judges it."""
    if contract.active_version is None:
        panels.empty("No version yet", "It becomes active when its first proposal is approved.")
        return
    found = session.registry().checks(contract.id).checks
    told = (f"{words.several(number, 'check')} {words.RUNNERS[each]}" for each, number in counted(found).items())
    st.markdown(f"**{', '.join(told) or 'No check'}**")
    last = last_results(contract)
    rows = [entrusted(each) | contract_rows.standing(contract.id, each, last.get(each.id)) for each in found]
    link = st.column_config.LinkColumn("History", display_text="Open")
    panels.table(single(rows), key="entrusted", alt="Checks, how each came out last, and who judges it", History=link)
    if rows := single(documents.checks(documents.parsed(session.registry().document(contract.id).decode()))):
        st.subheader(f"Written out as checks ({len(rows)})")
        panels.table(rows, key="checks", alt="Checks in words")


def last_results(contract: ContractOut) -> dict[str, ResultOut]:
    """The last result of each check by its id, the worst where the last run judged it on several partitions."""
    if contract.last_run is None:
        return {}
    found = sorted(session.registry().run(contract.last_run.id).results, key=lambda each: each.outcome != "failed")
    return {each.check_id: each for each in reversed(found)}


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
            panels.source(text, height=480)
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
        panels.source(session.registry().document(contract.id, chosen).decode(), height=480)


def difference(contract: ContractOut) -> None:
    """What differs between any two versions: what it means first, then both texts line by line."""
    known = [each.version for each in contract.versions]
    if len(known) < 2:
        panels.empty("Nothing to compare", "There is one version at most; the next one can be held against it.")
        return
    with st.container(horizontal=True, key="pair"):
        newer = st.selectbox("Version", known, key="newer", bind="query-params", width=240) or known[0]
        older = st.selectbox("Against", known, index=1, key="older", bind="query-params", width=240) or known[1]
    if newer == older:
        panels.empty("The same version twice", "Choose another one on either side.")
        return
    registry = session.registry()
    next_version.changes(registry.diff(contract.id, older, newer))
    with st.expander("Line by line", key="lines", icon=":material/code:", on_change="rerun") as opened:
        if opened.open:
            texts = [registry.document(contract.id, each).decode() for each in (older, newer)]
            panels.source(contract_rows.lines(*texts, names=(older, newer)), height=480)


def activity(contract: ContractOut) -> None:
    """What happened to the contract, the newest first: drafts, versions, runs that did not pass, incidents."""
    registry = session.registry()
    found = contract_rows.activity(
        contract,
        registry.proposals(contract_id=contract.id, limit=SHOWN),
        registry.incidents(contract_id=contract.id, limit=SHOWN),
    )
    zone = session.timezone()
    rows = [
        {"When": words.moment(each.time, timezone=zone), "Who": each.who, "What": each.what, "Open": each.address}
        for each in found
    ]
    if not rows:
        panels.empty("Nothing happened yet", "Drafts, versions, runs and incidents of the contract appear here.")
        return
    link = st.column_config.LinkColumn("Open", display_text="Open")
    panels.table(rows, key="activity", alt="What happened to the contract", Open=link)


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
    series = panels.points(found)
    band = documents.band(
        documents.parsed(session.registry().document(contract.id, report.version).decode()), chosen.check_id
    )
    if series:
        panels.chart(series, band, metric=title(report, chosen.measurement), key="history")
        asked = {"contract": contract.id, "object": report.object, "check": chosen.check_id}
        panels.link("metric", "Explore this metric", **asked)
    else:
        panels.empty("No values", "This metric has no number to draw.")


def title(report: RunOut, identity: str | None) -> str:
    """The name of a metric for an axis."""
    found = next((each for each in report.history.get(str(identity), ())), None)
    return found.analyzer.replace("_", " ") if found else "value"


page()
