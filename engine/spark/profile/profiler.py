"""Compute profiles with Spark in two scans, or three if texts have too many masks.

Very wide tables are read in portions of columns."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treaty.contracts.document import computed_partitions
from treaty.contracts.document.classification import classified_schema
from treaty.contracts.document.model import DataObject
from treaty.contracts.document.reader import read as read_contract
from treaty.contracts.errors import suggest_nearest
from treaty.contracts.predicates.parser import quote
from treaty.contracts.schema import Schema
from treaty.engine.core.errors import EngineError
from treaty.engine.core.partitions import partition_names
from treaty.engine.profile.document import document
from treaty.engine.profile.second_scan import (
    classes_plan,
    columns_without_masks,
    first_reading,
    mistaken,
    second_plan,
    traits_plan,
    with_second_scan,
    with_text_type,
)
from treaty.engine.profile.table_profile import ColumnProfile, TableProfile, order_partitions, profile_of, profile_plan
from treaty.engine.protocol.progress import ReportProgress
from treaty.engine.protocol.requests import ProfileRequest
from treaty.engine.spark.profile import glance
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.spark.sources import changes
from treaty.engine.spark.sources.readers import read, schema_of
from treaty.engine.states.bag import StateBag
from treaty.engine.states.planning.scan_plan import Plan

# Aggregates per scan: bench/suggestions/profiles.py measures the cost of other numbers.
AGGREGATES = 400
# Partitions grouped per scan: with more groups per task Spark sorts the rows of object aggregates.
PARTITIONS = 128
SEED = 20
Plans = Callable[[Sequence[ColumnProfile]], Plan | None]


def profile(session: Any, request: ProfileRequest, report_progress: ReportProgress) -> Mapping[str, Any]:
    """Return the profile as a JSON document. Raises UnreadableTable, EngineError."""
    return document(history(opened(session, request), request, report_progress), request.object).model_dump(mode="json")


@dataclass(frozen=True)
class ProfiledTable:
    """A table to be profiled.

    `schema`: knows which columns are classified. `names`: the partitions; () if the files do not show them."""

    frame: Any
    schema: Schema
    names: tuple[str, ...]


def opened(session: Any, request: ProfileRequest) -> ProfiledTable:
    """Open the table of the request.

    Raises UnreadableTable, and EngineError for columns or partitions that it does not have."""
    storage = changes.layout(session, request.source)
    if storage.folders:
        refuse_unknown("partition", request.partitions, tuple(storage.folders))
    folders = [folder for name in request.partitions for folder in storage.folders.get(name, ())]
    frame = read(session, request.source, names=request.partitions, folders=folders)
    return opened_frame(frame, request, request.partitions or tuple(sorted(storage.folders)))


def opened_frame(frame: Any, request: ProfileRequest, names: tuple[str, ...] = ()) -> ProfiledTable:
    """Return a frame as a table to be profiled. Raises EngineError for columns it lacks."""
    schema, before = schema_of(frame), _before(request)
    refuse_unknown("column", request.columns, schema.names)
    return ProfiledTable(frame, classified_schema(before, schema) if before else schema, names)


def history(table: ProfiledTable, request: ProfileRequest, report_progress: ReportProgress) -> TableProfile:
    """Profile each partition with all scans; `report_progress` receives the progress before each portion."""
    by = request.source.partition_by
    frame, share = _sampled(table.frame, request.sample, report_progress)
    columns = _glanced(
        table.frame, [profile_of(each, table.schema) for each in _profiled_columns(table.schema, request)]
    )
    scans = _Scans(
        frame=frame, by=by, names=table.names, expected=frozenset(request.partitions), report_progress=report_progress
    )
    profiled = TableProfile(
        columns=(), partitions=order_partitions(scans.read("first scan", columns, profile_plan)), sampled=share
    )
    profiled = profiled.with_states(
        scans.read("first scan, text types", mistaken(columns, profiled.whole), classes_plan)
    )
    measured_columns = tuple(with_second_scan(each, profiled.whole, table.schema) for each in columns)
    profiled = profiled.with_states(scans.read("second scan", measured_columns, second_plan))
    late = columns_without_masks(measured_columns, profiled.whole, table.schema)
    profiled = profiled.with_states(scans.read("third scan", list(late.values()), traits_plan))
    return profiled.with_columns(
        with_text_type(late.get(each.column.name, each), profiled.whole) for each in measured_columns
    )


def _glanced(frame: Any, columns: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """Return the columns, with text columns read as their first rows suggest."""
    texts = glance.texts(frame, [each.column.name for each in columns if each.classes and not each.classified])
    return [first_reading(each) if each.column.name in texts else each for each in columns]


def _profiled_columns(schema: Schema, request: ProfileRequest) -> list[Any]:
    names = request.columns or schema.names
    return [each for each in schema if each.name not in request.source.partition_by and each.name in names]


def _before(request: ProfileRequest) -> DataObject | None:
    """Return the object of the version in force; None if there is no version or it lacks the object."""
    objects = read_contract(request.in_force).objects if request.in_force else ()
    return next((each for each in objects if each.name == request.object), None)


def refuse_unknown(what: str, names: Sequence[str], available: Sequence[str]) -> None:
    """Raise EngineError with the nearest available names if a name is not available."""
    unknown = [name for name in names if name not in available]
    if unknown:
        nearest = " ".join(filter(None, (suggest_nearest(name, available) for name in unknown)))
        raise EngineError(
            f"the table has no {what} {', '.join(unknown)}{f' ({nearest})' if nearest else ''};"
            f" available: {', '.join(available)}",
            retry=False,
        )


def _sampled(frame: Any, sample_rows: int | None, report_progress: ReportProgress) -> tuple[Any, float]:
    """Return about `sample_rows` rows of the frame and their share of all rows; None means all rows."""
    if sample_rows is None:
        return frame, 1.0
    report_progress("counting rows")
    rows = frame.count()
    if rows <= sample_rows:
        return frame, 1.0
    return frame.sample(sample_rows / rows, seed=SEED), sample_rows / rows


@dataclass(frozen=True, kw_only=True)
class _Scans:
    """Scans of a frame in portions. `expected`: partitions reported even without a row."""

    frame: Any
    by: tuple[str, ...]
    names: tuple[str, ...]
    expected: frozenset[str]
    report_progress: ReportProgress

    def read(self, what: str, columns: Sequence[ColumnProfile], plans: Plans) -> dict[str, StateBag]:
        """Return the states by partition; {} if the columns need no scan."""
        portions = [(some, plan) for some in _portions(columns, plans) if (plan := plans(some))]
        states: dict[str, StateBag] = {}
        for number, (some, plan) in enumerate(portions, start=1):
            portion_label = f", column group {number} of {len(portions)}" if len(portions) > 1 else ""
            for frame_label, names, frame in self._frames():
                self.report_progress(f"{what}{portion_label}{frame_label}")
                expected = [name for name in names if name in self.expected]
                read = self._of(frame, some) if portion_label else frame
                for name, bag in scan(read, plan, partition_by=self.by, expected=expected).items():
                    states[name] = states[name].union(bag) if name in states else bag
        return states

    def _of(self, frame: Any, columns: Sequence[ColumnProfile]) -> Any:
        """Return the frame with these columns and the partition columns.

        Spark visits all columns of a frame for each aggregate."""
        names, parts = (
            {each.column.name for each in columns},
            {part.lower() for part in computed_partitions.reads(self.by)},
        )
        chosen = [name for name in frame.columns if name in names or {name.lower(), quote(name).lower()} & parts]
        return frame.select(*(frame[quote(name)] for name in chosen))

    def _frames(self) -> Iterator[tuple[str, Sequence[str], Any]]:
        """Yield groups of partitions: a description for progress, their names, their frame."""
        if not self.by or len(self.names) <= PARTITIONS:
            yield "", self.names, self.frame
            return
        for start in range(0, len(self.names), PARTITIONS):
            some = self.names[start : start + PARTITIONS]
            label = f", partitions {start + 1} to {start + len(some)} of {len(self.names)}"
            yield label, some, partition_names.only(self.frame, self.by, some)


def _portions(columns: Sequence[ColumnProfile], plans: Plans) -> Iterator[list[ColumnProfile]]:
    """Yield groups of columns with about AGGREGATES aggregates each.

    Columns of one type are grouped: Spark compiles generated code once for similar portions."""
    portion: list[ColumnProfile] = []
    room = AGGREGATES
    for each in sorted(columns, key=lambda each: each.column.type):
        plan = plans([each])
        count = len(plan.aggregates) if plan else 0
        if portion and count > room:
            yield portion
            portion, room = [], AGGREGATES
        portion.append(each)
        room -= count
    if portion:
        yield portion
