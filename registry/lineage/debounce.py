"""One validation at once, and one more for all that happened meanwhile: N triggers of an object make one or two tasks.

A contract object is dirty while triggers are counted that no validation has covered. The trigger that makes it dirty
enqueues a task; later ones only count. The task that ends covers what was counted when it began."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from registry import tasks
from registry.tables import DirtyMark, Task

VALIDATE = tasks.VALIDATE


@dataclass(frozen=True)
class Subject:
    """What is validated: one object of a contract, how urgently. `extra` travels with the task, for people to read."""

    contract_id: str
    object: str
    cause: str
    extra: Mapping[str, Any] = field(default_factory=dict)
    priority: int = tasks.Priority.NORMAL


def touch(session: Session, subject: Subject, *, now: datetime, task_id: UUID) -> Task | None:
    """Counts a trigger. Returns the task it enqueues where the object was clean, None where a task is under way."""
    mark = _mark(session, subject)
    clean = mark.dirty_seq == mark.done_seq
    mark.dirty_seq += 1
    session.flush()
    return _enqueue(session, subject, mark.dirty_seq, now, task_id) if clean else None


def sequence(session: Session, contract_id: str, object_name: str) -> int:
    """How many triggers the object has had: what a validation that begins now will cover."""
    mark = session.get(DirtyMark, (contract_id, object_name))
    return mark.dirty_seq if mark else 0


def settle(session: Session, subject: Subject, covered: int, *, now: datetime, task_id: UUID) -> Task | None:
    """Marks triggers up to `covered` as dealt with, and enqueues one task for those that came since, if any."""
    mark = _mark(session, subject)
    mark.done_seq = max(mark.done_seq, covered)
    session.flush()
    return _enqueue(session, subject, mark.dirty_seq, now, task_id) if mark.dirty_seq > mark.done_seq else None


def cover(session: Session, contract_id: str, object_name: str, covered: int) -> None:
    """Marks triggers up to `covered` as dealt with by another task than the object's own, which is left to find out."""
    mark = session.get(DirtyMark, (contract_id, object_name), with_for_update=True, populate_existing=True)
    if mark is not None:
        mark.done_seq = max(mark.done_seq, covered)
        session.flush()


def is_clean(session: Session, contract_id: str, object_name: str) -> bool:
    """Whether every trigger of the object so far was dealt with."""
    mark = session.get(DirtyMark, (contract_id, object_name), populate_existing=True)
    return mark is None or mark.dirty_seq == mark.done_seq


def _enqueue(session: Session, subject: Subject, seq: int, now: datetime, task_id: UUID) -> Task | None:
    payload = {"contract_id": subject.contract_id, "object": subject.object, "seq": seq, **subject.extra}
    key = f"{VALIDATE}/{subject.contract_id}/{subject.object}/{subject.cause}/{seq}"
    return tasks.enqueue(
        session, kind=VALIDATE, payload=payload, key=key, now=now, task_id=task_id, priority=subject.priority
    )


def _mark(session: Session, subject: Subject) -> DirtyMark:
    """The object's row, locked until the transaction ends."""
    identity = (subject.contract_id, subject.object)
    if mark := session.get(DirtyMark, identity, with_for_update=True, populate_existing=True):
        return mark
    with suppress(IntegrityError), session.begin_nested():
        session.add(DirtyMark(contract_id=subject.contract_id, object=subject.object))
    return session.get_one(DirtyMark, identity, with_for_update=True, populate_existing=True)
