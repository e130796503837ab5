"""Routes of differences: between two versions, and between a proposal and the version in force."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from registry import comparing, diffs, drafts, scope
from registry.api import schemas
from registry.api.dependencies import Caller, Reader

router = APIRouter(tags=["differences"])
ContractId = Annotated[str, Query(alias="id", min_length=1)]
Number = Annotated[str | None, Query(description="the version in force by default")]


@router.get("/contract/diff")
def diff(contract_id: ContractId, by: Caller, tx: Reader, old: Number = None, new: Number = None) -> schemas.DiffOut:
    """What differs from one version to another: each change with its direction, the modes that it breaks, the number
    that it asks for. Nothing is said of version numbers and of states."""
    scope.see(tx, contract_id, by)
    found = diffs.of_versions(tx, contract_id, old, new)
    return comparing.shown(found, diffs.taken(tx, contract_id))


@router.get("/proposals/{proposal_id}/diff")
def diff_of_proposal(proposal_id: UUID, by: Caller, tx: Reader) -> schemas.DiffOut:
    """What differs from the version in force to the document that an approval would make a version."""
    proposal = drafts.get(tx, proposal_id, by=by)
    return comparing.shown(diffs.of_proposal(tx, proposal), diffs.taken(tx, proposal.contract_id))
