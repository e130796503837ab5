"""The index of patterns (`treaty.engine.patterns.lake_index`) over all tables that contracts in force are about:
brought up to date each night before contracts are drafted anew, and whenever somebody asks for it.

Nothing is learned from a table of which nobody has said which columns are for every eye."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.contracts.document.classification import is_masked
from treaty.engine.patterns.lake_index import PatternLake
from treaty.engine.protocol.requests import LakeRequest, LakeTable
from treaty.registry.access.permissions import Principal
from treaty.registry.audit import audit_log
from treaty.registry.contracts import in_force
from treaty.registry.core.enums import AuditAction, TaskKind
from treaty.registry.core.ids import Ids
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.queue import task_queue
from treaty.registry.tables import DatasetRow, RunRow, TaskRow

PATIENCE_SECONDS = 20.0


def lake(settings: RegistrySettings) -> PatternLake:
    """The index, for an answer that somebody waits for."""
    return PatternLake(Path(settings.lake), PATIENCE_SECONDS)


def order(session: Session, *, now: datetime, ids: Ids) -> int:
    """Has the index brought up to date, once a day; how many tasks that makes."""
    return int(
        _ordered(session, f"{TaskKind.LEARN}/{now.date()}", task_queue.Priority.SWEEP, now=now, task_id=ids())
        is not None
    )


def request_update(session: Session, *, by: Principal, now: datetime, ids: Ids) -> TaskRow:
    """Has the index brought up to date now; the task of it."""
    task_id = ids()
    task = _ordered(session, f"{TaskKind.LEARN}/{task_id}", task_queue.Priority.DRAFT, now=now, task_id=task_id)
    audit_log.record(session, AuditAction.PATTERNS_REQUESTED, actor=by.name, object_id=task_id, now=now)
    assert task
    return task


def _ordered(
    session: Session, key: str, priority: task_queue.Priority, *, now: datetime, task_id: UUID
) -> TaskRow | None:
    return task_queue.enqueue(
        session, kind=TaskKind.LEARN, payload={}, key=key, now=now, task_id=task_id, priority=priority
    )


def request(session: Session, settings: RegistrySettings) -> LakeRequest:
    """What to ask of the engine: every table that a version in force declares columns of, with those of its columns
    that are for every eye; a table that is as it was when it was judged last need not be read."""
    located = (
        select(DatasetRow)
        .where(col(DatasetRow.location).is_not(None))
        .order_by(col(DatasetRow.location), col(DatasetRow.id))
    )
    tables = (each for row in session.exec(located).all() for each in lake_table(session, row))
    return LakeRequest(settings.lake, tuple({each.name: each for each in tables}.values()))


def lake_table(session: Session, row: DatasetRow) -> Iterator[LakeTable]:
    """The dataset as the index is to know it; nothing where no version in force declares a column for every eye."""
    about = [each.object for each in in_force.all_about(session, row.id)]
    declared = {each.name for of in about for each in of.properties}
    columns = sorted(name for name in declared if not any(is_masked(of, (name,)) for of in about))
    if columns and row.location:
        last = select(RunRow.id).where(RunRow.dataset_id == row.id).order_by(col(RunRow.finished_at).desc()).limit(1)
        as_of = " ".join((str(session.exec(last).first()), *columns))
        yield LakeTable(
            name=row.location, location=row.location, format=row.format, columns=tuple(columns), as_of=as_of
        )
