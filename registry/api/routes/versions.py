"""Routes of versions: where one stands, what owners do to an approved one, and how two differ."""

from collections.abc import Callable
from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from sqlmodel import Session

from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.access import users, visibility
from treaty.registry.api.http import diff_presenter, presenters
from treaty.registry.api.http.dependencies import Caller, ContractId, Reader, Writer
from treaty.registry.contracts import lookup
from treaty.registry.core.state_machines import VERSION
from treaty.registry.review.approval import activation
from treaty.registry.review.approval.activation import VersionRetirement
from treaty.registry.review.proposals import diffs, proposals
from treaty.registry.tables import ContractVersionRow

router = APIRouter(tags=["versions"])
Number = Annotated[str, Query(alias="version", min_length=1)]
OptionalNumber = Annotated[str | None, Query(description="the version in force by default")]


@router.get("/contract/version")
def get_version(contract_id: ContractId, number: Number, by: Caller, tx: Reader) -> schemas.VersionDetailOut:
    """A version, and what keeps it from coming into force."""
    visibility.require_readable_contract(tx, contract_id, by)
    row = lookup.version(tx, contract_id, number)
    approved = row.state in VERSION.states_allowing("activate")
    held = activation.activation_blockers(tx, row, now=clock.now()) if approved else None
    return schemas.VersionDetailOut(**dict(_shown(tx, row)), activation_blocker=held)


@router.post("/contract/version/deprecate")
def deprecate(
    contract_id: ContractId, number: Number, body: schemas.VersionRetirementIn, by: Caller, tx: Writer
) -> schemas.VersionOut:
    """Advises against a version, which stays in force."""
    return _retired_version(tx, partial(activation.deprecate, tx, contract_id, number, by=by), body)


@router.post("/contract/version/retire")
def retire(
    contract_id: ContractId, number: Number, body: schemas.VersionRetirementIn, by: Caller, tx: Writer
) -> schemas.VersionOut:
    """Ends a version for good."""
    return _retired_version(tx, partial(activation.retire, tx, contract_id, number, by=by), body)


@router.get("/contract/diff")
def diff(
    contract_id: ContractId, by: Caller, tx: Reader, old: OptionalNumber = None, new: OptionalNumber = None
) -> schemas.DiffOut:
    """What differs from one version to another: each change with its direction, the modes that it breaks, the number
    that it asks for. Nothing is said of version numbers and of states."""
    visibility.require_readable_contract(tx, contract_id, by)
    found = diffs.of_versions(tx, contract_id, old, new)
    return diff_presenter.shown(found, diffs.version_numbers(tx, contract_id))


@router.get("/proposals/{proposal_id}/diff")
def diff_of_proposal(proposal_id: UUID, by: Caller, tx: Reader) -> schemas.DiffOut:
    """What differs from the version in force to the document that an approval would make a version."""
    proposal = proposals.get(tx, proposal_id, by=by)
    return diff_presenter.shown(diffs.of_proposal(tx, proposal), diffs.version_numbers(tx, proposal.contract_id))


def _retired_version(
    tx: Session, farewell: Callable[..., ContractVersionRow], body: schemas.VersionRetirementIn
) -> schemas.VersionOut:
    """The version of which this was said."""
    row = farewell(VersionRetirement(body.reason, body.successor_version), now=clock.now())
    tx.commit()
    return _shown(tx, row)


def _shown(tx: Session, row: ContractVersionRow) -> schemas.VersionOut:
    return presenters.version(row, users.names(tx, [row.approved_by_id])[row.approved_by_id])
