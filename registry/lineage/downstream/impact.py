"""Compute the downstream impact of bad data: datasets reached or at risk, owners and consumers."""

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

# Longest time expected between the end of a write and its completion event.
AHEAD = timedelta(hours=1)


@dataclass(frozen=True)
class AffectedContract:
    """A contract object on a dataset, with its owner and consumers.

    `consumers`: (user name, purpose) of each active subscription."""

    contract_id: str
    object: str
    owner: str
    consumers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class DownstreamDataset:
    """A downstream dataset, its contamination and its owners.

    `owners`: owners named by lineage; the owners of contracts are in `contracts`."""

    dataset: ReachedDataset
    state: Contamination
    names: frozenset[LineageName] = frozenset()
    contracts: tuple[AffectedContract, ...] = ()
    owners: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class DownstreamImpact:
    """The downstream impact of bad data in a dataset, nearest datasets first.

    `contracts`: those on the dataset itself. `complete`: False if the result was truncated."""

    dataset: LineageName
    bad: BadData
    entries: tuple[DownstreamDataset, ...] = ()
    contracts: tuple[AffectedContract, ...] = ()
    complete: bool = True


@dataclass(frozen=True)
class ImpactVisibility:
    """Visibility of an impact query: a filter for datasets and a SQL condition on contracts."""

    nodes: NameResolver
    visibility: VisibilityFilter
    contracts: ColumnElement[bool]


@dataclass(frozen=True)
class DownstreamSearch:
    """Datasets found downstream, before their contracts and owners are added."""

    bad: BadData
    search: ImpactSearch = field(default_factory=ImpactSearch)
    states: Mapping[LineageName, Contamination] = field(default_factory=dict)


def downstream_impact(
    session: Session, bad: BadData, columns: Collection[str] | None, visibility: ImpactVisibility
) -> DownstreamImpact:
    """Return the visible impact of bad data in these columns of a dataset.

    `columns`: None means that any row may be bad."""
    nodes, dataset_filter = visibility.nodes, visibility.visibility
    result = search(session, nodes, bad, columns, dataset_filter)
    reached = [result.search.datasets[name] for name in result.states]
    groups = {each.dataset: nodes.group(each.dataset) for each in reached} | {
        result.bad.dataset: nodes.group(bad.dataset)
    }
    affected = touching(session, groups, visibility.contracts)
    owners = _owners(session, nodes, groups)
    entries = [
        DownstreamDataset(
            dataset=each,
            state=result.states[name],
            names=groups[name],
            contracts=affected.get(name, ()),
            owners=owners.get(name, ()),
        )
        for each in sorted(reached, key=lambda each: (each.distance, each.dataset))
        for name in [each.dataset]
    ]
    own = affected.get(result.bad.dataset, ())
    return DownstreamImpact(
        dataset=result.bad.dataset,
        bad=result.bad,
        entries=tuple(entries),
        contracts=own,
        complete=result.search.complete,
    )


def search(
    session: Session, nodes: NameResolver, bad: BadData, columns: Collection[str] | None, visibility: VisibilityFilter
) -> DownstreamSearch:
    """Return the datasets that the bad data may reach, and the contamination of each."""
    start = replace(bad, dataset=nodes.of(bad.dataset))
    steps = _Steps(session, nodes, visibility)
    result = propagation.spread(start.dataset, columns, steps.readers, depth=DEEPEST, most=MOST_NODES)
    jobs = sorted({hop.job for hop in result.hops})
    return DownstreamSearch(start, result, propagation.states(start, result.hops, _runs(session, nodes, jobs, start)))


def everything(names: Collection[LineageName]) -> Collection[LineageName]:
    """Return all names: the visibility of the registry itself."""
    return names


@dataclass
class _Steps:
    session: Session
    nodes: NameResolver
    visibility: VisibilityFilter

    def readers(self, datasets: Collection[LineageName]) -> Iterator[JobRead]:
        """Yield the jobs that read one of the datasets, with their outputs. Validations are excluded."""
        names = self.nodes.named(datasets)
        reads: dict[UUID, set[LineageName]] = {}
        for job_id, read in _reads(self.session, list(names)):
            reads.setdefault(job_id, set()).add(names[read])
        jobs = {each.id: each for each in _jobs(self.session, list(reads))}
        outputs = self._written(list(jobs))
        for job_id, sources in sorted(reads.items()):
            if job_id in jobs and outputs.get(job_id):
                job = LineageName(jobs[job_id].namespace, jobs[job_id].name)
                yield from (JobRead(job, source, tuple(outputs[job_id])) for source in sorted(sources))

    def _written(self, jobs: Sequence[UUID]) -> Mapping[UUID, list[JobOutput]]:
        edges = traversal.outputs_of(self.session, jobs)
        self.nodes.know({name for each in edges for name in _spoken_of(each)})
        visible = frozenset(self.visibility({LineageName(each.namespace, each.name) for each in edges}))
        outputs: dict[UUID, list[JobOutput]] = {}
        for edge in edges:
            if LineageName(edge.namespace, edge.name) in visible:
                outputs.setdefault(edge.job_id, []).append(self._output(edge))
        return outputs

    def _output(self, edge: LineageEdgeRow) -> JobOutput:
        of, dataset_name = self.nodes.of, LineageName(edge.namespace, edge.name)
        feeds = (
            ColumnFeed(column, of(LineageName(namespace, name)), source, direct)
            for column, namespace, name, source, direct in edge.feeds
        )
        sources = None if edge.sources is None else frozenset(of(LineageName(*each)) for each in edge.sources)
        return JobOutput(of(dataset_name), tuple(feeds), sources, tuple(edge.owners))


def _spoken_of(edge: LineageEdgeRow) -> Iterator[LineageName]:
    yield LineageName(edge.namespace, edge.name)
    yield from (LineageName(namespace, name) for _, namespace, name, *_ in edge.feeds)
    yield from (LineageName(*each) for each in edge.sources or ())


def _reads(session: Session, names: Sequence[LineageName]) -> Iterator[tuple[UUID, LineageName]]:
    row = LineageEdgeRow
    for batch in portions(names):
        query = select(row.job_id, row.namespace, row.name).where(traversal.name_filter(row, batch))
        reading = query.where(row.direction == EdgeDirection.INPUT).limit(MOST_NODES)
        yield from ((job, LineageName(namespace, name)) for job, namespace, name in session.exec(reading))


def _jobs(session: Session, jobs: Sequence[UUID]) -> Iterator[LineageJobRow]:
    for batch in portions(jobs):
        query = select(LineageJobRow).where(col(LineageJobRow.id).in_(batch), col(LineageJobRow.is_own).is_(False))
        yield from session.exec(query)


def _runs(session: Session, nodes: NameResolver, jobs: Sequence[LineageName], bad: BadData) -> Iterator[JobRun]:
    """Yield the runs of the jobs that may have read the bad data."""
    row = LineageRunRow
    # A run that reads a version by its number may start before the writer reports its completion.
    since = bad.started_at if bad.version is None else bad.started_at - AHEAD
    recent = or_(col(row.finished_at) >= since, col(row.started_at) >= since)
    for batch in portions(jobs):
        in_batch = tuple_(col(row.job_namespace), col(row.job_name)).in_(
            [(each.namespace, each.name) for each in batch]
        )
        for run in session.exec(select(row).where(in_batch, recent).options(*_lightly(bad))):
            if began := run.started_at or run.finished_at:
                job, ended = LineageName(run.job_namespace, run.job_name), run.finished_at if run.is_ended else None
                yield JobRun(
                    job=job, started_at=began, ended_at=ended, failed=run.is_failed, reads=_versions(nodes, run, bad)
                )


def _lightly(bad: BadData) -> Sequence[Any]:
    """Return options that omit the state of a run unless the version it read matters."""
    return () if bad.version is not None else (defer(LineageRunRow.state),)  # type: ignore[arg-type]


def _versions(nodes: NameResolver, run: LineageRunRow, bad: BadData) -> Mapping[LineageName, str]:
    if bad.version is None:
        return {}
    inputs = FoldedRun.model_validate(run.state).inputs
    versions = {nodes.of(graph_node(each.namespace, each.name)): version(each) for each in inputs}
    return {name: read_version for name, read_version in versions.items() if read_version}


def version(dataset: FoldedDataset) -> str | None:
    """Return the version in the dataset's version facet; None if there is none."""
    value = dataset.facet("version").get("datasetVersion")
    return value if isinstance(value, str) and value else None


def touching(
    session: Session, groups: Mapping[LineageName, Iterable[LineageName]], contracts: ColumnElement[bool]
) -> dict[LineageName, tuple[AffectedContract, ...]]:
    """Return, per node, the contract objects that satisfy the condition on contracts."""
    nodes = {name: each for each, group in groups.items() for name in group}
    objects: dict[LineageName, dict[tuple[str, str], AffectedContract]] = {}
    for namespace, name, contract_id, object_name, owner in _about(session, sorted(nodes), contracts):
        node = objects.setdefault(nodes[LineageName(namespace, name)], {})
        node[contract_id, object_name] = AffectedContract(contract_id, object_name, owner)
    consumers = _consumers(session, {contract_id for each in objects.values() for contract_id, _ in each})
    return {
        node: tuple(replace(each[key], consumers=consumers.get(key[0], ())) for key in sorted(each))
        for node, each in objects.items()
    }


def _about(
    session: Session, names: Sequence[LineageName], contracts: ColumnElement[bool]
) -> Iterator[tuple[str, str, str, str, str]]:
    link = DatasetContractRow
    for batch in portions(names):
        query = (
            select(DatasetRow.namespace, DatasetRow.name, link.contract_id, link.object, UserRow.name)  # type: ignore[call-overload]
            .join(link, col(link.dataset_id) == col(DatasetRow.id))
            .join(ContractRow, col(ContractRow.id) == col(link.contract_id))
            .join(UserRow, col(UserRow.id) == col(ContractRow.owner_id))
        )
        yield from session.exec(query.where(traversal.name_filter(DatasetRow, batch), contracts))


def _consumers(session: Session, contracts: Collection[str]) -> Mapping[str, tuple[tuple[str, str], ...]]:
    row, by_contract = SubscriptionRow, dict[str, list[tuple[str, str]]]()
    for batch in portions(sorted(contracts)):
        query = select(row.contract_id, UserRow.name, row.purpose).join(UserRow, col(UserRow.id) == col(row.user_id))
        active = query.where(col(row.contract_id).in_(batch), row.state == SubscriptionState.ACTIVE)
        for contract_id, name, purpose in session.exec(active.order_by(col(row.id))):
            by_contract.setdefault(contract_id, []).append((name, purpose))
    return {contract_id: tuple(each) for contract_id, each in by_contract.items()}


def _owners(
    session: Session, nodes: NameResolver, groups: Mapping[LineageName, Collection[LineageName]]
) -> dict[LineageName, tuple[str, ...]]:
    """Return, per dataset, the owners named by the jobs that write it."""
    row, by_node = LineageEdgeRow, dict[LineageName, set[str]]()
    for batch in portions(sorted({name for group in groups.values() for name in group})):
        query = select(row.namespace, row.name, row.owners).where(traversal.name_filter(row, batch))
        for namespace, name, owners in session.exec(query.where(row.direction == EdgeDirection.OUTPUT)):
            by_node.setdefault(nodes.of(LineageName(namespace, name)), set()).update(owners)
    return {at: tuple(sorted(each)) for at, each in by_node.items() if each}
