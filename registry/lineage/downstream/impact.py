"""What bad data do downstream: which datasets they came to, may come to, whose these are, and who reads them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, or_, tuple_
from sqlalchemy.orm import defer
from sqlmodel import Session, col, select

from treaty.registry.core.enums import EdgeDirection, SubscriptionState
from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage.downstream import propagation
from treaty.registry.lineage.downstream.propagation import (
    BadData,
    Contamination,
    ImpactSearch,
    JobRead,
    JobRun,
    ReachedDataset,
)
from treaty.registry.lineage.events.run_state import FoldedDataset, FoldedRun
from treaty.registry.lineage.graph import traversal
from treaty.registry.lineage.graph.flows import ColumnFeed, JobOutput, graph_node
from treaty.registry.lineage.graph.nodes import NameResolver
from treaty.registry.lineage.graph.traversal import DEEPEST, MOST_NODES, VisibilityFilter, portions
from treaty.registry.tables import (
    ContractRow,
    DatasetContractRow,
    DatasetRow,
    LineageEdgeRow,
    LineageJobRow,
    LineageRunRow,
    SubscriptionRow,
    UserRow,
)

# How long a run may take to tell that it is done.
AHEAD = timedelta(hours=1)


@dataclass(frozen=True)
class AffectedContract:
    """A contract's object about a dataset, its owner, and those who subscribed to it, each with their purpose."""

    contract_id: str
    object: str
    owner: str
    consumers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class DownstreamDataset:
    """A dataset downstream: how far it is, how far the bad data came, and whose it is. `owners`: as lineage names
    them."""

    dataset: ReachedDataset
    state: Contamination
    names: frozenset[LineageName] = frozenset()
    contracts: tuple[AffectedContract, ...] = ()
    owners: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class DownstreamImpact:
    """What bad data in a dataset do downstream, nearest first. `contracts`: those about the dataset itself. `complete`:
    nothing was cut off."""

    dataset: LineageName
    bad: BadData
    entries: tuple[DownstreamDataset, ...] = ()
    contracts: tuple[AffectedContract, ...] = ()
    complete: bool = True


@dataclass(frozen=True)
class ImpactVisibility:
    """What may be seen: which datasets, and the condition on contracts."""

    nodes: NameResolver
    visibility: VisibilityFilter
    contracts: ColumnElement[bool]


@dataclass(frozen=True)
class DownstreamSearch:
    """What was found downstream, before it is told whose it is."""

    bad: BadData
    search: ImpactSearch = field(default_factory=ImpactSearch)
    states: Mapping[LineageName, Contamination] = field(default_factory=dict)


def downstream_impact(
    session: Session, bad: BadData, columns: Collection[str] | None, seen: ImpactVisibility
) -> DownstreamImpact:
    """What bad data in these columns of a dataset do (None: in any of its rows), as far as it may be seen."""
    nodes, sight = seen.nodes, seen.visibility
    found = search(session, nodes, bad, columns, sight)
    known = [found.search.datasets[name] for name in found.states]
    groups = {each.dataset: nodes.group(each.dataset) for each in known} | {found.bad.dataset: nodes.group(bad.dataset)}
    touched = touching(session, groups, seen.contracts)
    owned = _owners(session, nodes, groups)
    entries = [
        DownstreamDataset(
            dataset=each,
            state=found.states[name],
            names=groups[name],
            contracts=touched.get(name, ()),
            owners=owned.get(name, ()),
        )
        for each in sorted(known, key=lambda each: (each.distance, each.dataset))
        for name in [each.dataset]
    ]
    own = touched.get(found.bad.dataset, ())
    return DownstreamImpact(
        dataset=found.bad.dataset, bad=found.bad, entries=tuple(entries), contracts=own, complete=found.search.complete
    )


def search(
    session: Session, nodes: NameResolver, bad: BadData, columns: Collection[str] | None, sight: VisibilityFilter
) -> DownstreamSearch:
    """All that the bad data may come to, and came to."""
    at = replace(bad, dataset=nodes.of(bad.dataset))
    steps = _Steps(session, nodes, sight)
    spread = propagation.spread(at.dataset, columns, steps.readers, depth=DEEPEST, most=MOST_NODES)
    jobs = sorted({hop.job for hop in spread.hops})
    return DownstreamSearch(at, spread, propagation.states(at, spread.hops, _runs(session, nodes, jobs, at)))


def everything(names: Collection[LineageName]) -> Collection[LineageName]:
    """The sight of the registry itself."""
    return names


@dataclass
class _Steps:
    session: Session
    nodes: NameResolver
    visibility: VisibilityFilter

    def readers(self, datasets: Collection[LineageName]) -> Iterator[JobRead]:
        """The jobs that read one of the datasets, with what they write; validations write nothing."""
        names = self.nodes.named(datasets)
        reads: dict[UUID, set[LineageName]] = {}
        for job_id, read in _reads(self.session, list(names)):
            reads.setdefault(job_id, set()).add(names[read])
        jobs = {each.id: each for each in _jobs(self.session, list(reads))}
        written = self._written(list(jobs))
        for job_id, sources in sorted(reads.items()):
            if job_id in jobs and written.get(job_id):
                job = LineageName(jobs[job_id].namespace, jobs[job_id].name)
                yield from (JobRead(job, source, tuple(written[job_id])) for source in sorted(sources))

    def _written(self, jobs: Sequence[UUID]) -> Mapping[UUID, list[JobOutput]]:
        edges = traversal.outputs_of(self.session, jobs)
        self.nodes.know({name for each in edges for name in _spoken_of(each)})
        seen = frozenset(self.visibility({LineageName(each.namespace, each.name) for each in edges}))
        found: dict[UUID, list[JobOutput]] = {}
        for edge in edges:
            if LineageName(edge.namespace, edge.name) in seen:
                found.setdefault(edge.job_id, []).append(self._output(edge))
        return found

    def _output(self, edge: LineageEdgeRow) -> JobOutput:
        of, named = self.nodes.of, LineageName(edge.namespace, edge.name)
        feeds = (
            ColumnFeed(column, of(LineageName(namespace, name)), source, direct)
            for column, namespace, name, source, direct in edge.feeds
        )
        sources = None if edge.sources is None else frozenset(of(LineageName(*each)) for each in edge.sources)
        return JobOutput(of(named), tuple(feeds), sources, tuple(edge.owners))


def _spoken_of(edge: LineageEdgeRow) -> Iterator[LineageName]:
    yield LineageName(edge.namespace, edge.name)
    yield from (LineageName(namespace, name) for _, namespace, name, *_ in edge.feeds)
    yield from (LineageName(*each) for each in edge.sources or ())


def _reads(session: Session, names: Sequence[LineageName]) -> Iterator[tuple[UUID, LineageName]]:
    row = LineageEdgeRow
    for some in portions(names):
        query = select(row.job_id, row.namespace, row.name).where(traversal.name_filter(row, some))
        reading = query.where(row.direction == EdgeDirection.INPUT).limit(MOST_NODES)
        yield from ((job, LineageName(namespace, name)) for job, namespace, name in session.exec(reading))


def _jobs(session: Session, jobs: Sequence[UUID]) -> Iterator[LineageJobRow]:
    for some in portions(jobs):
        query = select(LineageJobRow).where(col(LineageJobRow.id).in_(some), col(LineageJobRow.is_own).is_(False))
        yield from session.exec(query)


def _runs(session: Session, nodes: NameResolver, jobs: Sequence[LineageName], bad: BadData) -> Iterator[JobRun]:
    """The runs of the jobs that can have read the bad data."""
    row = LineageRunRow
    # Who reads a version that is told by its number may have begun before its writer told that it was done.
    since = bad.started_at if bad.version is None else bad.started_at - AHEAD
    recent = or_(col(row.finished_at) >= since, col(row.started_at) >= since)
    for some in portions(jobs):
        of = tuple_(col(row.job_namespace), col(row.job_name)).in_([(each.namespace, each.name) for each in some])
        for run in session.exec(select(row).where(of, recent).options(*_lightly(bad))):
            if began := run.started_at or run.finished_at:
                job, ended = LineageName(run.job_namespace, run.job_name), run.finished_at if run.is_ended else None
                yield JobRun(
                    job=job, started_at=began, ended_at=ended, failed=run.is_failed, reads=_versions(nodes, run, bad)
                )


def _lightly(bad: BadData) -> Sequence[Any]:
    """What a run read is asked for only where its version matters."""
    return () if bad.version is not None else (defer(LineageRunRow.state),)  # type: ignore[arg-type]


def _versions(nodes: NameResolver, run: LineageRunRow, bad: BadData) -> Mapping[LineageName, str]:
    if bad.version is None:
        return {}
    inputs = FoldedRun.model_validate(run.state).inputs
    told = {nodes.of(graph_node(each.namespace, each.name)): version(each) for each in inputs}
    return {name: found for name, found in told.items() if found}


def version(dataset: FoldedDataset) -> str | None:
    """The dataset's version as its facet has it; None where it has none."""
    found = dataset.facet("version").get("datasetVersion")
    return found if isinstance(found, str) and found else None


def touching(
    session: Session, groups: Mapping[LineageName, Iterable[LineageName]], contracts: ColumnElement[bool]
) -> dict[LineageName, tuple[AffectedContract, ...]]:
    """The objects about each node of those contracts for which the condition holds."""
    of = {name: each for each, group in groups.items() for name in group}
    found: dict[LineageName, dict[tuple[str, str], AffectedContract]] = {}
    for namespace, name, contract_id, object_name, owner in _about(session, sorted(of), contracts):
        at = found.setdefault(of[LineageName(namespace, name)], {})
        at[contract_id, object_name] = AffectedContract(contract_id, object_name, owner)
    consumers = _consumers(session, {contract_id for each in found.values() for contract_id, _ in each})
    return {
        at: tuple(replace(each[key], consumers=consumers.get(key[0], ())) for key in sorted(each))
        for at, each in found.items()
    }


def _about(
    session: Session, names: Sequence[LineageName], contracts: ColumnElement[bool]
) -> Iterator[tuple[str, str, str, str, str]]:
    link = DatasetContractRow
    for some in portions(names):
        query = (
            select(DatasetRow.namespace, DatasetRow.name, link.contract_id, link.object, UserRow.name)  # type: ignore[call-overload]
            .join(link, col(link.dataset_id) == col(DatasetRow.id))
            .join(ContractRow, col(ContractRow.id) == col(link.contract_id))
            .join(UserRow, col(UserRow.id) == col(ContractRow.owner_id))
        )
        yield from session.exec(query.where(traversal.name_filter(DatasetRow, some), contracts))


def _consumers(session: Session, contracts: Collection[str]) -> Mapping[str, tuple[tuple[str, str], ...]]:
    row, found = SubscriptionRow, dict[str, list[tuple[str, str]]]()
    for some in portions(sorted(contracts)):
        query = select(row.contract_id, UserRow.name, row.purpose).join(UserRow, col(UserRow.id) == col(row.user_id))
        alive = query.where(col(row.contract_id).in_(some), row.state == SubscriptionState.ACTIVE)
        for contract_id, name, purpose in session.exec(alive.order_by(col(row.id))):
            found.setdefault(contract_id, []).append((name, purpose))
    return {contract_id: tuple(each) for contract_id, each in found.items()}


def _owners(
    session: Session, nodes: NameResolver, groups: Mapping[LineageName, Collection[LineageName]]
) -> dict[LineageName, tuple[str, ...]]:
    """Whom the jobs that write a dataset name as its owners."""
    row, found = LineageEdgeRow, dict[LineageName, set[str]]()
    for some in portions(sorted({name for group in groups.values() for name in group})):
        query = select(row.namespace, row.name, row.owners).where(traversal.name_filter(row, some))
        for namespace, name, owners in session.exec(query.where(row.direction == EdgeDirection.OUTPUT)):
            found.setdefault(nodes.of(LineageName(namespace, name)), set()).update(owners)
    return {at: tuple(sorted(each)) for at, each in found.items() if each}
