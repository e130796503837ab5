"""Counts from footers are those of the scan, whoever wrote the files; what a footer does not state is scanned."""

import datetime
import math
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from support.orders import check, contract

from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers.bound import BoundComponent
from treaty.engine.analyzers.distinct import Uniqueness
from treaty.engine.analyzers.nulls import Completeness
from treaty.engine.analyzers.numbers import Maximum
from treaty.engine.analyzers.rows import Size
from treaty.engine.analyzers.types import DataType
from treaty.engine.components.base import CountComponent
from treaty.engine.components.operands import Operand
from treaty.engine.core.results import SCANNED, STATED
from treaty.engine.protocol.requests import TableSource
from treaty.engine.session.verify import verify
from treaty.engine.spark.scan.footer_statistics import FooterCounts, footer_counts, scan_remaining
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.spark.sources import changes
from treaty.engine.spark.sources.readers import read, schema_of
from treaty.engine.states.planning.scan_plan import ROWS, Plan, plan

BY = ("part",)
YEAR_2000 = datetime.datetime(2000, 1, 1)
STRUCT = pyarrow.struct([("whole", pyarrow.int32())])
COLUMNS: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "whole": (pyarrow.int64(), st.integers(-(2**63), 2**63 - 1)),
    "small": (pyarrow.int16(), st.integers(-5, 5)),
    "real": (pyarrow.float64(), st.sampled_from([math.nan, math.inf, -0.0, 0.0, 1.5])),
    "text": (pyarrow.string(), st.sampled_from(["", "x", "null", "NaN", "long " * 50])),
    "bytes": (pyarrow.binary(), st.binary(max_size=3)),
    "money": (pyarrow.decimal128(20, 2), st.sampled_from([Decimal("0.00"), Decimal("-1.50")])),
    "flag": (pyarrow.bool_(), st.booleans()),
    "day": (pyarrow.date32(), st.dates(datetime.date(2000, 1, 1))),
    "seen": (pyarrow.timestamp("us", "UTC"), st.datetimes(YEAR_2000, timezones=st.just(datetime.UTC))),
    "dotted.name": (pyarrow.int32(), st.integers(0, 9)),
    "list": (pyarrow.list_(pyarrow.int32()), st.lists(st.integers(0, 9) | st.none(), max_size=2)),
    "struct": (STRUCT, st.fixed_dictionaries({"whole": st.integers(0, 9) | st.none()})),
}  # fmt: skip
FLAT = [name for name in COLUMNS if name not in ("list", "struct")]


@dataclass(frozen=True)
class Written:
    """One file: its columns with their values, and how it is written; `names` are other names for the columns."""

    columns: dict[str, list[Any]]
    options: dict[str, Any] = field(default_factory=dict)
    required: bool = False
    names: tuple[str, ...] = ()

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        fields = [pyarrow.field(name, COLUMNS[name][0], nullable=not self.required) for name in self.columns]
        table = pyarrow.Table.from_arrays(
            [pyarrow.array(values, each.type) for values, each in zip(self.columns.values(), fields, strict=True)],
            schema=pyarrow.schema(fields),
        )
        pyarrow.parquet.write_table(table.rename_columns(self.names or table.column_names), path, **self.options)


@st.composite
def written(draw: st.DrawFn) -> Written:
    rows = draw(st.integers(0, 7))
    names = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, unique=True))
    columns = {name: [draw(st.none() | COLUMNS[name][1]) for _ in range(rows)] for name in names}
    options = st.fixed_dictionaries(
        {
            "row_group_size": st.integers(1, 4),
            "use_dictionary": st.booleans(),
            "version": st.sampled_from(["1.0", "2.6"]),
            "data_page_version": st.sampled_from(["1.0", "2.0"]),
        }
    )
    return Written(columns, draw(options))


WHOLE = Written({name: [None] for name in COLUMNS})


def of(spark: Any, table: Path) -> tuple[Any, changes.StorageLayout, Plan]:
    """The frame, the files, and the plan that counts rows and the values of all columns."""
    source = TableSource(str(table), "parquet", BY)
    frame = read(spark, source)
    schema = schema_of(frame)
    names = [f"`{each}`" if "." in each else each for each in schema.names]
    return frame, changes.layout(spark, source), plan(Completeness(column=each).bind(schema) for each in names)


# Not shrunk: every example is a scan.
@settings(max_examples=4, phases=[Phase.explicit, Phase.generate])
@given(parts=st.lists(st.lists(written(), min_size=1, max_size=3), min_size=6, max_size=12))
def test_what_footers_tell_is_what_a_scan_counts(
    parts: list[list[Written]], spark: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    table = tmp_path_factory.mktemp("t")
    for at, files in enumerate([[WHOLE], *parts]):
        for number, each in enumerate(files):
            each.write(table / f"part={at}" / f"{number}.parquet")
    frame, lies, wanted = of(spark, table)
    scanned = scan(frame, wanted, partition_by=BY, expected=sorted(lies.files))
    told = footer_counts(wanted, str(table), lies.files, schema_of(frame))
    assert told.keys == {ROWS.key, *(key(name) for name in FLAT)}
    assert {name: {each: bag.values[each] for each in told.keys} for name, bag in scanned.items()} == told.states
    both = scan_remaining(frame, wanted, told, partition_by=BY, expected=sorted(lies.files))
    assert {name: bag.values for name, bag in both.items()} == {name: bag.values for name, bag in scanned.items()}


def key(column: str) -> str:
    return BoundComponent(CountComponent("{column}"), (Operand(sql=f"`{column}`", type=""),)).key


SPARK = [
    "id", "if(id % 3 = 0, null, id) as whole", "if(id % 2 = 0, null, cast('nan' as double)) as real",
    "if(id % 5 = 0, null, cast(id as string)) as text", "if(id > 40, null, timestamp_seconds(id)) as seen",
    "cast(null as string) as nothing", "if(id % 4 = 0, null, cast(id as decimal(30,2))) as money",
    "if(id % 7 = 0, null, named_struct('a', nullif(id, 1))) as struct", "array(id) as list", "id as `a.b`",
    "if(id % 7 = 0, null, date_from_unix_date(cast(id as int))) as day", "cast(id % 3 as string) as part",
]  # fmt: skip


def test_files_that_spark_wrote_tell_what_a_scan_counts(spark: Any, tmp_path: Path) -> None:
    for at, stamps in enumerate(["INT96", "TIMESTAMP_MICROS"]):
        spark.conf.set("spark.sql.parquet.outputTimestampType", stamps)
        frame = spark.range(100 * at, 100 * at + 100, 1, 3).selectExpr(*SPARK)
        frame.write.mode("append").partitionBy("part").parquet(str(tmp_path / "t"))
    spark.conf.unset("spark.sql.parquet.outputTimestampType")
    frame, lies, wanted = of(spark, tmp_path / "t")
    told, scanned = (
        footer_counts(wanted, str(tmp_path / "t"), lies.files, schema_of(frame)),
        scan(frame, wanted, partition_by=BY),
    )
    flat = ["id", "whole", "real", "text", "seen", "nothing", "money", "a.b", "day"]
    assert told.keys == {ROWS.key, *(key(name) for name in flat)}
    assert {name: {each: bag.values[each] for each in told.keys} for name, bag in scanned.items()} == told.states


SCHEMA = Schema((Column("whole", "bigint"), Column("text", "string")))
SOME = {"whole": [1, None, 3]}
BARE = {"write_statistics": False}
CASES: dict[str, tuple[list[Written], dict[str, int]]] = {
    "every file states its nulls": ([Written(SOME), Written(SOME)], {"whole": 4, "text": 0}),
    "a column is null where a file lacks it": ([Written(SOME), Written({"text": ["x"]})], {"whole": 2, "text": 1}),
    "a file of no rows": ([Written(SOME), Written({"whole": [], "text": []}, BARE)], {"whole": 2, "text": 0}),
    "a file without statistics": ([Written(SOME), Written(SOME, BARE)], {"text": 0}),
    "statistics of other columns": (
        [Written({**SOME, "text": ["x"] * 3}, {"write_statistics": ["text"]})], {"text": 3},
    ),
    "a required column without statistics": (
        [Written({"whole": [1, 2, 3]}, BARE, required=True)], {"whole": 3, "text": 0},
    ),
    "other letters may be another column": ([Written(SOME, names=("WHOLE",))], {"text": 0}),
    "a name twice": ([Written({**SOME, "small": [1, 2, 3]}, names=("whole", "whole"))], {"text": 0}),
    "fields of a struct are no columns": ([Written({"struct": [{"whole": 1}, None]})], {"whole": 0, "text": 0}),
    "values of a struct are not counted": ([Written({"struct": [{"whole": 1}, None]}, names=("text",))], {"whole": 0}),
}  # fmt: skip


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_only_what_every_file_states_is_told(files: list[Written], expected: dict[str, int], tmp_path: Path) -> None:
    told = told_of(tmp_path, files)
    rows = sum(len(next(iter(each.columns.values()))) for each in files)
    assert told.states == {"": {ROWS.key: rows, **{key(name): count for name, count in expected.items()}}}
    left = {key(name) for name in SCHEMA.names} - told.keys
    assert {part.key for part in told.remaining_plan.scan} == ({ROWS.key, *left} if left else set())


def told_of(folder: Path, files: list[Written], **also: Any) -> FooterCounts:
    paths = [folder / f"{at}.parquet" for at in range(len(files))]
    for path, each in zip(paths, files, strict=True):
        each.write(path)
    wanted = plan(Completeness(column=name, **also).bind(SCHEMA) for name in SCHEMA.names)
    return footer_counts(wanted, str(folder), {"": [str(path) for path in paths]}, SCHEMA)


def test_filters_values_and_groupings_are_left_to_the_scan(tmp_path: Path) -> None:
    assert told_of(tmp_path, [Written(SOME)], where="whole > 1").keys == {ROWS.key}
    bound = [each.bind(SCHEMA) for each in (Maximum(column="whole"), Uniqueness(columns=("whole",)), Size())]
    told = footer_counts(plan(bound), str(tmp_path), {"": [str(tmp_path / "0.parquet")]}, SCHEMA)
    assert told.keys == {ROWS.key}
    assert told.remaining_plan == plan(bound)


def test_a_typed_column_needs_no_scan_for_its_type(tmp_path: Path) -> None:
    Written(SOME).write(tmp_path / "0.parquet")
    wanted = plan([DataType(column=name, type="integer").bind(SCHEMA) for name in SCHEMA.names])
    told = footer_counts(wanted, str(tmp_path), {"": [str(tmp_path / "0.parquet")]}, SCHEMA)
    typed, text = wanted.scan[1:]
    assert told.states[""] == {ROWS.key: 3, typed.key: (2, 0, 0, 0, 0, 0, 0)}
    assert told.remaining_plan.scan == (ROWS, text)


def test_columns_that_are_folders_are_left_to_the_scan(tmp_path: Path) -> None:
    assert told_of(tmp_path / "text=a" / "WHOLE=1", [Written(SOME)]).keys == {ROWS.key}


@pytest.mark.parametrize("content", [b"", b"PAR1", b"id,name\n1,x\n" * 9])
def test_a_file_without_a_footer_leaves_all_to_the_scan(content: bytes, tmp_path: Path) -> None:
    Written(SOME).write(tmp_path / "0.parquet")
    (tmp_path / "1.parquet").write_bytes(content)
    wanted = plan([Completeness(column="whole").bind(SCHEMA)])
    files = {"": [str(tmp_path / "0.parquet"), str(tmp_path / "1.parquet")]}
    assert footer_counts(wanted, str(tmp_path), files, SCHEMA) == FooterCounts(wanted)
    assert footer_counts(wanted, str(tmp_path), {"": [str(tmp_path / "gone.parquet")]}, SCHEMA) == FooterCounts(wanted)
    assert footer_counts(wanted, str(tmp_path), {}, SCHEMA) == FooterCounts(wanted)


@dataclass(frozen=True)
class Unread:
    """A frame whose columns are known and whose rows nobody may ask for."""

    schema: Any


def test_where_footers_tell_all_no_row_is_read(spark: Any, tmp_path: Path) -> None:
    Written(SOME).write(tmp_path / "t" / "part=1" / "0.parquet")
    Written({"whole": []}).write(tmp_path / "t" / "part=2" / "0.parquet")
    frame, lies, _ = of(spark, tmp_path / "t")
    wanted = plan([Completeness(column="whole").bind(schema_of(frame))])
    told = footer_counts(wanted, str(tmp_path / "t"), lies.files, schema_of(frame))
    assert told.remaining_plan.scan == ()
    for expected, names in (((), {"part=1"}), (("part=2",), {"part=1", "part=2"})):
        bags = scan_remaining(Unread(frame.schema), wanted, told, partition_by=BY, expected=expected)
        scanned = scan(frame, wanted, partition_by=BY, expected=expected)
        assert {name: bag.values for name, bag in bags.items()} == {name: bag.values for name, bag in scanned.items()}
        assert bags.keys() == scanned.keys() == names
        assert {state.source for bag in bags.values() for state in bag.entries.values()} == {STATED}


def test_files_that_changed_after_their_footers_were_read_are_scanned(spark: Any, tmp_path: Path) -> None:
    Written(SOME).write(tmp_path / "t" / "part=1" / "0.parquet")
    frame, lies, _ = of(spark, tmp_path / "t")
    schema = schema_of(frame)
    wanted = plan([Completeness(column="whole").bind(schema), Maximum(column="whole").bind(schema)])
    told = footer_counts(wanted, str(tmp_path / "t"), lies.files, schema)
    for name in ("part=1", "part=2"):
        Written({"whole": [7, 8, None, None]}).write(tmp_path / "t" / name / "1.parquet")
        frame, _, _ = of(spark, tmp_path / "t")
        assert scan_remaining(frame, wanted, told, partition_by=BY) == scan(frame, wanted, partition_by=BY)


def test_a_frame_is_judged_with_the_statistics_of_its_files_where_they_are_named(spark: Any, tmp_path: Path) -> None:
    Written(SOME).write(tmp_path / "t" / "0.parquet")
    frame = spark.read.parquet(str(tmp_path / "t"))
    promised = contract(
        check("completeness", column="whole", mustBeBetween=[0.6, 0.7]),
        check("maximum", "most", column="whole", mustBe=3),
        properties=[{"name": "whole"}],
    )
    whole, part = frame, frame.where("whole > 0")
    for asked, sources in ((whole, (SCANNED, STATED)), (part, (SCANNED,))):
        told, plain = verify(asked, promised, statistics=str(tmp_path / "t")), verify(asked, promised)
        assert [each.value for each in told.results] == [each.value for each in plain.results]
        assert {each.analyzer: each.sources for each in told.measurements} == {
            "completeness": sources,
            "maximum": (SCANNED,),
        }
