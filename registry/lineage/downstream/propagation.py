"""Propagate bad data through column lineage and the runs that read it. Pure: no database."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from heapq import heappop, heappush
from typing import NamedTuple

from treaty.registry.core.enums import ContaminationState
from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage.graph.flows import ColumnFeed, JobOutput, root


@dataclass(frozen=True)
class JobRead:
    """A job that reads a dataset, and its outputs."""

    job: LineageName
    source: LineageName
    outputs: tuple[JobOutput, ...]


# Returns the jobs that read some of these datasets.
Readers = Callable[[Collection[LineageName]], Iterable[JobRead]]


class ColumnTrace(NamedTuple):
    """A column of a dataset that may contain bad data.

    `column`: None means every row. `direct`: bad values may be in the column; False if they only decide about its rows.
    `coarse`: True if a job on the way reports no column lineage."""

    dataset: LineageName
    column: str | None
    direct: bool = True
    coarse: bool = False


class ImpactHop(NamedTuple):
    """A step of bad data from one dataset to another through a job."""

    source: LineageName
    job: LineageName
    target: LineageName


@dataclass(frozen=True, kw_only=True)
class ReachedDataset:
    """A dataset that bad data may reach.

    `distance`: number of jobs from the first dataset. `path`: alternating datasets and jobs, from the first dataset to
    this one. `direct`: on some path, bad values themselves arrive; else they only decide about its rows. `coarse`:
    every path has a job that reports no column lineage. `columns`: affected columns; None means all."""

    dataset: LineageName
    distance: int
    path: tuple[LineageName, ...]
    direct: bool
    coarse: bool
    columns: frozenset[str] | None


@dataclass(frozen=True)
class ImpactSearch:
    """All datasets that bad data may reach. `complete`: False if the search was truncated."""

    datasets: Mapping[LineageName, ReachedDataset] = field(default_factory=dict)
    hops: frozenset[ImpactHop] = frozenset()
    complete: bool = True


@dataclass(kw_only=True)
class _Search:
    start: LineageName
    most: int
    arrivals: dict[ColumnTrace, tuple[ColumnTrace | None, LineageName]] = field(default_factory=dict)
    distances: dict[LineageName, int] = field(default_factory=dict)
    hops: set[ImpactHop] = field(default_factory=set)
    complete: bool = True

    def enter(self, trace: ColumnTrace, before: ColumnTrace, job: LineageName, distance: int) -> bool:
        """Record a trace and return whether it is new."""
        is_reached = trace.dataset in self.distances
        if not is_reached and len(self.distances) >= self.most:
            self.complete = False
            return False
        self.hops.add(ImpactHop(before.dataset, job, trace.dataset))
        self.distances.setdefault(trace.dataset, distance)
        is_new = trace not in self.arrivals
        self.arrivals.setdefault(trace, (before, job))
        return is_new

    def path(self, trace: ColumnTrace) -> tuple[LineageName, ...]:
        steps: list[LineageName] = []
        current: ColumnTrace | None = trace
        while current is not None:
            before, job = self.arrivals[current]
            steps += [current.dataset] if before is None else [current.dataset, job]
            current = before
        return tuple(reversed(steps))


def spread(
    start: LineageName, columns: Collection[str] | None, readers: Readers, *, depth: int, most: int
) -> ImpactSearch:
    """Return all datasets that bad data in these columns may reach.

    `columns`: None means any row. `depth`: maximum number of jobs on a path. `most`: maximum number of datasets.
    Readers are looked up once per level; a dataset that feeds itself is visited once."""
    search = _Search(start=start, most=most)
    first = {ColumnTrace(start, root(each)) for each in columns or ()} or {ColumnTrace(start, None)}
    search.arrivals = dict.fromkeys(first, (None, start))
    level, carriers = sorted(first, key=repr), dict[LineageName, list[_Carrier]]()
    for distance in range(1, depth + 1):
        _learn(carriers, {each.dataset for each in level} - carriers.keys(), readers)
        level = [each for trace in level for each in _step(search, trace, carriers[trace.dataset], distance)]
        if not level:
            break
    return ImpactSearch(_reached(search), frozenset(search.hops), search.complete)


@dataclass(frozen=True)
class _Carrier:
    """The part of an output that comes from one source."""

    job: LineageName
    source: LineageName
    output: JobOutput

    @cached_property
    def feeds(self) -> Mapping[str | None, tuple[ColumnFeed, ...]]:
        """Return the feeds from the source, by source column."""
        by_column: dict[str | None, list[ColumnFeed]] = {}
        for feed in self.output.feeds:
            if feed.source == self.source:
                by_column.setdefault(feed.of, []).append(feed)
        return {of: tuple(feeds) for of, feeds in by_column.items()}

    @property
    def excluded(self) -> bool:
        """Return whether the producer lists the output's sources without this one."""
        return self.output.sources is not None and self.source not in self.output.sources and not self.feeds

    def propagate(self, trace: ColumnTrace) -> Iterator[ColumnTrace]:
        """Yield the traces in the output of bad data in this column."""
        if self.excluded:
            return
        if trace.column is None:
            yield self._rows(trace)
        elif self.feeds:
            for feed in (*self.feeds.get(trace.column, ()), *self.feeds.get(None, ())):
                yield ColumnTrace(self.output.name, feed.column, trace.direct and feed.direct, trace.coarse)
        elif not self.output.feeds or self.output.sources is not None:
            yield ColumnTrace(self.output.name, None, trace.direct, coarse=True)

    def _rows(self, trace: ColumnTrace) -> ColumnTrace:
        flags = [feed.direct for feeds in self.feeds.values() for feed in feeds]
        direct = trace.direct and (any(flags) or not flags)
        return ColumnTrace(self.output.name, None, direct, trace.coarse or not flags)


def _learn(carriers: dict[LineageName, list[_Carrier]], datasets: Collection[LineageName], readers: Readers) -> None:
    carriers.update({each: [] for each in datasets})
    for reading in readers(datasets) if datasets else ():
        carriers[reading.source] += (_Carrier(reading.job, reading.source, each) for each in reading.outputs)


def _step(search: _Search, trace: ColumnTrace, carriers: Iterable[_Carrier], distance: int) -> Iterator[ColumnTrace]:
    for carrier in carriers:
        if carrier.output.name in {search.start, trace.dataset}:
            continue
        for each in carrier.propagate(trace):
            if search.enter(each, trace, carrier.job, distance):
                yield each


def _reached(search: _Search) -> dict[LineageName, ReachedDataset]:
    traces: dict[LineageName, list[ColumnTrace]] = {}
    for each in search.arrivals:
        traces.setdefault(each.dataset, []).append(each)
    return {name: _reach(search, name, traces[name]) for name in search.distances}


def _reach(search: _Search, name: LineageName, traces: list[ColumnTrace]) -> ReachedDataset:
    columns = {each.column for each in traces}
    return ReachedDataset(
        dataset=name,
        distance=search.distances[name],
        path=search.path(traces[0]),
        direct=any(each.direct for each in traces),
        coarse=all(each.coarse for each in traces),
        columns=None if None in columns else frozenset(filter(None, columns)),
    )


@dataclass(frozen=True, kw_only=True)
class JobRun:
    """A run of a job.

    `ended_at`: None means that it is running. `reads`: reported versions of the datasets it read."""

    job: LineageName
    started_at: datetime
    ended_at: datetime | None
    failed: bool = False
    reads: Mapping[LineageName, str] = field(default_factory=dict)


@dataclass(frozen=True)
class BadData:
    """Bad data in a dataset and the period in which it is there.

    `ended_at`: None means that it still is. `version`: the dataset version that is bad, if it is identified."""

    dataset: LineageName
    started_at: datetime
    ended_at: datetime | None = None
    version: str | None = None


@dataclass(frozen=True)
class Contamination:
    """The contamination of a dataset. `reached_at`: arrival of the bad data; None means not yet."""

    state: ContaminationState
    reached_at: datetime | None = None


def states(bad: BadData, hops: Collection[ImpactHop], runs: Iterable[JobRun]) -> dict[LineageName, Contamination]:
    """Return the contamination of each dataset that the bad data may reach.

    Once the source has recovered, datasets that were never reached and datasets rewritten from good data are
    omitted."""
    by_job: dict[LineageName, list[JobRun]] = {}
    for run in runs:
        by_job.setdefault(run.job, []).append(run)
    arrived = _arrived(bad, hops, by_job)
    in_flight = _flying(bad, hops, by_job, arrived)
    clean = _cleaned(bad, hops, by_job, arrived) if bad.ended_at else {}
    result = {
        name: Contamination(ContaminationState.CONTAMINATED, at)
        for name, at in arrived.items()
        if name not in {bad.dataset, *clean}
    }
    result |= {name: Contamination(ContaminationState.IN_FLIGHT) for name in in_flight - result.keys() - {bad.dataset}}
    if bad.ended_at is None:
        result = {
            hop.target: Contamination(ContaminationState.AT_RISK) for hop in hops if hop.target != bad.dataset
        } | result
    return result


def _arrived(
    bad: BadData, hops: Collection[ImpactHop], runs: Mapping[LineageName, list[JobRun]]
) -> dict[LineageName, datetime]:
    """Return when bad data first arrived at each dataset.

    It arrives with the end of a run that started after the run's input became bad."""
    onward: dict[LineageName, list[ImpactHop]] = {}
    for hop in hops:
        onward.setdefault(hop.source, []).append(hop)
    arrived, pending = dict[LineageName, datetime](), [(bad.started_at, bad.dataset)]
    while pending:
        at, name = heappop(pending)
        if name in arrived:
            continue
        arrived[name] = at
        for hop in onward.get(name, ()):
            ends = [run.ended_at for run in runs.get(hop.job, ()) if run.ended_at and _carries(bad, name, at, run)]
            if ends:
                heappush(pending, (max(min(ends), at), hop.target))
    return arrived


def _carries(bad: BadData, name: LineageName, at: datetime, run: JobRun) -> bool:
    """Return whether the run read bad data from the dataset. `at`: arrival of the bad data there."""
    if run.failed:
        return False
    if name != bad.dataset:
        return run.started_at >= at
    if bad.version is not None and run.reads.get(name) == bad.version:
        return True
    return at <= run.started_at and (bad.ended_at is None or run.started_at < bad.ended_at)


def _flying(
    bad: BadData,
    hops: Collection[ImpactHop],
    runs: Mapping[LineageName, list[JobRun]],
    arrived: Mapping[LineageName, datetime],
) -> set[LineageName]:
    """Return the datasets to be written by a running run that reads bad data."""
    bad_hops = [hop for hop in hops if hop.source in arrived]
    return {
        hop.target
        for hop in bad_hops
        if any(
            run.ended_at is None and _carries(bad, hop.source, arrived[hop.source], run)
            for run in runs.get(hop.job, ())
        )
    }


def _cleaned(
    bad: BadData,
    hops: Collection[ImpactHop],
    runs: Mapping[LineageName, list[JobRun]],
    arrived: Mapping[LineageName, datetime],
) -> dict[LineageName, datetime]:
    """Return when each dataset was rewritten from good data.

    This requires runs that started after all inputs were good. Datasets that feed each other in a cycle never become
    good."""
    incoming: dict[LineageName, set[ImpactHop]] = {}
    for hop in hops:
        if hop.source in arrived and hop.target in arrived and hop.source != hop.target:
            incoming.setdefault(hop.target, set()).add(hop)
    clean, changed = {bad.dataset: bad.ended_at} if bad.ended_at else {}, True
    while changed:
        changed = False
        for name, hops_in in incoming.items():
            if name not in clean and all(hop.source in clean for hop in hops_in):
                at = _rewritten(hops_in, runs, max(clean[hop.source] for hop in hops_in))
                if at is not None:
                    clean[name], changed = at, True
    return {name: at for name, at in clean.items() if name != bad.dataset}


def _rewritten(hops: Iterable[ImpactHop], runs: Mapping[LineageName, list[JobRun]], since: datetime) -> datetime | None:
    """Return when the dataset was fully rewritten by runs that started after `since`; None if it was not.

    Every job that writes the dataset must have run."""
    ends = [min(_ends(runs.get(job, ()), since), default=None) for job in {hop.job for hop in hops}]
    return None if None in ends else max(each for each in ends if each is not None)


def _ends(runs: Iterable[JobRun], since: datetime) -> Iterator[datetime]:
    return (run.ended_at for run in runs if run.ended_at and not run.failed and run.started_at >= since)
