"""Routes of versions: what owners do to one that is approved."""

from typing import Annotated

from fastapi import APIRouter, Query

from registry import activation, catalog, clock
from registry.activation import Farewell
from registry.api import schemas, views
from registry.api.dependencies import Caller, Writer

router = APIRouter(tags=["versions"])
ContractId = Annotated[str, Query(alias="id", min_length=1)]
Number = Annotated[str, Query(alias="version", min_length=1)]


@router.post("/contract/version/deprecate")
def deprecate(
    contract_id: ContractId, number: Number, body: schemas.FarewellIn, by: Caller, tx: Writer
) -> schemas.VersionOut:
    """Advises against a version, which stays in force."""
    farewell = Farewell(body.reason, body.successor)
    row = activation.deprecate(tx, contract_id, number, farewell, by=by, now=clock.now())
    tx.commit()
    return views.version(row, catalog.names(tx, [row.approved_by_id])[row.approved_by_id])


@router.post("/contract/version/retire")
def retire(
    contract_id: ContractId, number: Number, body: schemas.FarewellIn, by: Caller, tx: Writer
) -> schemas.VersionOut:
    """Ends a version for good."""
    farewell = Farewell(body.reason, body.successor)
    row = activation.retire(tx, contract_id, number, farewell, by=by, now=clock.now())
    tx.commit()
    return views.version(row, catalog.names(tx, [row.approved_by_id])[row.approved_by_id])
