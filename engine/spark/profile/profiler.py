"""Profiles read by Spark: two scans whatever the number of columns, in portions where there are very many, and a third
one of texts of too many masks."""

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

# So many aggregates are asked at once: see bench/suggestions/profiles.py for what others cost.
AGGREGATES = 400
# So many partitions are grouped at once: with more groups in a task Spark sorts rows for object aggregates.
PARTITIONS = 128
SEED = 20
Plans = Callable[[Sequence[ColumnProfile]], Plan | None]


def profile(session: Any, request: ProfileRequest, tell: ReportProgress) -> Mapping[str, Any]:
    """The profile as a document, in plain data. Raises Unreadable, EngineError."""
    return document(history(opened(session, request), request, tell), request.object).model_dump(mode="json")


@dataclass(frozen=True)
class ProfiledTable:
    """A table about to be profiled: its frame, the schema that knows what is classified, and the partitions that are
    known beforehand, () where the files do not tell them."""

    frame: Any
    schema: Schema
    names: tuple[str, ...]


def opened(session: Any, request: ProfileRequest) -> ProfiledTable:
    """The table as the request asks for it. Raises Unreadable, and EngineError for columns and partitions it lacks."""
    lies = changes.layout(session, request.source)
    if lies.folders:
        _refuse_unknown("partition", request.partitions, tuple(lies.folders))
    folders = [folder for name in request.partitions for folder in lies.folders.get(name, ())]
    frame = read(session, request.source, names=request.partitions, folders=folders)
    return opened_frame(frame, request, request.partitions or tuple(sorted(lies.folders)))


def opened_frame(frame: Any, request: ProfileRequest, names: tuple[str, ...] = ()) -> ProfiledTable:
    """Return a frame that is already there as a table about to be profiled. Raises EngineError for columns it lacks."""
    schema, before = schema_of(frame), _before(request)
    _refuse_unknown("column", request.columns, schema.names)
    return ProfiledTable(frame, classified_schema(before, schema) if before else schema, names)


def history(table: ProfiledTable, request: ProfileRequest, tell: ReportProgress) -> TableProfile:
    """The profile of each partition, by both scans; `tell` hears of every portion before it is read."""
    by = request.source.partition_by
    frame, share = _sampled(table.frame, request.sample, tell)
    columns = _glanced(
        table.frame, [profile_of(each, table.schema) for each in _profiled_columns(table.schema, request)]
    )
    scans = _Scans(frame=frame, by=by, names=table.names, expected=frozenset(request.partitions), report_progress=tell)
    found = TableProfile(
        columns=(), partitions=order_partitions(scans.read("first scan", columns, profile_plan)), sampled=share
    )
    found = found.with_states(scans.read("first scan, types of texts", mistaken(columns, found.whole), classes_plan))
    looked = tuple(with_second_scan(each, found.whole, table.schema) for each in columns)
    found = found.with_states(scans.read("second scan", looked, second_plan))
    late = columns_without_masks(looked, found.whole, table.schema)
    found = found.with_states(scans.read("third scan", list(late.values()), traits_plan))
    return found.with_columns(with_text_type(late.get(each.column.name, each), found.whole) for each in looked)


def _glanced(frame: Any, columns: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """The columns, those of texts as their first rows say that they are best read."""
    texts = glance.texts(frame, [each.column.name for each in columns if each.classes and not each.classified])
    return [first_reading(each) if each.column.name in texts else each for each in columns]


def _profiled_columns(schema: Schema, request: ProfileRequest) -> list[Any]:
    wanted = request.columns or schema.names
    return [each for each in schema if each.name not in request.source.partition_by and each.name in wanted]


def _before(request: ProfileRequest) -> DataObject | None:
    """What the version in force says of the table; None where there is none, or where it does not speak of it."""
    objects = read_contract(request.in_force).objects if request.in_force else ()
    return next((each for each in objects if each.name == request.object), None)


def _refuse_unknown(what: str, wanted: Sequence[str], known: Sequence[str]) -> None:
    unknown = [f"{name} {suggest_nearest(name, known)}".strip() for name in wanted if name not in known]
    if unknown:
        raise EngineError(f"the table has no {what} {', '.join(unknown)}; it has: {', '.join(known)}", retry=False)


def _sampled(frame: Any, wanted: int | None, tell: ReportProgress) -> tuple[Any, float]:
    """The frame with about so many of its rows, drawn one by one, and the share that they are; None: with all."""
    if wanted is None:
        return frame, 1.0
    tell("counting rows")
    rows = frame.count()
    if rows <= wanted:
        return frame, 1.0
    return frame.sample(wanted / rows, seed=SEED), wanted / rows


@dataclass(frozen=True, kw_only=True)
class _Scans:
    """What is read of a frame, portion by portion. `expected`: partitions that are told of also without a row."""

    frame: Any
    by: tuple[str, ...]
    names: tuple[str, ...]
    expected: frozenset[str]
    report_progress: ReportProgress

    def read(self, what: str, columns: Sequence[ColumnProfile], plans: Plans) -> dict[str, StateBag]:
        """The states of each partition by name; {} where the columns have nothing to be read."""
        portions = [(some, plan) for some in _portions(columns, plans) if (plan := plans(some))]
        found: dict[str, StateBag] = {}
        for number, (some, plan) in enumerate(portions, start=1):
            of = f", portion {number} of {len(portions)} of the columns" if len(portions) > 1 else ""
            for told, names, frame in self._frames():
                self.report_progress(f"{what}{of}{told}")
                expected = [name for name in names if name in self.expected]
                read = self._of(frame, some) if of else frame
                for name, bag in scan(read, plan, partition_by=self.by, expected=expected).items():
                    found[name] = found[name].union(bag) if name in found else bag
        return found

    def _of(self, frame: Any, columns: Sequence[ColumnProfile]) -> Any:
        """The frame with these columns and what partitions are made of: of each aggregate Spark looks at all columns
        that there are."""
        wanted, parts = (
            {each.column.name for each in columns},
            {part.lower() for part in computed_partitions.reads(self.by)},
        )
        chosen = [name for name in frame.columns if name in wanted or {name.lower(), quote(name).lower()} & parts]
        return frame.select(*(frame[quote(name)] for name in chosen))

    def _frames(self) -> Iterator[tuple[str, Sequence[str], Any]]:
        """The rows of so many partitions at a time: which these are in words, their names, the frame."""
        if not self.by or len(self.names) <= PARTITIONS:
            yield "", self.names, self.frame
            return
        for start in range(0, len(self.names), PARTITIONS):
            some = self.names[start : start + PARTITIONS]
            told = f", partitions {start + 1} to {start + len(some)} of {len(self.names)}"
            yield told, some, partition_names.only(self.frame, self.by, some)


def _portions(columns: Sequence[ColumnProfile], plans: Plans) -> Iterator[list[ColumnProfile]]:
    """The columns, as many together as make about AGGREGATES aggregates; those of a type together: Spark compiles what
    it generates once for portions that are alike."""
    portion: list[ColumnProfile] = []
    room = AGGREGATES
    for each in sorted(columns, key=lambda each: each.column.type):
        plan = plans([each])
        asked = len(plan.aggregates) if plan else 0
        if portion and asked > room:
            yield portion
            portion, room = [], AGGREGATES
        portion.append(each)
        room -= asked
    if portion:
        yield portion
