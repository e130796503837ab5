"""Find keys of other datasets that a draft's columns may reference."""

from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.contracts.document.classification import is_masked
from treaty.contracts.document.model import DataObject
from treaty.engine.protocol.requests import ReferableKey, TableSource
from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal, principal_for_user
from treaty.registry.contracts import in_force
from treaty.registry.core.enums import Permission
from treaty.registry.datasets import contract_datasets
from treaty.registry.tables import ContractRow, UserRow


def keys(session: Session, payload: Mapping[str, Any]) -> tuple[ReferableKey, ...]:
    """Return the keys of other datasets in force that the draft's author may read.

    They are ordered by contract id. The author is the requester of the draft, or the contract's owner if no user
    requested it. () if that user does not exist."""
    by = _author(session, payload)
    contract_ids = select(ContractRow.id).where(ContractRow.id != payload["contract_id"]).order_by(col(ContractRow.id))
    names = [each for each in session.exec(contract_ids).all() if by and _may_read(session, each, by)]
    return tuple(key for name in names for key in _keys(session, name))


def _author(session: Session, payload: Mapping[str, Any]) -> Principal | None:
    if "author" in payload:
        users = select(UserRow).where(UserRow.id == UUID(payload["author"]))
    else:
        users = select(UserRow).join(ContractRow, col(ContractRow.owner_id) == col(UserRow.id))
        users = users.where(ContractRow.id == payload["contract_id"])
    user = session.exec(users).first()
    return principal_for_user(session, user) if user else None


def _may_read(session: Session, contract_id: str, by: Principal) -> bool:
    return by.may(Permission.READ, visibility.contract_resource(session, contract_id))


def _keys(session: Session, contract_id: str) -> Iterator[ReferableKey]:
    for contract in in_force.versions(session, contract_id)[:1]:
        for each in contract.objects:
            dataset = contract_datasets.dataset_of(session, contract_id, each.name)
            if dataset and dataset.location:
                name = contract_id if len(contract.objects) == 1 else f"{contract_id}.{each.name}"
                source = TableSource(dataset.location, dataset.format)
                yield from (ReferableKey(name, source, column) for column in _unique(each))


def _unique(of: DataObject) -> list[str]:
    """Return the columns that are a key on their own and not classified."""
    primary = [each.name for each in of.properties if each.primary_key]
    single_keys = {each.name for each in of.properties if each.unique} | set(primary if len(primary) == 1 else ())
    return sorted(name for name in single_keys if not is_masked(of, (name,)))
