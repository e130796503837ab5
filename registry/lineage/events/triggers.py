"""Which runs ask for a validation, of which datasets, and what of them is to be looked at."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Any

from treaty.registry.datasets.names import LineageName, TrimmedName, normalise, table_name
from treaty.registry.lineage.events.links import previous, symlinks
from treaty.registry.lineage.events.model import DatasetEvent
from treaty.registry.lineage.events.run_state import FoldedDataset, FoldedRun

OUR_NAMESPACE = "treaty"
OUR_PRODUCER = "https://treaty.example/"
# Runs of these kinds write all the time: their end, if it comes, is no moment of its own.
UNENDING = frozenset({"STREAMING", "SERVICE"})
WRITES = frozenset({"RUNNING", "COMPLETE"})
# Spark's commands that make a table of rows, as its listener names jobs.
OF_ROWS = ("as_select", "save_into_data_source")
AS_QUERY = re.compile(r"\bas\s*\(?\s*(select|with|values)$", re.IGNORECASE)
Partition = tuple[tuple[str, str], ...]


class TriggerKind(StrEnum):
    """What a trigger asks to look at."""

    DATA = "data"
    SCHEMA = "schema"
    SUSPECT = "suspect"
    DROPPED = "dropped"
    RENAMED = "renamed"
    ORPHAN = "orphan"


# As tasks have them: the smaller comes first.
PRIORITIES = {
    TriggerKind.DATA: 5,
    TriggerKind.SCHEMA: 5,
    TriggerKind.SUSPECT: 6,
    TriggerKind.ORPHAN: 7,
    TriggerKind.DROPPED: 5,
    TriggerKind.RENAMED: 5,
}
WHY = {
    TriggerKind.DATA: "a run wrote to it and completed",
    TriggerKind.SCHEMA: "its definition was told anew",
    TriggerKind.SUSPECT: "a run that wrote to it failed",
    TriggerKind.DROPPED: "a run dropped it",
    TriggerKind.RENAMED: "a run renamed it",
    TriggerKind.ORPHAN: "a run that wrote to it never told its end",
}
STREAMING = "a stream writes to it"
# A table of more columns than these is told by reading it.
MOST_COLUMNS = 10_000


@dataclass(frozen=True, kw_only=True)
class Trigger:
    """A dataset that a run was about: its name, other names it goes by, and the partitions the run spoke of.

    `reads` says what is to be looked at, `why` says it for people. `streaming`: more comes all the time. `columns`:
    where its definition was told anew, those that the table has now, by name and type; () where nobody said which, None
    where it was not. `formerly`: what a table was called that was renamed."""

    dataset: LineageName
    aliases: tuple[LineageName, ...] = ()
    partitions: tuple[Partition, ...] = ()
    reads: TriggerKind = TriggerKind.DATA
    streaming: bool = False
    columns: tuple[tuple[str, str], ...] | None = None
    formerly: LineageName | None = None

    @property
    def names(self) -> tuple[LineageName, ...]:
        """Its name and the others."""
        return (self.dataset, *self.aliases)

    @property
    def priority(self) -> int:
        """That of its task; the smaller comes first."""
        return PRIORITIES[self.reads]

    @property
    def why(self) -> str:
        """What happened, for people."""
        return STREAMING if self.streaming else WHY[self.reads]


def triggers(run: FoldedRun) -> tuple[Trigger, ...]:
    """What the run asks for by now, in the order of names, one trigger a dataset.

    Of a failed run every output is suspect, whatever else it told. A batch run triggers when it is complete, a stream
    as it runs. None of our own runs (no endless loop)."""
    if is_ours(run):
        return ()
    if run.failed:
        return _of(run, TriggerKind.SUSPECT)
    if run.processing_type in UNENDING:
        return _of(run) if not WRITES.isdisjoint(run.types) else ()
    return _of(run) if run.completed else ()


def orphaned(run: FoldedRun) -> tuple[Trigger, ...]:
    """What to look at where the run will never tell its end. None of a run that did, or that writes all the time."""
    if is_ours(run) or run.failed or run.completed or run.processing_type in UNENDING:
        return ()
    return _of(run, TriggerKind.ORPHAN)


def of_dataset(event: DatasetEvent) -> Trigger | None:
    """What an event about a dataset itself asks for: a look at its schema. None where it is ours."""
    if (event.producer or "").startswith(OUR_PRODUCER):
        return None
    told = FoldedDataset.of(event.dataset.namespace, event.dataset.name, event.dataset.facets, event.event_time)
    return _trigger(told, TriggerKind.DROPPED if _lifecycle(told) == "DROP" else TriggerKind.SCHEMA)


def is_ours(run: FoldedRun) -> bool:
    """Whether the run is one of our own validations."""
    return run.job_namespace == OUR_NAMESPACE or any(each.startswith(OUR_PRODUCER) for each in run.producers)


def _of(run: FoldedRun, reads: TriggerKind | None = None) -> tuple[Trigger, ...]:
    asked = [(each, reads or _reads(run, each)) for each in run.outputs]
    streaming = run.processing_type in UNENDING
    told = [_trigger(each, what, streaming=streaming) for each, what in asked if what is not None]
    return tuple(_joined(list(same)) for _, same in groupby(sorted(told, key=_named), key=_named))


def _named(trigger: Trigger) -> LineageName:
    return trigger.dataset


def _reads(run: FoldedRun, dataset: FoldedDataset) -> TriggerKind | None:
    """What of the dataset is to be looked at by what became of it; None: nothing of it."""
    counted = bool(dataset.own_facet("outputStatistics"))
    match _lifecycle(dataset):
        case "DROP":
            return TriggerKind.DROPPED
        case "RENAME":
            return TriggerKind.DATA if counted else TriggerKind.RENAMED if _formerly(dataset) else None
        case "ALTER":
            return TriggerKind.DATA if counted else TriggerKind.SCHEMA
        case "CREATE":
            return TriggerKind.DATA if counted or _queried(run, dataset) else TriggerKind.SCHEMA
    return TriggerKind.DATA


def _queried(run: FoldedRun, dataset: FoldedDataset) -> bool:
    """Whether a table was created with rows: of a query, which producers tell in one of these ways."""
    read = bool(run.inputs) or bool(dataset.facet("columnLineage").get("fields"))
    named = any(each in run.job_name.lower() for each in OF_ROWS)
    return read or named or AS_QUERY.search(run.statement) is not None


def _lifecycle(dataset: FoldedDataset) -> str:
    return str(dataset.facet("lifecycleStateChange").get("lifecycleStateChange") or "").upper()


def _trigger(dataset: FoldedDataset, reads: TriggerKind, *, streaming: bool = False) -> Trigger:
    full = normalise(dataset.namespace, dataset.name)
    spoken = [table_name(full), *_located(dataset)]
    table = spoken[0].dataset
    partitions = {each.partition for each in spoken if each.partition and each.dataset == table} | set(
        _subset_partitions(dataset)
    )
    others = {full, *symlinks(dataset)} - {table}
    columns = tuple(_columns(dataset)) if reads is TriggerKind.SCHEMA else None
    formerly = _formerly(dataset) if reads is TriggerKind.RENAMED else None
    return Trigger(
        dataset=table,
        aliases=tuple(sorted(others)),
        partitions=tuple(sorted(partitions)),
        reads=reads,
        streaming=streaming,
        columns=columns,
        formerly=formerly,
    )


def _joined(same: list[Trigger]) -> Trigger:
    """Several partitions of one table, written as datasets of their own, are one trigger; data outweigh the schema."""
    others = {other for each in same for other in each.aliases}
    partitions = tuple(sorted({spoken for each in same for spoken in each.partitions}))
    reads = next(each for each in WHY if any(one.reads is each for one in same))
    defined = [each.columns for each in same if each.columns is not None and each.reads is reads]
    columns = next(filter(None, defined), () if defined else None)
    formerly = next((each.formerly for each in same if each.formerly and each.reads is reads), None)
    return Trigger(
        dataset=same[0].dataset,
        aliases=tuple(sorted(others)),
        partitions=partitions,
        reads=reads,
        streaming=same[0].streaming,
        columns=columns,
        formerly=formerly,
    )


def _columns(dataset: FoldedDataset) -> Iterator[tuple[str, str]]:
    """The columns that the schema facet names, with their types as it has them ('' for none); nothing of too many."""
    told = dataset.facet("schema").get("fields")
    for each in told if isinstance(told, list) and len(told) <= MOST_COLUMNS else ():
        if isinstance(each, dict) and isinstance(name := each.get("name"), str) and name:
            yield name, kind if isinstance(kind := each.get("type"), str) else ""


def _formerly(dataset: FoldedDataset) -> LineageName | None:
    """The name that the dataset had before; None where it told none, or has it still."""
    before = previous(dataset)
    return None if before in {None, table_name(normalise(dataset.namespace, dataset.name)).dataset} else before


def _located(dataset: FoldedDataset) -> Iterator[TrimmedName]:
    """The partition directories of the subset facet, as the table and the partition that they mean."""
    places = _condition(dataset).get("locations")
    for place in places if isinstance(places, list) else ():
        if isinstance(place, str):
            path = place.partition("://")[2].partition("/")[2] if "://" in place else place.removeprefix("file:")
            yield table_name(normalise(dataset.namespace, path))


def _subset_partitions(dataset: FoldedDataset) -> Iterator[Partition]:
    """The partitions that the subset facet lists by their columns."""
    listed = _condition(dataset).get("partitions")
    for each in listed if isinstance(listed, list) else ():
        values = each.get("dimensions") if isinstance(each, dict) else None
        if isinstance(values, dict) and values:
            yield tuple((str(column), str(value)) for column, value in values.items())


def _condition(dataset: FoldedDataset) -> Mapping[str, Any]:
    condition = dataset.own_facet("subset").get("outputCondition")
    return condition if isinstance(condition, dict) else {}
