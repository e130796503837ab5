"""Derive validation triggers from runs: the datasets concerned and what must be inspected."""

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
# Runs of these types write continuously: their end has no meaning of its own.
UNENDING = frozenset({"STREAMING", "SERVICE"})
WRITES = frozenset({"RUNNING", "COMPLETE"})
# Spark commands that create a table with rows, as in the job names of its listener.
OF_ROWS = ("as_select", "save_into_data_source")
AS_QUERY = re.compile(r"\bas\s*\(?\s*(select|with|values)$", re.IGNORECASE)
Partition = tuple[tuple[str, str], ...]


class TriggerKind(StrEnum):
    """The inspection that a trigger requests."""

    DATA = "data"
    SCHEMA = "schema"
    SUSPECT = "suspect"
    DROPPED = "dropped"
    RENAMED = "renamed"
    ORPHAN = "orphan"


# Task priorities: the smallest runs first.
PRIORITIES = {
    TriggerKind.DATA: 5,
    TriggerKind.SCHEMA: 5,
    TriggerKind.SUSPECT: 6,
    TriggerKind.ORPHAN: 7,
    TriggerKind.DROPPED: 5,
    TriggerKind.RENAMED: 5,
}
WHY = {
    TriggerKind.DATA: "a completed run wrote to it",
    TriggerKind.SCHEMA: "a run redefined its schema",
    TriggerKind.SUSPECT: "a failed run wrote to it",
    TriggerKind.DROPPED: "a run dropped it",
    TriggerKind.RENAMED: "a run renamed it",
    TriggerKind.ORPHAN: "a run that wrote to it never reported its end",
}
STREAMING = "a stream writes to it"
# The schema of a wider table is read from the table instead.
MOST_COLUMNS = 10_000


@dataclass(frozen=True, kw_only=True)
class Trigger:
    """A request to inspect a dataset because of a run.

    `aliases`: other names of the dataset. `partitions`: those that the run named. `reads`: the kind of inspection;
    `why` describes it for people. `streaming`: more data arrives continuously. `columns`: the reported columns by name
    and type if the schema was redefined; () if they were not reported, None if the schema was not redefined.
    `formerly`: previous name of a renamed table."""

    dataset: LineageName
    aliases: tuple[LineageName, ...] = ()
    partitions: tuple[Partition, ...] = ()
    reads: TriggerKind = TriggerKind.DATA
    streaming: bool = False
    columns: tuple[tuple[str, str], ...] | None = None
    formerly: LineageName | None = None

    @property
    def names(self) -> tuple[LineageName, ...]:
        """Return the dataset's name, followed by its aliases."""
        return (self.dataset, *self.aliases)

    @property
    def priority(self) -> int:
        """Return the task's priority; the smallest runs first."""
        return PRIORITIES[self.reads]

    @property
    def why(self) -> str:
        """Return a description of the cause."""
        return STREAMING if self.streaming else WHY[self.reads]


def triggers(run: FoldedRun) -> tuple[Trigger, ...]:
    """Return the triggers of the run so far, one per dataset, sorted by name.

    All outputs of a failed run are suspect. A batch run triggers when it completes, a stream while it runs. Treaty's
    own runs trigger nothing, which prevents an endless loop."""
    if is_ours(run):
        return ()
    if run.failed:
        return _of(run, TriggerKind.SUSPECT)
    if run.processing_type in UNENDING:
        return _of(run) if not WRITES.isdisjoint(run.types) else ()
    return _of(run) if run.completed else ()


def orphaned(run: FoldedRun) -> tuple[Trigger, ...]:
    """Return the triggers of a run that will never report its end.

    Empty if the run has ended, or writes continuously."""
    if is_ours(run) or run.failed or run.completed or run.processing_type in UNENDING:
        return ()
    return _of(run, TriggerKind.ORPHAN)


def of_dataset(event: DatasetEvent) -> Trigger | None:
    """Return the trigger of a dataset event; None if Treaty sent the event.

    The trigger inspects the schema, or reports that the dataset was dropped."""
    if (event.producer or "").startswith(OUR_PRODUCER):
        return None
    dataset = FoldedDataset.of(event.dataset.namespace, event.dataset.name, event.dataset.facets, event.event_time)
    return _trigger(dataset, TriggerKind.DROPPED if _lifecycle(dataset) == "DROP" else TriggerKind.SCHEMA)


def is_ours(run: FoldedRun) -> bool:
    """Return whether the run is one of Treaty's own validations."""
    return run.job_namespace == OUR_NAMESPACE or any(each.startswith(OUR_PRODUCER) for each in run.producers)


def _of(run: FoldedRun, reads: TriggerKind | None = None) -> tuple[Trigger, ...]:
    reads_by_output = [(each, reads or _reads(run, each)) for each in run.outputs]
    streaming = run.processing_type in UNENDING
    requested = [_trigger(each, kind, streaming=streaming) for each, kind in reads_by_output if kind is not None]
    return tuple(_joined(list(same)) for _, same in groupby(sorted(requested, key=_named), key=_named))


def _named(trigger: Trigger) -> LineageName:
    return trigger.dataset


def _reads(run: FoldedRun, dataset: FoldedDataset) -> TriggerKind | None:
    """Return the inspection that the dataset's lifecycle change requires; None if none does."""
    has_statistics = bool(dataset.own_facet("outputStatistics"))
    match _lifecycle(dataset):
        case "DROP":
            return TriggerKind.DROPPED
        case "RENAME":
            return TriggerKind.DATA if has_statistics else TriggerKind.RENAMED if _formerly(dataset) else None
        case "ALTER":
            return TriggerKind.DATA if has_statistics else TriggerKind.SCHEMA
        case "CREATE":
            return TriggerKind.DATA if has_statistics or _queried(run, dataset) else TriggerKind.SCHEMA
    return TriggerKind.DATA


def _queried(run: FoldedRun, dataset: FoldedDataset) -> bool:
    """Return whether a table was created from a query; producers report this in one of several ways."""
    has_inputs = bool(run.inputs) or bool(dataset.facet("columnLineage").get("fields"))
    has_command = any(each in run.job_name.lower() for each in OF_ROWS)
    return has_inputs or has_command or AS_QUERY.search(run.statement) is not None


def _lifecycle(dataset: FoldedDataset) -> str:
    return str(dataset.facet("lifecycleStateChange").get("lifecycleStateChange") or "").upper()


def _trigger(dataset: FoldedDataset, reads: TriggerKind, *, streaming: bool = False) -> Trigger:
    full_name = normalise(dataset.namespace, dataset.name)
    names = [table_name(full_name), *_located(dataset)]
    table = names[0].dataset
    partitions = {each.partition for each in names if each.partition and each.dataset == table} | set(
        _subset_partitions(dataset)
    )
    aliases = {full_name, *symlinks(dataset)} - {table}
    columns = tuple(_columns(dataset)) if reads is TriggerKind.SCHEMA else None
    formerly = _formerly(dataset) if reads is TriggerKind.RENAMED else None
    return Trigger(
        dataset=table,
        aliases=tuple(sorted(aliases)),
        partitions=tuple(sorted(partitions)),
        reads=reads,
        streaming=streaming,
        columns=columns,
        formerly=formerly,
    )


def _joined(same: list[Trigger]) -> Trigger:
    """Merge the triggers of one dataset, whose partitions may be separate outputs; data outranks the schema."""
    aliases = {other for each in same for other in each.aliases}
    partitions = tuple(sorted({partition for each in same for partition in each.partitions}))
    reads = next(each for each in WHY if any(one.reads is each for one in same))
    schemas = [each.columns for each in same if each.columns is not None and each.reads is reads]
    columns = next(filter(None, schemas), () if schemas else None)
    formerly = next((each.formerly for each in same if each.formerly and each.reads is reads), None)
    return Trigger(
        dataset=same[0].dataset,
        aliases=tuple(sorted(aliases)),
        partitions=partitions,
        reads=reads,
        streaming=same[0].streaming,
        columns=columns,
        formerly=formerly,
    )


def _columns(dataset: FoldedDataset) -> Iterator[tuple[str, str]]:
    """Yield the columns in the schema facet with their types ('' if missing); nothing above the limit."""
    fields = dataset.facet("schema").get("fields")
    for each in fields if isinstance(fields, list) and len(fields) <= MOST_COLUMNS else ():
        if isinstance(each, dict) and isinstance(name := each.get("name"), str) and name:
            yield name, kind if isinstance(kind := each.get("type"), str) else ""


def _formerly(dataset: FoldedDataset) -> LineageName | None:
    """Return the previous name of the dataset; None if it was not reported, or did not change."""
    previous_name = previous(dataset)
    return (
        None
        if previous_name in {None, table_name(normalise(dataset.namespace, dataset.name)).dataset}
        else previous_name
    )


def _located(dataset: FoldedDataset) -> Iterator[TrimmedName]:
    """Yield the table and partition of each directory in the subset facet."""
    locations = _condition(dataset).get("locations")
    for location in locations if isinstance(locations, list) else ():
        if isinstance(location, str):
            path = (
                location.partition("://")[2].partition("/")[2] if "://" in location else location.removeprefix("file:")
            )
            yield table_name(normalise(dataset.namespace, path))


def _subset_partitions(dataset: FoldedDataset) -> Iterator[Partition]:
    """Yield the partitions that the subset facet lists by columns."""
    entries = _condition(dataset).get("partitions")
    for each in entries if isinstance(entries, list) else ():
        values = each.get("dimensions") if isinstance(each, dict) else None
        if isinstance(values, dict) and values:
            yield tuple((str(column), str(value)) for column, value in values.items())


def _condition(dataset: FoldedDataset) -> Mapping[str, Any]:
    condition = dataset.own_facet("subset").get("outputCondition")
    return condition if isinstance(condition, dict) else {}
