"""Extract the data flow of a run: datasets read and written, and column lineage. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any, NamedTuple

from treaty.registry.datasets.names import LineageName, normalise, table_name
from treaty.registry.lineage.events.links import LONGEST
from treaty.registry.lineage.events.run_state import FoldedDataset, FoldedRun

# An output with more feeds than this is treated as one without column lineage.
MOST_FEEDS = 20_000
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
FAILED, OPEN, COMPLETED = range(3)


class ColumnFeed(NamedTuple):
    """A column of an input that feeds a column of the output.

    `column`: output column; None means every row of the output. `of`: input column; None means any column. `direct`:
    False if the input decides (a filter, join or order) instead of passing its value."""

    column: str | None
    source: LineageName
    of: str | None
    direct: bool = True


@dataclass(frozen=True)
class JobOutput:
    """A dataset written by a job.

    `feeds`: column lineage; () means none was reported. `sources`: all datasets that feed the output if they were
    reported; None means any dataset the job reads may feed it. `owners`: names in the ownership facet."""

    name: LineageName
    feeds: tuple[ColumnFeed, ...] = ()
    sources: frozenset[LineageName] | None = None
    owners: tuple[str, ...] = ()


@dataclass(frozen=True)
class JobFlow:
    """The datasets a job reads and writes."""

    inputs: frozenset[LineageName] = frozenset()
    outputs: tuple[JobOutput, ...] = ()


class RunRank(NamedTuple):
    """Rank of a run among the runs of its job; the run with the greatest rank represents the job.

    Completed runs rank above open runs, and open runs above failed ones; among equals the latest ranks highest."""

    run_rank: int
    run_time: datetime
    run_id: str


def rank(run: FoldedRun) -> RunRank:
    """Return the run's rank among the runs of its job."""
    run_rank = FAILED if run.failed else COMPLETED if run.completed else OPEN
    return RunRank(run_rank, run.ended or run.started or BEGINNING, run.run_id)


def tells(run: FoldedRun) -> bool:
    """Return whether the run ever reported a dataset, even if its facets were deleted later."""
    return bool(run.inputs or run.outputs or "lineage" in run.job_facets)


def graph_node(namespace: str, name: str) -> LineageName:
    """Return the dataset's normalized name in the graph; a partition path resolves to its table."""
    return table_name(normalise(namespace, name)).dataset


def flow_of_run(run: FoldedRun) -> JobFlow:
    """Return the datasets that the run reads and writes, merged from all of its events."""
    outputs = {each.name: each for each in _joined([*map(_output, run.outputs), *_declared(run)])}
    fed = {feed.source for each in outputs.values() for feed in each.feeds}
    sources = {source for each in outputs.values() for source in each.sources or ()}
    inputs = {graph_node(each.namespace, each.name) for each in run.inputs} | fed | sources | _job_inputs(run)
    return JobFlow(frozenset(filter(_fits, inputs)), tuple(outputs[name] for name in sorted(filter(_fits, outputs))))


def _fits(name: LineageName) -> bool:
    """Return whether the name fits into a database key."""
    return len(str(name)) <= LONGEST


def owners(facet: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the owners in an ownership facet, in its order."""
    return tuple(each["name"] for each in _objects(facet.get("owners")) if _named(each.get("name")))


def _output(dataset: FoldedDataset) -> JobOutput:
    lineage, columns = dataset.facet("lineage"), dataset.facet("columnLineage")
    feeds = [*_column_feeds(columns), *_explicit_feeds(lineage)]
    owner_names = owners(dataset.facet("ownership"))
    return JobOutput(
        graph_node(dataset.namespace, dataset.name), _bounded(feeds), _sources(lineage, feeds), owner_names
    )


def _declared(run: FoldedRun) -> Iterator[JobOutput]:
    """Yield the output datasets of the job's `lineage` facet."""
    for each in _objects(run.job_facet("lineage").get("entries")):
        if each.get("type") == "DATASET" and (name := _source(each)):
            feeds = list(_explicit_feeds(each))
            yield JobOutput(name, _bounded(feeds), _sources(each, feeds))


def _job_inputs(run: FoldedRun) -> set[LineageName]:
    """Return the inputs that the job's `lineage` facet lists without an output."""
    entries = _objects(run.job_facet("lineage").get("entries"))
    own = (each for each in entries if each.get("type") == "JOB" and each.get("name") in {None, run.job_name})
    return {name for each in own for entry in _objects(each.get("inputs")) if (name := _source(entry))}


def _joined(outputs: Sequence[JobOutput]) -> Iterator[JobOutput]:
    """Merge outputs of the same dataset: producers may report its partitions as separate datasets."""
    by_name: dict[LineageName, list[JobOutput]] = {}
    for each in outputs:
        by_name.setdefault(each.name, []).append(each)
    for name, same in by_name.items():
        reported = [each.sources for each in same if each.sources is not None]
        sources = frozenset[LineageName]().union(*reported) if reported else None
        feeds = sorted({feed for each in same for feed in each.feeds}, key=repr)
        owner_names = sorted({owner for each in same for owner in each.owners})
        yield JobOutput(name, _bounded(feeds), sources, tuple(owner_names))


def _column_feeds(facet: Mapping[str, Any]) -> Iterator[ColumnFeed]:
    """Yield the feeds of the `columnLineage` facet; a feed without transformations is direct."""
    fields = facet.get("fields")
    for column, detail in fields.items() if isinstance(fields, dict) else ():
        for each in _objects(detail.get("inputFields") if isinstance(detail, dict) else None):
            yield from _feed(column, each, direct=_is_direct(each))
    for each in _objects(facet.get("dataset")):
        yield from _feed(None, each, direct=False)


def _explicit_feeds(facet: Mapping[str, Any]) -> Iterator[ColumnFeed]:
    """Yield the feeds of the `lineage` facet: per column, and from columns that affect every row."""
    fields = facet.get("fields")
    for column, detail in fields.items() if isinstance(fields, dict) else ():
        for each in _objects(detail.get("inputs") if isinstance(detail, dict) else None):
            yield from _feed(column, each, direct=_is_direct(each))
    for each in _objects(facet.get("inputs")):
        if _named(each.get("field")):
            yield from _feed(None, each, direct=False)


def _feed(column: str | None, entry: Mapping[str, Any], *, direct: bool) -> Iterator[ColumnFeed]:
    field = entry.get("field")
    of = root(str(field)) if _named(field) else None
    if (source := _source(entry)) is not None:
        yield ColumnFeed(root(column) if column else None, source, of, direct)


def root(column: str) -> str:
    """Return the column as a graph key: its top-level field in lower case.

    Few producers report the fields of structs, and fewer use a consistent case."""
    return column.partition(".")[0].lower()


def _sources(facet: Mapping[str, Any], feeds: Sequence[ColumnFeed]) -> frozenset[LineageName] | None:
    """Return all sources of the dataset if the `lineage` facet lists its inputs, else None. The list may be empty."""
    if not isinstance(facet.get("inputs"), list):
        return None
    names = {name for each in _objects(facet["inputs"]) if (name := _source(each))}
    return frozenset(names | {feed.source for feed in feeds})


def _source(entry: Mapping[str, Any]) -> LineageName | None:
    """Return the dataset of an entry; None if the entry is a job or lacks a name."""
    namespace, name = entry.get("namespace"), entry.get("name")
    if entry.get("type", "DATASET") != "DATASET" or not (_named(namespace) and _named(name)):
        return None
    return graph_node(str(namespace), str(name))


def _is_direct(entry: Mapping[str, Any]) -> bool:
    """Return whether a value flows: no transformation is reported, or at least one is not INDIRECT."""
    types = [str(each.get("type")).upper() for each in _objects(entry.get("transformations"))]
    return not types or any(each != "INDIRECT" for each in types)


def _bounded(feeds: Sequence[ColumnFeed]) -> tuple[ColumnFeed, ...]:
    distinct = tuple(islice(dict.fromkeys(feeds), MOST_FEEDS + 1))
    return distinct if len(distinct) <= MOST_FEEDS else ()


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _named(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
