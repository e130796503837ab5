"""Routes of profiles: what tables are like, column by column."""

from dataclasses import replace
from uuid import UUID

from fastapi import APIRouter

from treaty.registry import schemas
from treaty.registry.api.http.dependencies import Caller, Reader
from treaty.registry.api.routes.states import Called, PartitionFilter
from treaty.registry.drafting import profiles
from treaty.registry.measurements.states.state_queries import authorized_query

router = APIRouter(tags=["profiles"])


@router.get("/dataset/profile")
def get_profile(named: Called, by: Caller, tx: Reader, where: PartitionFilter = None) -> schemas.ProfileDocument:
    """What stored states say of a dataset, column by column: no data is read. What no check needs is not told."""
    return profiles.of_dataset(tx, authorized_query(tx, replace(named, where=where), by))


@router.get("/proposals/{proposal_id}/profile")
def get_proposal_profile(proposal_id: UUID, by: Caller, tx: Reader) -> schemas.ProfileDocument:
    """What the table was like that a proposal was drafted of. 404 where nobody profiled one."""
    return profiles.of_proposal(tx, proposal_id, by=by)
