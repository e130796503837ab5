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
from treaty.registry.core.enums import InboxState
from treaty.registry.lineage.events.diagnostics import diagnose
from treaty.registry.lineage.events.model import Event
from treaty.registry.tables import InboxEvent, RejectedEvent

TRIES = 3
KEPT_BYTES = 4096
# What a row says that nobody has folded yet.
UNFOLDED = {name: told.get_default(call_default_factory=True) for name, told in InboxEvent.model_fields.items()
            if not told.is_required()}  # fmt: skip


@dataclass(frozen=True)
class Refusal:
    """A body that was not taken, the HTTP status of the answer and the reason in it."""

    status: int
    reason: str
    body: bytes = b""


class Receipt(StrEnum):
    """What became of an accepted event."""

    STORED = "stored"
    DUPLICATE = "duplicate"


@dataclass(frozen=True)
class Arrival:
    """An event as it is kept: its row, made before the transaction that writes it."""

    row: Mapping[str, Any]

    @property
    def key(self) -> str:
        """What makes it the same event."""
        return str(self.row["key"])

    @property
    def size(self) -> int:
        """How many bytes of it are kept."""
        return len(self.row["body"])


def arrival(event: Event, body: bytes, *, producer: str, now: datetime, event_id: UUID) -> Arrival:
    """The event as it is kept. `body` is what was received."""
    row = {
        "id": event_id,
        "key": event.key,
        "received": now,
        "body": event.kept(),
        "original_sha256": hashlib.sha256(body).hexdigest(),
        "original_size": len(body),
        "producer": producer,
        "diagnostics": diagnose(event, now),
    }
    return Arrival({**UNFOLDED, **row})


def keep(session: Session, arrivals: Sequence[Arrival]) -> set[str]:
    """Stores the events, each once under its key, and counts repeats, also of what was stored before; the keys of those
    that are new. In the order of keys: two that keep the same events wait for each other, never both."""
    if not arrivals:
        return set()
    first = {each.key: each for each in sorted(arrivals, key=lambda each: each.key)}
    table = InboxEvent.__table__  # type: ignore[attr-defined]
    new = insert(session, table).on_conflict_do_nothing(index_elements=["key"]).returning(table.c.key)
    stored = set(session.connection().scalars(new, [each.row for each in first.values()]))
    came = Counter(each.key for each in arrivals)
    for key in first:
        if repeats := came[key] - (key in stored):
            _count(session, key, repeats)
    return stored


def accept(session: Session, event: Event, body: bytes, *, producer: str, now: datetime, event_id: UUID) -> Receipt:
    """Stores the event under its key; a repeat of one that is there is only counted. `body` is what was received."""
    one = arrival(event, body, producer=producer, now=now, event_id=event_id)
    return Receipt.STORED if keep(session, [one]) else Receipt.DUPLICATE


def depth(session: Session, *, most: int) -> int:
    """How many events wait to be folded; of more than `most` so many."""
    waiting = select(InboxEvent.id).where(col(InboxEvent.state) == InboxState.NEW).limit(most)
    return int(session.exec(select(func.count()).select_from(waiting.subquery())).one())


def reject(session: Session, refusal: Refusal, *, producer: str, now: datetime, event_id: UUID) -> None:
    """Keeps the beginning of a refused body, with the answer it got: producers seldom log it."""
    session.add(
        RejectedEvent(
            id=event_id,
            time=now,
            producer=producer,
            status=refusal.status,
            reason=refusal.reason,
            body=refusal.body[:KEPT_BYTES],
        )
    )


def waiting(session: Session, *, most: int) -> list[InboxEvent]:
    """The next events to fold, locked until the transaction ends: oldest first, failed ones last."""
    order = col(InboxEvent.attempts), col(InboxEvent.received), col(InboxEvent.id)
    query = select(InboxEvent).where(col(InboxEvent.state) == InboxState.NEW).order_by(*order)
    return list(session.exec(query.limit(most).with_for_update(skip_locked=True)))


def blame(session: Session, event_id: UUID, error: str) -> InboxEvent:
    """Notes that the event could not be folded; after the third time it is parked, so that others go on."""
    event = session.get_one(InboxEvent, event_id)
    event.attempts += 1
    event.error = error
    event.state = InboxState.PARKED if event.attempts >= TRIES else event.state
    return event


def unpark(event: InboxEvent) -> None:
    """Has an event that could not be folded wait like a new one."""
    event.state, event.attempts, event.error = InboxState.NEW, 0, None


def forget(session: Session, *, before: datetime, most: int = 1000) -> int:
    """Deletes events that came before that time, at most so many; how many these were. One that waits is kept; of a
    folded one what it said of its run stays with that."""
    over = col(InboxEvent.received) < before, col(InboxEvent.state) != InboxState.NEW
    events = select(InboxEvent.id).where(*over).limit(most)
    refused = select(RejectedEvent.id).where(col(RejectedEvent.time) < before).limit(most)
    gone = session.exec(delete(InboxEvent).where(col(InboxEvent.id).in_(events))).rowcount
    return gone + session.exec(delete(RejectedEvent).where(col(RejectedEvent.id).in_(refused))).rowcount


def _count(session: Session, key: str, repeats: int) -> None:
    same = col(InboxEvent.key) == key
    session.exec(update(InboxEvent).where(same).values(duplicates=col(InboxEvent.duplicates) + repeats))
