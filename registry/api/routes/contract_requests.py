"""Routes of contract requests."""

from uuid import UUID

from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.access import authentication
from treaty.registry.api.http import presenters
from treaty.registry.api.http.admission import admission, admission_router
from treaty.registry.api.http.dependencies import Caller, Reader, Writer
from treaty.registry.core import ids
from treaty.registry.core.enums import Permission
from treaty.registry.datasets.names import normalise
from treaty.registry.review.proposals import contract_requests

router = admission_router(prefix="/contract-requests", tags=["proposals"])


@router.get("")
def list_requests(by: Caller, tx: Reader) -> list[schemas.ContractRequestOut]:
    """List requested contracts that have no draft yet, oldest first."""
    authentication.require_permission_anywhere(by, Permission.READ)
    return [presenters.contract_request(each, by) for each in contract_requests.list_requests(tx, by)]


@router.post("", status_code=201)
@admission(Permission.PROPOSE)
def request_contract(body: schemas.ContractRequestIn, by: Caller, tx: Writer) -> schemas.ContractRequestOut:
    """Request a contract for a dataset that has none. Users who may decide about it are notified."""
    name = normalise(body.namespace, body.name)
    listing = contract_requests.request_contract(tx, name, body.purpose, request_id=ids.new(), by=by, now=clock.now())
    tx.commit()
    return presenters.contract_request(listing, by)


@router.post("/{request_id}/close", status_code=204)
@admission(Permission.READ)
def close_request(request_id: UUID, body: schemas.ContractRequestEndIn, by: Caller, tx: Writer) -> None:
    """Withdraw an own request, or decline another user's. The author is notified of the reason."""
    contract_requests.end(tx, request_id, body.reason, by=by, now=clock.now())
    tx.commit()
