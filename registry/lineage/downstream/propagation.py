"""How far bad data come: along which columns they may spread, and what the runs since then made of that. Pure."""

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
    """A job that reads a dataset, and what it writes."""

    job: LineageName
    source: LineageName
    outputs: tuple[JobOutput, ...]


# The jobs that read some of these datasets.
Readers = Callable[[Collection[LineageName]], Iterable[JobRead]]


class ColumnTrace(NamedTuple):
    """A column (None: every row) of a dataset that bad data may be in: by their values or not, known or supposed."""

    dataset: LineageName
    column: str | None
    direct: bool = True
    coarse: bool = False


class ImpactHop(NamedTuple):
    """A step on the way of bad data."""

    source: LineageName
    job: LineageName
    target: LineageName


@dataclass(frozen=True, kw_only=True)
class ReachedDataset:
    """A dataset that bad data may come to. `path`: jobs and datasets by turns, from the first dataset to this one.

    `direct`: by values on some way; else only by what they decide. `coarse`: on every way there is a job that tells
    nothing of columns. `columns`: those that are touched; None: all."""

    dataset: LineageName
    distance: int
    path: tuple[LineageName, ...]
    direct: bool
    coarse: bool
    columns: frozenset[str] | None


@dataclass(frozen=True)
class ImpactSearch:
    """All that bad data may come to. `complete`: nothing was cut off."""

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
        """Whether the trace is new."""
        known = trace.dataset in self.distances
        if not known and len(self.distances) >= self.most:
            self.complete = False
            return False
        self.hops.add(ImpactHop(before.dataset, job, trace.dataset))
        self.distances.setdefault(trace.dataset, distance)
        new = trace not in self.arrivals
        self.arrivals.setdefault(trace, (before, job))
        return new

    def path(self, trace: ColumnTrace) -> tuple[LineageName, ...]:
        steps: list[LineageName] = []
        at: ColumnTrace | None = trace
        while at is not None:
            before, job = self.arrivals[at]
            steps += [at.dataset] if before is None else [at.dataset, job]
            at = before
        return tuple(reversed(steps))


def spread(
    start: LineageName, columns: Collection[str] | None, readers: Readers, *, depth: int, most: int
) -> ImpactSearch:
    """All that bad data in these columns of a dataset (None: in any of its rows) may come to, `depth` jobs away, of
    at most `most` datasets. Every job is asked for once a level; a dataset that feeds itself is met once."""
    search = _Search(start=start, most=most)
    first = {ColumnTrace(start, root(each)) for each in columns or ()} or {ColumnTrace(start, None)}
    search.arrivals = dict.fromkeys(first, (None, start))
    level, found = sorted(first, key=repr), dict[LineageName, list[_Carrier]]()
    for distance in range(1, depth + 1):
        _learn(found, {each.dataset for each in level} - found.keys(), readers)
        level = [each for trace in level for each in _step(search, trace, found[trace.dataset], distance)]
        if not level:
            break
    return ImpactSearch(_reached(search), frozenset(search.hops), search.complete)


@dataclass(frozen=True)
class _Carrier:
    """An output as what it takes from one source."""

    job: LineageName
    source: LineageName
    output: JobOutput

    @cached_property
    def feeds(self) -> Mapping[str | None, tuple[ColumnFeed, ...]]:
        """What it takes, by the column that it is taken from."""
        found: dict[str | None, list[ColumnFeed]] = {}
        for feed in self.output.feeds:
            if feed.source == self.source:
                found.setdefault(feed.of, []).append(feed)
        return {of: tuple(feeds) for of, feeds in found.items()}

    @property
    def excluded(self) -> bool:
        """Whether the source is told not to feed it."""
        return self.output.sources is not None and self.source not in self.output.sources and not self.feeds

    def propagate(self, trace: ColumnTrace) -> Iterator[ColumnTrace]:
        """Where bad data in that column go."""
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
        told = [feed.direct for feeds in self.feeds.values() for feed in feeds]
        direct = trace.direct and (any(told) or not told)
        return ColumnTrace(self.output.name, None, direct, trace.coarse or not told)


def _learn(found: dict[LineageName, list[_Carrier]], datasets: Collection[LineageName], readers: Readers) -> None:
    found.update({each: [] for each in datasets})
    for reading in readers(datasets) if datasets else ():
        found[reading.source] += (_Carrier(reading.job, reading.source, each) for each in reading.outputs)


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
    named = {each.column for each in traces}
    return ReachedDataset(
        dataset=name,
        distance=search.distances[name],
        path=search.path(traces[0]),
        direct=any(each.direct for each in traces),
        coarse=all(each.coarse for each in traces),
        columns=None if None in named else frozenset(filter(None, named)),
    )


@dataclass(frozen=True, kw_only=True)
class JobRun:
    """A run of a job. `ended_at` None: it has not. `reads`: the versions of the datasets that it read, as far as
    told."""

    job: LineageName
    started_at: datetime
    ended_at: datetime | None
    failed: bool = False
    reads: Mapping[LineageName, str] = field(default_factory=dict)


@dataclass(frozen=True)
class BadData:
    """Bad data: since when they are there, and until when (None: still); the version that they are, where known."""

    dataset: LineageName
    started_at: datetime
    ended_at: datetime | None = None
    version: str | None = None


@dataclass(frozen=True)
class Contamination:
    """How far bad data came to a dataset. `reached_at`: when they came; None: they have not."""

    state: ContaminationState
    reached_at: datetime | None = None


def states(bad: BadData, hops: Collection[ImpactHop], runs: Iterable[JobRun]) -> dict[LineageName, Contamination]:
    """How far bad data came to each dataset that they may come to. Where good ones took their place, those datasets are
    left out that they never came to, and those that were written anew from good ones since."""
    of: dict[LineageName, list[JobRun]] = {}
    for run in runs:
        of.setdefault(run.job, []).append(run)
    arrived = _arrived(bad, hops, of)
    flying = _flying(bad, hops, of, arrived)
    clean = _cleaned(bad, hops, of, arrived) if bad.ended_at else {}
    found = {
        name: Contamination(ContaminationState.CONTAMINATED, at)
        for name, at in arrived.items()
        if name not in {bad.dataset, *clean}
    }
    found |= {name: Contamination(ContaminationState.IN_FLIGHT) for name in flying - found.keys() - {bad.dataset}}
    if bad.ended_at is None:
        found = {
            hop.target: Contamination(ContaminationState.AT_RISK) for hop in hops if hop.target != bad.dataset
        } | found
    return found


def _arrived(
    bad: BadData, hops: Collection[ImpactHop], runs: Mapping[LineageName, list[JobRun]]
) -> dict[LineageName, datetime]:
    """When bad data first came to each dataset: with the end of a run that began once they were in what it reads."""
    onward: dict[LineageName, list[ImpactHop]] = {}
    for hop in hops:
        onward.setdefault(hop.source, []).append(hop)
    arrived, waiting = dict[LineageName, datetime](), [(bad.started_at, bad.dataset)]
    while waiting:
        at, name = heappop(waiting)
        if name in arrived:
            continue
        arrived[name] = at
        for hop in onward.get(name, ()):
            ends = [run.ended_at for run in runs.get(hop.job, ()) if run.ended_at and _carries(bad, name, at, run)]
            if ends:
                heappush(waiting, (max(min(ends), at), hop.target))
    return arrived


def _carries(bad: BadData, name: LineageName, at: datetime, run: JobRun) -> bool:
    """Whether the run read bad data from the dataset, in which they are since then."""
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
    """The datasets that a run is about to write which reads bad data."""
    came = [hop for hop in hops if hop.source in arrived]
    return {
        hop.target
        for hop in came
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
    """When each of the datasets was written from good data again: by a run that began once all it reads were good.

    Datasets that feed each other in a circle are never known to be good again."""
    before: dict[LineageName, set[ImpactHop]] = {}
    for hop in hops:
        if hop.source in arrived and hop.target in arrived and hop.source != hop.target:
            before.setdefault(hop.target, set()).add(hop)
    clean, changed = {bad.dataset: bad.ended_at} if bad.ended_at else {}, True
    while changed:
        changed = False
        for name, came in before.items():
            if name not in clean and all(hop.source in clean for hop in came):
                at = _rewritten(came, runs, max(clean[hop.source] for hop in came))
                if at is not None:
                    clean[name], changed = at, True
    return {name: at for name, at in clean.items() if name != bad.dataset}


def _rewritten(came: Iterable[ImpactHop], runs: Mapping[LineageName, list[JobRun]], since: datetime) -> datetime | None:
    """When the dataset was first written whole by a run that began since then; by each of the jobs that write it."""
    ends = [min(_ends(runs.get(job, ()), since), default=None) for job in {hop.job for hop in came}]
    return None if None in ends else max(each for each in ends if each is not None)


def _ends(runs: Iterable[JobRun], since: datetime) -> Iterator[datetime]:
    return (run.ended_at for run in runs if run.ended_at and not run.failed and run.started_at >= since)
