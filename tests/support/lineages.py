"""Contracts in force with terms of their own, and what lineage made of events about them."""

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Engine
from sqlmodel import select
from support.scenes import LOCATION, NOON, add, described, document

from treaty.contracts.document.reader import read
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import VersionState
from treaty.registry.datasets.names import LineageName, location, normalise
from treaty.registry.lineage import aliases
from treaty.registry.tables import ContractRow, ContractVersionRow, DatasetRow, PendingValidationRow, TaskRow, UserRow

FILES = ("file", LOCATION)


def promised(
    database: Engine, contract_id: str = "orders", *names: tuple[str, str], terms: Mapping[str, Any] | None = None
) -> None:
    """A contract of that id in force, with one object `orders`, about datasets of those names."""
    owner = UserRow(id=ids.new(), name=f"owner of {contract_id}", roles=["owner"], created_at=NOON)
    contract = ContractRow(id=contract_id, name=contract_id, owner_id=owner.id, active_version="1.0.0", created_at=NOON)
    body = _document(contract_id, terms or {})
    version = ContractVersionRow(
        id=ids.new(),
        contract_id=contract_id,
        version="1.0.0",
        body=body,
        fingerprint=read(body).fingerprint,
        state=VersionState.ACTIVE,
        approved_by_id=owner.id,
        approved_at=NOON,
    )
    add(database, owner, contract, version)
    for namespace, name in names or [FILES]:
        _about(database, contract_id, normalise(namespace, name))
    with transaction(database) as tx:
        aliases.declare(tx, read(body))
        tx.commit()


def marks(database: Engine) -> dict[str, tuple[int, int]]:
    """By contract how many triggers its object has had, and how many of these were dealt with."""
    with read_session(database) as tx:
        return {
            each.contract_id: (each.trigger_sequence, each.validated_sequence)
            for each in tx.exec(select(PendingValidationRow))
        }


def tasks(database: Engine) -> list[TaskRow]:
    """All tasks, in the order in which they were made."""
    with read_session(database) as tx:
        return list(tx.exec(select(TaskRow).order_by(TaskRow.id)))  # type: ignore[arg-type]


def canonical(database: Engine, namespace: str, name: str) -> str:
    """The name that stands for the dataset."""
    with read_session(database) as tx:
        named = LineageName(namespace, name)
        return str(aliases.groups(tx, [named])[named].canonical)


def _about(database: Engine, contract_id: str, name: LineageName) -> None:
    """Another contract may be about it already."""
    with transaction(database) as tx:
        known = tx.exec(
            select(DatasetRow).where(DatasetRow.namespace == name.namespace, DatasetRow.name == name.name)
        ).first()
        lies = location(name.namespace, name.name)
        new = DatasetRow(id=ids.new(), namespace=name.namespace, name=name.name, location=lies)
        tx.add_all(described(known or new, (contract_id, "orders")))
        tx.commit()


def _document(contract_id: str, terms: Mapping[str, Any]) -> bytes:
    body = document().replace(b"id: orders\nname: orders", f"id: {contract_id}\nname: {contract_id}".encode(), 1)
    own = f"customProperties: [{{property: treaty, value: {json.dumps(terms)}}}]\n"
    return body + (own.encode() if terms else b"")
