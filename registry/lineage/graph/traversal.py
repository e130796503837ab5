"""The lineage graph around a dataset or a job, as far as somebody may see it.

A step goes from jobs to all jobs that read or write one of their datasets, as Marquez has it. What may not be seen is
no part of the graph: nothing is found through it."""

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
    """That a job reads a dataset, or writes it."""

    job_id: UUID
    direction: EdgeDirection
    name: LineageName


class VisibilityFilter(Protocol):
    """Which datasets may be seen."""

    def __call__(self, names: Collection[LineageName], /) -> Collection[LineageName]:
        """Those of the names that may be."""


@dataclass(frozen=True)
class GraphJob:
    """A job with the nodes that it reads and writes."""

    row: LineageJobRow
    inputs: tuple[LineageName, ...]
    outputs: tuple[LineageName, ...]

    @property
    def name(self) -> LineageName:
        """Its name, as datasets have theirs."""
        return LineageName(self.row.namespace, self.row.name)


@dataclass(frozen=True)
class Subgraph:
    """The part of the graph that was walked. `names`: all names of each dataset in it. `complete`: nothing was cut
    off."""

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
        """Adds the jobs with their datasets; the datasets that are new."""
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
        """The nodes that each of the jobs reads and writes, of those that may be seen."""
        self.nodes.know({each.name for each in ends})
        seen = frozenset(self.visibility({each.name for each in ends}))
        found: dict[tuple[UUID, EdgeDirection], set[LineageName]] = {}
        for job_id, direction, name in ends:
            if name in seen:
                found.setdefault((job_id, direction), set()).add(self.nodes.of(name))
        return found


def graph_around(
    session: Session, start: LineageName, sight: VisibilityFilter, nodes: NameResolver, *, depth: int = DEEPEST
) -> Subgraph:
    """The graph around a dataset. Raises NotFound where no job is known to read or write it, or it may not be seen."""
    walk = _Walk(session=session, nodes=nodes, visibility=sight)
    group = nodes.group(start)
    if sight(group):
        walk.add(jobs_at(session, group))
    if not walk.jobs:
        raise NotFound
    return _subgraph(walk, depth)


def around_job(
    session: Session, job: LineageName, sight: VisibilityFilter, nodes: NameResolver, *, depth: int = DEEPEST
) -> Subgraph:
    """The graph around a job. Raises NotFound where there is none, or none of its datasets may be seen."""
    walk = _Walk(session=session, nodes=nodes, visibility=sight)
    walk.add(session.exec(select(LineageJobRow).filter_by(namespace=job.namespace, name=job.name)).all())
    if not walk.jobs:
        raise NotFound
    return _subgraph(walk, depth)


def only(session: Session, jobs: Iterable[LineageJobRow], sight: VisibilityFilter, nodes: NameResolver) -> Subgraph:
    """These jobs with their datasets, as far as they may be seen."""
    walk = _Walk(session=session, nodes=nodes, visibility=sight)
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
    """The jobs that read or write a dataset of these names; with `direction` those that only do that."""
    edge, found = LineageEdgeRow, dict[UUID, LineageJobRow]()
    for some in portions(sorted(names)):
        query = (
            select(LineageJobRow).join(edge, col(edge.job_id) == col(LineageJobRow.id)).where(name_filter(edge, some))
        )
        if direction is not None:
            query = query.where(edge.direction == direction)
        found.update({each.id: each for each in session.exec(query.limit(MOST_NODES))})
    return list(found.values())


def ends_of(session: Session, jobs: Sequence[UUID]) -> list[JobEdge]:
    """What these jobs read and write."""
    row, found = LineageEdgeRow, list[JobEdge]()
    for some in portions(jobs):
        query = select(row.job_id, row.direction, row.namespace, row.name).where(col(row.job_id).in_(some))
        found += (
            JobEdge(job, EdgeDirection(way), LineageName(namespace, name))
            for job, way, namespace, name in session.exec(query)
        )
    return found


def outputs_of(session: Session, jobs: Sequence[UUID]) -> list[LineageEdgeRow]:
    """What these jobs write, with the columns that feed it."""
    found: list[LineageEdgeRow] = []
    for some in portions(jobs):
        query = select(LineageEdgeRow).where(col(LineageEdgeRow.job_id).in_(some))
        found += session.exec(query.where(LineageEdgeRow.direction == EdgeDirection.OUTPUT))
    return found


def portions(values: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """The values in portions that one statement takes."""
    return (values[start : start + AT_ONCE] for start in range(0, len(values), AT_ONCE))


def name_filter(row: Any, names: Iterable[LineageName]) -> Any:
    """The condition that the row bears one of the names."""
    return tuple_(col(row.namespace), col(row.name)).in_([(each.namespace, each.name) for each in names])


def resolve_text(session: Session, text: str, *, job: bool = False) -> Iterator[LineageName]:
    """The datasets of the graph that a text `namespace:name` may stand for, or the jobs; () for none.

    Both parts may hold colons."""
    cuts = [at for at, letter in enumerate(text) if letter == ":" and not text.startswith("://", at)]
    found = [LineageName(text[:at], text[at + 1 :]) for at in cuts if text[:at] and text[at + 1 :]]
    row: Any = LineageJobRow if job else LineageEdgeRow
    named_so = found if job else list(dict.fromkeys(graph_node(each.namespace, each.name) for each in found))
    query = select(row.namespace, row.name).where(name_filter(row, named_so)).distinct()
    known = {LineageName(*each) for each in session.exec(query)} if named_so else set[LineageName]()
    return (each for each in named_so if each in known)
