"""Routes of contracts, their checks and deadlines. An ODCS id may hold any character: it is a query parameter."""

from typing import Annotated

from fastapi import APIRouter, Header, Query, Response

from treaty.contracts.document.reader import read
from treaty.contracts.errors import ContractError
from treaty.registry import schemas
from treaty.registry.access import authentication, users, visibility
from treaty.registry.api.http import check_presenter, presenters
from treaty.registry.api.http.dependencies import Caller, ContractId, Paging, Reader
from treaty.registry.browse import check_executors, contract_list
from treaty.registry.contracts import lookup
from treaty.registry.core.enums import Permission
from treaty.registry.core.errors import InvalidRequest
from treaty.registry.core.pagination import PageRequest
from treaty.registry.measurements.runs import history
from treaty.registry.validation import timetable

router = APIRouter(tags=["contracts"])
Number = Annotated[str | None, Query(description="the version in force by default")]
SHOWN_RUNS = PageRequest(20)


@router.get("/contracts")
def list_contracts(by: Caller, tx: Reader, asked: Paging) -> schemas.Page[schemas.ContractSummaryOut]:
    """Contracts by id, each with its last run."""
    authentication.require_permission_anywhere(by, Permission.READ)
    return presenters.page(presenters.contract_summary, contract_list.contracts(tx, by, asked))


@router.get("/contracts/ids")
def list_contract_ids(by: Caller, tx: Reader) -> tuple[str, ...]:
    """The ids of all contracts, to choose one."""
    authentication.require_permission_anywhere(by, Permission.READ)
    return tuple(contract_list.ids(tx, by))


@router.get("/contract")
def get_contract(contract_id: ContractId, by: Caller, tx: Reader) -> schemas.ContractOut:
    """A contract with its versions, datasets and last runs."""
    visibility.require_readable_contract(tx, contract_id, by)
    return presenters.contract(
        contract_list.contract(tx, contract_id, by),
        lookup.versions(tx, contract_id),
        lookup.datasets(tx, contract_id),
        history.runs(tx, by, SHOWN_RUNS, contract_id=contract_id).rows,
    )


@router.get("/contract/document", response_class=Response)
def get_document(
    contract_id: ContractId,
    by: Caller,
    tx: Reader,
    version: str | None = None,
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """A version's document, byte for byte; the active one where none is named. Its ETag is the fingerprint."""
    visibility.require_readable_contract(tx, contract_id, by)
    found = lookup.version(tx, contract_id, version)
    headers = {"ETag": f'"{found.fingerprint}"', "Treaty-Version": found.version}
    if if_none_match == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(found.body, media_type="application/yaml", headers=headers)


@router.get("/contract/checks")
def list_contract_checks(contract_id: ContractId, by: Caller, tx: Reader, version: Number = None) -> schemas.ChecksOut:
    """All checks of a version: those judged here, those that are another engine's, with the reason, and texts, with
    who signed them."""
    visibility.require_readable_contract(tx, contract_id, by)
    found = lookup.version(tx, contract_id, version)
    signature = check_executors.VersionApproval(
        users.names(tx, [found.approved_by_id])[found.approved_by_id], found.approved_at
    )
    try:
        return check_presenter.shown(read(found.body), signature)
    except ContractError as error:
        raise InvalidRequest.because(error) from error


@router.get("/contract/deadlines")
def list_deadlines(contract_id: ContractId, by: Caller, tx: Reader) -> list[schemas.DeadlineOut]:
    """When data of the contract's objects must come, when they last did, and service levels that nobody watches."""
    visibility.require_readable_contract(tx, contract_id, by)
    return [schemas.DeadlineOut.model_validate(each) for each in timetable.of_contract(tx, contract_id)]
