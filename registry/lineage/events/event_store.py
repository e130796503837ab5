"""The inbox: accepted events wait here, each kept once, until they are folded; refused bodies are kept too."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import delete, func, update
from sqlmodel import Session, col, select

from treaty.registry.core.database import insert
from treaty.registry.core.enums import LineageEventState
from treaty.registry.lineage.events.diagnostics import diagnose
from treaty.registry.lineage.events.model import LineageEvent
from treaty.registry.tables import LineageEventRow, RejectedLineageEventRow

TRIES = 3
KEPT_BYTES = 4096
# What a row says that nobody has folded yet.
UNFOLDED = {name: told.get_default(call_default_factory=True) for name, told in LineageEventRow.model_fields.items()
            if not told.is_required()}  # fmt: skip


@dataclass(frozen=True)
class EventRejection:
    """A body that was not taken, the HTTP status of the answer and the reason in it."""

    status: int
    reason: str
    body: bytes = b""


class EventReceipt(StrEnum):
    """What became of an accepted event."""

    STORED = "stored"
    DUPLICATE = "duplicate"


@dataclass(frozen=True)
class ReceivedEvent:
    """An event as it is kept: its row, made before the transaction that writes it."""

    row: Mapping[str, Any]

    @property
    def key(self) -> str:
        """What makes it the same event."""
        return str(self.row["content_hash"])

    @property
    def size(self) -> int:
        """How many bytes of it are kept."""
        return len(self.row["body"])


def arrival(event: LineageEvent, body: bytes, *, producer: str, now: datetime, event_id: UUID) -> ReceivedEvent:
    """The event as it is kept. `body` is what was received."""
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
    """Stores the events, each once under its key, and counts repeats, also of what was stored before; the keys of those
    that are new. In the order of keys: two that keep the same events wait for each other, never both."""
    if not arrivals:
        return set()
    first = {each.key: each for each in sorted(arrivals, key=lambda each: each.key)}
    table = LineageEventRow.__table__  # type: ignore[attr-defined]
    new = insert(session, table).on_conflict_do_nothing(index_elements=["content_hash"]).returning(table.c.content_hash)
    stored = set(session.connection().scalars(new, [each.row for each in first.values()]))
    came = Counter(each.key for each in arrivals)
    for key in first:
        if repeats := came[key] - (key in stored):
            _count(session, key, repeats)
    return stored


def accept(
    session: Session, event: LineageEvent, body: bytes, *, producer: str, now: datetime, event_id: UUID
) -> EventReceipt:
    """Stores the event under its key; a repeat of one that is there is only counted. `body` is what was received."""
    one = arrival(event, body, producer=producer, now=now, event_id=event_id)
    return EventReceipt.STORED if keep(session, [one]) else EventReceipt.DUPLICATE


def depth(session: Session, *, most: int) -> int:
    """How many events wait to be folded; of more than `most` so many."""
    waiting = select(LineageEventRow.id).where(col(LineageEventRow.state) == LineageEventState.NEW).limit(most)
    return int(session.exec(select(func.count()).select_from(waiting.subquery())).one())


def reject(session: Session, refusal: EventRejection, *, producer: str, now: datetime, event_id: UUID) -> None:
    """Keeps the beginning of a refused body, with the answer it got: producers seldom log it."""
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


def next_events(session: Session, *, most: int) -> list[LineageEventRow]:
    """The next events to fold, locked until the transaction ends: oldest first, failed ones last."""
    order = col(LineageEventRow.attempts), col(LineageEventRow.received_at), col(LineageEventRow.id)
    query = select(LineageEventRow).where(col(LineageEventRow.state) == LineageEventState.NEW).order_by(*order)
    return list(session.exec(query.limit(most).with_for_update(skip_locked=True)))


def blame(session: Session, event_id: UUID, error: str) -> LineageEventRow:
    """Notes that the event could not be folded; after the third time it is parked, so that others go on."""
    event = session.get_one(LineageEventRow, event_id)
    event.attempts += 1
    event.error = error
    event.state = LineageEventState.PARKED if event.attempts >= TRIES else event.state
    return event


def unpark(event: LineageEventRow) -> None:
    """Has an event that could not be folded wait like a new one."""
    event.state, event.attempts, event.error = LineageEventState.NEW, 0, None


def forget(session: Session, *, before: datetime, most: int = 1000) -> int:
    """Deletes events that came before that time, at most so many; how many these were. One that waits is kept; of a
    folded one what it said of its run stays with that."""
    over = col(LineageEventRow.received_at) < before, col(LineageEventRow.state) != LineageEventState.NEW
    events = select(LineageEventRow.id).where(*over).limit(most)
    refused = select(RejectedLineageEventRow.id).where(col(RejectedLineageEventRow.received_at) < before).limit(most)
    gone = session.exec(delete(LineageEventRow).where(col(LineageEventRow.id).in_(events))).rowcount
    return (
        gone
        + session.exec(delete(RejectedLineageEventRow).where(col(RejectedLineageEventRow.id).in_(refused))).rowcount
    )


def _count(session: Session, key: str, repeats: int) -> None:
    same = col(LineageEventRow.content_hash) == key
    session.exec(update(LineageEventRow).where(same).values(duplicates=col(LineageEventRow.duplicates) + repeats))
