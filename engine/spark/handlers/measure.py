"""Compute the states of changed partitions: the handler of `MeasureRequest`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from treaty.contracts.document.model import DataObject
from treaty.contracts.schema import Schema
from treaty.engine.checks.binding import bind_all
from treaty.engine.checks.bound_check import BoundChecks
from treaty.engine.core.errors import UnreadableTable
from treaty.engine.core.filesystems import is_path
from treaty.engine.core.hash_key import HashKey, transient_key
from treaty.engine.core.partitions import partition_names
from treaty.engine.protocol.requests import UNREAD, MeasureRequest, MeasureResult, TableSource
from treaty.engine.protocol.write_hints import DetectionMethod
from treaty.engine.spark.handlers.requested_checks import objects
from treaty.engine.spark.handlers.requested_rows import all_rows
from treaty.engine.spark.scan import separate_statements
from treaty.engine.spark.scan.footer_statistics import FooterCounts, footer_counts, scan_remaining
from treaty.engine.spark.scan.separate_statements import OtherDatasets
from treaty.engine.spark.sources import changes, file_arrivals
from treaty.engine.spark.sources.changes import StorageLayout
from treaty.engine.spark.sources.readers import read, resolve_source, schema_of
from treaty.engine.states.bag import ALL, StateBag
from treaty.engine.states.planning.scan_plan import Plan
from treaty.engine.states.state_files import StateFiles

# Partitions grouped in one scan: with more groups per task Spark sorts the rows of object aggregates.
AT_ONCE = 128
# If a hint names more partitions, all are read: filtering by so long a list is not worth it.
MOST_HINTED = 64
# Fingerprint of data that has none, followed by the name of its reading: it counts as changed every time.
READ = "read"
NOTHING: frozenset[str] = frozenset()


def measure(session: Any, request: MeasureRequest) -> MeasureResult:
    """Compute the packed states of every partition that changed since the stored fingerprints.

    Raises UnreadableTable, ContractError. A partition that cannot be read while others can gets a bag that holds the
    reason: its checks are not evaluated."""
    source, data_objects = resolve_source(request.source), objects(request)
    storage = None if request.arrivals is None else file_arrivals.layout(request.source, request.arrivals)
    storage = storage or changes.layout(
        session, request.source, look=request.hints, stored_fingerprints=request.stored_fingerprints
    )
    pinned = replace(source, version=storage.at.version) if storage.at and storage.pinned else source
    table = OpenedTable(session=session, request=request, source=pinned, objects=data_objects, layout=storage)
    if not (storage.fingerprints or storage.at):
        return _unmarked(table)
    return _parted(table) if storage.folders else _whole(table)


@dataclass(frozen=True, kw_only=True)
class OpenedTable:
    """A table, its session and the objects whose checks are computed: the contract's own first."""

    session: Any
    request: MeasureRequest
    source: TableSource
    objects: tuple[DataObject, ...]
    layout: StorageLayout

    def states(
        self, names: Sequence[str] = (), stored: frozenset[str] = NOTHING, *, there: bool = True
    ) -> tuple[Schema, dict[str, StateBag]]:
        """Return the schema and the bags of the named partitions.

        `names`: empty means all partitions. `stored`: keys of states that are already stored and not computed.
        `there`: the named partitions exist, even without a row."""
        if self.layout.read_one_by_one:
            return self._alone(names[0], stored)
        folders = [folder for name in names for folder in self.layout.folders.get(name, ())]
        frame = read(self.session, self.source, names=names, folders=folders)
        schema = schema_of(frame)
        scan_plan = self._bound(schema).plan.without(stored)
        scan_plan = replace(scan_plan, key=self.key)
        by, stated = self.source.partition_by, self._stated(scan_plan, schema, names)
        expected = names if there else ()
        return schema, scan_remaining(
            frame, scan_plan, stated, partition_by=by, expected=expected, other_datasets=self.datasets
        )

    def _bound(self, schema: Schema) -> BoundChecks:
        return bind_all(self.objects, schema)

    def _alone(self, name: str, stored: frozenset[str]) -> tuple[Schema, dict[str, StateBag]]:
        schema, bags = replace(self, layout=self.layout.only(name)).states(("",), stored)
        return schema, {name: bags[""]}

    def _stated(self, plan: Plan, schema: Schema, names: Sequence[str]) -> FooterCounts:
        """Return what the Parquet footers of the named partitions state; nothing unless the files are plain Parquet."""
        plain = self.source.format == "parquet" and is_path(self.source.location)
        if not (self.request.statistics and plain and self.layout.files):
            return FooterCounts(plan)
        files = {name: self.layout.files[name] for name in names or self.layout.files}
        return footer_counts(plan, self.source.location, files, schema)

    @cached_property
    def key(self) -> HashKey:
        """Return the key that hashes values of classified columns: one key for the whole reading."""
        return self.request.key or transient_key()

    @cached_property
    def datasets(self) -> OtherDatasets:
        """Return the other datasets that the contract's checks read."""
        return separate_statements.open_datasets(self.session, self.request.datasets)

    def measured(self, marks: dict[str, str], read: "TableReadings") -> MeasureResult:
        """Pack the bags and the whole-table states into a result; stored partitions without a mark have vanished."""
        vanished = tuple(sorted(self.request.stored_fingerprints.keys() - marks.keys()))
        needs_whole = marks and not read.remaining and (read.bags or vanished or self.request.reread_whole)
        whole = self._whole(read.schema) if needs_whole else None
        return MeasureResult(
            schema=read.schema,
            fingerprints=marks,
            states=self._packed(read.bags),
            vanished=vanished,
            added=self._packed(read.added),
            remaining=read.remaining,
            whole_table_states=whole.dump_all() if whole else None,
            transient_states=_passing({**read.added, **read.bags}),
            referents=separate_statements.referents(self.objects[0], self.datasets)
            if self.request.reference_limits
            else {},
            method=self.layout.method,
            table_version=self.layout.at,
            pinned=self.layout.pinned,
            is_outdated=self.layout.is_outdated,
            columns=self._columns() if self.request.columns and not read.schema.columns else (),
        )

    def unread(self, name: str) -> str:
        """Return the fingerprint of a partition that cannot be read, which no reading has; for an arrival it names its
        files."""
        return f"{UNREAD} {self.layout.fingerprints[name]}" if self.layout.read_one_by_one else UNREAD

    def _packed(self, bags: Mapping[str, StateBag]) -> dict[str, bytes]:
        files = StateFiles(self.request.state_url) if self.request.state_url else None
        return {name: bag.pack(files) for name, bag in sorted(bags.items())}

    def _columns(self) -> tuple[tuple[str, str], ...]:
        """Return the current columns of the table by name and type.

        () for a folder without a table format: only its files have columns, and they did not change. Raises
        UnreadableTable."""
        if is_path(self.source.location) and not self.layout.at:
            return ()
        return tuple((each.name, each.type) for each in schema_of(read(self.session, self.source)).columns)

    def _whole(self, schema: Schema) -> StateBag | None:
        """Compute the states that need all rows at once; None if no check needs them.

        `schema`: schema of the changed partitions; if it is empty, that of all rows is used."""
        components = self._bound(schema).plan.whole_table
        if schema.columns and not components:
            return None
        try:
            frame = self._all_rows()
        except UnreadableTable as error:
            return StateBag({}, schema, {part.key: error.reason for part in components})
        plan = self._bound(schema if schema.columns else schema_of(frame)).plan
        return separate_statements.whole_table_states(frame, plan, self.datasets)

    def _all_rows(self) -> Any:
        """Return the frame of all rows, with the remaining ones of the target table."""
        return all_rows(self.session, self.source, self.request.target_table, self.layout.fingerprints)


def _passing(bags: Mapping[str, StateBag]) -> dict[str, bytes]:
    """Pack the transient states: those used for evaluation and never stored."""
    return {name: states.dump_all() for name, bag in sorted(bags.items()) if (states := bag.passing)}


@dataclass(kw_only=True)
class TableReadings:
    """Bags of changed partitions, added states of others, the schema, and errors of unreadable partitions.

    `remaining`: number of partitions left for another request."""

    schema: Schema = field(default_factory=lambda: Schema(()))
    bags: dict[str, StateBag] = field(default_factory=dict)
    added: dict[str, StateBag] = field(default_factory=dict)
    unread: dict[str, UnreadableTable] = field(default_factory=dict)
    remaining: int = 0


def _whole(table: OpenedTable) -> MeasureResult:
    """Measure a table whose partitions are columns, or that has none: the files only show that something changed."""
    marker, before, stored_keys = (
        table.layout.fingerprints.get("", UNREAD),
        table.request.stored_fingerprints,
        table.request.stored_keys,
    )
    if not before or set(before.values()) != {marker}:
        schema, bags = table.states()
        return table.measured(dict.fromkeys(bags, marker), TableReadings(schema=schema, bags=bags))
    readings = TableReadings()
    if stored_keys:
        readings.schema, bags = table.states(stored=frozenset.intersection(*stored_keys.values()))
        readings.added = {name: bag for name, bag in bags.items() if name in stored_keys}
    return table.measured(dict(before), readings)


def _unmarked(table: OpenedTable) -> MeasureResult:
    """Measure a table without fingerprints, such as a view.

    The partitions that the hint names are read, else those that the contract's policy selects."""
    before, hints = table.request.stored_fingerprints, table.request.hints
    marker = f"{READ} {hints.reading}" if hints.reading else UNREAD
    names, method = _bounded(table)
    schema, bags = table.states(names, there=False)
    gone = set(names) - bags.keys()
    if not gone <= before.keys():
        # A value written in another form than in the table matches no partition, so the hint cannot be used.
        names, method = (), DetectionMethod.POLICY
        schema, bags = table.states()
    unread_marks = {name: mark for name, mark in before.items() if name not in (gone | bags.keys())} if names else {}
    marks = {**unread_marks, **dict.fromkeys(bags, marker)}
    return replace(table.measured(marks, TableReadings(schema=schema, bags=bags)), method=method)


def _bounded(table: OpenedTable) -> tuple[Sequence[str], DetectionMethod]:
    """Return the partitions to read, () for all, and how they were determined.

    All are read if states are missing, if no fingerprint is stored yet, or if no partition is newer than another."""
    request, hints = table.request, table.request.hints
    if (
        not table.source.partition_by
        or not request.stored_fingerprints
        or "" in request.stored_fingerprints
        or request.stored_keys
    ):
        return (), DetectionMethod.POLICY
    if hints.hint.partitions is not None and hints.hint.method is not None:
        return (
            (hints.hint.partitions, hints.hint.method)
            if len(hints.hint.partitions) <= MOST_HINTED
            else ((), DetectionMethod.POLICY)
        )
    if hints.newest_count is None or not any(map(partition_names.is_dated, request.stored_fingerprints)):
        return (), DetectionMethod.POLICY
    return partition_names.newest(
        read(table.session, table.source), table.source.partition_by, hints.newest_count
    ), DetectionMethod.POLICY


def _parted(table: OpenedTable) -> MeasureResult:
    readings = TableReadings()
    skipped = table.request.skipped_partitions & table.layout.fingerprints.keys()
    changed = [name for name in table.layout.changed(table.request.stored_fingerprints) if name not in skipped]
    lacking = _lacking(table)
    now = [*lacking, *changed][: table.request.portion]
    readings.remaining = len(lacking) + len(changed) - len(now)
    for stored_keys, names in _groups_by_states(table, now[: len(lacking)]):
        _read(table, names, readings, stored=stored_keys)
    for names in _some(table, now[len(lacking) :]):
        _read(table, names, readings)
    if readings.unread and not (readings.bags or readings.added):
        raise next(iter(readings.unread.values()))
    marks = {**table.layout.fingerprints, **{name: table.unread(name) for name in (*readings.unread, *skipped)}}
    for name, error in readings.unread.items():
        readings.bags[name] = StateBag({}, failures={ALL: error.reason})
    return table.measured(marks, readings)


def _lacking(table: OpenedTable) -> list[str]:
    """Return the unchanged partitions that lack states."""
    request, marks = table.request, table.layout.fingerprints
    return sorted(
        name for name in request.stored_keys if name in marks and marks[name] == request.stored_fingerprints.get(name)
    )


def _groups_by_states(table: OpenedTable, lacking: Sequence[str]) -> Iterator[tuple[frozenset[str], Sequence[str]]]:
    """Group partitions that have the same states: they are read together."""
    by_keys: dict[frozenset[str], list[str]] = {}
    for name in lacking:
        by_keys.setdefault(table.request.stored_keys[name], []).append(name)
    return ((stored_keys, some) for stored_keys, names in by_keys.items() for some in _some(table, names))


def _some(table: OpenedTable, names: Sequence[str]) -> Iterator[Sequence[str]]:
    most = 1 if table.layout.read_one_by_one else AT_ONCE
    return (names[start : start + most] for start in range(0, len(names), most))


def _read(
    table: OpenedTable, names: Sequence[str], readings: TableReadings, *, stored: frozenset[str] | None = None
) -> None:
    """Read the partitions in one scan, or in halves while that fails: faulty partitions are isolated."""
    try:
        schema, bags = table.states(names, stored or NOTHING)
    except UnreadableTable as error:
        if len(names) == 1:
            readings.unread[names[0]] = error
            return
        middle = len(names) // 2
        _read(table, names[:middle], readings, stored=stored)
        _read(table, names[middle:], readings, stored=stored)
    else:
        readings.schema = schema
        (readings.bags if stored is None else readings.added).update(bags)
