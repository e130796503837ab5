"""The outbox: messages written in the transaction of what they tell of, and delivered after it, at least once.

Messages to one destination go out one after another; one that is away holds up no other. Every try of a message has the
same key and the same body, so that its receiver can tell a repeat."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, cast
from uuid import UUID

from sqlalchemy import ColumnElement, CursorResult, and_, delete, or_, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from treaty.registry.access.authentication import Principal, require_permission
from treaty.registry.audit import audit_log
from treaty.registry.core.enums import AuditAction, OutboxState, Permission
from treaty.registry.core.errors import Conflict, NotFound, RegistryError
from treaty.registry.core.pagination import PageRequest, RowPage, SortOrder
from treaty.registry.tables import OutboxMessageRow

# The kinds of messages: a verdict for a lineage service, and a notice to a channel.
LINEAGE, NOTICE = "lineage", "notice"
ATTEMPTS = 10
FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(minutes=30)
# However long a receiver asks to be left alone, it is asked again by then.
LONGEST_ASKED = timedelta(hours=2)
ACTOR = "worker"
NEWEST_FIRST = SortOrder((col(OutboxMessageRow.id),), newest_first=True)


class DeliveryLeaseLost(RegistryError):
    """The message was given to another deliverer in the meantime: what became of this try is not kept."""


def enqueue_message(  # noqa: PLR0913 - each is a column of the message, named by the caller
    session: Session,
    *,
    kind: str,
    destination: str,
    payload: Mapping[str, Any],
    key: str,
    now: datetime,
    message_id: UUID,
) -> OutboxMessageRow | None:
    """The new message; None where one of that key is there, whatever became of it."""
    message = OutboxMessageRow(
        id=message_id,
        kind=kind,
        destination=destination,
        key=key,
        payload=dict(payload),
        created_at=now,
        available_at=now,
    )
    try:
        with session.begin_nested():
            session.add(message)
    except IntegrityError:
        if session.exec(select(OutboxMessageRow).where(OutboxMessageRow.key == key)).first() is None:
            raise
        return None
    return message


def due(session: Session, *, now: datetime) -> bool:
    """Whether some message can be delivered now."""
    return session.exec(_next(now)).first() is not None


def claim(session: Session, *, now: datetime, lease: timedelta) -> OutboxMessageRow | None:
    """The message that waits longest and is the oldest to its destination, held until now + lease; None for none."""
    found: OutboxMessageRow | None = session.exec(_next(now).with_for_update(skip_locked=True)).first()
    if found is not None:
        found.attempts += 1
        found.fence += 1
        found.lease_expires_at = now + lease
        session.flush()
    return found


def sent(session: Session, message: OutboxMessageRow, *, now: datetime) -> None:
    """Notes that the message was taken. Raises Overdue where another deliverer has it by now."""
    _update_leased(session, message, state=OutboxState.SENT, error=None, ended_at=now)


def failed(
    session: Session, message: OutboxMessageRow, error: str, *, now: datetime, retry_at: datetime | None
) -> None:
    """Has the message, and all others to its destination, wait until `retry_at`; None: it is given up, and audited.

    Raises Overdue as `sent`."""
    if retry_at is not None:
        _update_leased(session, message, error=error, available_at=retry_at)
        _put_off(session, message.destination, retry_at)
        return
    _update_leased(session, message, state=OutboxState.DEAD, error=error, ended_at=now)
    details = {"kind": message.kind, "attempts": message.attempts, "error": error}
    audit_log.record(session, AuditAction.MESSAGE_FAILED, actor=ACTOR, object_id=message.id, details=details, now=now)


def pause(attempts: int, jitter: float) -> timedelta:
    """How long to wait after that many tries: 5 s doubled each time, 30 min at most, halved by jitter 1."""
    doubled: timedelta = FIRST_PAUSE * 2 ** min(max(attempts - 1, 0), 16)
    return min(doubled, LONGEST_PAUSE) * (1 - jitter / 2)


def list_messages(
    session: Session, by: Principal, asked: PageRequest, state: OutboxState | None = None
) -> RowPage[OutboxMessageRow]:
    """Messages, newest first; for who administers. Raises Forbidden."""
    require_permission(by, Permission.USERS)
    query = NEWEST_FIRST.of(select(OutboxMessageRow), asked)
    found = session.exec(query if state is None else query.where(OutboxMessageRow.state == state)).all()
    return NEWEST_FIRST.cut(found, asked)


def replay(session: Session, message_id: UUID, *, by: Principal, now: datetime) -> OutboxMessageRow:
    """Has a message that was given up be delivered after all, with the same key and body.

    Raises Forbidden, NotFound, Conflict for one that was not given up."""
    require_permission(by, Permission.USERS)
    message = session.get(OutboxMessageRow, message_id, with_for_update=True)
    if message is None:
        raise NotFound
    if message.state is not OutboxState.DEAD:
        raise Conflict(f"only what was given up is delivered anew; this message is {message.state.value}")
    message.state, message.attempts, message.ended_at = OutboxState.WAITING, 0, None
    message.available_at, message.lease_expires_at = now, None
    audit_log.record(session, AuditAction.MESSAGE_REPLAYED, actor=by.name, object_id=message.id, now=now)
    return message


def forget(session: Session, *, before: datetime, most: int = 1000) -> int:
    """Deletes messages that were sent or given up before that time, at most so many; how many these were."""
    over = col(OutboxMessageRow.state) != OutboxState.WAITING, col(OutboxMessageRow.ended_at) < before
    gone = select(OutboxMessageRow.id).where(*over).limit(most)
    return session.exec(delete(OutboxMessageRow).where(col(OutboxMessageRow.id).in_(gone))).rowcount


def last(session: Session, destinations: Sequence[str]) -> dict[str, OutboxMessageRow]:
    """The newest message to each of the destinations that there is one to."""
    newest = aliased(OutboxMessageRow)
    later = select(newest.id).where(newest.destination == OutboxMessageRow.destination, newest.id > OutboxMessageRow.id)
    query = select(OutboxMessageRow).where(col(OutboxMessageRow.destination).in_(destinations), ~later.exists())
    return {each.destination: each for each in session.exec(query)}


def _next(now: datetime) -> Any:
    row, before = OutboxMessageRow, aliased(OutboxMessageRow)
    older = select(before.id).where(
        before.state == OutboxState.WAITING, before.destination == row.destination, before.id < row.id
    )
    free = or_(col(row.lease_expires_at).is_(None), col(row.lease_expires_at) < now)
    ready = and_(col(row.state) == OutboxState.WAITING, col(row.available_at) <= now, free, ~older.exists())
    return select(row).where(ready).order_by(col(row.available_at), col(row.id)).limit(1)


def _put_off(session: Session, destination: str, until: datetime) -> None:
    """Nobody asks a destination for a later message while it does not take an earlier one: so none of them is due."""
    row = OutboxMessageRow
    waiting = col(row.state) == OutboxState.WAITING, col(row.destination) == destination
    session.exec(update(row).where(*waiting, col(row.available_at) < until).values(available_at=until))


def _update_leased(session: Session, message: OutboxMessageRow, **values: Any) -> None:
    """Writes to the message if this try still holds it. One statement: no other claim can come between."""
    mine: tuple[ColumnElement[bool], ...] = (
        col(OutboxMessageRow.id) == message.id,
        col(OutboxMessageRow.fence) == message.fence,
        col(OutboxMessageRow.state) == OutboxState.WAITING,
    )
    changed = update(OutboxMessageRow).where(*mine).values(lease_expires_at=None, **values)
    if cast("CursorResult[Any]", session.exec(changed)).rowcount != 1:
        raise DeliveryLeaseLost
