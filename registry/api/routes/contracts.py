"""Routes of contracts, their checks and deadlines.

An ODCS id may contain any character, so it is a query parameter."""

from typing import Annotated

from fastapi import Header, Query, Response

from treaty.contracts.document.reader import read
from treaty.contracts.errors import ContractError
from treaty.registry import schemas
from treaty.registry.access import authentication, users, visibility
from treaty.registry.api.http import check_presenter, presenters
from treaty.registry.api.http.admission import admission_router
from treaty.registry.api.http.dependencies import Caller, ContractId, Paging, Reader
from treaty.registry.browse import check_executors, contract_list
from treaty.registry.contracts import lookup
from treaty.registry.core.bounded_values import LookupText
from treaty.registry.core.enums import Permission
from treaty.registry.core.errors import InvalidRequest
from treaty.registry.core.pagination import PageRequest
from treaty.registry.measurements.runs import history
from treaty.registry.validation import timetable

router = admission_router(tags=["contracts"])
Number = Annotated[LookupText | None, Query(description="Version number; defaults to the version in force")]
SHOWN_RUNS = PageRequest(20)


@router.get("/contracts")
def list_contracts(by: Caller, tx: Reader, paging: Paging) -> schemas.Page[schemas.ContractSummaryOut]:
    """List contracts by id, each with its last run."""
    authentication.require_permission_anywhere(by, Permission.READ)
    return presenters.page(presenters.contract_summary, contract_list.contracts(tx, by, paging))


@router.get("/contracts/ids")
def list_contract_ids(by: Caller, tx: Reader) -> tuple[str, ...]:
    """List the ids of all contracts."""
    authentication.require_permission_anywhere(by, Permission.READ)
    return tuple(contract_list.ids(tx, by))


@router.get("/contract")
def get_contract(contract_id: ContractId, by: Caller, tx: Reader) -> schemas.ContractOut:
    """Retrieve a contract with its versions, datasets and last runs."""
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
    version: Number = None,
    if_none_match: Annotated[LookupText | None, Header()] = None,
) -> Response:
    """Retrieve the document of a version byte for byte. The default is the version in force.

    The ETag is the fingerprint of the document."""
    visibility.require_readable_contract(tx, contract_id, by)
    version_row = lookup.version(tx, contract_id, version)
    headers = {"ETag": f'"{version_row.fingerprint}"', "Treaty-Version": version_row.version}
    if if_none_match == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(version_row.body, media_type="application/yaml", headers=headers)


@router.get("/contract/checks")
def list_contract_checks(contract_id: ContractId, by: Caller, tx: Reader, version: Number = None) -> schemas.ChecksOut:
    """List all checks of a version with their executors.

    A check that another tool evaluates contains the reason; a check that people evaluate contains its approver."""
    visibility.require_readable_contract(tx, contract_id, by)
    version_row = lookup.version(tx, contract_id, version)
    signature = check_executors.VersionApproval(
        users.names(tx, [version_row.approved_by_id])[version_row.approved_by_id], version_row.approved_at
    )
    try:
        return check_presenter.shown(read(version_row.body), signature)
    except ContractError as error:
        raise InvalidRequest.because(error) from error


@router.get("/contract/deadlines")
def list_deadlines(contract_id: ContractId, by: Caller, tx: Reader) -> list[schemas.DeadlineOut]:
    """List the deadlines of the contract's data with the last arrival and unmonitored service levels."""
    visibility.require_readable_contract(tx, contract_id, by)
    return [schemas.DeadlineOut.model_validate(each) for each in timetable.of_contract(tx, contract_id)]
