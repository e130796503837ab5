"""List the namespaces, datasets, jobs, runs and events of lineage that a principal may see."""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from treaty.registry.core.enums import EdgeDirection
from treaty.registry.core.errors import NotFound
from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage.graph import traversal
from treaty.registry.lineage.graph.traversal import VisibilityFilter
from treaty.registry.tables import LineageEdgeRow, LineageEventRow, LineageJobRow, LineageRunRow

# Bounds the rows that are read before visibility is applied.
MOST = 20_000


@dataclass(frozen=True)
class PageSpan:
    """Limit and offset of a page of a list."""

    limit: int = 100
    offset: int = 0

    def of(self, items: Sequence[Any]) -> Sequence[Any]:
        """Return the page of the list."""
        return items[self.offset : self.offset + self.limit]


@dataclass(frozen=True)
class ReceivedPeriod:
    """A period in which events were received, both ends exclusive.

    `after`, `before`: None means unbounded. `oldest_first`: order of the events."""

    after: datetime | None = None
    before: datetime | None = None
    oldest_first: bool = False


def namespaces(session: Session, visibility: VisibilityFilter) -> list[str]:
    """Return the namespaces of all visible datasets and jobs, sorted."""
    names = {each.namespace for each in _datasets(session, visibility)}
    return sorted(names | {each.namespace for each in _jobs(session, visibility)})


def datasets(session: Session, visibility: VisibilityFilter, namespace: str) -> list[LineageName]:
    """Return the visible datasets of a namespace, sorted by name. Raises NotFound if there are none."""
    return _some(list(_datasets(session, visibility, namespace)))


def jobs(session: Session, visibility: VisibilityFilter, namespace: str) -> list[LineageJobRow]:
    """Return the jobs of a namespace with a visible dataset, sorted by name. Raises NotFound if there are none."""
    return _some(_jobs(session, visibility, namespace))


def runs(session: Session, visibility: VisibilityFilter, job: LineageName, span: PageSpan) -> Sequence[LineageRunRow]:
    """Return the runs of a job, newest first. Raises NotFound unless the job exists and is visible."""
    if job.name not in {each.name for each in _jobs(session, visibility, job.namespace)}:
        raise NotFound
    row = LineageRunRow
    query = select(row).where(row.job_namespace == job.namespace, row.job_name == job.name)
    newest = query.order_by(func.coalesce(row.started_at, row.finished_at, row.updated_at).desc(), col(row.id).desc())
    return session.exec(newest.limit(span.limit).offset(span.offset)).all()


def written(
    session: Session, visibility: VisibilityFilter, names: Collection[LineageName], span: PageSpan
) -> tuple[Sequence[LineageRunRow], int]:
    """Return completed runs that wrote the dataset, newest first, and their total number.

    `names`: all names of the dataset. Validations of this registry are excluded. Raises NotFound if there is no such
    run, or the dataset is not visible."""
    if not visibility(names):
        raise NotFound
    job, edge, row = LineageJobRow, LineageEdgeRow, LineageRunRow
    writer_ids = select(edge.job_id).where(edge.direction == EdgeDirection.OUTPUT, traversal.name_filter(edge, names))
    same_job = (col(job.namespace) == row.job_namespace) & (col(job.name) == row.job_name)
    conditions = (
        col(job.id).in_(writer_ids),
        col(row.is_ended).is_(True),
        col(row.is_failed).is_(False),
        col(job.is_own).is_(False),
    )
    total = session.exec(select(func.count()).select_from(row).join(job, same_job).where(*conditions)).one()
    newest = (
        select(row).join(job, same_job).where(*conditions).order_by(col(row.finished_at).desc(), col(row.id).desc())
    )
    if not total:
        raise NotFound
    return session.exec(newest.limit(span.limit).offset(span.offset)).all(), total


def run(session: Session, visibility: VisibilityFilter, run_id: str) -> LineageRunRow:
    """Return the latest run with this id. Raises NotFound unless one exists whose job is visible."""
    query = select(LineageRunRow).where(LineageRunRow.run_id == run_id).order_by(col(LineageRunRow.updated_at).desc())
    for row in session.exec(query.limit(100)):
        if row.job_name in {each.name for each in _jobs(session, visibility, row.job_namespace, row.job_name)}:
            return row
    raise NotFound


def events(session: Session, period: ReceivedPeriod, span: PageSpan) -> tuple[list[dict[str, Any]], int]:
    """Return the stored events of the period and their total number.

    Events are deleted after their retention period."""
    row = LineageEventRow
    conditions = [col(row.received_at) > period.after] if period.after else []
    conditions += [col(row.received_at) < period.before] if period.before else []
    order = (
        (col(row.received_at), col(row.id))
        if period.oldest_first
        else (col(row.received_at).desc(), col(row.id).desc())
    )
    query = select(row.body).where(*conditions).order_by(*order).limit(span.limit).offset(span.offset)
    total = session.exec(select(func.count()).select_from(row).where(*conditions)).one()
    return [json.loads(body) for body in session.exec(query)], total


def _datasets(session: Session, visibility: VisibilityFilter, namespace: str | None = None) -> Iterator[LineageName]:
    row = LineageEdgeRow
    query = select(row.namespace, row.name).distinct().order_by(row.namespace, row.name).limit(MOST)
    rows = session.exec(query if namespace is None else query.where(row.namespace == namespace))
    return iter(sorted(visibility([LineageName(*each) for each in rows])))


def _jobs(
    session: Session, visibility: VisibilityFilter, namespace: str | None = None, name: str | None = None
) -> list[LineageJobRow]:
    query = select(LineageJobRow).order_by(col(LineageJobRow.namespace), col(LineageJobRow.name)).limit(MOST)
    if namespace is not None:
        query = query.where(LineageJobRow.namespace == namespace)
    if name is not None:
        query = query.where(LineageJobRow.name == name)
    rows = session.exec(query).all()
    ends = traversal.ends_of(session, [each.id for each in rows])
    visible = frozenset(visibility({each.name for each in ends}))
    visible_ids = {each.job_id for each in ends if each.name in visible}
    return [each for each in rows if each.id in visible_ids]


def _some(items: list[Any]) -> list[Any]:
    if not items:
        raise NotFound
    return items
