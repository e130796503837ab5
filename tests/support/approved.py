"""Contracts that owners approved, as rows: for what is learned from many of them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Engine
from sqlmodel import select
from support.scenes import NOON

from treaty.contracts.document.reader import read
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import Decision, ProposalState, VersionState
from treaty.registry.tables import (
    ContractRow,
    ContractVersionRow,
    DatasetContractRow,
    DatasetRow,
    ProposalRow,
    ProposalSuggestionRow,
    UserRow,
)


def approve(database: Engine, bodies: Iterable[bytes], *, at: datetime = NOON, dataset: str = "") -> None:
    """Stores versions; each contract is about a dataset of its own, or all about the named one."""
    with transaction(database) as tx:
        owner = _owner(tx)
        for body in bodies:
            contract = read(body)
            if tx.get(ContractRow, contract.id) is None:
                tx.add(ContractRow(id=contract.id, name=contract.name, owner_id=owner.id, created_at=at))
                tx.flush()
                for each in contract.objects:
                    row = _dataset(tx, dataset or f"/lake/{contract.id}/{each.name}")
                    tx.add(DatasetContractRow(dataset_id=row.id, contract_id=contract.id, object=each.name))
            tx.add(
                ContractVersionRow(
                    id=ids.new(), contract_id=contract.id, version=contract.version, body=body,
                    fingerprint=contract.fingerprint, state=VersionState.ACTIVE, approved_by_id=owner.id,
                    approved_at=at,
                )
            )  # fmt: skip
        tx.commit()


def reject(database: Engine, contract_id: str, column: str, state: ProposalState, **other: Any) -> None:
    """Stores a suggested key of a proposal in that state, with the owner's decision, a rejection by default."""
    content = {
        "id": f"k-{column}",
        "kind": "unique",
        "object": contract_id,
        "column": column,
        "patch": {"unique": True},
    }
    with transaction(database) as tx:
        owner = _owner(tx)
        proposal = ProposalRow(
            id=ids.new(), contract_id=contract_id, title="", base=b"", author_id=owner.id, state=state, created_at=NOON
        )
        tx.add(proposal)
        tx.flush()
        decided = {"decision": Decision.REJECTED, "reason": "no key", "decided_at": NOON} | other
        tx.add(
            ProposalSuggestionRow(
                id=ids.new(), proposal_id=proposal.id, identity=content["id"], position=0, content=content, **decided
            )
        )
        tx.commit()


def _owner(tx: Any) -> UserRow:
    owner = tx.exec(select(UserRow).where(UserRow.name == "keeper")).first()
    if owner is None:
        owner = UserRow(id=ids.new(), name="keeper", roles=["owner"], created_at=NOON)
        tx.add(owner)
        tx.flush()
    return owner


def _dataset(tx: Any, name: str) -> DatasetRow:
    row = tx.exec(select(DatasetRow).where(DatasetRow.name == name)).first()
    if row is None:
        row = DatasetRow(id=ids.new(), namespace="file", name=name, location=name)
        tx.add(row)
        tx.flush()
    return row
