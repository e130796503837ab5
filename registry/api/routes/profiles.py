"""Routes of profiles: statistics of tables and their columns."""

from dataclasses import replace
from uuid import UUID

from treaty.registry import schemas
from treaty.registry.api.http.admission import admission_router
from treaty.registry.api.http.dependencies import Caller, Reader
from treaty.registry.api.routes.states import Called, PartitionFilter
from treaty.registry.drafting import profiles
from treaty.registry.measurements.states.state_queries import authorized_query

router = admission_router(tags=["profiles"])


@router.get("/dataset/profile")
def get_profile(named: Called, by: Caller, tx: Reader, where: PartitionFilter = None) -> schemas.ProfileDocument:
    """Retrieve the profile of a dataset, column by column, from stored states. No data is read.

    Contains only statistics that the checks of the contract need."""
    return profiles.of_dataset(tx, authorized_query(tx, replace(named, where=where), by))


@router.get("/proposals/{proposal_id}/profile")
def get_proposal_profile(proposal_id: UUID, by: Caller, tx: Reader) -> schemas.ProfileDocument:
    """Retrieve the profile of the table that a proposal was drafted from. Responds 404 if there is none."""
    return profiles.of_proposal(tx, proposal_id, by=by)
