"""One validation at once, and one more for all that happened meanwhile: N triggers of an object make one or two tasks.

A contract object is dirty while triggers are counted that no validation has covered. The trigger that makes it dirty
enqueues a task that begins at once; later ones only count. The task that ends covers what was counted when it began;
for the others one more is enqueued, which begins when the quiet time of the one before is over."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, select

from treaty.registry.core.enums import TaskKind, TaskState
from treaty.registry.datasets import contract_datasets
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.queue import pending_triggers, task_queue
from treaty.registry.tables import PendingValidationRow, TaskRow

# However long a run that is waited for lasts, what its parts wrote is looked at after this time.
PATIENCE = timedelta(minutes=60)
WITHDRAWN = "the run that asked for it failed"


@dataclass(frozen=True, kw_only=True)
class ValidationRequest:
    """What is validated: one object of a contract, how urgently. `extra` travels with the task, for people to read."""

    contract_id: str
    object: str
    cause: str
    extra: Mapping[str, Any] = field(default_factory=dict)
    priority: int = task_queue.Priority.NORMAL


@dataclass(frozen=True)
class DebouncePolicy:
    """When a trigger wants to be looked at. `quiet_period`: after a validation of it, nothing else is for so long.
    `every`: what is written all the time is looked at so often. `waits_for`: not before that run has ended."""

    quiet_period: timedelta = timedelta(0)
    every: timedelta | None = None
    waits_for: str | None = None


AT_ONCE = DebouncePolicy()


def record_trigger(
    session: Session, subject: ValidationRequest, *, now: datetime, task_id: UUID, pace: DebouncePolicy = AT_ONCE
) -> TaskRow | None:
    """Counts a trigger. Returns the task it enqueues where the object was clean, None where a task is under way."""
    mark = _mark(session, subject)
    clean = mark.trigger_sequence == mark.validated_sequence
    mark.trigger_sequence += 1
    mark.pending_triggers = pending_triggers.added(mark.pending_triggers, subject.extra, mark.trigger_sequence)
    mark.quiet_seconds = pace.quiet_period.total_seconds()
    mark.priority = subject.priority if clean else min(mark.priority, subject.priority)
    due = _due(mark, pace, now)
    mark.due_at = due if clean or mark.due_at is None else min(mark.due_at, due)
    mark.awaited_run = pace.waits_for or (None if clean else mark.awaited_run)
    if clean:
        return _enqueue(session, subject, mark, now=now, task_id=task_id)
    _hasten(session, mark, now)
    session.flush()
    return None


def sequence(session: Session, contract_id: str, object_name: str) -> int:
    """How many triggers the object has had: what a validation that begins now will cover."""
    mark = session.get(PendingValidationRow, (contract_id, object_name))
    return mark.trigger_sequence if mark else 0


def pending(session: Session, contract_id: str, object_name: str) -> Sequence[Mapping[str, Any]]:
    """What the triggers said that no validation has covered, as `told.added` keeps it; [] where the object is clean."""
    mark = session.get(PendingValidationRow, (contract_id, object_name))
    return list(mark.pending_triggers) if mark else []


def settle(
    session: Session, subject: ValidationRequest, covered: int, *, now: datetime, task_id: UUID
) -> TaskRow | None:
    """Marks triggers up to `covered` as dealt with, and enqueues one task for those that came since, if any."""
    mark = _mark(session, subject)
    _cover(mark, covered)
    session.flush()
    if mark.trigger_sequence == mark.validated_sequence:
        return None
    last = mark.pending_triggers[-1] if mark.pending_triggers else {}
    return _enqueue(session, replace(subject, extra=last), mark, now=now, task_id=task_id)


def cover(session: Session, contract_id: str, object_name: str, covered: int) -> None:
    """Marks triggers up to `covered` as dealt with by another task than the object's own, which is left to find out."""
    mark = session.get(PendingValidationRow, (contract_id, object_name), with_for_update=True, populate_existing=True)
    if mark is not None:
        _cover(mark, covered)
        session.flush()


def withdraw(session: Session, contract_id: str, object_name: str, run: UUID, *, now: datetime) -> bool:
    """Takes back what the run asked for; its task, too, where nobody else asked and nobody began. Whether it did."""
    mark = session.get(PendingValidationRow, (contract_id, object_name), with_for_update=True, populate_existing=True)
    if mark is None or mark.trigger_sequence == mark.validated_sequence or not mark.pending_triggers:
        return False
    mark.pending_triggers = pending_triggers.without(mark.pending_triggers, run)
    task = _waiting(session, mark)
    if mark.pending_triggers or task is None:
        return False
    task.state, task.finished_at, task.result = TaskState.DONE, now, {"note": WITHDRAWN}
    task.fence += 1
    _cover(mark, mark.trigger_sequence)
    session.flush()
    return True


def release(session: Session, run_id: str, *, now: datetime) -> None:
    """Lets begin what waited for the end of that run."""
    waiting = session.exec(
        select(PendingValidationRow.contract_id, PendingValidationRow.object).where(
            PendingValidationRow.awaited_run == run_id
        )
    ).all()
    contract_datasets.lock_datasets(session, [ContractObject(*each) for each in waiting])
    query = (
        select(PendingValidationRow)
        .where(PendingValidationRow.awaited_run == run_id)
        .order_by(PendingValidationRow.contract_id, PendingValidationRow.object)
    )
    for mark in session.exec(query.with_for_update()).all():
        mark.awaited_run, mark.due_at = None, now
        _hasten(session, mark, now)
    session.flush()


def hold(session: Session, about: Iterable[tuple[str, str]]) -> None:
    """Locks the marks of these objects, as far as there are any, in the order in which all who lock several do."""
    for each in sorted(set(about)):
        session.get(PendingValidationRow, each, with_for_update=True, populate_existing=True)


def is_clean(session: Session, contract_id: str, object_name: str) -> bool:
    """Whether every trigger of the object so far was dealt with."""
    mark = session.get(PendingValidationRow, (contract_id, object_name), populate_existing=True)
    return mark is None or mark.trigger_sequence == mark.validated_sequence


def _due(mark: PendingValidationRow, pace: DebouncePolicy, now: datetime) -> datetime:
    if pace.waits_for is not None:
        return now + PATIENCE
    last = mark.last_stream_validation_at
    return max(now, last + pace.every) if pace.every and last else now


def _cover(mark: PendingValidationRow, covered: int) -> None:
    mark.validated_sequence = max(mark.validated_sequence, min(covered, mark.trigger_sequence))
    mark.pending_triggers = pending_triggers.after(mark.pending_triggers, mark.validated_sequence)


def _enqueue(
    session: Session, subject: ValidationRequest, mark: PendingValidationRow, *, now: datetime, task_id: UUID
) -> TaskRow | None:
    mark.not_before_at = mark.quiet_ends_at
    begins = _begins(mark, now)
    _begin(mark, begins)
    mark.due_at, mark.task_id = None, task_id
    session.flush()
    payload = {"contract_id": subject.contract_id, "object": subject.object, "seq": mark.trigger_sequence,
               **pending_triggers.payload(subject.extra)}  # fmt: skip
    key = f"{TaskKind.VALIDATE}/{subject.contract_id}/{subject.object}/{subject.cause}/{mark.trigger_sequence}"
    return task_queue.enqueue(
        session, kind=TaskKind.VALIDATE, payload=payload, key=key, now=now, task_id=task_id,
        priority=mark.priority, delay=begins - now,
    )  # fmt: skip


def _hasten(session: Session, mark: PendingValidationRow, now: datetime) -> None:
    """Has the task that waits begin earlier where a trigger wants it; one that is tried again keeps its pause."""
    task = _waiting(session, mark)
    if task is None or mark.due_at is None:
        return
    task.priority = min(task.priority, mark.priority)
    begins = _begins(mark, now)
    if begins < task.available_at:
        task.available_at = begins
        _begin(mark, begins)
    mark.due_at = None


def _begins(mark: PendingValidationRow, now: datetime) -> datetime:
    return max(each for each in (now, mark.due_at, mark.not_before_at) if each is not None)


def _begin(mark: PendingValidationRow, at: datetime) -> None:
    mark.quiet_ends_at = at + timedelta(seconds=mark.quiet_seconds)
    if pending_triggers.streams(mark.pending_triggers):
        mark.last_stream_validation_at = at


def _waiting(session: Session, mark: PendingValidationRow) -> TaskRow | None:
    """The object's task, locked, where nobody began it yet. Nobody waits here for who begins or ends it: they may be
    waiting for the object's mark."""
    if mark.task_id is None:
        return None
    unlocked = {"skip_locked": True}
    task = session.get(TaskRow, mark.task_id, with_for_update=unlocked, populate_existing=True)
    return task if task is not None and task.state is TaskState.QUEUED and task.attempts == 0 else None


def _mark(session: Session, subject: ValidationRequest) -> PendingValidationRow:
    """The object's row, locked until the transaction ends."""
    identity = (subject.contract_id, subject.object)
    if mark := session.get(PendingValidationRow, identity, with_for_update=True, populate_existing=True):
        return mark
    with suppress(IntegrityError), session.begin_nested():
        session.add(PendingValidationRow(contract_id=subject.contract_id, object=subject.object))
    return session.get_one(PendingValidationRow, identity, with_for_update=True, populate_existing=True)
