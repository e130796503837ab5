"""The states of what changed in a table: the answer to the registry's `MeasureRequest`."""

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
from treaty.engine.spark.process.errors import safe_message
from treaty.engine.spark.scan import separate_statements
from treaty.engine.spark.scan.footer_statistics import FooterCounts, footer_counts, scan_remaining
from treaty.engine.spark.scan.separate_statements import OtherDatasets
from treaty.engine.spark.sources import changes, file_arrivals
from treaty.engine.spark.sources.changes import StorageLayout
from treaty.engine.spark.sources.readers import read, resolve_source, schema_of
from treaty.engine.states.bag import ALL, StateBag
from treaty.engine.states.planning.scan_plan import Plan
from treaty.engine.states.state_files import StateFiles

# So many partitions are grouped in one reading: with more groups in a task Spark sorts rows for object aggregates.
AT_ONCE = 128
# Of more partitions that are hinted at, all are read: no list of them is shorter than the table.
MOST_HINTED = 64
# The marker of what nothing marks, with the name of its reading: it changed, for all that is known, at every look.
READ = "read"
NOTHING: frozenset[str] = frozenset()


def measure(session: Any, request: MeasureRequest) -> MeasureResult:
    """The packed states of every partition that changed since `known`. Raises Unreadable, ContractError.

    A partition that cannot be read, while others can, has a bag that says why: its checks are not evaluated."""
    source, promised = resolve_source(request.source), objects(request)
    lies = None if request.arrivals is None else file_arrivals.layout(request.source, request.arrivals)
    lies = lies or changes.layout(session, request.source, look=request.hints, known=request.stored_fingerprints)
    pinned = replace(source, version=lies.at.version) if lies.at and lies.pinned else source
    table = OpenedTable(session=session, request=request, source=pinned, objects=promised, layout=lies)
    if not (lies.fingerprints or lies.at):
        return _unmarked(table)
    return _parted(table) if lies.folders else _whole(table)


@dataclass(frozen=True, kw_only=True)
class OpenedTable:
    """A table, the session that reads it, and the objects whose checks are wanted: the contract's own first."""

    session: Any
    request: MeasureRequest
    source: TableSource
    objects: tuple[DataObject, ...]
    layout: StorageLayout

    def states(
        self, names: Sequence[str] = (), held: frozenset[str] = NOTHING, *, there: bool = True
    ) -> tuple[Schema, dict[str, StateBag]]:
        """The schema and the bags of the named partitions (of all where none is named), without the states `held`.

        `there`: those that are named are there, if only without a row."""
        if self.layout.read_one_by_one:
            return self._alone(names[0], held)
        folders = [folder for name in names for folder in self.layout.folders.get(name, ())]
        frame = read(self.session, self.source, names=names, folders=folders)
        schema = schema_of(frame)
        wanted = self._bound(schema).plan.without(held)
        wanted = replace(wanted, key=self.key)
        by, stated = self.source.partition_by, self._stated(wanted, schema, names)
        expected = names if there else ()
        return schema, scan_remaining(frame, wanted, stated, partition_by=by, expected=expected, others=self.datasets)

    def _bound(self, schema: Schema) -> BoundChecks:
        return bind_all(self.objects, schema)

    def _alone(self, name: str, held: frozenset[str]) -> tuple[Schema, dict[str, StateBag]]:
        schema, bags = replace(self, layout=self.layout.only(name)).states(("",), held)
        return schema, {name: bags[""]}

    def _stated(self, wanted: Plan, schema: Schema, names: Sequence[str]) -> FooterCounts:
        """What the files' own statistics tell of the named partitions: nothing where they are no plain Parquet."""
        plain = self.source.format == "parquet" and is_path(self.source.location)
        if not (self.request.statistics and plain and self.layout.files):
            return FooterCounts(wanted)
        files = {name: self.layout.files[name] for name in names or self.layout.files}
        return footer_counts(wanted, self.source.location, files, schema)

    @cached_property
    def key(self) -> HashKey:
        """What values of classified columns are hashed with: one key for all that is read."""
        return self.request.key or transient_key()

    @cached_property
    def datasets(self) -> OtherDatasets:
        """The other datasets that the contract's checks read."""
        return separate_statements.open_datasets(self.session, self.request.datasets)

    def measured(self, marks: dict[str, str], read: "TableReadings") -> MeasureResult:
        """The bags packed, and what is read of all rows; what is known and has no mark has vanished."""
        vanished = tuple(sorted(self.request.stored_fingerprints.keys() - marks.keys()))
        judged = marks and not read.remaining and (read.bags or vanished or self.request.reread_whole)
        whole = self._whole(read.schema) if judged else None
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
        """The marker of a partition that cannot be read, which no reading has; of an arrival it names its files."""
        return f"{UNREAD} {self.layout.fingerprints[name]}" if self.layout.read_one_by_one else UNREAD

    def _packed(self, bags: Mapping[str, StateBag]) -> dict[str, bytes]:
        files = StateFiles(self.request.state_url) if self.request.state_url else None
        return {name: bag.pack(files) for name, bag in sorted(bags.items())}

    def _columns(self) -> tuple[tuple[str, str], ...]:
        """The columns of the table as it is now, by name and type; () of a folder, as only its files have columns, and
        they are as they were. Raises Unreadable."""
        if is_path(self.source.location) and not self.layout.at:
            return ()
        return tuple((each.name, each.type) for each in schema_of(read(self.session, self.source)).columns)

    def _whole(self, schema: Schema) -> StateBag | None:
        """What checks need of all rows at once, read as `schema` has it, that of what changed; None: no check does."""
        wanted = self._bound(schema).plan.whole_table
        if schema.columns and not wanted:
            return None
        try:
            frame = self._all_rows()
        except UnreadableTable as error:
            return StateBag({}, schema, {part.key: error.reason for part in wanted})
        plan = self._bound(schema if schema.columns else schema_of(frame)).plan
        return separate_statements.whole_table_states(frame, plan, self.datasets)

    def _all_rows(self) -> Any:
        """The frame of all rows: the table's own, and those of the partitions that it does not replace."""
        frame, beside = read(self.session, self.source), self.request.target_table
        if beside is None:
            return frame
        replaced = partition_names.condition(beside.partition_by, sorted(self.layout.fingerprints))
        try:
            others = read(self.session, resolve_source(beside)).where(f"NOT ({replaced})")
            both = frame.unionByName(others, allowMissingColumns=True)
            _ = both.schema
        except Exception as error:
            raise UnreadableTable(
                f"new and old partitions cannot be read as one table: {safe_message(error)}"
            ) from error
        return both


def _passing(bags: Mapping[str, StateBag]) -> dict[str, bytes]:
    """The states that are only judged by, packed."""
    return {name: states.dump_all() for name, bag in sorted(bags.items()) if (states := bag.passing)}


@dataclass(kw_only=True)
class TableReadings:
    """What was read: bags of the changed partitions, what others lacked, the schema, why some could not be read.

    `remaining`: how many are left for another request."""

    schema: Schema = field(default_factory=lambda: Schema(()))
    bags: dict[str, StateBag] = field(default_factory=dict)
    added: dict[str, StateBag] = field(default_factory=dict)
    unread: dict[str, UnreadableTable] = field(default_factory=dict)
    remaining: int = 0


def _whole(table: OpenedTable) -> MeasureResult:
    """Partitions that are columns, or none: the files tell only that something changed, so all is read again."""
    marker, before, held = (
        table.layout.fingerprints.get("", UNREAD),
        table.request.stored_fingerprints,
        table.request.stored_keys,
    )
    if not before or set(before.values()) != {marker}:
        schema, bags = table.states()
        return table.measured(dict.fromkeys(bags, marker), TableReadings(schema=schema, bags=bags))
    readings = TableReadings()
    if held:
        readings.schema, bags = table.states(held=frozenset.intersection(*held.values()))
        readings.added = {name: bag for name, bag in bags.items() if name in held}
    return table.measured(dict(before), readings)


def _unmarked(table: OpenedTable) -> MeasureResult:
    """Nothing tells what changed, as in a view: what the hint names is read, else what the contract says."""
    before, look = table.request.stored_fingerprints, table.request.hints
    marker = f"{READ} {look.reading}" if look.reading else UNREAD
    names, how = _bounded(table)
    schema, bags = table.states(names, there=False)
    gone = set(names) - bags.keys()
    if not gone <= before.keys():
        # A value that is written otherwise than the table has it names nothing there: then it tells nothing.
        names, how = (), DetectionMethod.POLICY
        schema, bags = table.states()
    others = {name: mark for name, mark in before.items() if name not in (gone | bags.keys())} if names else {}
    marks = {**others, **dict.fromkeys(bags, marker)}
    return replace(table.measured(marks, TableReadings(schema=schema, bags=bags)), method=how)


def _bounded(table: OpenedTable) -> tuple[Sequence[str], DetectionMethod]:
    """The partitions to look at, () for all, and who says so. All are where states lack, before any are known, and
    where no partition is newer than another."""
    request, look = table.request, table.request.hints
    if (
        not table.source.partition_by
        or not request.stored_fingerprints
        or "" in request.stored_fingerprints
        or request.stored_keys
    ):
        return (), DetectionMethod.POLICY
    if look.hint.partitions is not None and look.hint.method is not None:
        return (
            (look.hint.partitions, look.hint.method)
            if len(look.hint.partitions) <= MOST_HINTED
            else ((), DetectionMethod.POLICY)
        )
    if look.newest_count is None or not any(map(partition_names.is_dated, request.stored_fingerprints)):
        return (), DetectionMethod.POLICY
    return partition_names.newest(
        read(table.session, table.source), table.source.partition_by, look.newest_count
    ), DetectionMethod.POLICY


def _parted(table: OpenedTable) -> MeasureResult:
    readings = TableReadings()
    passed = table.request.skipped_partitions & table.layout.fingerprints.keys()
    changed = [name for name in table.layout.changed(table.request.stored_fingerprints) if name not in passed]
    lacking = _lacking(table)
    now = [*lacking, *changed][: table.request.portion]
    readings.remaining = len(lacking) + len(changed) - len(now)
    for held, names in _groups_by_states(table, now[: len(lacking)]):
        _read(table, names, readings, held=held)
    for names in _some(table, now[len(lacking) :]):
        _read(table, names, readings)
    if readings.unread and not (readings.bags or readings.added):
        raise next(iter(readings.unread.values()))
    marks = {**table.layout.fingerprints, **{name: table.unread(name) for name in (*readings.unread, *passed)}}
    for name, error in readings.unread.items():
        readings.bags[name] = StateBag({}, failures={ALL: error.reason})
    return table.measured(marks, readings)


def _lacking(table: OpenedTable) -> list[str]:
    """The partitions that did not change and lack states."""
    request, marks = table.request, table.layout.fingerprints
    return sorted(
        name for name in request.stored_keys if name in marks and marks[name] == request.stored_fingerprints.get(name)
    )


def _groups_by_states(table: OpenedTable, lacking: Sequence[str]) -> Iterator[tuple[frozenset[str], Sequence[str]]]:
    """Those that are read together: they have the same states."""
    alike: dict[frozenset[str], list[str]] = {}
    for name in lacking:
        alike.setdefault(table.request.stored_keys[name], []).append(name)
    return ((held, some) for held, names in alike.items() for some in _some(table, names))


def _some(table: OpenedTable, names: Sequence[str]) -> Iterator[Sequence[str]]:
    most = 1 if table.layout.read_one_by_one else AT_ONCE
    return (names[start : start + most] for start in range(0, len(names), most))


def _read(
    table: OpenedTable, names: Sequence[str], readings: TableReadings, *, held: frozenset[str] | None = None
) -> None:
    """Reads the partitions together; halves them while they cannot be: damage and other schemas are then alone."""
    try:
        schema, bags = table.states(names, held or NOTHING)
    except UnreadableTable as error:
        if len(names) == 1:
            readings.unread[names[0]] = error
            return
        middle = len(names) // 2
        _read(table, names[:middle], readings, held=held)
        _read(table, names[middle:], readings, held=held)
    else:
        readings.schema = schema
        (readings.bags if held is None else readings.added).update(bags)
