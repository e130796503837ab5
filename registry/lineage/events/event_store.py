"""Store accepted events once each until they are folded, and the start of rejected bodies."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import accumulate
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, func, or_, update
from sqlalchemy.orm import defer
from sqlmodel import Session, col, select

from treaty.registry.core.database import insert
from treaty.registry.core.enums import LineageEventState
from treaty.registry.core.errors import RegistryError
from treaty.registry.lineage.events.diagnostics import diagnose
from treaty.registry.lineage.events.model import LineageEvent
from treaty.registry.tables import LineageEventRow, RejectedLineageEventRow

TRIES = 3
KEPT_BYTES = 4096
# Bytes of events that are processed in one transaction; a larger event is processed alone.
AT_ONCE = 4 * 1024 * 1024
# Column defaults of an event that has not been folded.
UNFOLDED = {name: info.get_default(call_default_factory=True) for name, info in LineageEventRow.model_fields.items()
            if not info.is_required()}  # fmt: skip


class EventLeaseLost(RegistryError):
    """The lease of an event expired, and another worker has claimed it."""

    default_message = "Another worker has the event now; the work of this one is discarded."


@dataclass(frozen=True)
class EventRejection:
    """A rejected body with the HTTP status and the reason in the response."""

    status: int
    reason: str
    body: bytes = b""


class EventReceipt(StrEnum):
    """The outcome of an accepted event."""

    STORED = "stored"
    DUPLICATE = "duplicate"


@dataclass(frozen=True)
class ReceivedEvent:
    """An event to store, as a row built before the transaction that writes it."""

    row: Mapping[str, Any]

    @property
    def key(self) -> str:
        """Return the content hash, which identifies the event."""
        return str(self.row["content_hash"])

    @property
    def size(self) -> int:
        """Return the number of bytes to store."""
        return len(self.row["body"])


def arrival(event: LineageEvent, body: bytes, *, producer: str, now: datetime, event_id: UUID) -> ReceivedEvent:
    """Build the row of an event. `body`: the request body as received."""
    row = {
        "id": event_id,
        "content_hash": event.key,
        "received_at": now,
        "body": event.stored_bytes(),
        "original_sha256": hashlib.sha256(body).hexdigest(),
        "original_size": len(body),
        "producer": producer,
        "diagnostics": diagnose(event, now),
    }
    return ReceivedEvent({**UNFOLDED, **row})


def keep(session: Session, arrivals: Sequence[ReceivedEvent]) -> set[str]:
    """Store events once per content hash, count repeats, and return the hashes of new events.

    Repeats of events stored earlier are counted too. Rows are written in the order of their keys: transactions that
    store the same events wait for each other without a deadlock."""
    if not arrivals:
        return set()
    by_key = {each.key: each for each in sorted(arrivals, key=lambda each: each.key)}
    table = LineageEventRow.__table__  # type: ignore[attr-defined]
    statement = (
        insert(session, table).on_conflict_do_nothing(index_elements=["content_hash"]).returning(table.c.content_hash)
    )
    stored = set(session.connection().scalars(statement, [each.row for each in by_key.values()]))
    counts = Counter(each.key for each in arrivals)
    for key in by_key:
        if repeats := counts[key] - (key in stored):
            _count(session, key, repeats)
    return stored


def accept(
    session: Session, event: LineageEvent, body: bytes, *, producer: str, now: datetime, event_id: UUID
) -> EventReceipt:
    """Store the event, or count it as a repeat. `body`: the request body as received."""
    received = arrival(event, body, producer=producer, now=now, event_id=event_id)
    return EventReceipt.STORED if keep(session, [received]) else EventReceipt.DUPLICATE


def depth(session: Session, *, most: int) -> int:
    """Return the number of events that wait to be folded, at most `most`."""
    query = select(LineageEventRow.id).where(col(LineageEventRow.state) == LineageEventState.NEW).limit(most)
    return int(session.exec(select(func.count()).select_from(query.subquery())).one())


def reject(session: Session, refusal: EventRejection, *, producer: str, now: datetime, event_id: UUID) -> None:
    """Store the start of a rejected body with the response, because producers seldom log it."""
    session.add(
        RejectedLineageEventRow(
            id=event_id,
            received_at=now,
            producer=producer,
            status=refusal.status,
            reason=refusal.reason,
            body=refusal.body[:KEPT_BYTES],
        )
    )


def is_due(session: Session, *, now: datetime) -> bool:
    """Return whether an event waits for a worker."""
    return session.exec(_waiting(now, LineageEventRow.id).limit(1)).first() is not None


def claim(session: Session, *, worker: str, now: datetime, lease: timedelta, most: int) -> list[LineageEventRow]:
    """Lease the next events to `worker`, count the attempt, and return them; oldest first.

    An event that was attempted before comes last, and alone: if it ends the process, no other event is suspected."""
    row = LineageEventRow
    order = col(row.attempts), col(row.received_at), col(row.id)
    query = _claimable(now, row.id, row.attempts, func.length(row.body)).order_by(*order)
    candidates = session.exec(query.limit(most).with_for_update(skip_locked=True)).all()
    sizes = accumulate(size for _, _, size in candidates)
    fitting = [
        each for (each, attempts, _), size in zip(candidates, sizes, strict=True) if not attempts and size <= AT_ONCE
    ]
    chosen = fitting or [each for each, *_ in candidates[:1]]
    events = list(session.exec(select(row).where(col(row.id).in_(chosen)).order_by(*order)))
    for each in events:
        each.attempts += 1
        each.worker, each.lease_expires_at = worker, now + lease
    session.flush()
    return events


def hold(session: Session, claimed: Sequence[LineageEventRow]) -> list[LineageEventRow]:
    """Lock claimed events until the transaction ends, and return their rows, which load no bodies.

    Raises EventLeaseLost if another worker has claimed one of them since."""
    row = LineageEventRow
    mine = or_(*(and_(*_mine(each)) for each in claimed))
    query = select(row).where(mine).order_by(col(row.received_at), col(row.id)).options(defer(row.body))  # type: ignore[arg-type]
    rows = list(session.exec(query.with_for_update()))
    if len(rows) != len(claimed):
        raise EventLeaseLost
    return rows


def release(session: Session, claimed: Sequence[LineageEventRow]) -> None:
    """Return claimed events without counting the attempt; those of other workers are left out."""
    row = LineageEventRow
    reset = {"attempts": col(row.attempts) - 1, "lease_expires_at": None}
    for each in claimed:
        session.exec(update(row).where(*_mine(each)).values(**reset))


def blame(event: LineageEventRow, error: str) -> None:
    """Record that an attempt at the event failed. The third failure parks it, so that other events proceed."""
    event.error, event.lease_expires_at = error, None
    event.state = LineageEventState.PARKED if event.attempts >= TRIES else event.state


def abandoned(session: Session, *, now: datetime) -> list[LineageEventRow]:
    """Return the events whose last attempt ended without a result when their worker ended."""
    row = LineageEventRow
    spent = col(row.attempts) >= TRIES, col(row.lease_expires_at) < now
    return list(session.exec(_new(row).where(*spent).with_for_update(skip_locked=True)))


def leased(session: Session, worker: str) -> list[LineageEventRow]:
    """Return the events that `worker` has claimed."""
    row = LineageEventRow
    return list(session.exec(_new(row).where(row.worker == worker, col(row.lease_expires_at).is_not(None))))


def unpark(event: LineageEventRow) -> None:
    """Queue a parked event again, as if it were new."""
    event.state, event.attempts, event.error, event.lease_expires_at = LineageEventState.NEW, 0, None, None


def forget(session: Session, *, before: datetime, most: int = 1000) -> int:
    """Delete at most `most` events received before a time, and as many rejections; return their number.

    Events that wait to be folded are not deleted. Run states retain what was folded from deleted events."""
    conditions = col(LineageEventRow.received_at) < before, col(LineageEventRow.state) != LineageEventState.NEW
    events = select(LineageEventRow.id).where(*conditions).limit(most)
    refused = select(RejectedLineageEventRow.id).where(col(RejectedLineageEventRow.received_at) < before).limit(most)
    deleted = session.exec(delete(LineageEventRow).where(col(LineageEventRow.id).in_(events))).rowcount
    return (
        deleted
        + session.exec(delete(RejectedLineageEventRow).where(col(RejectedLineageEventRow.id).in_(refused))).rowcount
    )


def _count(session: Session, key: str, repeats: int) -> None:
    same = col(LineageEventRow.content_hash) == key
    session.exec(update(LineageEventRow).where(same).values(duplicates=col(LineageEventRow.duplicates) + repeats))


def _new(*columns: Any) -> Any:
    return select(*columns).where(col(LineageEventRow.state) == LineageEventState.NEW)


def _waiting(now: datetime, *columns: Any) -> Any:
    expires_at = col(LineageEventRow.lease_expires_at)
    return _new(*columns).where(or_(expires_at.is_(None), expires_at < now))


def _claimable(now: datetime, *columns: Any) -> Any:
    return _waiting(now, *columns).where(col(LineageEventRow.attempts) < TRIES)


def _mine(claimed: LineageEventRow) -> tuple[ColumnElement[bool], ...]:
    """Return the SQL conditions that no other worker, and no later attempt, has the event."""
    row = LineageEventRow
    attempt = col(row.worker) == claimed.worker, col(row.attempts) == claimed.attempts
    return col(row.id) == claimed.id, *attempt, col(row.state) == LineageEventState.NEW
