"""Coalesce triggers: N triggers of an object enqueue one or two validations.

A contract object is dirty while it has triggers that no validation has covered. The trigger that makes it dirty
enqueues a task that starts immediately; later triggers are only counted. When the task ends, it covers the triggers
counted at its start; for the others one more task is enqueued, which starts after the quiet period."""

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

# Longest wait for a run to end before the partitions it wrote so far are validated.
PATIENCE = timedelta(minutes=60)
WITHDRAWN = "the run that triggered it failed"


@dataclass(frozen=True, kw_only=True)
class ValidationRequest:
    """A request to validate one object of a contract.

    `cause`: part of the task's key. `extra`: details of the trigger, stored with the task for people. `priority`: the
    smallest runs first."""

    contract_id: str
    object: str
    cause: str
    extra: Mapping[str, Any] = field(default_factory=dict)
    priority: int = task_queue.Priority.NORMAL


@dataclass(frozen=True)
class DebouncePolicy:
    """The timing of validations after triggers.

    `quiet_period`: minimum time between the starts of two validations of an object. `every`: interval for data that is
    written continuously; None means no limit. `waits_for`: id of the run that must end first; None means no run."""

    quiet_period: timedelta = timedelta(0)
    every: timedelta | None = None
    waits_for: str | None = None


AT_ONCE = DebouncePolicy()


def record_trigger(
    session: Session, subject: ValidationRequest, *, now: datetime, task_id: UUID, pace: DebouncePolicy = AT_ONCE
) -> TaskRow | None:
    """Count a trigger and return the task it enqueues; None if a task is already pending."""
    row = _mark(session, subject)
    is_first = row.trigger_sequence == row.validated_sequence
    row.trigger_sequence += 1
    row.pending_triggers = pending_triggers.added(row.pending_triggers, subject.extra, row.trigger_sequence)
    row.quiet_seconds = pace.quiet_period.total_seconds()
    row.priority = subject.priority if is_first else min(row.priority, subject.priority)
    due = _due(row, pace, now)
    row.due_at = due if is_first or row.due_at is None else min(row.due_at, due)
    row.awaited_run = pace.waits_for or (None if is_first else row.awaited_run)
    if is_first:
        return _enqueue(session, subject, row, now=now, task_id=task_id)
    _hasten(session, row, now)
    session.flush()
    return None


def sequence(session: Session, contract_id: str, object_name: str) -> int:
    """Return the number of triggers of the object so far.

    A validation that starts now covers all of them."""
    row = session.get(PendingValidationRow, (contract_id, object_name))
    return row.trigger_sequence if row else 0


def pending(session: Session, contract_id: str, object_name: str) -> Sequence[Mapping[str, Any]]:
    """Return the triggers that no validation has covered, see `pending_triggers.added`; [] if there are none."""
    row = session.get(PendingValidationRow, (contract_id, object_name))
    return list(row.pending_triggers) if row else []


def settle(
    session: Session, subject: ValidationRequest, covered: int, *, now: datetime, task_id: UUID
) -> TaskRow | None:
    """Mark triggers up to `covered` as validated, and enqueue one task for later ones.

    Returns None if there are no later triggers."""
    row = _mark(session, subject)
    _cover(row, covered)
    session.flush()
    if row.trigger_sequence == row.validated_sequence:
        return None
    last = row.pending_triggers[-1] if row.pending_triggers else {}
    return _enqueue(session, replace(subject, extra=last), row, now=now, task_id=task_id)


def cover(session: Session, contract_id: str, object_name: str, covered: int) -> None:
    """Mark triggers up to `covered` as validated by a task other than the object's own."""
    row = session.get(PendingValidationRow, (contract_id, object_name), with_for_update=True, populate_existing=True)
    if row is not None:
        _cover(row, covered)
        session.flush()


def withdraw(session: Session, contract_id: str, object_name: str, run: UUID, *, now: datetime) -> bool:
    """Withdraw the triggers of a run, and its task if nothing else needs it.

    The task is withdrawn if no other triggers remain and no worker has started it. Returns whether it was."""
    row = session.get(PendingValidationRow, (contract_id, object_name), with_for_update=True, populate_existing=True)
    if row is None or row.trigger_sequence == row.validated_sequence or not row.pending_triggers:
        return False
    row.pending_triggers = pending_triggers.without(row.pending_triggers, run)
    task = _waiting(session, row)
    if row.pending_triggers or task is None:
        return False
    task.state, task.finished_at, task.result = TaskState.DONE, now, {"note": WITHDRAWN}
    task.fence += 1
    _cover(row, row.trigger_sequence)
    session.flush()
    return True


def release(session: Session, run_id: str, *, now: datetime) -> None:
    """Start the validations that wait for the end of that run."""
    objects = session.exec(
        select(PendingValidationRow.contract_id, PendingValidationRow.object).where(
            PendingValidationRow.awaited_run == run_id
        )
    ).all()
    contract_datasets.lock_datasets(session, [ContractObject(*each) for each in objects])
    query = (
        select(PendingValidationRow)
        .where(PendingValidationRow.awaited_run == run_id)
        .order_by(PendingValidationRow.contract_id, PendingValidationRow.object)
    )
    for row in session.exec(query.with_for_update()).all():
        row.awaited_run, row.due_at = None, now
        _hasten(session, row, now)
    session.flush()


def hold(session: Session, about: Iterable[tuple[str, str]]) -> None:
    """Lock the rows of these objects in a fixed order, which prevents deadlocks."""
    for each in sorted(set(about)):
        session.get(PendingValidationRow, each, with_for_update=True, populate_existing=True)


def is_clean(session: Session, contract_id: str, object_name: str) -> bool:
    """Return whether all triggers of the object are validated."""
    row = session.get(PendingValidationRow, (contract_id, object_name), populate_existing=True)
    return row is None or row.trigger_sequence == row.validated_sequence


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
    start = _begins(mark, now)
    _begin(mark, start)
    mark.due_at, mark.task_id = None, task_id
    session.flush()
    payload = {"contract_id": subject.contract_id, "object": subject.object, "seq": mark.trigger_sequence,
               **pending_triggers.payload(subject.extra)}  # fmt: skip
    key = f"{TaskKind.VALIDATE}/{subject.contract_id}/{subject.object}/{subject.cause}/{mark.trigger_sequence}"
    return task_queue.enqueue(
        session, kind=TaskKind.VALIDATE, payload=payload, key=key, now=now, task_id=task_id,
        priority=mark.priority, delay=start - now,
    )  # fmt: skip


def _hasten(session: Session, mark: PendingValidationRow, now: datetime) -> None:
    """Start the queued task earlier if a trigger requires it. A retry keeps its pause."""
    task = _waiting(session, mark)
    if task is None or mark.due_at is None:
        return
    task.priority = min(task.priority, mark.priority)
    start = _begins(mark, now)
    if start < task.available_at:
        task.available_at = start
        _begin(mark, start)
    mark.due_at = None


def _begins(mark: PendingValidationRow, now: datetime) -> datetime:
    return max(each for each in (now, mark.due_at, mark.not_before_at) if each is not None)


def _begin(mark: PendingValidationRow, at: datetime) -> None:
    mark.quiet_ends_at = at + timedelta(seconds=mark.quiet_seconds)
    if pending_triggers.streams(mark.pending_triggers):
        mark.last_stream_validation_at = at


def _waiting(session: Session, mark: PendingValidationRow) -> TaskRow | None:
    """Lock and return the object's task if no worker has started it; None if it is locked.

    Waiting for the lock could deadlock: its holder may be waiting for the object's row."""
    if mark.task_id is None:
        return None
    locking = {"skip_locked": True}
    task = session.get(TaskRow, mark.task_id, with_for_update=locking, populate_existing=True)
    return task if task is not None and task.state is TaskState.QUEUED and task.attempts == 0 else None


def _mark(session: Session, subject: ValidationRequest) -> PendingValidationRow:
    """Return the object's row, created if missing, locked until the transaction ends."""
    identity = (subject.contract_id, subject.object)
    if row := session.get(PendingValidationRow, identity, with_for_update=True, populate_existing=True):
        return row
    with suppress(IntegrityError), session.begin_nested():
        session.add(PendingValidationRow(contract_id=subject.contract_id, object=subject.object))
    return session.get_one(PendingValidationRow, identity, with_for_update=True, populate_existing=True)
