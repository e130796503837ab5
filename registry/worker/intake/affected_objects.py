"""Whom a trigger concerns: the objects of contracts in force about its dataset, and their terms for lineage."""

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
    """An object of a contract in force, what its terms say of lineage, and the dataset that the trigger is about."""

    about: ContractObject
    terms: Lineage
    group: AliasGroup


def affected_objects(session: Session, asked: Iterable[Trigger]) -> dict[Trigger, list[AffectedObject]]:
    """Whom each trigger concerns, in the order of names; [] where nobody promises anything about its dataset."""
    paths = {trigger: [trigger.dataset, *_within(trigger)] for trigger in asked}
    known = groups(session, {name for names in paths.values() for name in names})
    found = {trigger: {about: known[name] for name in names for about in known[name].about}
             for trigger, names in paths.items()}  # fmt: skip
    terms = _terms(session, {about.contract_id for each in found.values() for about in each})
    return {
        trigger: [
            AffectedObject(each, terms[each.contract_id], of[each]) for each in sorted(of) if each.contract_id in terms
        ]
        for trigger, of in found.items()
    }


def _within(trigger: Trigger) -> list[LineageName]:
    """The names of partitions of the table, which a contract may be about by themselves."""
    table = trigger.dataset
    return [
        each for each in trigger.aliases if each.namespace == table.namespace and each.name.startswith(f"{table.name}/")
    ]


def _terms(session: Session, contracts: Iterable[str]) -> Mapping[str, Lineage]:
    """What the version that stands for each contract says; contracts that have none in force are left out."""
    row = ContractVersionRow
    query = select(row.contract_id, row.body).join(ContractRow, col(ContractRow.id) == col(row.contract_id))
    stands = (col(ContractRow.active_version) == col(row.version)).desc(), col(row.approved_at).desc()
    found = query.where(col(row.contract_id).in_(sorted(contracts)), col(row.state).in_(IN_FORCE))
    told: dict[str, Lineage] = {}
    for contract_id, body in session.exec(found.order_by(*stands)):
        if contract_id not in told:
            told[contract_id] = _lineage(body)
    return told


def _lineage(body: bytes) -> Lineage:
    try:
        return read(body).terms.lineage
    except ContractError:
        return Lineage()
