"""Cancel tasks before they finish."""

from datetime import datetime
from uuid import UUID

from sqlmodel import Session

from treaty.registry.access import authentication, visibility
from treaty.registry.access.authentication import EVERYWHERE, Principal
from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import Permission, TaskKind, TaskState
from treaty.registry.core.errors import Conflict
from treaty.registry.queue import task_queue
from treaty.registry.tables import TaskRow

# Cancelling these only loses their results. Other tasks enforce contracts: the events that triggered them count as
# settled.
STOPPABLE = frozenset({TaskKind.DRAFT, TaskKind.REDRAFT, TaskKind.REPLAY, TaskKind.LEARN, TaskKind.TRAIN})
ENDED = frozenset({TaskState.DONE, TaskState.FAILED})


def stoppable(task: TaskRow) -> bool:
    """Return whether the task has not ended and its kind can be canceled."""
    return task.kind in STOPPABLE and task.state not in ENDED


def stop_task(session: Session, task_id: UUID, *, by: Principal, now: datetime) -> TaskRow:
    """Cancel a task and return it; its worker stops within a heartbeat.

    Raises NotFound if the task is not visible, Forbidden without permission to draft for its contract, and Conflict
    if it has ended or its kind cannot be canceled."""
    task = visibility.see_task(session, task_id, by)
    about = task.payload.get("contract_id")
    resource = visibility.object_resource(session, about, task.payload.get("object")) if about else EVERYWHERE
    authentication.require_permission(by, Permission.DRAFT, resource)
    if task.kind not in STOPPABLE:
        raise Conflict(f"tasks of kind {task.kind} cannot be cancelled; only these can: {', '.join(sorted(STOPPABLE))}")
    cancelled = task_queue.stop(session, task, error=f"cancelled by {by.name}", now=now)
    audit_log.record(
        session, AuditAction.TASK_STOPPED, actor=by.name, object_id=task_id, now=now, details={"kind": task.kind}
    )
    return cancelled
