"""Determine which failed runs still need attention, by their incidents."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, func
from sqlmodel import Session, col, select

from treaty.registry.access.authentication import Principal
from treaty.registry.core.enums import IncidentState
from treaty.registry.tables import IncidentObjectRow, IncidentRow, RunRow


def cared_for(by: Principal, *, now: datetime) -> ColumnElement[bool]:
    """Return the SQL condition that the run's incident needs no attention from the principal.

    True if the incident is resolved, snoozed, or assigned to or acknowledged by another user. The condition
    correlates with RunRow."""
    owner_id = func.coalesce(IncidentRow.assignee_id, IncidentRow.acknowledged_by_id)
    owned_by_another = owner_id.is_not(None) & (owner_id != by.user_id)
    is_handled = (
        (col(IncidentRow.state) == IncidentState.RESOLVED) | (col(IncidentRow.snoozed_until) > now) | owned_by_another
    )
    part = IncidentObjectRow
    incident_ids = select(part.incident_id).join(IncidentRow, col(IncidentRow.id) == col(part.incident_id))
    return incident_ids.where(part.last_run_id == RunRow.id, is_handled).exists()


def incidents(session: Session, runs: Collection[UUID]) -> Sequence[IncidentRow]:
    """Return the incidents whose latest run is one of these, without duplicates."""
    incident_ids = select(IncidentObjectRow.incident_id).where(col(IncidentObjectRow.last_run_id).in_(runs))
    return session.exec(
        select(IncidentRow).where(col(IncidentRow.id).in_(incident_ids)).order_by(col(IncidentRow.id))
    ).all()
