"""Append entries to the hash-chained audit log, list, stream and verify them.

Every change writes one entry in its own transaction. The hash of an entry covers the previous entry."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import String, event, type_coerce
from sqlalchemy import select as rows
from sqlalchemy.orm import Session as AnySession
from sqlalchemy.orm import SessionTransaction
from sqlmodel import Session, col, select

from treaty.engine.core import clock
from treaty.registry.audit import hash_chain
from treaty.registry.audit.hash_chain import BEGINNING, AuditHead, ChainCheck, Entry
from treaty.registry.core.audit_actions import AuditAction, stored_actions
from treaty.registry.core.database import lock
from treaty.registry.core.pagination import PageRequest, RowPage, SortOrder
from treaty.registry.tables import AuditEntryRow

APPENDING = 7_268_392_102
AT_A_TIME = 500
WAITING = "audit entries"
# Read as raw text: a value that was tampered with may not be a valid action, JSON document or time.
UNREAD = frozenset({"action", "details", "time"})
NEWEST = SortOrder((AuditEntryRow.position,), newest_first=True)


class PendingEntry(NamedTuple):
    """An entry without a position in the chain yet.

    `transactions`: the entry is dropped when any of them is rolled back."""

    entry: AuditEntryRow
    transactions: tuple[SessionTransaction, ...]


def record(
    session: Session,
    action: AuditAction,
    *,
    actor: str,
    object_id: object,
    now: datetime,
    details: Mapping[str, Any] | None = None,
) -> None:
    """Add the entry of a change to the session's transaction.

    `details`: plain data, never secrets or data values.
    The entry gets its position in the chain right before the commit, so writers wait for each other only then."""
    entry = AuditEntryRow(
        position=0,
        time=now,
        actor=actor,
        action=action.value,
        object_type=action.partition(":")[0],
        object_id=str(object_id),
        details=dict(details or {}),
        previous_hash="",
        hash="",
    )
    if not session.in_transaction():
        session.begin()
    session.info.setdefault(WAITING, []).append(PendingEntry(entry, tuple(_within(session))))


def plain(entry: AuditEntryRow) -> Entry:
    """Return the entry as plain data, as it is hashed and exported."""
    return {**entry.model_dump(), "time": hash_chain.written(entry.time)}


def verify(session: Session, head: AuditHead | None = None) -> ChainCheck:
    """Verify the whole audit log and report the first broken entry.

    `head`: an earlier head; it reveals entries that were cut off at the end. None skips that check."""
    return hash_chain.follow(stream(session), head)


def head_of(session: Session, *, now: datetime) -> AuditHead:
    """Return the current last entry as an unsigned head; its position is 0 if the log is empty."""
    position, last = _last(session)
    return AuditHead(position=position, hash=last, time=now)


def stream(session: Session, *, after: int = 0) -> Iterator[Entry]:
    """Yield all entries after that position in order, in the exported form, fetched in batches.

    A value that cannot be parsed is None; no entry is ever sealed with such a value."""
    table = AuditEntryRow.__table__  # type: ignore[attr-defined]
    raw = [type_coerce(each, String).label(each.name) if each.name in UNREAD else each for each in table.columns]
    query = rows(*raw).where(table.c.position > after).order_by(table.c.position)
    for row in session.connection().execute(query.execution_options(yield_per=AT_A_TIME)).mappings():
        yield {**row, "details": _details(row["details"]), "time": _time(row["time"])}


def entries(
    session: Session, request: PageRequest, *, action: AuditAction | None = None, object_id: str | None = None
) -> RowPage[AuditEntryRow]:
    """List entries, newest first."""
    query = NEWEST.of(select(AuditEntryRow), request)
    if action is not None:
        query = query.where(col(AuditEntryRow.action).in_(stored_actions(action)))
    if object_id is not None:
        query = query.where(AuditEntryRow.object_id == object_id)
    return NEWEST.cut(session.exec(query).all(), request)


def _within(session: Session) -> Iterator[SessionTransaction]:
    """Yield the open transactions, innermost first."""
    transaction = session.get_nested_transaction() or session.get_transaction()
    while transaction is not None:
        yield transaction
        transaction = transaction.parent


@event.listens_for(AnySession, "before_commit")
def _append(session: Any) -> None:
    """Assign positions at the end of the chain to the transaction's entries."""
    if session.in_nested_transaction():
        return
    waiting = session.info.pop(WAITING, ())
    if not waiting:
        return
    session.flush()
    lock(session, APPENDING)
    position, previous = _last(session)
    for each in waiting:
        position += 1
        each.entry.position, each.entry.previous_hash = position, previous
        each.entry.hash = previous = hash_chain.seal(plain(each.entry))
        session.add(each.entry)
    session.flush()


@event.listens_for(AnySession, "after_soft_rollback")
def _forget(session: Any, undone: SessionTransaction) -> None:
    """Drop the entries of transactions that were rolled back."""
    if WAITING in session.info:
        session.info[WAITING] = [each for each in session.info[WAITING] if undone not in each.transactions]


def _last(session: Session) -> tuple[int, str]:
    """Return position and hash of the last entry; 0 and `BEGINNING` if the log is empty."""
    query = select(AuditEntryRow.position, AuditEntryRow.hash).order_by(col(AuditEntryRow.position).desc()).limit(1)
    return session.exec(query).first() or (0, BEGINNING)


def _details(stored: Any) -> Any:
    """Return the details as JSON: PostgreSQL returns them parsed, SQLite as text."""
    with suppress(ValueError, RecursionError):
        return json.loads(stored) if isinstance(stored, str) else stored
    return None


def _time(stored: Any) -> str | None:
    with suppress(ValueError, TypeError, OverflowError):
        moment = datetime.fromisoformat(stored) if isinstance(stored, str) else stored
        return hash_chain.written(clock.aware(moment))
    return None
