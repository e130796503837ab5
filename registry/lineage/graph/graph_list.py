"""What lineage knows, listed: namespaces, datasets, jobs, runs and events, as far as somebody may see them."""

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

# Whoever may see a part of the graph alone is shown so much of it at most.
MOST = 20_000


@dataclass(frozen=True)
class PageSpan:
    """A portion of a list."""

    limit: int = 100
    offset: int = 0

    def of(self, found: Sequence[Any]) -> Sequence[Any]:
        """The portion."""
        return found[self.offset : self.offset + self.limit]


@dataclass(frozen=True)
class ReceivedPeriod:
    """Events that were received then, both ends without themselves; None: no end. `oldest_first`: their order."""

    after: datetime | None = None
    before: datetime | None = None
    oldest_first: bool = False


def namespaces(session: Session, sight: VisibilityFilter) -> list[str]:
    """The namespaces of all datasets and jobs that may be seen, by name."""
    found = {each.namespace for each in _datasets(session, sight)}
    return sorted(found | {each.namespace for each in _jobs(session, sight)})


def datasets(session: Session, sight: VisibilityFilter, namespace: str) -> list[LineageName]:
    """The datasets of a namespace that may be seen, by name. Raises NotFound for none."""
    return _some(list(_datasets(session, sight, namespace)))


def jobs(session: Session, sight: VisibilityFilter, namespace: str) -> list[LineageJobRow]:
    """The jobs of a namespace that read or write a dataset which may be seen, by name. Raises NotFound for none."""
    return _some(_jobs(session, sight, namespace))


def runs(session: Session, sight: VisibilityFilter, job: LineageName, span: PageSpan) -> Sequence[LineageRunRow]:
    """The runs of a job, newest first. Raises NotFound where there is no such job that may be seen."""
    if job.name not in {each.name for each in _jobs(session, sight, job.namespace)}:
        raise NotFound
    row = LineageRunRow
    mine = select(row).where(row.job_namespace == job.namespace, row.job_name == job.name)
    newest = mine.order_by(func.coalesce(row.started_at, row.finished_at, row.updated_at).desc(), col(row.id).desc())
    return session.exec(newest.limit(span.limit).offset(span.offset)).all()


def written(
    session: Session, sight: VisibilityFilter, names: Collection[LineageName], span: PageSpan
) -> tuple[Sequence[LineageRunRow], int]:
    """The runs of jobs that write the dataset of these names, newest first, that completed; and how many there are.

    Raises NotFound where nobody writes it, or it may not be seen."""
    if not sight(names):
        raise NotFound
    job, edge, row = LineageJobRow, LineageEdgeRow, LineageRunRow
    writing = select(edge.job_id).where(edge.direction == EdgeDirection.OUTPUT, traversal.name_filter(edge, names))
    same = (col(job.namespace) == row.job_namespace) & (col(job.name) == row.job_name)
    done = (
        col(job.id).in_(writing),
        col(row.is_ended).is_(True),
        col(row.is_failed).is_(False),
        col(job.is_own).is_(False),
    )
    total = session.exec(select(func.count()).select_from(row).join(job, same).where(*done)).one()
    newest = select(row).join(job, same).where(*done).order_by(col(row.finished_at).desc(), col(row.id).desc())
    if not total:
        raise NotFound
    return session.exec(newest.limit(span.limit).offset(span.offset)).all(), total


def run(session: Session, sight: VisibilityFilter, run_id: str) -> LineageRunRow:
    """The run of that id, of several the newest. Raises NotFound where there is none of a job that may be seen."""
    query = select(LineageRunRow).where(LineageRunRow.run_id == run_id).order_by(col(LineageRunRow.updated_at).desc())
    for row in session.exec(query.limit(100)):
        if row.job_name in {each.name for each in _jobs(session, sight, row.job_namespace, row.job_name)}:
            return row
    raise NotFound


def events(session: Session, period: ReceivedPeriod, span: PageSpan) -> tuple[list[dict[str, Any]], int]:
    """Events as they are kept, and how many there are of that time in all. They are kept for a while only."""
    row = LineageEventRow
    within = [col(row.received_at) > period.after] if period.after else []
    within += [col(row.received_at) < period.before] if period.before else []
    order = (
        (col(row.received_at), col(row.id))
        if period.oldest_first
        else (col(row.received_at).desc(), col(row.id).desc())
    )
    query = select(row.body).where(*within).order_by(*order).limit(span.limit).offset(span.offset)
    total = session.exec(select(func.count()).select_from(row).where(*within)).one()
    return [json.loads(body) for body in session.exec(query)], total


def _datasets(session: Session, sight: VisibilityFilter, namespace: str | None = None) -> Iterator[LineageName]:
    row = LineageEdgeRow
    query = select(row.namespace, row.name).distinct().order_by(row.namespace, row.name).limit(MOST)
    found = session.exec(query if namespace is None else query.where(row.namespace == namespace))
    return iter(sorted(sight([LineageName(*each) for each in found])))


def _jobs(
    session: Session, sight: VisibilityFilter, namespace: str | None = None, name: str | None = None
) -> list[LineageJobRow]:
    query = select(LineageJobRow).order_by(col(LineageJobRow.namespace), col(LineageJobRow.name)).limit(MOST)
    if namespace is not None:
        query = query.where(LineageJobRow.namespace == namespace)
    if name is not None:
        query = query.where(LineageJobRow.name == name)
    found = session.exec(query).all()
    ends = traversal.ends_of(session, [each.id for each in found])
    seen = frozenset(sight({each.name for each in ends}))
    shown = {each.job_id for each in ends if each.name in seen}
    return [each for each in found if each.id in shown]


def _some(found: list[Any]) -> list[Any]:
    if not found:
        raise NotFound
    return found
