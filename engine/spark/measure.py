"""The states of what changed in a table: the answer to the registry's `MeasureRequest`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from contracts.document import Contract
from contracts.logical_types import Schema
from contracts.reading import read as read_contract
from engine.checks import BoundChecks, bind
from engine.files import StateFiles
from engine.filesystems import is_path
from engine.requests import Measured, MeasureRequest, Source, Unreadable
from engine.spark import apart, changes
from engine.spark.apart import Others
from engine.spark.changes import Layout
from engine.spark.sources import read, resolved, schema_of
from engine.spark.statistics import Known, counted, known
from engine.states import ALL, States

UNREAD = "unread"


def measure(session: Any, request: MeasureRequest) -> Measured:
    """The packed states of every partition that changed since `known`. Raises Unreadable, ContractError.

    A partition that cannot be read, while others can, has a bag that says why: its checks are not evaluated."""
    source, contract = resolved(request.source), read_contract(request.contract)
    table = Table(session, request, source, contract, changes.layout(session, request.source))
    return _parted(table) if table.lies.folders else _whole(table)


@dataclass(frozen=True)
class Table:
    """A table, the session that reads it, and the contract whose checks are wanted."""

    session: Any
    request: MeasureRequest
    source: Source
    contract: Contract
    lies: Layout

    def states(self, names: Sequence[str] = (), folders: Sequence[str] = ()) -> tuple[Schema, dict[str, States]]:
        """The schema and the bags of the named partitions, of all where none is named."""
        frame = read(self.session, self.source, names=names, folders=folders)
        checks = bind(self.contract.object(self.request.object), schema_of(frame))
        by, stated = self.source.partition_by, self._stated(checks, names)
        bags = counted(frame, checks.plan, stated, partition_by=by, expected=names, others=self.others)
        return checks.schema, bags

    def _stated(self, checks: BoundChecks, names: Sequence[str]) -> Known:
        """What the files' own statistics tell of the named partitions: nothing where they are no plain Parquet."""
        plain = self.source.format == "parquet" and is_path(self.source.location)
        if not (self.request.statistics and plain and self.lies.files):
            return Known(checks.plan)
        files = {name: self.lies.files[name] for name in names or self.lies.files}
        return known(checks.plan, self.source.location, files, checks.schema)

    @cached_property
    def others(self) -> Others:
        """The other datasets that the contract's checks read."""
        return apart.opened(self.session, self.request.others)

    def measured(self, schema: Schema, marks: dict[str, str], bags: dict[str, States]) -> Measured:
        """The bags packed, and what is read of all rows; what is known and has no mark has vanished."""
        files = StateFiles(self.request.state_url) if self.request.state_url else None
        packed = {name: bag.pack(files) for name, bag in sorted(bags.items())}
        vanished = tuple(sorted(self.request.known.keys() - marks.keys()))
        whole = self._whole(schema) if marks and (bags or vanished) else None
        chosen = self.contract.object(self.request.object)
        referents = apart.referents(chosen, self.others) if self.request.limits else {}
        return Measured(schema, marks, packed, vanished, whole.pack() if whole else None, referents)

    def _whole(self, schema: Schema) -> States | None:
        """What checks need of all rows at once, read as `schema` has it, that of what changed; None: no check does."""
        chosen = self.contract.object(self.request.object)
        wanted = bind(chosen, schema).plan.whole
        if schema.columns and not wanted:
            return None
        try:
            frame = read(self.session, self.source)
        except Unreadable as error:
            return States({}, schema, {part.key: error.reason for part in wanted})
        plan = bind(chosen, schema if schema.columns else schema_of(frame)).plan
        return apart.whole(frame, plan, self.others)


def _whole(table: Table) -> Measured:
    """Partitions that are columns, or none: the files tell only that something changed, so all is read again."""
    marker, before = table.lies.fingerprints.get(""), table.request.known
    if marker is not None and before and set(before.values()) == {marker}:
        return table.measured(Schema(()), dict(before), {})
    schema, bags = table.states()
    return table.measured(schema, dict.fromkeys(bags, marker or UNREAD), bags)


@dataclass
class Readings:
    """What was read of the changed partitions: the schema of the newest, all bags, and why some could not be read."""

    schema: Schema = field(default_factory=lambda: Schema(()))
    bags: dict[str, States] = field(default_factory=dict)
    unread: dict[str, Unreadable] = field(default_factory=dict)


def _parted(table: Table) -> Measured:
    readings, names = Readings(), table.lies.changed(table.request.known)
    if names:
        _read(table, names, readings)
    if readings.unread and not readings.bags:
        raise next(iter(readings.unread.values()))
    marks = {**table.lies.fingerprints, **dict.fromkeys(readings.unread, UNREAD)}
    failed = {name: States({}, failures={ALL: error.reason}) for name, error in readings.unread.items()}
    return table.measured(readings.schema, marks, {**readings.bags, **failed})


def _read(table: Table, names: Sequence[str], readings: Readings) -> None:
    """Reads the partitions together; halves them while they cannot be: damage and other schemas are then alone."""
    try:
        schema, bags = table.states(names, [folder for name in names for folder in table.lies.folders[name]])
    except Unreadable as error:
        if len(names) == 1:
            readings.unread[names[0]] = error
            return
        middle = len(names) // 2
        _read(table, names[:middle], readings)
        _read(table, names[middle:], readings)
    else:
        readings.schema = schema
        readings.bags.update(bags)
