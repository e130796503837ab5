"""Return profiles: of drafted tables at the time of the draft, and of datasets from stored states.

Nothing here starts Spark or reads rows of a table."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlmodel import Session

from treaty.engine.profile.document import document
from treaty.engine.profile.format import ProfileDocument
from treaty.engine.profile.stored_profile import profile_from_states
from treaty.registry.access.authentication import Principal
from treaty.registry.core.errors import NotFound
from treaty.registry.measurements.states import state_queries, state_store
from treaty.registry.measurements.states.state_queries import StateQuery
from treaty.registry.review.proposals import proposals
from treaty.registry.tables import ProposalProfileRow, ProposalRow


def store_profile(session: Session, proposal: ProposalRow, profile: Mapping[str, Any], *, now: datetime) -> None:
    """Store the profile of the proposal's table for reviewers; an empty profile is not stored."""
    if profile:
        session.add(ProposalProfileRow(proposal_id=proposal.id, document=dict(profile), created_at=now))


def of_proposal(session: Session, proposal_id: UUID, *, by: Principal) -> ProfileDocument:
    """Return the profile of the table from which the proposal was drafted.

    Raises NotFound if the principal may not see the proposal, or if it has no profile (not drafted, or erased)."""
    proposal = proposals.get(session, proposal_id, by=by)
    row = session.get(ProposalProfileRow, proposal.id)
    if row is None:
        raise NotFound("The proposal has no profile: it was not drafted from a table, or its profile was erased.")
    return ProfileDocument.model_validate(row.document)


def of_dataset(session: Session, query: StateQuery) -> ProfileDocument:
    """Return the profile of a dataset from the stored states of the selected partitions.

    It contains only facts that some check needed. Raises as `state_queries.query_scope`."""
    scope = state_queries.query_scope(session, query)
    dataset = scope.dataset
    rows = state_store.load_partitions(session, dataset.id, scope.chosen, version=dataset.states_version)
    packed = [(row.partition, row.states) for row in rows]
    history = profile_from_states(packed, scope.checks.marked, without=dataset.partition_by)
    return document(history, scope.dataset.name)
