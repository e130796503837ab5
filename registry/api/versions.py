"""Routes of versions: where one stands, and what owners do to one that is approved."""

from collections.abc import Callable
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query
from sqlmodel import Session

from registry import activation, clock, lookup, people, scope
from registry.activation import Farewell
from registry.api import schemas, views
from registry.api.dependencies import Caller, Reader, Writer
from registry.lifecycle import VERSION
from registry.tables import ContractVersion

router = APIRouter(tags=["versions"])
ContractId = Annotated[str, Query(alias="id", min_length=1)]
Number = Annotated[str, Query(alias="version", min_length=1)]


@router.get("/contract/version")
def get_version(contract_id: ContractId, number: Number, by: Caller, tx: Reader) -> schemas.VersionDetail:
    """A version, and what keeps it from coming into force."""
    scope.see(tx, contract_id, by)
    row = lookup.version(tx, contract_id, number)
    approved = row.state in VERSION.where("activate")
    held = activation.held(tx, row, now=clock.now()) if approved else None
    return schemas.VersionDetail(**dict(_shown(tx, row)), held=held)


@router.post("/contract/version/deprecate")
def deprecate(
    contract_id: ContractId, number: Number, body: schemas.FarewellIn, by: Caller, tx: Writer
) -> schemas.VersionOut:
    """Advises against a version, which stays in force."""
    return _said(tx, partial(activation.deprecate, tx, contract_id, number, by=by), body)


@router.post("/contract/version/retire")
def retire(
    contract_id: ContractId, number: Number, body: schemas.FarewellIn, by: Caller, tx: Writer
) -> schemas.VersionOut:
    """Ends a version for good."""
    return _said(tx, partial(activation.retire, tx, contract_id, number, by=by), body)


def _said(tx: Session, farewell: Callable[..., ContractVersion], body: schemas.FarewellIn) -> schemas.VersionOut:
    """The version of which this was said."""
    row = farewell(Farewell(body.reason, body.successor), now=clock.now())
    tx.commit()
    return _shown(tx, row)


def _shown(tx: Session, row: ContractVersion) -> schemas.VersionOut:
    return views.version(row, people.names(tx, [row.approved_by_id])[row.approved_by_id])
