"""What came over lineage, for people to look at: events in lists, refused bodies, and how far the inbox is behind."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import case, func
from sqlalchemy import select as rows
from sqlmodel import Session, col, select

from treaty.registry.access.authentication import Principal
from treaty.registry.core.enums import LineageEventState, Permission
from treaty.registry.core.errors import NotFound
from treaty.registry.core.pagination import PageRequest, RowPage, SortOrder
from treaty.registry.tables import LineageEventRow, RejectedLineageEventRow
from treaty.registry.tables.lineage_events import REPEATED

NEWEST = SortOrder((LineageEventRow.id,), newest_first=True)
NEWEST_REFUSED = SortOrder((RejectedLineageEventRow.id,), newest_first=True)
# A list must not read events of many megabytes to tell what they are about.
TOLD_WITHIN = 1024 * 1024
NAMED = 5
SHOWN = (
    "id", "content_hash", "received_at", "producer", "state", "duplicates", "attempts", "error", "diagnostics",
    "original_size"
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class EventSummary:
    """What an event says that it is about: all empty where it is too long to be read for a list.

    `kind` is the event's type, or what it is about where it has none. `outputs`: the first few, of
    `written_partitions`."""

    kind: str = ""
    event_time: str = ""
    job: str = ""
    run_id: str = ""
    outputs: tuple[str, ...] = ()
    written_partitions: int = 0


@dataclass(frozen=True)
class LineageEventCounts:
    """What lies in the inbox. `oldest_received_at`: when the event came that waits longest; None: none waits."""

    events: Mapping[LineageEventState, int]
    repeats: int
    refused: Mapping[int, int]
    oldest_received_at: datetime | None

    def lag(self, now: datetime) -> float:
        """For how many seconds the event waits that waits longest; 0 where none waits."""
        return max(0.0, (now - self.oldest_received_at).total_seconds()) if self.oldest_received_at else 0.0


def events(
    session: Session,
    asked: PageRequest,
    *,
    state: LineageEventState | None = None,
    producer: str | None = None,
    since: datetime | None = None,
) -> RowPage[Any]:
    """Accepted events with what they are about, newest first; `since`: those that were received from then on."""
    query = rows(*_columns())
    if state is not None:
        query = query.where(col(LineageEventRow.state) == state)
    if producer is not None:
        query = query.where(col(LineageEventRow.producer) == producer)
    if since is not None:
        query = query.where(col(LineageEventRow.received_at) >= since)
    return NEWEST.cut(session.connection().execute(NEWEST.of(query, asked)).all(), asked)


def refused(session: Session, asked: PageRequest, *, producer: str | None = None) -> RowPage[RejectedLineageEventRow]:
    """Bodies that were refused, newest first."""
    query = NEWEST_REFUSED.of(select(RejectedLineageEventRow), asked)
    if producer is not None:
        query = query.where(RejectedLineageEventRow.producer == producer)
    return NEWEST_REFUSED.cut(session.exec(query).all(), asked)


def refusal(session: Session, event_id: UUID, by: Principal) -> tuple[RejectedLineageEventRow, str | None]:
    """The refused body, and how it begins: for its sender and for who reads the audit, None for others.

    Raises NotFound where there is none."""
    found = session.get(RejectedLineageEventRow, event_id)
    if found is None:
        raise NotFound
    shown = found.producer == by.name or by.may(Permission.AUDIT)
    return found, found.body.decode(errors="replace") if shown else None


def counts(session: Session) -> LineageEventCounts:
    """How much lies in the inbox, and since when the oldest event waits. Asks indexes alone."""
    by_state = session.exec(select(LineageEventRow.state, func.count()).group_by(col(LineageEventRow.state))).all()
    repeats = session.exec(select(func.sum(LineageEventRow.duplicates)).where(REPEATED)).one()
    by_status = session.exec(
        select(RejectedLineageEventRow.status, func.count()).group_by(col(RejectedLineageEventRow.status))
    ).all()
    oldest = session.exec(
        select(func.min(LineageEventRow.received_at)).where(LineageEventRow.state == LineageEventState.NEW)
    ).one()
    found = {LineageEventState(state): count for state, count in by_state}
    return LineageEventCounts(
        {**dict.fromkeys(LineageEventState, 0), **found}, int(repeats or 0), dict(by_status), oldest
    )


def summarize_event(body: bytes | None) -> EventSummary:
    """What the event says that it is about; nothing where there is no body."""
    document = json.loads(body) if body else {}
    job, run, dataset = (_object(document, name) for name in ("job", "run", "dataset"))
    written = [_named(each) for each in _outputs(document)]
    kind = document.get("eventType") or ("DATASET" if dataset else "JOB" if job else "")
    return EventSummary(
        kind=str(kind).upper(),
        event_time=str(document.get("eventTime") or ""),
        job=_named(job) if job else "",
        run_id=str(run.get("runId") or ""),
        outputs=tuple(written[:NAMED]),
        written_partitions=len(written),
    )


def _columns() -> list[Any]:
    short = case((func.length(LineageEventRow.body) <= TOLD_WITHIN, col(LineageEventRow.body)), else_=None)
    return [*(getattr(LineageEventRow, name) for name in SHOWN), short.label("body")]


def _object(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = document.get(name)
    return found if isinstance(found, dict) else {}


def _outputs(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    dataset = _object(document, "dataset")
    listed = [dataset] if dataset else document.get("outputs")
    return (each for each in (listed if isinstance(listed, list) else ()) if isinstance(each, dict))


def _named(part: Mapping[str, Any]) -> str:
    return f"{part.get('namespace', '')} {part.get('name', '')}".strip()
