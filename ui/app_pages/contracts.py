"""List of contracts with state, owner and last verdict; the URL stores the search."""

import streamlit as st

from treaty.registry.schemas import ContractSummaryOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import contract as texts
from treaty.ui.texts import pages
from treaty.ui.widgets import panels, viewer

ROWS = 20


def page() -> None:
    """Draw the list, or the empty state with the next steps."""
    st.title(pages.CONTRACTS)
    panels.show_flash()
    contracts = viewer.registry().contracts()
    if not contracts:
        panels.empty(ui_texts.NO_CONTRACT_YET, texts.HOW_TO_BEGIN)
        panels.link("draft", pages.DRAFT)
        panels.link("start", pages.START)
        return
    query = st.text_input(
        ui_texts.SEARCH, key="q", bind="query-params", type="search", placeholder=texts.SEARCHED, live=True
    )
    contract_list(matching(contracts, query or ""))


def matching(contracts: list[ContractSummaryOut], text: str) -> list[ContractSummaryOut]:
    """Return the contracts that contain every word, most urgent first."""
    parts = text.casefold().split()
    matches = [
        each for each in contracts if all(part in f"{each.id} {each.name} {each.owner}".casefold() for part in parts)
    ]
    return sorted(matches, key=lambda each: (urgency(each), each.name.casefold(), each.id))


def urgency(contract: ContractSummaryOut) -> int:
    """Return the rank of the last verdict: 0 is the worst; contracts without a run come last."""
    order = ["failed", "not_evaluated", "uncertain", "warned", "passed"]
    return order.index(contract.last_run.verdict) if contract.last_run else len(order)


def contract_list(summaries: list[ContractSummaryOut]) -> None:
    """Draw one page of the contracts."""
    st.caption(texts.contract_count(len(summaries)))
    if not summaries:
        panels.empty(texts.NO_MATCH, texts.FEWER_WORDS)
        return
    number = st.pagination(max(1, -(-len(summaries) // ROWS)), key="page") if len(summaries) > ROWS else 1
    for contract in summaries[(number - 1) * ROWS : number * ROWS]:
        row(contract)


def row(contract: ContractSummaryOut) -> None:
    """Draw a contract: last verdict, name, version, owner and open proposals."""
    run = contract.last_run
    mark, age = (ui_texts.VERDICTS[run.verdict], run.finished_at) if run else (ui_texts.NEVER, None)
    with panels.row(mark, age=age, about=summary(contract), key=f"contract-{ui_texts.slug(contract.id)}"):
        panels.link("contract", contract.name or contract.id, id=contract.id)


def summary(contract: ContractSummaryOut) -> str:
    """Return the details of a contract in the list."""
    version = ui_texts.version(contract.active_version) if contract.active_version else texts.NO_VERSION_IN_FORCE
    drafts = texts.open_drafts(contract.open_proposals) if contract.open_proposals else ""
    upstream = texts.BAD_DATA_ABOVE if contract.upstream_failed else ""
    return " · ".join(part for part in (contract.id, version, texts.owner(contract.owner), drafts, upstream) if part)


page()
