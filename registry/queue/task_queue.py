"""The durable queue in the registry's own tables: tasks leased to workers, fenced against those that come back late.

Its functions take the session, so that a task ends in the same transaction as its effect. What a task is about is one
worker's at a time. Of tasks of one priority those of each producer are a line, and the lines are served in turns. What
waits becomes more urgent with time.

Workers on several hosts tell the time by the database (`treaty.registry.worker.database_clock`): their own clocks do
not matter."""

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
# Kinds of tasks that read a dataset and write what is remembered of it.
READING = frozenset({TaskKind.VALIDATE, TaskKind.DEADLINE})
# Two that claim at the same moment would each see the other's subject free.
CLAIMING = 7_268_392_104
FIRST_PAUSE = timedelta(seconds=30)
LONGEST_PAUSE = timedelta(minutes=30)
AT_ONCE = timedelta(0)
# After each of these spans a task that could be done is as urgent as those of one priority above.
AGES = timedelta(minutes=15)


class Priority(IntEnum):
    """How urgent a task is: the smaller the sooner. What people wait for comes first, what nobody waits for last."""

    DRAFT = 3
    BLOCKING = 4
    NORMAL = 5
    ORPHAN = 7
    SWEEP = 8
    UPKEEP = 9


class LeaseLost(RegistryError):
    """The task was given to another worker in the meantime; nothing of this work is kept."""


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
    """The new task, ready after `delay`; None where a task of that key exists, whatever became of it.

    The payload's `producer` is whose line it waits in; those without one share a line."""
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
    """The task of that idempotency key, or None."""
    return session.exec(select(TaskRow).where(TaskRow.key == key)).first()


def claim(session: Session, *, worker: str, now: datetime, lease: timedelta) -> TaskRow | None:
    """The most urgent task, leased to `worker` until now + lease; None where nothing waits.

    A task whose lease ran out is claimed anew; every claim raises the fence. One whose subject another worker has
    waits, whatever its priority."""
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
    """Marks tasks failed whose last attempt ended without an answer, and returns them: their workers died."""
    dead: list[TaskRow] = list(session.exec(_waiting(now, col(TaskRow.attempts) >= ATTEMPTS)))
    for task in dead:
        task.state, task.finished_at, task.lease_expires_at = TaskState.FAILED, now, None
        task.progress = None
        task.error = f"the worker ended without an answer, {task.attempts} times; last error: {task.error or 'none'}"
        task.fence += 1
    session.flush()
    return dead


def heartbeat(session: Session, task_id: UUID, fence: int, *, until: datetime, progress: str | None = None) -> None:
    """Extends the lease, and tells the progress where there is some. Raises Fenced where the task is another's."""
    told = {} if progress is None else {"progress": progress}
    _update_leased(session, task_id, fence, lease_expires_at=until, **told)


def check_lease(session: Session, task_id: UUID, fence: int) -> None:
    """Raises Fenced where the task is another's by now, before anything is done in its name. Locks nothing: whoever
    ends a task locks what it is about first, as those do who ask for more of it; `finish` has the last word."""
    if session.exec(select(TaskRow.id).where(*_mine(task_id, fence))).first() is None:
        raise LeaseLost


def finish(session: Session, task_id: UUID, fence: int, *, result: Mapping[str, Any], now: datetime) -> None:
    """Marks the task done. Raises Fenced where it is another's by now: the caller's transaction is then undone."""
    _left(session, task_id, fence, state=TaskState.DONE, result=dict(result), error=None, finished_at=now)


def fail(session: Session, task_id: UUID, fence: int, *, error: str, now: datetime, retry_at: datetime | None) -> None:
    """Gives the task back for `retry_at`, or marks it failed for good where that is None. Raises Fenced as `finish`."""
    if retry_at is None:
        _left(session, task_id, fence, state=TaskState.FAILED, error=error, finished_at=now)
    else:
        _left(session, task_id, fence, state=TaskState.QUEUED, error=error, available_at=retry_at)


def release(session: Session, task_id: UUID, fence: int, *, now: datetime) -> None:
    """Gives a task back untried, for any worker to take at once. Raises Fenced as `finish`."""
    untried = {"attempts": col(TaskRow.attempts) - 1, "state": TaskState.QUEUED, "available_at": now}
    _left(session, task_id, fence, **untried)


def retry(session: Session, task: TaskRow, *, now: datetime) -> TaskRow:
    """Has a task that was given up tried anew, as often as a new one. Raises Conflict for one that was not.

    Its triggers were settled when it was given up: what it does now, it does for no trigger."""
    payload = {name: value for name, value in task.payload.items() if name != "seq"}
    anew = {"state": TaskState.QUEUED, "attempts": 0, "available_at": now, "finished_at": None, "payload": payload}
    given_up = col(TaskRow.id) == task.id, col(TaskRow.state) == TaskState.FAILED
    written = cast("CursorResult[Any]", session.exec(update(TaskRow).where(*given_up).values(**anew)))
    if written.rowcount != 1:
        raise Conflict(f"the task is {task.state.value}: only one that failed for good can be tried anew")
    session.refresh(task)
    return task


def stop(session: Session, task: TaskRow, *, error: str, now: datetime) -> TaskRow:
    """Ends a task that waits or is being done: whoever does it cannot write any more. Raises Conflict for one that has
    ended."""
    under_way = col(TaskRow.id) == task.id, col(TaskRow.state).in_((TaskState.QUEUED, TaskState.RUNNING))
    ended = {"state": TaskState.FAILED, "error": error, "finished_at": now, "lease_expires_at": None, "progress": None}
    statement = update(TaskRow).where(*under_way).values(**ended, fence=col(TaskRow.fence) + 1)
    if cast("CursorResult[Any]", session.exec(statement)).rowcount != 1:
        raise Conflict(f"the task is {task.state.value}: only one that waits or is being done can be ended")
    session.refresh(task)
    return task


def waiting(session: Session, *, now: datetime, most: int) -> int:
    """How many tasks could be done at once if there were workers for them; no more than `most` are counted."""
    ready = col(TaskRow.state) == TaskState.QUEUED, col(TaskRow.available_at) <= now
    return session.exec(select(func.count()).select_from(select(TaskRow.id).where(*ready).limit(most).subquery())).one()


def pause(attempts: int, jitter: float) -> timedelta:
    """How long to wait after that many attempts: 30 s doubled each time, 30 min at most, halved by jitter 1."""
    doubled: timedelta = FIRST_PAUSE * 2 ** min(max(attempts - 1, 0), 10)
    return min(doubled, LONGEST_PAUSE) * (1 - jitter / 2)


def _subject(session: Session, kind: str, payload: Mapping[str, Any]) -> str | None:
    """What no two tasks may be about at once: the dataset that is read, under whichever contract. None: anything
    may go on beside it."""
    if kind not in READING:
        return None
    about = str(payload.get("contract_id")), str(payload.get("object"))
    dataset = contract_datasets.dataset_of(session, *about)
    return f"dataset {dataset.id}" if dataset else f"object {'/'.join(about)}"


def _fair_position(session: Session, producer: str, priority: int) -> int:
    """The next place in the producer's line. A line that is empty begins where the others stand now, so that who sends
    much waits behind themselves alone, and who comes anew is not behind all of it."""
    waits = col(TaskRow.state) == TaskState.QUEUED, col(TaskRow.priority) == priority
    last = session.exec(select(func.max(TaskRow.queue_position)).where(*waits, TaskRow.producer == producer)).one()
    if last is not None:
        return last + 1
    return session.exec(select(func.min(TaskRow.queue_position)).where(*waits)).one() or 0


def _free(now: datetime) -> ColumnElement[bool]:
    """The condition that no other worker has a task about the same."""
    other = aliased(TaskRow)
    held = and_(col(other.state) == TaskState.RUNNING, col(other.lease_expires_at) >= now)
    taken = select(other.id).where(
        col(other.exclusive_key) == col(TaskRow.exclusive_key), col(other.id) != col(TaskRow.id), held
    )
    return or_(col(TaskRow.exclusive_key).is_(None), ~taken.exists())


def _urgency(now: datetime) -> ColumnElement[int]:
    """How urgent each task is: a step more with every `AGES` since it could be done, until it is as urgent as any; the
    smaller the sooner. So none waits for ever behind others that keep coming."""
    steps = [(col(TaskRow.available_at) <= now - each * AGES, each) for each in range(max(Priority), 0, -1)]
    aged = col(TaskRow.priority) - case(*steps, else_=0)
    return case((aged < 0, 0), else_=aged)


def _waiting(now: datetime, *which: ColumnElement[bool]) -> Any:
    ready = and_(col(TaskRow.state) == TaskState.QUEUED, col(TaskRow.available_at) <= now)
    expired = and_(col(TaskRow.state) == TaskState.RUNNING, col(TaskRow.lease_expires_at) < now)
    urgent = _urgency(now)
    # Of what has become as urgent as can be, the oldest first: whatever comes anew, it is done.
    order = (
        urgent,
        case((urgent == 0, 0), else_=col(TaskRow.queue_position)),
        col(TaskRow.available_at),
        col(TaskRow.id),
    )
    return select(TaskRow).where(*which, or_(ready, expired)).order_by(*order).with_for_update(skip_locked=True)


def _left(session: Session, task_id: UUID, fence: int, **values: Any) -> None:
    _update_leased(session, task_id, fence, lease_expires_at=None, progress=None, **values)


def _update_leased(session: Session, task_id: UUID, fence: int, **values: Any) -> None:
    """Writes to the task if this fence still holds it. One statement: no other claim can come between."""
    written = cast("CursorResult[Any]", session.exec(update(TaskRow).where(*_mine(task_id, fence)).values(**values)))
    if written.rowcount != 1:
        raise LeaseLost


def _mine(task_id: UUID, fence: int) -> tuple[ColumnElement[bool], ...]:
    return col(TaskRow.id) == task_id, col(TaskRow.fence) == fence, col(TaskRow.state) == TaskState.RUNNING
