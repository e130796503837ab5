"""Enqueue tasks about the registry as a whole: once a day, and immediately on request."""

from datetime import datetime

from sqlmodel import Session

from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import TaskKind
from treaty.registry.core.ids import Ids
from treaty.registry.queue import task_queue
from treaty.registry.queue.task_queue import Priority
from treaty.registry.tables import TaskRow


def order_daily(session: Session, kind: TaskKind, *, now: datetime, ids: Ids) -> int:
    """Enqueue the task of the day and return the number of new tasks: 0 if it exists."""
    task = task_queue.enqueue(
        session, kind=kind, payload={}, key=f"{kind}/{now.date()}", now=now, task_id=ids(), priority=Priority.SWEEP
    )
    return int(task is not None)


def request(session: Session, kind: TaskKind, action: AuditAction, *, actor: str, now: datetime, ids: Ids) -> TaskRow:
    """Enqueue a task that is ready at once, audit the request, and return the task."""
    task_id = ids()
    task = task_queue.enqueue(
        session, kind=kind, payload={}, key=f"{kind}/{task_id}", now=now, task_id=task_id, priority=Priority.DRAFT
    )
    audit_log.record(session, action, actor=actor, object_id=task_id, now=now)
    assert task
    return task
