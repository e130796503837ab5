"""Routes of checks: what a version promises, and who judges each promise."""

from typing import Annotated

from fastapi import APIRouter, Query

from contracts.errors import ContractError
from contracts.reading import read
from registry import entrusting, lookup, people, scope
from registry.api import schemas
from registry.api.dependencies import Caller, Reader
from registry.errors import Invalid

router = APIRouter(tags=["contracts"])
ContractId = Annotated[str, Query(alias="id", min_length=1)]
Number = Annotated[str | None, Query(description="the version in force by default")]


@router.get("/contract/checks")
def list_promises(contract_id: ContractId, by: Caller, tx: Reader, version: Number = None) -> schemas.ChecksOut:
    """All checks of a version: those judged here, those that are another engine's, with the reason, and texts, with
    who signed them."""
    scope.see(tx, contract_id, by)
    found = lookup.version(tx, contract_id, version)
    signature = entrusting.Signature(people.names(tx, [found.approved_by_id])[found.approved_by_id], found.approved_at)
    try:
        return entrusting.shown(read(found.body), signature)
    except ContractError as error:
        raise Invalid.because(error) from error
