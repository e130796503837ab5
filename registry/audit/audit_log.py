"""The audit: one entry for each change, written with it, each hash covering the entry before."""

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
from treaty.registry.core.database import lock
from treaty.registry.core.enums import AuditAction
from treaty.registry.core.pagination import PageRequest, RowPage, SortOrder
from treaty.registry.tables import AuditEntryRow

APPENDING = 7_268_392_102
AT_A_TIME = 500
WAITING = "audit entries"
# Read as they are stored: what somebody put there may be no word, no JSON and no time.
UNREAD = frozenset({"action", "details", "time"})
NEWEST = SortOrder((AuditEntryRow.position,), newest_first=True)


class PendingEntry(NamedTuple):
    """An entry that has no place in the chain yet, and the transactions that it ends with if one is undone."""

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
    """Appends the entry of a change to the session's transaction. Details are plain data, never secrets or data values.

    It is given its place in the chain as the last thing before the commit: only then do writers wait for each other."""
    entry = AuditEntryRow(
        position=0,
        time=now,
        actor=actor,
        action=action,
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
    """The entry as it is hashed and exported."""
    return {**entry.model_dump(), "action": entry.action.value, "time": hash_chain.written(entry.time)}


def verify(session: Session, head: AuditHead | None = None) -> ChainCheck:
    """Reads the whole audit and says where it is broken. Entries cut off at its end are seen by an earlier head."""
    return hash_chain.follow(stream(session), head)


def head_of(session: Session, *, now: datetime) -> AuditHead:
    """The last entry as it stands now, unsigned; position 0 where nothing was written yet."""
    position, last = _last(session)
    return AuditHead(position=position, hash=last, time=now)


def stream(session: Session, *, after: int = 0) -> Iterator[Entry]:
    """All entries behind that position in their order, as they are exported; read piece by piece.

    What somebody made unreadable is None: no entry is sealed with it."""
    table = AuditEntryRow.__table__  # type: ignore[attr-defined]
    raw = [type_coerce(each, String).label(each.name) if each.name in UNREAD else each for each in table.columns]
    query = rows(*raw).where(table.c.position > after).order_by(table.c.position)
    for row in session.connection().execute(query.execution_options(yield_per=AT_A_TIME)).mappings():
        yield {**row, "details": _details(row["details"]), "time": _time(row["time"])}


def entries(
    session: Session, asked: PageRequest, *, action: AuditAction | None = None, object_id: str | None = None
) -> RowPage[AuditEntryRow]:
    """Entries, newest first."""
    query = NEWEST.of(select(AuditEntryRow), asked)
    if action is not None:
        query = query.where(AuditEntryRow.action == action)
    if object_id is not None:
        query = query.where(AuditEntryRow.object_id == object_id)
    return NEWEST.cut(session.exec(query).all(), asked)


def _within(session: Session) -> Iterator[SessionTransaction]:
    """The transactions that are open, from the innermost."""
    found = session.get_nested_transaction() or session.get_transaction()
    while found is not None:
        yield found
        found = found.parent


@event.listens_for(AnySession, "before_commit")
def _append(session: Any) -> None:
    """Gives the transaction's entries their places at the end of the chain."""
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
    """Drops the entries of what was undone."""
    if WAITING in session.info:
        session.info[WAITING] = [each for each in session.info[WAITING] if undone not in each.transactions]


def _last(session: Session) -> tuple[int, str]:
    """Position and hash of the last entry; those before the first where there is none."""
    query = select(AuditEntryRow.position, AuditEntryRow.hash).order_by(col(AuditEntryRow.position).desc()).limit(1)
    return session.exec(query).first() or (0, BEGINNING)


def _details(stored: Any) -> Any:
    """What PostgreSQL reads itself, and SQLite gives as the text that it keeps."""
    with suppress(ValueError, RecursionError):
        return json.loads(stored) if isinstance(stored, str) else stored
    return None


def _time(stored: Any) -> str | None:
    with suppress(ValueError, TypeError):
        found = datetime.fromisoformat(stored) if isinstance(stored, str) else stored
        return hash_chain.written(clock.aware(found))
    return None
