"""Process lineage events: fold them into runs and turn new triggers into tasks."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlmodel import Session, select

from treaty.registry.core.database import UNKEYED, insert
from treaty.registry.core.enums import LineageEventState
from treaty.registry.core.ids import Ids
from treaty.registry.lineage import aliases
from treaty.registry.lineage.downstream import incident_downstream
from treaty.registry.lineage.events import links, model
from treaty.registry.lineage.events.diagnostics import AHEAD
from treaty.registry.lineage.events.model import DatasetEvent, JobEvent, LineageEvent, RunEvent
from treaty.registry.lineage.events.run_state import FoldedRun, LineageRunKey, join
from treaty.registry.lineage.events.triggers import UNENDING, WRITES, Trigger, of_dataset, triggers
from treaty.registry.lineage.graph import representative_runs
from treaty.registry.queue import coalescing
from treaty.registry.tables import LineageEventRow, LineageRunRow
from treaty.registry.validation import presence
from treaty.registry.worker.intake import reactions
from treaty.registry.worker.intake.reactions import TriggerContext

OLD = timedelta(days=30)


@dataclass(frozen=True)
class ParsedEvent:
    """The content of an event, parsed before the transaction that processes it.

    `state`: the run state of a run or job event; None for a dataset event."""

    content: RunEvent | JobEvent | DatasetEvent
    event_time: datetime
    state: FoldedRun | None


def parse_events(rows: Iterable[LineageEventRow]) -> dict[UUID, ParsedEvent]:
    """Parse the bodies of the events, including their SQL statements."""
    return {row.id: _parsed(row) for row in rows}


def process_events(
    session: Session,
    rows: Sequence[LineageEventRow],
    parsed: Mapping[UUID, ParsedEvent],
    *,
    now: datetime,
    ids: Ids,
    old: timedelta = OLD,
) -> None:
    """Fold the events into their runs and record new triggers, in the caller's transaction.

    `old`: events older than this trigger nothing. Job events only change the lineage graph."""
    with aliases.remembered(session):
        folded = [each for row in rows if (each := _folded(session, row, parsed[row.id], now, ids, old))]
        # Last, because incidents are locked after everything that is validated.
        presence.notice(session, now=now, ids=ids)
        for run in {each.key: each for each in folded}.values():
            incident_downstream.follow(session, run)


def _parsed(row: LineageEventRow) -> ParsedEvent:
    event = as_received(model.parse_event(json.loads(row.body)), row.received_at)
    state = None if isinstance(event.content, DatasetEvent) else representative_runs.reported_state(event)
    return ParsedEvent(event.content, event.event_time, state)


def _folded(
    session: Session, row: LineageEventRow, event: ParsedEvent, now: datetime, ids: Ids, old: timedelta
) -> FoldedRun | None:
    """Return the updated run of the event; None for events without a run."""
    after = None
    context = TriggerContext(
        session=session, now=now, ids=ids, producer=row.producer, event_time=event.event_time, since=now - old
    )
    if isinstance(event.content, RunEvent) and event.state:
        stored, after = _of_run(context, event.state, event.content)
        row.lineage_run_id = stored.id
    elif isinstance(event.content, DatasetEvent):
        _react(context, [each for each in [of_dataset(event.content)] if each])
    elif event.state:
        representative_runs.declare(session, event.state, ids=ids)
    row.state, row.error, row.lease_expires_at = LineageEventState.PROCESSED, None, None
    return after


def as_received(event: LineageEvent, received: datetime) -> LineageEvent:
    """Return the event, dated at its receipt if its own time is in the future.

    Times that are ahead by no more than AHEAD are kept."""
    return event.at(received) if event.event_time > received + AHEAD else event


def _of_run(ask: TriggerContext, event_state: FoldedRun, content: RunEvent) -> tuple[LineageRunRow, FoldedRun]:
    stored = _locked(ask.session, event_state.key, now=ask.now, ids=ask.ids)
    before = FoldedRun.model_validate(stored.state) if stored.state else None
    after = join(before, event_state) if before else event_state
    _store(stored, after, ask.now)
    aliases.learn(ask.session, links.links(event_state))
    representative_runs.note(ask.session, after, ids=ask.ids)
    _react(ask.of(stored, after), _fresh(before, after, content))
    if stored.is_ended:
        coalescing.release(ask.session, stored.run_id, now=ask.now)
    return stored, after


def _react(ask: TriggerContext, fresh: Sequence[Trigger]) -> None:
    if fresh and ask.time >= ask.since:
        reactions.react(ask, fresh)


def _fresh(before: FoldedRun | None, after: FoldedRun, event: RunEvent) -> list[Trigger]:
    """Return the triggers of the run that it did not have before.

    A repeated or late event adds none. A streaming run triggers again with each event of a type that reports writes."""
    if after.processing_type in UNENDING and event.type in WRITES:
        return list(triggers(after))
    earlier = {(each.dataset, each.reads) for each in triggers(before)} if before else set()
    return [each for each in triggers(after) if (each.dataset, each.reads) not in earlier]


def _locked(session: Session, key: LineageRunKey, *, now: datetime, ids: Ids) -> LineageRunRow:
    """Return the run's row, created if necessary, locked until the transaction ends."""
    query = select(LineageRunRow).filter_by(**key._asdict()).with_for_update(**UNKEYED)
    if existing := session.exec(query).first():
        return existing
    fresh = LineageRunRow(id=ids(), state={}, updated_at=now, **key._asdict())
    table = LineageRunRow.__table__  # type: ignore[attr-defined]
    session.connection().execute(insert(session, table).values(fresh.model_dump()).on_conflict_do_nothing())
    return session.exec(query).one()


def _store(row: LineageRunRow, run: FoldedRun, now: datetime) -> None:
    row.state = run.model_dump(mode="json")
    row.is_failed, row.is_ended = run.failed, run.ended is not None
    row.started_at, row.finished_at, row.updated_at = run.started, run.ended, now
    row.parent_id, row.root_id = run.parent_id, run.root_id
    row.is_awaited = run.writes and run.ended is None and run.processing_type not in UNENDING
