"""Where data flow, as a run tells it: what it read and wrote, and which columns feed which. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any, NamedTuple

from treaty.registry.datasets.names import LineageName, normalise, table_name
from treaty.registry.lineage.events.links import LONGEST
from treaty.registry.lineage.events.run_state import FoldedDataset, FoldedRun

# What an output says of its columns beyond so many feeds is left out: it is then told as one that says nothing.
MOST_FEEDS = 20_000
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
FAILED, OPEN, COMPLETED = range(3)


class ColumnFeed(NamedTuple):
    """That a column of an input feeds one of the output. `column` None: every row of it; `of` None: any column.

    `direct` False: by what it decides (a filter, a join, an order), not by its value."""

    column: str | None
    source: LineageName
    of: str | None
    direct: bool = True


@dataclass(frozen=True)
class JobOutput:
    """A dataset as a job writes it. `feeds`: what is told of its columns; () for nothing. `sources`: all that feeds it,
    where that was told; None: everything that the job reads may."""

    name: LineageName
    feeds: tuple[ColumnFeed, ...] = ()
    sources: frozenset[LineageName] | None = None
    owners: tuple[str, ...] = ()


@dataclass(frozen=True)
class JobFlow:
    """What a job reads and writes."""

    inputs: frozenset[LineageName] = frozenset()
    outputs: tuple[JobOutput, ...] = ()


class RunRank(NamedTuple):
    """Which of a job's runs speaks for it: the greatest. Completed ones before open ones before those that failed."""

    run_rank: int
    run_time: datetime
    run_id: str


def rank(run: FoldedRun) -> RunRank:
    """The run's rank among those of its job."""
    grade = FAILED if run.failed else COMPLETED if run.completed else OPEN
    return RunRank(grade, run.ended or run.started or BEGINNING, run.run_id)


def tells(run: FoldedRun) -> bool:
    """Whether the run said anything of datasets. What was said once was said, whatever was deleted later."""
    return bool(run.inputs or run.outputs or "lineage" in run.job_facets)


def graph_node(namespace: str, name: str) -> LineageName:
    """The dataset's name in the graph: one spelling, that of the table where a partition's path was named."""
    return table_name(normalise(namespace, name)).dataset


def flow_of_run(run: FoldedRun) -> JobFlow:
    """What the run reads and writes, by all that its events told."""
    told = {each.name: each for each in _joined([*map(_output, run.outputs), *_declared(run)])}
    fed = {feed.source for each in told.values() for feed in each.feeds}
    listed = {source for each in told.values() for source in each.sources or ()}
    read = {graph_node(each.namespace, each.name) for each in run.inputs} | fed | listed | _job_inputs(run)
    return JobFlow(frozenset(filter(_fits, read)), tuple(told[name] for name in sorted(filter(_fits, told))))


def _fits(name: LineageName) -> bool:
    """Whether a database can keep the name as a key."""
    return len(str(name)) <= LONGEST


def owners(facet: Mapping[str, Any]) -> tuple[str, ...]:
    """Who an ownership facet names, in its order."""
    return tuple(each["name"] for each in _objects(facet.get("owners")) if _named(each.get("name")))


def _output(dataset: FoldedDataset) -> JobOutput:
    lineage, columns = dataset.facet("lineage"), dataset.facet("columnLineage")
    feeds = [*_column_feeds(columns), *_explicit_feeds(lineage)]
    told = owners(dataset.facet("ownership"))
    return JobOutput(graph_node(dataset.namespace, dataset.name), _bounded(feeds), _sources(lineage, feeds), told)


def _declared(run: FoldedRun) -> Iterator[JobOutput]:
    """The datasets that the job's own lineage facet speaks of."""
    for each in _objects(run.job_facet("lineage").get("entries")):
        if each.get("type") == "DATASET" and (name := _source(each)):
            feeds = list(_explicit_feeds(each))
            yield JobOutput(name, _bounded(feeds), _sources(each, feeds))


def _job_inputs(run: FoldedRun) -> set[LineageName]:
    """What the job's own lineage facet says that the job reads, without saying what for."""
    entries = _objects(run.job_facet("lineage").get("entries"))
    own = (each for each in entries if each.get("type") == "JOB" and each.get("name") in {None, run.job_name})
    return {name for each in own for given in _objects(each.get("inputs")) if (name := _source(given))}


def _joined(outputs: Sequence[JobOutput]) -> Iterator[JobOutput]:
    """One output a dataset: its partitions may have been told as datasets of their own."""
    told: dict[LineageName, list[JobOutput]] = {}
    for each in outputs:
        told.setdefault(each.name, []).append(each)
    for name, same in told.items():
        listed = [each.sources for each in same if each.sources is not None]
        sources = frozenset[LineageName]().union(*listed) if listed else None
        feeds = sorted({feed for each in same for feed in each.feeds}, key=repr)
        named = sorted({owner for each in same for owner in each.owners})
        yield JobOutput(name, _bounded(feeds), sources, tuple(named))


def _column_feeds(facet: Mapping[str, Any]) -> Iterator[ColumnFeed]:
    """What the columnLineage facet tells; without a word of how, a column is fed directly."""
    fields = facet.get("fields")
    for column, told in fields.items() if isinstance(fields, dict) else ():
        for each in _objects(told.get("inputFields") if isinstance(told, dict) else None):
            yield from _feed(column, each, direct=_is_direct(each))
    for each in _objects(facet.get("dataset")):
        yield from _feed(None, each, direct=False)


def _explicit_feeds(facet: Mapping[str, Any]) -> Iterator[ColumnFeed]:
    """What the lineage facet tells of columns, and of columns that affect every row."""
    fields = facet.get("fields")
    for column, told in fields.items() if isinstance(fields, dict) else ():
        for each in _objects(told.get("inputs") if isinstance(told, dict) else None):
            yield from _feed(column, each, direct=_is_direct(each))
    for each in _objects(facet.get("inputs")):
        if _named(each.get("field")):
            yield from _feed(None, each, direct=False)


def _feed(column: str | None, given: Mapping[str, Any], *, direct: bool) -> Iterator[ColumnFeed]:
    field = given.get("field")
    of = root(str(field)) if _named(field) else None
    if (source := _source(given)) is not None:
        yield ColumnFeed(root(column) if column else None, source, of, direct)


def root(column: str) -> str:
    """The column as the graph knows it: fields of structs are told apart by few producers, the case by fewer."""
    return column.partition(".")[0].lower()


def _sources(facet: Mapping[str, Any], feeds: Sequence[ColumnFeed]) -> frozenset[LineageName] | None:
    """All that feeds the dataset, where the lineage facet lists it; an empty list is one, too."""
    if not isinstance(facet.get("inputs"), list):
        return None
    listed = {name for each in _objects(facet["inputs"]) if (name := _source(each))}
    return frozenset(listed | {feed.source for feed in feeds})


def _source(given: Mapping[str, Any]) -> LineageName | None:
    """The dataset that an entry names; None for jobs, and where a name is missing."""
    namespace, name = given.get("namespace"), given.get("name")
    if given.get("type", "DATASET") != "DATASET" or not (_named(namespace) and _named(name)):
        return None
    return graph_node(str(namespace), str(name))


def _is_direct(given: Mapping[str, Any]) -> bool:
    """Whether a value flows. Of several transformations one that is direct is enough, and so is none."""
    told = [str(each.get("type")).upper() for each in _objects(given.get("transformations"))]
    return not told or any(each != "INDIRECT" for each in told)


def _bounded(feeds: Sequence[ColumnFeed]) -> tuple[ColumnFeed, ...]:
    kept = tuple(islice(dict.fromkeys(feeds), MOST_FEEDS + 1))
    return kept if len(kept) <= MOST_FEEDS else ()


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _named(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
