"""The list of contracts: state, owner and last verdict of each; search stands in the address."""

import streamlit as st

from treaty.registry.schemas import ContractSummaryOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import contract as texts
from treaty.ui.texts import pages
from treaty.ui.widgets import panels, viewer

ROWS = 20


def page() -> None:
    """Draws the list; says what to do where it is empty."""
    st.title(pages.CONTRACTS)
    panels.show_flash()
    contracts = viewer.registry().contracts()
    if not contracts:
        panels.empty(ui_texts.NO_CONTRACT_YET, texts.HOW_TO_BEGIN)
        panels.link("draft", pages.DRAFT)
        panels.link("start", pages.START)
        return
    asked = st.text_input(
        ui_texts.SEARCH, key="q", bind="query-params", type="search", placeholder=texts.SEARCHED, live=True
    )
    contract_list(matching(contracts, asked or ""))


def matching(contracts: list[ContractSummaryOut], asked: str) -> list[ContractSummaryOut]:
    """The contracts that hold every asked word, what needs attention first."""
    parts = asked.casefold().split()
    found = [
        each for each in contracts if all(part in f"{each.id} {each.name} {each.owner}".casefold() for part in parts)
    ]
    return sorted(found, key=lambda each: (urgency(each), each.name.casefold(), each.id))


def urgency(contract: ContractSummaryOut) -> int:
    """0 for the worst verdict; contracts never judged come last."""
    order = ["failed", "not_evaluated", "warned", "passed"]
    return order.index(contract.last_run.verdict) if contract.last_run else len(order)


def contract_list(found: list[ContractSummaryOut]) -> None:
    """A page of them."""
    st.caption(texts.contract_count(len(found)))
    if not found:
        panels.empty(texts.NO_MATCH, texts.FEWER_WORDS)
        return
    number = st.pagination(max(1, -(-len(found) // ROWS)), key="page") if len(found) > ROWS else 1
    for contract in found[(number - 1) * ROWS : number * ROWS]:
        row(contract)


def row(contract: ContractSummaryOut) -> None:
    """One contract: last verdict, name, version, owner, open drafts."""
    run = contract.last_run
    mark, age = (ui_texts.VERDICTS[run.verdict], run.finished_at) if run else (ui_texts.NEVER, None)
    with panels.row(mark, age=age, about=summary(contract), key=f"contract-{ui_texts.slug(contract.id)}"):
        panels.link("contract", contract.name or contract.id, id=contract.id)


def summary(contract: ContractSummaryOut) -> str:
    """What else the list says of a contract."""
    version = ui_texts.version(contract.active_version) if contract.active_version else texts.NO_VERSION_IN_FORCE
    drafts = texts.open_drafts(contract.open_proposals) if contract.open_proposals else ""
    harm = texts.BAD_DATA_ABOVE if contract.upstream_failed else ""
    return " · ".join(part for part in (contract.id, version, texts.owner(contract.owner), drafts, harm) if part)


page()
