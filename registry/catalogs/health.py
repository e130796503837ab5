"""Store the health of connections, and enqueue their reads: hourly, at once on request, and later after failures."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.registry.access.authentication import Principal
from treaty.registry.audit import audit_log
from treaty.registry.catalogs import connections
from treaty.registry.catalogs.reading import FEW, CatalogReadResult
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import CatalogState, TaskKind, TaskState
from treaty.registry.core.errors import Conflict
from treaty.registry.core.ids import Ids
from treaty.registry.queue import task_queue
from treaty.registry.queue.task_queue import Priority
from treaty.registry.tables import CatalogConnectionRow, TaskRow

Row = CatalogConnectionRow
INTERVAL = timedelta(hours=1)
FIRST_PAUSE = timedelta(minutes=5)
LONGEST_PAUSE = timedelta(hours=6)
# A read with more tasks than this does not come to an end.
MOST_TASKS = 200
LONGEST_ERROR = 1_000


def waiting(session: Session, *, now: datetime) -> bool:
    """Return whether a connection is due to be read."""
    return session.exec(select(Row.id).where(col(Row.next_read_at) <= now).limit(1)).first() is not None


def order_due(session: Session, *, now: datetime, ids: Ids) -> int:
    """Enqueue reads of the connections that are due and have no open task; return their number."""
    due = select(Row).where(col(Row.next_read_at) <= now).order_by(col(Row.id)).with_for_update()
    tasks = [_order(session, each, Priority.SWEEP, now=now, ids=ids) for each in session.exec(due).all()]
    return sum(task is not None for task in tasks)


def request(session: Session, name: str, *, by: Principal, now: datetime, ids: Ids) -> TaskRow:
    """Enqueue a read of the connection at once and return the task. Raises NotFound, and Conflict if one is open."""
    row = connections.named(session, name, by, lock=True)
    task = _order(session, row, Priority.DRAFT, now=now, ids=ids)
    if task is None:
        raise Conflict(f"{name} is being read, or waits for a worker. Wait until that task has ended.")
    details = {"name": name}
    audit_log.record(
        session, AuditAction.CATALOG_READ_REQUESTED, actor=by.name, object_id=row.id, now=now, details=details
    )
    return task


def continue_read(session: Session, task: TaskRow, result: CatalogReadResult, *, now: datetime, ids: Ids) -> None:
    """Enqueue the task that continues the read, after waiting validations."""
    part = int(task.payload.get("part", 1)) + 1
    payload = {**task.payload, "after": result.after, "part": part, "problems": result.problems[:FEW]}
    if part <= MOST_TASKS:
        _enqueue(session, payload, Priority.SWEEP, now=now, ids=ids)


def succeed(session: Session, connection_id: UUID, result: CatalogReadResult, *, now: datetime) -> None:
    """Store that the connection was read, with the problems of its parts."""
    row = session.get(Row, connection_id, with_for_update=True)
    if row is None:
        return
    row.checked_at, row.failures = now, 0
    row.state = CatalogState.PARTIAL if result.problems else CatalogState.HEALTHY
    row.error = _text(result) if result.problems else None
    if result.after is None:
        row.succeeded_at, row.next_read_at = now, now + INTERVAL


def fail(
    session: Session, connection_id: UUID, reason: str, *, now: datetime, jitter: float, seconds: float = 0.0
) -> None:
    """Store that the read failed, and when it is tried again.

    `jitter`: from 0 to 1, shortens the pause by up to half. `seconds`: pause that the catalog asks for."""
    row = session.get(Row, connection_id, with_for_update=True)
    if row is None:
        return
    row.checked_at, row.state, row.error = now, CatalogState.FAILING, reason[:LONGEST_ERROR]
    row.failures += 1
    pause = min(FIRST_PAUSE * 2 ** min(row.failures - 1, 10), LONGEST_PAUSE) * (1 - jitter / 2)
    row.next_read_at = now + max(pause, timedelta(seconds=min(seconds, LONGEST_PAUSE.total_seconds())))


def _order(
    session: Session, row: CatalogConnectionRow, priority: Priority, *, now: datetime, ids: Ids
) -> TaskRow | None:
    """Enqueue a read unless one is open. The next one is due after an interval, whatever becomes of this one."""
    row.next_read_at = now + INTERVAL
    if _is_open(session, row.id):
        return None
    return _enqueue(session, {"connection_id": str(row.id)}, priority, now=now, ids=ids)


def _enqueue(
    session: Session, payload: dict[str, Any], priority: Priority, *, now: datetime, ids: Ids
) -> TaskRow | None:
    task_id = ids()
    key = f"{TaskKind.CATALOG}/{task_id}"
    return task_queue.enqueue(
        session, kind=TaskKind.CATALOG, payload=payload, key=key, now=now, task_id=task_id, priority=priority
    )


def _is_open(session: Session, connection_id: UUID) -> bool:
    states = TaskState.QUEUED, TaskState.RUNNING
    open_tasks = select(TaskRow.id).where(
        col(TaskRow.exclusive_key) == task_queue.catalog_key(str(connection_id)), col(TaskRow.state).in_(states)
    )
    return session.exec(open_tasks.limit(1)).first() is not None


def _text(result: CatalogReadResult) -> str:
    more = len(result.problems) - 1
    return (result.problems[0] + (f" And {more:,} more." if more else ""))[:LONGEST_ERROR]
