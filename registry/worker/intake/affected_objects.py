"""Find the contract objects that a lineage trigger affects, with their lineage terms."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sqlmodel import Session, col, select

from treaty.contracts.document.model import Lineage
from treaty.contracts.document.reader import read
from treaty.contracts.errors import ContractError
from treaty.registry.core.state_machines import IN_FORCE
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage.aliases import AliasGroup, groups
from treaty.registry.lineage.events.triggers import Trigger
from treaty.registry.tables import ContractRow, ContractVersionRow


class AffectedObject(NamedTuple):
    """An object of a contract in force, its lineage terms, and the dataset's alias group."""

    about: ContractObject
    terms: Lineage
    group: AliasGroup


def affected_objects(session: Session, triggers: Iterable[Trigger]) -> dict[Trigger, list[AffectedObject]]:
    """Return the objects in force that each trigger affects, sorted by name.

    [] if no contract is about the trigger's dataset."""
    paths = {trigger: [trigger.dataset, *_within(trigger)] for trigger in triggers}
    alias_groups = groups(session, {name for names in paths.values() for name in names})
    matches = {trigger: {about: alias_groups[name] for name in names for about in alias_groups[name].about}
             for trigger, names in paths.items()}  # fmt: skip
    terms = _terms(session, {about.contract_id for each in matches.values() for about in each})
    return {
        trigger: [
            AffectedObject(each, terms[each.contract_id], of[each]) for each in sorted(of) if each.contract_id in terms
        ]
        for trigger, of in matches.items()
    }


def _within(trigger: Trigger) -> list[LineageName]:
    """Return the aliases for partitions of the table, which may have contracts of their own."""
    table = trigger.dataset
    return [
        each for each in trigger.aliases if each.namespace == table.namespace and each.name.startswith(f"{table.name}/")
    ]


def _terms(session: Session, contracts: Iterable[str]) -> Mapping[str, Lineage]:
    """Return the lineage terms of each contract's active version; contracts without one are left out."""
    row = ContractVersionRow
    query = select(row.contract_id, row.body).join(ContractRow, col(ContractRow.id) == col(row.contract_id))
    ordering = (col(ContractRow.active_version) == col(row.version)).desc(), col(row.approved_at).desc()
    in_force = query.where(col(row.contract_id).in_(sorted(contracts)), col(row.state).in_(IN_FORCE))
    terms: dict[str, Lineage] = {}
    for contract_id, body in session.exec(in_force.order_by(*ordering)):
        if contract_id not in terms:
            terms[contract_id] = _lineage(body)
    return terms


def _lineage(body: bytes) -> Lineage:
    try:
        return read(body).terms.lineage
    except ContractError:
        return Lineage()
