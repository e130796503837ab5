"""The list of contracts: state, owner and last verdict of each; search stands in the address."""

import streamlit as st

from registry.api.schemas import ContractSummary
from ui import panels, session, words

ROWS = 20


def page() -> None:
    """Draws the list; says what to do where it is empty."""
    st.title("Contracts")
    panels.told()
    contracts = session.registry().contracts()
    if not contracts:
        panels.empty(
            "No contract yet", "Draft one from a table that Spark can read, or put one forward through the API."
        )
        panels.link("draft", "Draft a contract")
        panels.link("start", "Getting started")
        return
    asked = st.text_input(
        "Search", key="q", bind="query-params", type="search", placeholder="name, id or owner", live=True
    )
    listed(matching(contracts, asked or ""))


def matching(contracts: list[ContractSummary], asked: str) -> list[ContractSummary]:
    """The contracts that hold every asked word, what needs attention first."""
    parts = asked.casefold().split()
    found = [
        each for each in contracts if all(part in f"{each.id} {each.name} {each.owner}".casefold() for part in parts)
    ]
    return sorted(found, key=lambda each: (urgency(each), each.name.casefold(), each.id))


def urgency(contract: ContractSummary) -> int:
    """0 for the worst verdict; contracts never judged come last."""
    order = ["failed", "not_evaluated", "warned", "passed"]
    return order.index(contract.last_run.verdict) if contract.last_run else len(order)


def listed(found: list[ContractSummary]) -> None:
    """A page of them."""
    st.caption(words.several(len(found), "contract"))
    if not found:
        panels.empty("No contract matches", "Search for fewer words.")
        return
    number = st.pagination(max(1, -(-len(found) // ROWS)), key="page") if len(found) > ROWS else 1
    for contract in found[(number - 1) * ROWS : number * ROWS]:
        row(contract)


def row(contract: ContractSummary) -> None:
    """One contract: last verdict, name, version, owner, open drafts."""
    run = contract.last_run
    mark, age = (words.VERDICTS[run.verdict], run.finished) if run else (words.NEVER, None)
    with panels.row(mark, age=age, about=summary(contract), key=f"contract-{words.slug(contract.id)}"):
        panels.link("contract", contract.name or contract.id, id=contract.id)


def summary(contract: ContractSummary) -> str:
    """What else the list says of a contract."""
    version = f"version {contract.active_version}" if contract.active_version else "no version yet"
    drafts = words.several(contract.open_proposals, "open draft") if contract.open_proposals else ""
    harm = "bad data from further up" if contract.upstream_failed else ""
    return " · ".join(part for part in (contract.id, version, f"owner {contract.owner}", drafts, harm) if part)


page()
