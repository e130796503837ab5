"""Profiles: of tables that contracts were drafted of, as they were then; of datasets, from their stored states now.

Nothing here starts Spark or reads a row of a table."""

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
    """Keeps what the proposal's table was like, for who reviews it; nothing where nothing is known of it."""
    if profile:
        session.add(ProposalProfileRow(proposal_id=proposal.id, document=dict(profile), created_at=now))


def of_proposal(session: Session, proposal_id: UUID, *, by: Principal) -> ProfileDocument:
    """What the table was like that the proposal was drafted of. Raises NotFound where the principal may not see it, and
    where nobody profiled one or the profile was erased."""
    proposal = proposals.get(session, proposal_id, by=by)
    row = session.get(ProposalProfileRow, proposal.id)
    if row is None:
        raise NotFound("no profile of the proposal's table is kept: one is where it was drafted, until it is erased")
    return ProfileDocument.model_validate(row.document)


def of_dataset(session: Session, asked: StateQuery) -> ProfileDocument:
    """What the stored states of the chosen partitions say of the dataset: facts that some check needed.

    Raises as `questions.remembered` does."""
    memory = state_queries.query_scope(session, asked)
    dataset = memory.dataset
    rows = state_store.load_partitions(session, dataset.id, memory.chosen, version=dataset.states_version)
    packed = [(row.partition, row.states) for row in rows]
    history = profile_from_states(packed, memory.checks.marked, without=dataset.partition_by)
    return document(history, memory.dataset.name)
