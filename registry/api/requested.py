"""Routes of contracts that people ask for."""

from uuid import UUID

from fastapi import APIRouter

from registry import access, clock, ids, requested
from registry.api import schemas, views
from registry.api.dependencies import Caller, Reader, Writer
from registry.lineage.names import normalise
from registry.words import Permission

router = APIRouter(prefix="/contract-requests", tags=["proposals"])


@router.get("")
def list_requests(by: Caller, tx: Reader) -> list[schemas.ContractRequestOut]:
    """Contracts that are asked for and of which there is no draft yet, the oldest first."""
    access.decide_somewhere(by, Permission.READ)
    return [views.contract_request(each, by) for each in requested.listed(tx, by)]


@router.post("", status_code=201)
def request_contract(body: schemas.ContractRequestIn, by: Caller, tx: Writer) -> schemas.ContractRequestOut:
    """Asks for a contract of a dataset that has none: whoever may decide about it is told."""
    name = normalise(body.namespace, body.name)
    made = requested.ask(tx, name, body.why, request_id=ids.new(), by=by, now=clock.now())
    tx.commit()
    return views.contract_request(made, by)


@router.post("/{request_id}/end", status_code=204)
def end_request(request_id: UUID, body: schemas.EndIn, by: Caller, tx: Writer) -> None:
    """Takes one's own request back; declines another's, whose author is told the reason."""
    requested.end(tx, request_id, body.reason, by=by, now=clock.now())
    tx.commit()
