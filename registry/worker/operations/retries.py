"""Retry failed tasks and parked lineage events on request."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.registry.access import authentication, visibility
from treaty.registry.access.authentication import EVERYWHERE, Principal
from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import LineageEventState, Permission
from treaty.registry.core.errors import Conflict, NotFound
from treaty.registry.lineage.events import event_store
from treaty.registry.queue import task_queue
from treaty.registry.tables import LineageEventRow, TaskRow


def retry_task(session: Session, task_id: UUID, *, by: Principal, now: datetime) -> TaskRow:
    """Requeue a failed task and return it.

    Raises NotFound if the task is not visible, Forbidden without permission to draft for its contract, and Conflict
    if it has not failed."""
    task = visibility.see_task(session, task_id, by)
    about = task.payload.get("contract_id")
    resource = visibility.object_resource(session, about, task.payload.get("object")) if about else EVERYWHERE
    authentication.require_permission(by, Permission.DRAFT, resource)
    details = {"kind": task.kind, "error": task.error}
    retried = task_queue.retry(session, task, now=now)
    audit_log.record(session, AuditAction.TASK_RETRIED, actor=by.name, object_id=task_id, now=now, details=details)
    return retried


def retry_event(session: Session, event_id: UUID, *, by: Principal, now: datetime) -> LineageEventRow:
    """Queue a parked lineage event for processing again and return it.

    Raises NotFound if it does not exist, Conflict if it is not parked, and Forbidden without permission to write
    lineage."""
    authentication.require_permission(by, Permission.LINEAGE)
    event = session.get(LineageEventRow, event_id, with_for_update=True)
    if event is None:
        raise NotFound
    if event.state is not LineageEventState.PARKED:
        raise Conflict(f"the event is {event.state.value}: only parked events can be retried")
    details = {"error": event.error}
    event_store.unpark(event)
    audit_log.record(session, AuditAction.EVENT_RETRIED, actor=by.name, object_id=event_id, now=now, details=details)
    return event


def events_of(session: Session, task: TaskRow) -> Sequence[UUID]:
    """Return the event ids of the run that triggered the task, in order of receipt.

    [] if the task has no run, or if its events are no longer stored."""
    run = task.payload.get("lineage_run_id")
    if run is None:
        return []
    row = LineageEventRow
    return session.exec(select(row.id).where(row.lineage_run_id == UUID(run)).order_by(col(row.received_at))).all()
