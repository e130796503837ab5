"""Update the pattern index (`treaty.engine.patterns.lake_index`) from all tables of contracts in force.

It is updated every night before contracts are redrafted, and on request. Tables without declared, unclassified columns
are excluded."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from sqlmodel import Session, col, select

from treaty.contracts.document.classification import is_masked
from treaty.engine.patterns.lake_index import PatternLake
from treaty.engine.protocol.requests import LakeRequest, LakeTable
from treaty.registry.access.permissions import Principal
from treaty.registry.contracts import in_force
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import TaskKind
from treaty.registry.core.ids import Ids
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.queue import registry_tasks
from treaty.registry.tables import DatasetRow, RunRow, TaskRow

PATIENCE_SECONDS = 20.0


def lake(settings: RegistrySettings) -> PatternLake:
    """Return the index, with a lock timeout suitable for interactive requests."""
    return PatternLake(Path(settings.lake), PATIENCE_SECONDS)


def request_update(session: Session, *, by: Principal, now: datetime, ids: Ids) -> TaskRow:
    """Enqueue an immediate update of the index and return its task."""
    return registry_tasks.request(
        session, TaskKind.LEARN, AuditAction.PATTERNS_REQUESTED, actor=by.name, now=now, ids=ids
    )


def request(session: Session, settings: RegistrySettings) -> LakeRequest:
    """Return the engine request: tables with columns declared by a version in force.

    Only unclassified columns are included. A table that has not been validated since the last update is not read
    again."""
    query = (
        select(DatasetRow)
        .where(col(DatasetRow.location).is_not(None))
        .order_by(col(DatasetRow.location), col(DatasetRow.id))
    )
    tables = (each for row in session.exec(query).all() for each in lake_table(session, row))
    return LakeRequest(settings.lake, tuple({each.name: each for each in tables}.values()))


def lake_table(session: Session, row: DatasetRow) -> Iterator[LakeTable]:
    """Yield the dataset as a table of the index.

    Nothing is yielded unless a version in force declares an unclassified column."""
    about = [each.object for each in in_force.all_about(session, row.id)]
    declared = {each.name for of in about for each in of.properties}
    columns = sorted(name for name in declared if not any(is_masked(of, (name,)) for of in about))
    if columns and row.location:
        last = select(RunRow.id).where(RunRow.dataset_id == row.id).order_by(col(RunRow.finished_at).desc()).limit(1)
        as_of = " ".join((str(session.exec(last).first()), *columns))
        yield LakeTable(
            name=row.location, location=row.location, format=row.format, columns=tuple(columns), as_of=as_of
        )
