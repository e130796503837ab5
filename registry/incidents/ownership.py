"""Who needs to look at a failed run: nobody whose incident of it is over, put off, or in the hands of another."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, func
from sqlmodel import Session, col, select

from treaty.registry.access.authentication import Principal
from treaty.registry.core.enums import IncidentState
from treaty.registry.tables import IncidentObjectRow, IncidentRow, RunRow


def cared_for(by: Principal, *, now: datetime) -> ColumnElement[bool]:
    """The condition that the incident which a run is the last word of is over, is put off until later, or is in the
    hands of somebody else."""
    hands = func.coalesce(IncidentRow.assignee_id, IncidentRow.acknowledged_by_id)
    elsewhere = hands.is_not(None) & (hands != by.user_id)
    over = (col(IncidentRow.state) == IncidentState.RESOLVED) | (col(IncidentRow.snoozed_until) > now) | elsewhere
    part = IncidentObjectRow
    found = select(part.incident_id).join(IncidentRow, col(IncidentRow.id) == col(part.incident_id))
    return found.where(part.last_run_id == RunRow.id, over).exists()


def incidents(session: Session, runs: Collection[UUID]) -> Sequence[IncidentRow]:
    """The incidents that those runs are the last word of, none twice."""
    told = select(IncidentObjectRow.incident_id).where(col(IncidentObjectRow.last_run_id).in_(runs))
    return session.exec(select(IncidentRow).where(col(IncidentRow.id).in_(told)).order_by(col(IncidentRow.id))).all()
