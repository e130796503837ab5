"""Tasks that somebody waits for are ended before they are done, because somebody says so."""

from datetime import datetime
from uuid import UUID

from sqlmodel import Session

from treaty.registry.access import authentication, visibility
from treaty.registry.access.authentication import EVERYWHERE, Principal
from treaty.registry.audit import audit_log
from treaty.registry.core.enums import AuditAction, Permission, TaskKind, TaskState
from treaty.registry.core.errors import Conflict
from treaty.registry.queue import task_queue
from treaty.registry.tables import TaskRow

# What is lost with these is what they would have told. Others keep promises: events that triggered them are settled.
STOPPABLE = frozenset({TaskKind.DRAFT, TaskKind.REDRAFT, TaskKind.REPLAY, TaskKind.LEARN})
ENDED = frozenset({TaskState.DONE, TaskState.FAILED})


def stoppable(task: TaskRow) -> bool:
    """Whether it is under way, and of a kind that may be ended."""
    return task.kind in STOPPABLE and task.state not in ENDED


def stop_task(session: Session, task_id: UUID, *, by: Principal, now: datetime) -> TaskRow:
    """The task, ended; a worker that does it stops within a heartbeat. Raises NotFound for one that is not theirs to
    see, Forbidden where they may not have its contract's tables worked on, Conflict where it has ended, or is of a kind
    that is not ended."""
    task = visibility.see_task(session, task_id, by)
    about = task.payload.get("contract_id")
    place = visibility.object_resource(session, about, task.payload.get("object")) if about else EVERYWHERE
    authentication.require_permission(by, Permission.DRAFT, place)
    if task.kind not in STOPPABLE:
        raise Conflict(
            f"a task of kind {task.kind} is not stopped: it keeps a promise; {', '.join(sorted(STOPPABLE))} are"
        )
    ended = task_queue.stop(session, task, error=f"stopped by {by.name}", now=now)
    audit_log.record(
        session, AuditAction.TASK_STOPPED, actor=by.name, object_id=task_id, now=now, details={"kind": task.kind}
    )
    return ended
