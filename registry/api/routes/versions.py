"""Routes of versions: status, deprecation, retirement and differences."""

from collections.abc import Callable
from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Query, Response
from sqlmodel import Session

from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.access import users, visibility
from treaty.registry.api.http import diff_presenter, presenters
from treaty.registry.api.http.admission import admission, admission_router
from treaty.registry.api.http.dependencies import Caller, ContractId, Reader, Writer
from treaty.registry.api.http.etags import NeedsMatch, with_etag
from treaty.registry.contracts import lookup
from treaty.registry.core.bounded_values import LookupText
from treaty.registry.core.enums import Permission
from treaty.registry.core.state_machines import VERSION
from treaty.registry.review.approval import activation
from treaty.registry.review.approval.activation import VersionRetirement
from treaty.registry.review.proposals import diffs, proposals
from treaty.registry.tables import ContractVersionRow

router = admission_router(tags=["versions"])
Number = Annotated[LookupText, Query(alias="version", min_length=1, description="Version number")]
OptionalNumber = Annotated[LookupText | None, Query(description="Version number; defaults to the version in force")]


def same_version(contract_id: ContractId, number: Number, by: Caller, tx: Writer, match: NeedsMatch) -> None:
    """Raise PreconditionRequired without If-Match, and PreconditionFailed if the version does not match it."""
    if match.stated:
        row = activation.locked_version(tx, contract_id, number, by)
        match.check(tx, row.id, _shown(tx, row).etag)


@router.get("/contract/version")
def get_version(
    contract_id: ContractId, number: Number, by: Caller, tx: Reader, answer: Response
) -> schemas.VersionDetailOut:
    """Retrieve a version with the reason why it is not in force yet."""
    visibility.require_readable_contract(tx, contract_id, by)
    row = lookup.version(tx, contract_id, number)
    approved = row.state in VERSION.states_allowing("activate")
    blocker = activation.activation_blockers(tx, row, now=clock.now()) if approved else None
    return with_etag(answer, schemas.VersionDetailOut(**dict(_shown(tx, row)), activation_blocker=blocker))


@router.post("/contract/version/deprecate", dependencies=[Depends(same_version)])
@admission(Permission.DECIDE)
def deprecate(
    contract_id: ContractId, number: Number, body: schemas.VersionRetirementIn, by: Caller, tx: Writer
) -> schemas.VersionOut:
    """Deprecate a version. It stays in force."""
    return _retired_version(tx, partial(activation.deprecate, tx, contract_id, number, by=by), body)


@router.post("/contract/version/retire", dependencies=[Depends(same_version)])
@admission(Permission.DECIDE)
def retire(
    contract_id: ContractId, number: Number, body: schemas.VersionRetirementIn, by: Caller, tx: Writer
) -> schemas.VersionOut:
    """Retire a version permanently."""
    return _retired_version(tx, partial(activation.retire, tx, contract_id, number, by=by), body)


@router.get("/contract/diff")
def diff(
    contract_id: ContractId, by: Caller, tx: Reader, old: OptionalNumber = None, new: OptionalNumber = None
) -> schemas.DiffOut:
    """Compare two versions: each change with its direction, the violated modes and the required version number.

    Version numbers and states are not compared."""
    visibility.require_readable_contract(tx, contract_id, by)
    comparison = diffs.of_versions(tx, contract_id, old, new)
    return diff_presenter.shown(comparison, diffs.version_numbers(tx, contract_id))


@router.get("/proposals/{proposal_id}/diff")
def diff_of_proposal(proposal_id: UUID, by: Caller, tx: Reader) -> schemas.DiffOut:
    """Compare the version in force with the document that an approval would publish."""
    proposal = proposals.get(tx, proposal_id, by=by)
    return diff_presenter.shown(diffs.of_proposal(tx, proposal), diffs.version_numbers(tx, proposal.contract_id))


def _retired_version(
    tx: Session, farewell: Callable[..., ContractVersionRow], body: schemas.VersionRetirementIn
) -> schemas.VersionOut:
    """Deprecate or retire the version, commit and return it."""
    row = farewell(VersionRetirement(body.reason, body.successor_version), now=clock.now())
    tx.commit()
    return _shown(tx, row)


def _shown(tx: Session, row: ContractVersionRow) -> schemas.VersionOut:
    return presenters.version(row, users.names(tx, [row.approved_by_id])[row.approved_by_id])
