"""A durable task queue in the registry's tables: leases and fencing tokens.

Functions take the session, so that a task ends in the transaction of its effect. Tasks with the same exclusive key
never run concurrently. Within a priority, the producers' lines are served in turn, and waiting tasks gain priority over
time.

Workers on all hosts use the database's time (`treaty.registry.worker.database_clock`), so their own clocks do not
matter."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Any, cast
from uuid import UUID

from sqlalchemy import ColumnElement, CursorResult, and_, case, func, or_, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from treaty.registry.core.database import lock
from treaty.registry.core.enums import TaskKind, TaskState
from treaty.registry.core.errors import Conflict, RegistryError
from treaty.registry.datasets import contract_datasets
from treaty.registry.tables import TaskRow

ATTEMPTS = 5
# Kinds of tasks that read a dataset and write its stored states.
READING = frozenset({TaskKind.VALIDATE, TaskKind.DEADLINE})
# Serializes claims: two concurrent claims would each see the other's exclusive key as free.
CLAIMING = 7_268_392_104
FIRST_PAUSE = timedelta(seconds=30)
LONGEST_PAUSE = timedelta(minutes=30)
AT_ONCE = timedelta(0)
# A waiting task gains one priority level after each of these intervals.
AGES = timedelta(minutes=15)


class Priority(IntEnum):
    """Priorities of tasks: the smallest runs first.

    Tasks that people wait for have the smallest, maintenance has the largest."""

    DRAFT = 3
    BLOCKING = 4
    NORMAL = 5
    ORPHAN = 7
    SWEEP = 8
    UPKEEP = 9


class LeaseLost(RegistryError):
    """The lease of the task expired, and another worker holds it."""

    default_message = "Another worker holds the task now; the work of this one is discarded."


def enqueue(  # noqa: PLR0913 - each is a column of the task, named by the caller
    session: Session,
    *,
    kind: str,
    payload: Mapping[str, Any],
    key: str,
    now: datetime,
    task_id: UUID,
    priority: int = Priority.NORMAL,
    delay: timedelta = AT_ONCE,
) -> TaskRow | None:
    """Enqueue a task and return it; None if a task with this key exists, in any state.

    `delay`: time until the task is ready. The payload's `producer` determines the line it waits in; tasks without one
    share a line."""
    producer = str(payload.get("producer") or "")
    task = TaskRow(
        id=task_id,
        kind=kind,
        payload=dict(payload),
        key=key,
        priority=priority,
        exclusive_key=_subject(session, kind, payload),
        producer=producer,
        queue_position=_fair_position(session, producer, priority),
        created_at=now,
        available_at=now + delay,
    )
    try:
        with session.begin_nested():
            session.add(task)
    except IntegrityError:
        if find(session, key) is None:
            raise
        return None
    return task


def find(session: Session, key: str) -> TaskRow | None:
    """Return the task with that idempotency key; None if there is none."""
    return session.exec(select(TaskRow).where(TaskRow.key == key)).first()


def is_due(session: Session, *, now: datetime) -> bool:
    """Return whether a task waits for a worker."""
    return session.exec(select(TaskRow.id).where(_due(now)).limit(1)).first() is not None


def claim(session: Session, *, worker: str, now: datetime, lease: timedelta) -> TaskRow | None:
    """Lease the most urgent task to `worker` until now + lease and return it; None if none is ready.

    A task with an expired lease can be claimed again; every claim increases its fence. A task waits while another
    worker runs a task with the same exclusive key, whatever its priority."""
    lock(session, CLAIMING)
    task: TaskRow | None = session.exec(_waiting(now, col(TaskRow.attempts) < ATTEMPTS, _free(now)).limit(1)).first()
    if task is not None:
        task.state, task.worker, task.lease_expires_at = TaskState.RUNNING, worker, now + lease
        task.attempts += 1
        task.fence += 1
        task.progress = f"attempt {task.attempts}"
        session.flush()
    return task


def fail_abandoned(session: Session, *, now: datetime) -> list[TaskRow]:
    """Mark tasks as failed whose last attempt ended with an expired lease, and return them."""
    dead: list[TaskRow] = list(session.exec(_waiting(now, col(TaskRow.attempts) >= ATTEMPTS)))
    for task in dead:
        task.state, task.finished_at, task.lease_expires_at = TaskState.FAILED, now, None
        task.progress = None
        task.error = f"the worker ended without a result in attempt {task.attempts}; last error: {task.error or 'none'}"
        task.fence += 1
    session.flush()
    return dead


def heartbeat(session: Session, task_id: UUID, fence: int, *, until: datetime, progress: str | None = None) -> None:
    """Extend the lease and store the progress, if any. Raises LeaseLost if another worker holds the task."""
    updates = {} if progress is None else {"progress": progress}
    _update_leased(session, task_id, fence, lease_expires_at=until, **updates)


def check_lease(session: Session, task_id: UUID, fence: int) -> None:
    """Raise LeaseLost if another worker holds the task, before any work in its name.

    Takes no lock: locks are taken on the task's dataset first, and on the task last. `finish` checks the lease
    again."""
    if session.exec(select(TaskRow.id).where(*_mine(task_id, fence))).first() is None:
        raise LeaseLost


def finish(session: Session, task_id: UUID, fence: int, *, result: Mapping[str, Any], now: datetime) -> None:
    """Mark the task as done. Raises LeaseLost if another worker holds it, to roll the transaction back."""
    _left(session, task_id, fence, state=TaskState.DONE, result=dict(result), error=None, finished_at=now)


def fail(  # noqa: PLR0913 - the task, and the columns that the failure sets
    session: Session,
    task_id: UUID,
    fence: int,
    *,
    error: str,
    now: datetime,
    retry_at: datetime | None,
    crashes: int | None = None,
) -> None:
    """Queue the task for a retry at `retry_at`; None marks it as failed. Raises LeaseLost like `finish`.

    `crashes`: attempts so far that ended the worker process; None leaves the count unchanged."""
    counted = {} if crashes is None else {"crashes": crashes}
    if retry_at is None:
        _left(session, task_id, fence, state=TaskState.FAILED, error=error, finished_at=now, **counted)
    else:
        _left(session, task_id, fence, state=TaskState.QUEUED, error=error, available_at=retry_at, **counted)


def release(session: Session, task_id: UUID, fence: int, *, now: datetime) -> None:
    """Return a task to the queue without counting the attempt. Raises LeaseLost like `finish`."""
    reset = {"attempts": col(TaskRow.attempts) - 1, "state": TaskState.QUEUED, "available_at": now}
    _left(session, task_id, fence, **reset)


def retry(session: Session, task: TaskRow, *, now: datetime) -> TaskRow:
    """Queue a failed task again with all attempts. Raises Conflict if it has not failed.

    Its triggers were settled when it failed, so the retry covers no trigger."""
    payload = {name: value for name, value in task.payload.items() if name != "seq"}
    reset = {"state": TaskState.QUEUED, "attempts": 0, "crashes": 0, "available_at": now, "finished_at": None}
    conditions = col(TaskRow.id) == task.id, col(TaskRow.state) == TaskState.FAILED
    statement = update(TaskRow).where(*conditions).values(**reset, payload=payload)
    result = cast("CursorResult[Any]", session.exec(statement))
    if result.rowcount != 1:
        raise Conflict(f"The task is {task.state.value}. Only a failed task can be retried.")
    session.refresh(task)
    return task


def leased(session: Session, worker: str) -> list[TaskRow]:
    """Return the tasks that `worker` has claimed."""
    return list(session.exec(select(TaskRow).where(TaskRow.worker == worker, TaskRow.state == TaskState.RUNNING)))


def stop(session: Session, task: TaskRow, *, error: str, now: datetime) -> TaskRow:
    """End a queued or running task and fence off its worker. Raises Conflict if it has ended."""
    conditions = col(TaskRow.id) == task.id, col(TaskRow.state).in_((TaskState.QUEUED, TaskState.RUNNING))
    updates = {
        "state": TaskState.FAILED,
        "error": error,
        "finished_at": now,
        "lease_expires_at": None,
        "progress": None,
    }
    statement = update(TaskRow).where(*conditions).values(**updates, fence=col(TaskRow.fence) + 1)
    if cast("CursorResult[Any]", session.exec(statement)).rowcount != 1:
        raise Conflict(f"The task is {task.state.value}. Only a queued or running task can be stopped.")
    session.refresh(task)
    return task


def waiting(session: Session, *, now: datetime, most: int) -> int:
    """Return the number of ready tasks without a worker, at most `most`."""
    conditions = col(TaskRow.state) == TaskState.QUEUED, col(TaskRow.available_at) <= now
    return session.exec(
        select(func.count()).select_from(select(TaskRow.id).where(*conditions).limit(most).subquery())
    ).one()


def pause(attempts: int, jitter: float) -> timedelta:
    """Return the pause before the next attempt.

    It is 30 seconds, doubled with each attempt, and at most 30 minutes; `jitter` from 0 to 1 shortens it by up to
    half."""
    doubled: timedelta = FIRST_PAUSE * 2 ** min(max(attempts - 1, 0), 10)
    return min(doubled, LONGEST_PAUSE) * (1 - jitter / 2)


def catalog_key(connection_id: str) -> str:
    """Return the exclusive key of tasks that read the catalog of a connection."""
    return f"catalog {connection_id}"


def _subject(session: Session, kind: str, payload: Mapping[str, Any]) -> str | None:
    """Return the exclusive key: the dataset or catalog that is read. None excludes nothing."""
    if kind == TaskKind.CATALOG:
        return catalog_key(str(payload.get("connection_id")))
    if kind not in READING:
        return None
    about = str(payload.get("contract_id")), str(payload.get("object"))
    dataset = contract_datasets.dataset_of(session, *about)
    return f"dataset {dataset.id}" if dataset else f"object {'/'.join(about)}"


def _fair_position(session: Session, producer: str, priority: int) -> int:
    """Return the next position in the producer's line.

    An empty line starts at the current position of the others: a busy producer only delays itself, and a new producer
    does not wait behind its whole backlog."""
    conditions = col(TaskRow.state) == TaskState.QUEUED, col(TaskRow.priority) == priority
    last = session.exec(select(func.max(TaskRow.queue_position)).where(*conditions, TaskRow.producer == producer)).one()
    if last is not None:
        return last + 1
    return session.exec(select(func.min(TaskRow.queue_position)).where(*conditions)).one() or 0


def _free(now: datetime) -> ColumnElement[bool]:
    """Return the SQL condition that no running task has the same exclusive key."""
    other = aliased(TaskRow)
    is_running = and_(col(other.state) == TaskState.RUNNING, col(other.lease_expires_at) >= now)
    blocking = select(other.id).where(
        col(other.exclusive_key) == col(TaskRow.exclusive_key), col(other.id) != col(TaskRow.id), is_running
    )
    return or_(col(TaskRow.exclusive_key).is_(None), ~blocking.exists())


def _urgency(now: datetime) -> ColumnElement[int]:
    """Return the SQL expression of the urgency; the smallest runs first.

    It starts at the priority and decreases by 1 with every `AGES` since the task became ready, down to 0. This prevents
    starvation."""
    steps = [(col(TaskRow.available_at) <= now - each * AGES, each) for each in range(max(Priority), 0, -1)]
    aged = col(TaskRow.priority) - case(*steps, else_=0)
    return case((aged < 0, 0), else_=aged)


def _due(now: datetime) -> ColumnElement[bool]:
    ready = and_(col(TaskRow.state) == TaskState.QUEUED, col(TaskRow.available_at) <= now)
    expired = and_(col(TaskRow.state) == TaskState.RUNNING, col(TaskRow.lease_expires_at) < now)
    return or_(ready, expired)


def _waiting(now: datetime, *condition: ColumnElement[bool]) -> Any:
    urgent = _urgency(now)
    # Tasks of the highest urgency run in order of age, whatever arrives later.
    order = (
        urgent,
        case((urgent == 0, 0), else_=col(TaskRow.queue_position)),
        col(TaskRow.available_at),
        col(TaskRow.id),
    )
    return select(TaskRow).where(*condition, _due(now)).order_by(*order).with_for_update(skip_locked=True)


def _left(session: Session, task_id: UUID, fence: int, **values: Any) -> None:
    _update_leased(session, task_id, fence, lease_expires_at=None, progress=None, **values)


def _update_leased(session: Session, task_id: UUID, fence: int, **values: Any) -> None:
    """Update the task if this fence still holds it. A single statement excludes races."""
    result = cast("CursorResult[Any]", session.exec(update(TaskRow).where(*_mine(task_id, fence)).values(**values)))
    if result.rowcount != 1:
        raise LeaseLost


def _mine(task_id: UUID, fence: int) -> tuple[ColumnElement[bool], ...]:
    return col(TaskRow.id) == task_id, col(TaskRow.fence) == fence, col(TaskRow.state) == TaskState.RUNNING
