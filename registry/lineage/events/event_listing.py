"""List lineage events and rejected bodies, and count the backlog of the inbox."""

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
# Larger events are not read to summarize them in a list.
TOLD_WITHIN = 1024 * 1024
NAMED = 5
SHOWN = (
    "id", "content_hash", "received_at", "producer", "state", "duplicates", "attempts", "error", "diagnostics",
    "original_size"
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class EventSummary:
    """The subject of an event. All fields are empty if the event is too large for a list.

    `kind`: the event type, else DATASET or JOB. `outputs`: the first five. `written_datasets`: number of all
    outputs."""

    kind: str = ""
    event_time: str = ""
    job: str = ""
    run_id: str = ""
    outputs: tuple[str, ...] = ()
    written_datasets: int = 0


@dataclass(frozen=True)
class LineageEventCounts:
    """Counts of the inbox. `oldest_received_at`: arrival of the oldest waiting event; None if none waits."""

    events: Mapping[LineageEventState, int]
    repeats: int
    refused: Mapping[int, int]
    oldest_received_at: datetime | None

    def lag(self, now: datetime) -> float:
        """Return the age of the oldest waiting event in seconds; 0 if none waits."""
        return max(0.0, (now - self.oldest_received_at).total_seconds()) if self.oldest_received_at else 0.0


def events(
    session: Session,
    request: PageRequest,
    *,
    state: LineageEventState | None = None,
    producer: str | None = None,
    since: datetime | None = None,
) -> RowPage[Any]:
    """Return a page of accepted events with their subjects, newest first.

    `since`: earliest time of arrival, inclusive. None means no filter."""
    query = rows(*_columns())
    if state is not None:
        query = query.where(col(LineageEventRow.state) == state)
    if producer is not None:
        query = query.where(col(LineageEventRow.producer) == producer)
    if since is not None:
        query = query.where(col(LineageEventRow.received_at) >= since)
    return NEWEST.cut(session.connection().execute(NEWEST.of(query, request)).all(), request)


def refused(session: Session, request: PageRequest, *, producer: str | None = None) -> RowPage[RejectedLineageEventRow]:
    """Return a page of rejected bodies, newest first."""
    query = NEWEST_REFUSED.of(select(RejectedLineageEventRow), request)
    if producer is not None:
        query = query.where(RejectedLineageEventRow.producer == producer)
    return NEWEST_REFUSED.cut(session.exec(query).all(), request)


def refusal(session: Session, event_id: UUID, by: Principal) -> tuple[RejectedLineageEventRow, str | None]:
    """Return a rejection and the start of its body. Raises NotFound.

    The body is None unless the principal sent it or may read the audit log."""
    row = session.get(RejectedLineageEventRow, event_id)
    if row is None:
        raise NotFound
    is_visible = row.producer == by.name or by.may(Permission.AUDIT)
    return row, row.body.decode(errors="replace") if is_visible else None


def counts(session: Session) -> LineageEventCounts:
    """Count the events in the inbox by state, and rejections by status. Reads indexes only."""
    by_state = session.exec(select(LineageEventRow.state, func.count()).group_by(col(LineageEventRow.state))).all()
    repeats = session.exec(select(func.sum(LineageEventRow.duplicates)).where(REPEATED)).one()
    by_status = session.exec(
        select(RejectedLineageEventRow.status, func.count()).group_by(col(RejectedLineageEventRow.status))
    ).all()
    oldest = session.exec(
        select(func.min(LineageEventRow.received_at)).where(LineageEventRow.state == LineageEventState.NEW)
    ).one()
    events_by_state = {LineageEventState(state): count for state, count in by_state}
    return LineageEventCounts(
        {**dict.fromkeys(LineageEventState, 0), **events_by_state}, int(repeats or 0), dict(by_status), oldest
    )


def summarize_event(body: bytes | None) -> EventSummary:
    """Return the subject of an event; empty if there is no body."""
    document = json.loads(body) if body else {}
    job, run, dataset = (_object(document, name) for name in ("job", "run", "dataset"))
    outputs = [_named(each) for each in _outputs(document)]
    kind = document.get("eventType") or ("DATASET" if dataset else "JOB" if job else "")
    return EventSummary(
        kind=str(kind).upper(),
        event_time=str(document.get("eventTime") or ""),
        job=_named(job) if job else "",
        run_id=str(run.get("runId") or ""),
        outputs=tuple(outputs[:NAMED]),
        written_datasets=len(outputs),
    )


def _columns() -> list[Any]:
    short = case((func.length(LineageEventRow.body) <= TOLD_WITHIN, col(LineageEventRow.body)), else_=None)
    return [*(getattr(LineageEventRow, name) for name in SHOWN), short.label("body")]


def _object(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = document.get(name)
    return value if isinstance(value, dict) else {}


def _outputs(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    dataset = _object(document, "dataset")
    outputs = [dataset] if dataset else document.get("outputs")
    return (each for each in (outputs if isinstance(outputs, list) else ()) if isinstance(each, dict))


def _named(part: Mapping[str, Any]) -> str:
    return f"{part.get('namespace', '')} {part.get('name', '')}".strip()
