"""The audit: one entry for each change, written with it, each hash covering the entry before."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlmodel import Session, col, select

from contracts.fingerprint import fingerprint
from registry.cursors import Asked, Order, Portion
from registry.database import lock
from registry.tables import AuditEntry
from registry.words import Action

APPENDING = 7_268_392_102
BEGINNING = "0" * 64
NEWEST = Order((AuditEntry.position,), newest_first=True)


@dataclass(frozen=True)
class Chain:
    """Whether the audit is as it was written; `broken_at` is the first position that is not."""

    entries: int
    broken_at: int | None


def record(
    session: Session,
    action: Action,
    *,
    actor: str,
    object_id: object,
    now: datetime,
    details: Mapping[str, Any] | None = None,
) -> AuditEntry:
    """Appends the entry of a change to the session's transaction. Details are plain data, never secrets or data values.

    Call it after the change itself: from here on all other writers of the audit wait for this transaction."""
    session.flush()
    lock(session, APPENDING)
    last = session.exec(select(AuditEntry).order_by(col(AuditEntry.position).desc()).limit(1)).first()
    entry = AuditEntry(
        position=last.position + 1 if last else 1,
        time=now,
        actor=actor,
        action=action,
        object_type=action.partition(":")[0],
        object_id=str(object_id),
        details=dict(details or {}),
        previous_hash=last.hash if last else BEGINNING,
        hash="",
    )
    entry.hash = seal(entry)
    session.add(entry)
    session.flush()
    return entry


def seal(entry: AuditEntry) -> str:
    """The hash that the entry must have."""
    content = entry.model_dump(exclude={"hash", "time"})
    return fingerprint({**content, "action": entry.action.value, "time": entry.time.astimezone(UTC).isoformat()})


def verify(session: Session) -> Chain:
    """Reads the whole audit and says where it is broken. Entries cut off at the end cannot be seen."""
    position, previous = 0, BEGINNING
    for entry in session.exec(select(AuditEntry).order_by(col(AuditEntry.position)).execution_options(yield_per=500)):
        position += 1
        if (entry.position, entry.previous_hash, entry.hash) != (position, previous, seal(entry)):
            return Chain(position, broken_at=position)
        previous = entry.hash
    return Chain(position, broken_at=None)


def entries(
    session: Session, asked: Asked, *, action: Action | None = None, object_id: str | None = None
) -> Portion[AuditEntry]:
    """Entries, newest first."""
    query = NEWEST.of(select(AuditEntry), asked)
    if action is not None:
        query = query.where(AuditEntry.action == action)
    if object_id is not None:
        query = query.where(AuditEntry.object_id == object_id)
    return NEWEST.cut(session.exec(query).all(), asked)
