"""Traverse the visible part of the lineage graph around a dataset or a job.

A step leads from jobs to all jobs that read or write one of their datasets, as in Marquez. Datasets that are not
visible are not part of the graph, and the traversal does not continue through them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeVar
from uuid import UUID

from sqlalchemy import tuple_
from sqlmodel import Session, col, select

from treaty.registry.core.enums import EdgeDirection
from treaty.registry.core.errors import NotFound
from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage.graph.flows import graph_node
from treaty.registry.lineage.graph.nodes import NameResolver
from treaty.registry.tables import LineageEdgeRow, LineageJobRow

Item = TypeVar("Item")
DEEPEST, MOST_NODES = 20, 5_000
AT_ONCE = 400


class JobEdge(NamedTuple):
    """A dataset that a job reads or writes."""

    job_id: UUID
    direction: EdgeDirection
    name: LineageName


class VisibilityFilter(Protocol):
    """Filter for datasets that may be seen."""

    def __call__(self, names: Collection[LineageName], /) -> Collection[LineageName]:
        """Return the names that are visible."""


@dataclass(frozen=True)
class GraphJob:
    """A job with the nodes that it reads and writes."""

    row: LineageJobRow
    inputs: tuple[LineageName, ...]
    outputs: tuple[LineageName, ...]

    @property
    def name(self) -> LineageName:
        """Return the job's namespace and name."""
        return LineageName(self.row.namespace, self.row.name)


@dataclass(frozen=True)
class Subgraph:
    """The traversed part of the graph.

    `names`: all names of each dataset in it. `complete`: False if it was truncated."""

    jobs: tuple[GraphJob, ...]
    names: Mapping[LineageName, frozenset[LineageName]]
    complete: bool = True


@dataclass(kw_only=True)
class _Walk:
    session: Session
    nodes: NameResolver
    visibility: VisibilityFilter
    jobs: dict[UUID, GraphJob] = field(default_factory=dict)
    datasets: set[LineageName] = field(default_factory=set)

    @property
    def full(self) -> bool:
        return len(self.jobs) + len(self.datasets) >= MOST_NODES

    def add(self, jobs: Iterable[LineageJobRow]) -> set[LineageName]:
        """Add the jobs with their datasets and return the datasets that are new."""
        fresh = {each.id: each for each in jobs if each.id not in self.jobs}
        ends = self._visible_nodes(ends_of(self.session, list(fresh)))
        before = set(self.datasets)
        for job_id, row in fresh.items():
            read, written = (tuple(sorted(ends.get((job_id, way), ()))) for way in EdgeDirection)
            if not self.full and (read or written):
                self.jobs[job_id] = GraphJob(row, read, written)
                self.datasets.update(read, written)
        return self.datasets - before

    def _visible_nodes(self, ends: Sequence[JobEdge]) -> Mapping[tuple[UUID, EdgeDirection], set[LineageName]]:
        """Return the visible nodes that each of the jobs reads and writes."""
        self.nodes.know({each.name for each in ends})
        visible = frozenset(self.visibility({each.name for each in ends}))
        by_job: dict[tuple[UUID, EdgeDirection], set[LineageName]] = {}
        for job_id, direction, name in ends:
            if name in visible:
                by_job.setdefault((job_id, direction), set()).add(self.nodes.of(name))
        return by_job


def graph_around(
    session: Session, start: LineageName, visibility: VisibilityFilter, nodes: NameResolver, *, depth: int = DEEPEST
) -> Subgraph:
    """Return the graph around a dataset.

    `depth`: number of steps, at most 20. Raises NotFound unless a job reads or writes the dataset and it is visible."""
    walk = _Walk(session=session, nodes=nodes, visibility=visibility)
    group = nodes.group(start)
    if visibility(group):
        walk.add(jobs_at(session, group))
    if not walk.jobs:
        raise NotFound
    return _subgraph(walk, depth)


def around_job(
    session: Session, job: LineageName, visibility: VisibilityFilter, nodes: NameResolver, *, depth: int = DEEPEST
) -> Subgraph:
    """Return the graph around a job.

    `depth`: number of steps, at most 20. Raises NotFound unless the job exists and at least one of its datasets is
    visible."""
    walk = _Walk(session=session, nodes=nodes, visibility=visibility)
    walk.add(session.exec(select(LineageJobRow).filter_by(namespace=job.namespace, name=job.name)).all())
    if not walk.jobs:
        raise NotFound
    return _subgraph(walk, depth)


def only(
    session: Session, jobs: Iterable[LineageJobRow], visibility: VisibilityFilter, nodes: NameResolver
) -> Subgraph:
    """Return these jobs with their visible datasets."""
    walk = _Walk(session=session, nodes=nodes, visibility=visibility)
    walk.add(jobs)
    return _subgraph(walk, 0)


def _subgraph(walk: _Walk, depth: int) -> Subgraph:
    fresh = set(walk.datasets)
    for _ in range(min(depth, DEEPEST)):
        if walk.full or not fresh:
            break
        fresh = walk.add(jobs_at(walk.session, set(walk.nodes.named(fresh))))
    names = {each: walk.nodes.group(each) for each in walk.datasets}
    return Subgraph(tuple(sorted(walk.jobs.values(), key=lambda each: each.name)), names, complete=not walk.full)


def jobs_at(
    session: Session, names: Collection[LineageName], direction: EdgeDirection | None = None
) -> list[LineageJobRow]:
    """Return the jobs that read or write a dataset of these names.

    `direction`: restrict to readers or to writers; None means both."""
    edge, jobs = LineageEdgeRow, dict[UUID, LineageJobRow]()
    for batch in portions(sorted(names)):
        query = (
            select(LineageJobRow).join(edge, col(edge.job_id) == col(LineageJobRow.id)).where(name_filter(edge, batch))
        )
        if direction is not None:
            query = query.where(edge.direction == direction)
        jobs.update({each.id: each for each in session.exec(query.limit(MOST_NODES))})
    return list(jobs.values())


def ends_of(session: Session, jobs: Sequence[UUID]) -> list[JobEdge]:
    """Return the datasets that these jobs read and write."""
    row, edges = LineageEdgeRow, list[JobEdge]()
    for batch in portions(jobs):
        query = select(row.job_id, row.direction, row.namespace, row.name).where(col(row.job_id).in_(batch))
        edges += (
            JobEdge(job, EdgeDirection(direction), LineageName(namespace, name))
            for job, direction, namespace, name in session.exec(query)
        )
    return edges


def outputs_of(session: Session, jobs: Sequence[UUID]) -> list[LineageEdgeRow]:
    """Return the edges to the datasets that these jobs write, with column lineage."""
    edges: list[LineageEdgeRow] = []
    for batch in portions(jobs):
        query = select(LineageEdgeRow).where(col(LineageEdgeRow.job_id).in_(batch))
        edges += session.exec(query.where(LineageEdgeRow.direction == EdgeDirection.OUTPUT))
    return edges


def portions(values: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """Split the values into batches of at most 400. Bounds the size of a statement."""
    return (values[start : start + AT_ONCE] for start in range(0, len(values), AT_ONCE))


def name_filter(row: Any, names: Iterable[LineageName]) -> Any:
    """Return the SQL condition that the row has one of the names."""
    return tuple_(col(row.namespace), col(row.name)).in_([(each.namespace, each.name) for each in names])


def resolve_text(session: Session, text: str, *, job: bool = False) -> Iterator[LineageName]:
    """Return the datasets or jobs of the graph that the text `namespace:name` may refer to.

    Both parts may contain colons, so several may match; empty if none does."""
    cuts = [at for at, letter in enumerate(text) if letter == ":" and not text.startswith("://", at)]
    candidates = [LineageName(text[:at], text[at + 1 :]) for at in cuts if text[:at] and text[at + 1 :]]
    row: Any = LineageJobRow if job else LineageEdgeRow
    names = candidates if job else list(dict.fromkeys(graph_node(each.namespace, each.name) for each in candidates))
    query = select(row.namespace, row.name).where(name_filter(row, names)).distinct()
    existing = {LineageName(*each) for each in session.exec(query)} if names else set[LineageName]()
    return (each for each in names if each in existing)
