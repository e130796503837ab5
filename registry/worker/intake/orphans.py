"""Validate the outputs of orphaned runs.

An orphaned run wrote data but will not report its end."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import and_, exists, or_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from treaty.registry.core.ids import Ids
from treaty.registry.lineage.events.run_state import FoldedRun
from treaty.registry.lineage.events.triggers import orphaned
from treaty.registry.tables import LineageRunRow
from treaty.registry.worker.intake import reactions
from treaty.registry.worker.intake.event_processing import OLD
from treaty.registry.worker.intake.reactions import TriggerContext

# A run without events for this long is considered ended.
SILENT = timedelta(hours=6)
# Margin for events of the run that arrive after its parent's end.
OVERTAKEN = timedelta(minutes=1)
AT_A_TIME = 100


def waiting(session: Session, *, now: datetime) -> bool:
    """Return whether there are orphaned runs."""
    return session.exec(_orphan_query(now).limit(1)).first() is not None


def find(session: Session, *, now: datetime, ids: Ids) -> int:
    """Trigger validations of the outputs of orphaned runs; return the number of runs.

    At most 100 runs per call, each once."""
    rows = session.exec(_orphan_query(now).limit(AT_A_TIME).with_for_update(skip_locked=True, of=LineageRunRow)).all()
    for row in rows:
        row.is_awaited = False
        _react(session, row, now=now, ids=ids)
    return len(rows)


def _react(session: Session, row: LineageRunRow, *, now: datetime, ids: Ids) -> None:
    run = FoldedRun.model_validate(row.state)
    by = TriggerContext(
        session=session,
        now=now,
        ids=ids,
        producer="clock",
        event_time=run.started or row.updated_at,
        since=now - OLD,
        run=row,
        folded=run,
    )
    if by.time >= by.since:
        reactions.react(by, orphaned(run))


def _orphan_query(now: datetime) -> Any:
    """Select unfinished runs that are silent for long or whose parent has ended."""
    parent = aliased(LineageRunRow)
    parent_ended = and_(
        col(parent.run_id).in_([col(LineageRunRow.parent_id), col(LineageRunRow.root_id)]),
        col(parent.is_ended).is_(True),
        col(parent.updated_at) < now - OVERTAKEN,
    )
    is_silent = col(LineageRunRow.updated_at) < now - SILENT
    is_orphan = col(LineageRunRow.is_awaited).is_(True), or_(is_silent, exists().where(parent_ended))
    return select(LineageRunRow).where(*is_orphan).order_by(col(LineageRunRow.updated_at), col(LineageRunRow.id))
