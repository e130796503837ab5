"""Store outgoing messages in the transaction that causes them; they are delivered later, at least once.

Messages to one destination are sent in order; an unavailable destination does not delay others. All attempts of a
message have the same key and body, so that its receiver can recognize repeats."""

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
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import OutboxState, Permission
from treaty.registry.core.errors import Conflict, NotFound, RegistryError
from treaty.registry.core.pagination import PageRequest, RowPage, SortOrder
from treaty.registry.tables import OutboxMessageRow

# Kinds of messages: a verdict for a lineage service, and a notification for a channel.
LINEAGE, NOTICE = "lineage", "notice"
ATTEMPTS = 10
FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(minutes=30)
# Upper limit of the pause that a receiver may request.
LONGEST_ASKED = timedelta(hours=2)
ACTOR = "worker"
NEWEST_FIRST = SortOrder((col(OutboxMessageRow.id),), newest_first=True)


class DeliveryLeaseLost(RegistryError):
    """The lease of the message expired, and another deliverer holds it."""

    default_message = "Another deliverer holds the message now; the outcome of this attempt is not stored."


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
    """Enqueue a message and return it; None if a message with this key exists, in any state."""
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
    """Return whether a message can be delivered now."""
    return session.exec(_next(now)).first() is not None


def claim(session: Session, *, worker: str, now: datetime, lease: timedelta) -> OutboxMessageRow | None:
    """Lease the next message to `worker` until now + lease and return it; None if none is due.

    The next message is the one due first among the oldest messages of each destination."""
    message: OutboxMessageRow | None = session.exec(_next(now).with_for_update(skip_locked=True)).first()
    if message is not None:
        message.attempts += 1
        message.fence += 1
        message.worker, message.lease_expires_at = worker, now + lease
        session.flush()
    return message


def sent(session: Session, message: OutboxMessageRow, *, now: datetime) -> None:
    """Mark the message as sent. Raises DeliveryLeaseLost if another deliverer holds it."""
    _update_leased(session, message, state=OutboxState.SENT, error=None, ended_at=now)


def failed(
    session: Session, message: OutboxMessageRow, error: str, *, now: datetime, retry_at: datetime | None
) -> None:
    """Delay the message and all others to its destination until `retry_at`.

    `retry_at`: None means that the message is given up, which is recorded in the audit log. Raises DeliveryLeaseLost if
    another deliverer holds it."""
    if retry_at is not None:
        _update_leased(session, message, error=error, available_at=retry_at)
        _put_off(session, message.destination, retry_at)
        return
    _update_leased(session, message, state=OutboxState.DEAD, error=error, ended_at=now)
    details = {"kind": message.kind, "attempts": message.attempts, "error": error}
    audit_log.record(session, AuditAction.MESSAGE_FAILED, actor=ACTOR, object_id=message.id, details=details, now=now)


def leased(session: Session, worker: str) -> list[OutboxMessageRow]:
    """Return the messages that `worker` has claimed."""
    row = OutboxMessageRow
    conditions = row.worker == worker, row.state == OutboxState.WAITING, col(row.lease_expires_at).is_not(None)
    return list(session.exec(select(row).where(*conditions)))


def release(session: Session, message: OutboxMessageRow) -> None:
    """Return a message to the queue without counting the attempt."""
    _update_leased(session, message, attempts=col(OutboxMessageRow.attempts) - 1)


def pause(attempts: int, jitter: float) -> timedelta:
    """Return the pause before the next attempt.

    It is 5 seconds, doubled with each attempt, and at most 30 minutes; `jitter` from 0 to 1 shortens it by up to
    half."""
    doubled: timedelta = FIRST_PAUSE * 2 ** min(max(attempts - 1, 0), 16)
    return min(doubled, LONGEST_PAUSE) * (1 - jitter / 2)


def list_messages(
    session: Session, by: Principal, request: PageRequest, state: OutboxState | None = None
) -> RowPage[OutboxMessageRow]:
    """Return a page of messages, newest first. Raises Forbidden unless the principal may manage users."""
    require_permission(by, Permission.USERS)
    query = NEWEST_FIRST.of(select(OutboxMessageRow), request)
    rows = session.exec(query if state is None else query.where(OutboxMessageRow.state == state)).all()
    return NEWEST_FIRST.cut(rows, request)


def replay(session: Session, message_id: UUID, *, by: Principal, now: datetime) -> OutboxMessageRow:
    """Queue a dead-letter message again, with the same key and body.

    Raises Forbidden, NotFound, and Conflict if the message was not given up."""
    require_permission(by, Permission.USERS)
    message = session.get(OutboxMessageRow, message_id, with_for_update=True)
    if message is None:
        raise NotFound
    if message.state is not OutboxState.DEAD:
        raise Conflict(f"Only a dead message can be replayed. This message is {message.state.value}.")
    message.state, message.attempts, message.crashes, message.ended_at = OutboxState.WAITING, 0, 0, None
    message.available_at, message.lease_expires_at = now, None
    audit_log.record(session, AuditAction.MESSAGE_REPLAYED, actor=by.name, object_id=message.id, now=now)
    return message


def forget(session: Session, *, before: datetime, most: int = 1000) -> int:
    """Delete at most `most` messages that ended before that time and return their number."""
    conditions = col(OutboxMessageRow.state) != OutboxState.WAITING, col(OutboxMessageRow.ended_at) < before
    ids = select(OutboxMessageRow.id).where(*conditions).limit(most)
    return session.exec(delete(OutboxMessageRow).where(col(OutboxMessageRow.id).in_(ids))).rowcount


def last(session: Session, destinations: Sequence[str]) -> dict[str, OutboxMessageRow]:
    """Return the newest message to each destination that has one."""
    newest = aliased(OutboxMessageRow)
    later = select(newest.id).where(newest.destination == OutboxMessageRow.destination, newest.id > OutboxMessageRow.id)
    query = select(OutboxMessageRow).where(col(OutboxMessageRow.destination).in_(destinations), ~later.exists())
    return {each.destination: each for each in session.exec(query)}


def _next(now: datetime) -> Any:
    row, before = OutboxMessageRow, aliased(OutboxMessageRow)
    older = select(before.id).where(
        before.state == OutboxState.WAITING, before.destination == row.destination, before.id < row.id
    )
    unleased = or_(col(row.lease_expires_at).is_(None), col(row.lease_expires_at) < now)
    ready = and_(col(row.state) == OutboxState.WAITING, col(row.available_at) <= now, unleased, ~older.exists())
    return select(row).where(ready).order_by(col(row.available_at), col(row.id)).limit(1)


def _put_off(session: Session, destination: str, until: datetime) -> None:
    """Delay all messages to a destination that did not accept an earlier one."""
    row = OutboxMessageRow
    conditions = col(row.state) == OutboxState.WAITING, col(row.destination) == destination
    session.exec(update(row).where(*conditions, col(row.available_at) < until).values(available_at=until))


def _update_leased(session: Session, message: OutboxMessageRow, **values: Any) -> None:
    """Update the message if this attempt still holds its lease. A single statement excludes races."""
    conditions: tuple[ColumnElement[bool], ...] = (
        col(OutboxMessageRow.id) == message.id,
        col(OutboxMessageRow.fence) == message.fence,
        col(OutboxMessageRow.state) == OutboxState.WAITING,
    )
    statement = update(OutboxMessageRow).where(*conditions).values(lease_expires_at=None, **values)
    if cast("CursorResult[Any]", session.exec(statement)).rowcount != 1:
        raise DeliveryLeaseLost
