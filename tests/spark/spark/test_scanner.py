"""The scan on real Spark: what fails, fails alone; partitions bear the names of their folders; names need no care."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.orders import check, contract

from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.contracts.editing.patches import Patch, apply, skeleton
from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers.bound import BoundComponent
from treaty.engine.analyzers.distinct import Uniqueness
from treaty.engine.analyzers.numbers import Mean
from treaty.engine.analyzers.quantiles import ApproxQuantile
from treaty.engine.analyzers.rows import Compliance
from treaty.engine.checks.binding import bind
from treaty.engine.components.base import Component
from treaty.engine.components.frequencies import groups
from treaty.engine.components.operands import Operand
from treaty.engine.core.errors import UnreadableTable
from treaty.engine.core.partitions import partition_names
from treaty.engine.protocol.requests import DraftRequest, TableSource
from treaty.engine.session.verify import measure, verify
from treaty.engine.spark.handlers.draft import draft
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.states import bag as bags
from treaty.engine.states.planning.scan_plan import ROWS, Plan, plan

SCHEMA = Schema((Column("id", "bigint"), Column("s", "string")))


class Handmade(Component):
    """A component that any SQL can be given to."""

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        return (operands[0].sql,)


def handmade(sql: str) -> BoundComponent:
    component = Handmade()
    object.__setattr__(component, "kind", "handmade")
    return BoundComponent(component, (Operand(sql=sql, type="string"),))


FAILING = {
    "sum(cast(s as int))": "CAST_INVALID_INPUT",
    "max(raise_error(s))": "USER_RAISED_EXCEPTION",
    "sum(id / 0)": "DIVIDE_BY_ZERO",
    "sum(nowhere)": "UNRESOLVED_COLUMN",
    "sum(id +": "PARSE_SYNTAX_ERROR",
    "max(date_add(date'2026-01-01', cast(s as int)))": "CAST_INVALID_INPUT",
}


@pytest.fixture(scope="module")
def secrets(spark: Any) -> Any:
    return spark.createDataFrame([(1, "hunter2"), (2, "7")], "id bigint, s string")


@pytest.mark.parametrize(
    ("sql", "at"), [*((sql, 3) for sql in FAILING), ("sum(cast(s as int))", 1), ("sum(nowhere)", 5)]
)
def test_a_component_that_errs_leaves_all_others_intact(sql: str, at: int, secrets: Any) -> None:
    sound = plan([Mean(column="id").bind(SCHEMA), ApproxQuantile(column="id", quantile=0.5).bind(SCHEMA)])
    failing = handmade(sql)
    bag = scan(secrets, Plan(scan=(*sound.scan[:at], failing, *sound.scan[at:])))[""]
    assert set(bag.entries) == sound.keys
    assert bag.rows == 2
    assert bag.failures.keys() == {failing.key}
    reason = bag.failures[failing.key]
    assert FAILING[sql] in reason
    assert "SQLSTATE" in reason
    assert "hunter2" not in reason


def test_several_components_may_err(secrets: Any) -> None:
    failing = [handmade(sql) for sql in FAILING]
    assert scan(secrets, Plan(scan=(ROWS, *failing)))[""].failures.keys() == {each.key for each in failing}


def test_a_grouping_that_errs_is_left_out_alone(secrets: Any) -> None:
    unique = Uniqueness(columns=("id",)).bind(SCHEMA).parts["frequencies"]
    failing = BoundComponent(unique.component, (Operand(sql="raise_error(s)", type="string"),))
    bag = scan(secrets, Plan(scan=(ROWS,), groupings=(unique, failing)))[""]
    assert unique.key in bag.entries
    assert "USER_RAISED_EXCEPTION" in bag.failures[failing.key]


def test_a_grouping_is_read_itself_where_the_finer_one_errs(secrets: Any) -> None:
    unique = Uniqueness(columns=("id",)).bind(SCHEMA).parts["frequencies"]
    finer = BoundComponent(unique.component, (*unique.operands, Operand(sql="raise_error(s)", type="string")))
    asked = Plan(scan=(ROWS,), groupings=(finer, unique))
    assert asked.derived.keys() == {unique.key}
    bag = scan(secrets, asked)[""]
    assert groups(bag.entries[unique.key].value) == 2
    assert bag.failures.keys() == {finer.key}


def test_two_groupings_and_their_filters_are_kept_apart(spark: Any) -> None:
    frame = spark.createDataFrame([(1, "a"), (2, "a"), (3, "b")], "x int, s string")
    schema = Schema((Column("x", "int"), Column("s", "string")))
    bound = [Uniqueness(columns=("s",), where=where).bind(schema) for where in (None, "x <= 2")]
    bag = scan(frame, plan(bound))[""]
    assert [each.value(bags.unpack(bag.pack()).values) for each in bound] == [0.5, 0.0]


def test_a_missing_partition_column_is_told_with_those_there_are(secrets: Any) -> None:
    with pytest.raises(UnreadableTable, match="no partition column day; its columns are id, s"):
        scan(secrets, plan([]), partition_by=["day"])


def test_merging_partitions_does_not_change_them(spark: Any) -> None:
    frame = spark.createDataFrame([(float(each), "pq"[each > 5]) for each in range(1, 12)], "x double, part string")
    median = ApproxQuantile(column="x", quantile=0.5).bind(Schema((Column("x", "double"),)))
    parted = scan(frame, plan([median]), partition_by=["part"])
    before = median.value(parted["part=p"].values)
    bags.merge(parted.values())
    assert median.value(parted["part=p"].values) == before == 3.0


VALUES = [
    "plain", "2026-11-20", "a b", "a/b", "a:b", "a=b", "100%", "50%41", "a'b", 'a"b', "a\\b", "a#b?", "{x}", "[x]",
    "a^b*", "Größe", "日本", "a\tb", "a\nb", "\x7f", "é", "e\u0301", "a}b", "a,b", "a;b", "..", " lead", "~", "null",
    "None", "$x", "${x}",
]  # fmt: skip


@pytest.fixture(scope="module")
def odd(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    rows = [(at, value, at % 2) for at, value in enumerate([*VALUES, None, ""])]
    frame = spark.createDataFrame(rows, "id bigint, `odd=name` string, second int")
    path = tmp_path_factory.mktemp("odd") / "t"
    frame.write.partitionBy("odd=name", "second").parquet(str(path))
    return frame, path


def test_partitions_bear_the_names_of_the_folders_that_spark_writes(odd: tuple[Any, Path]) -> None:
    frame, path = odd
    folders = {str(each.parent.relative_to(path)) for each in path.rglob("*.parquet")}
    found = scan(frame, plan([Uniqueness(columns=("id",)).bind(SCHEMA)]), partition_by=["odd=name", "second"])
    assert set(found) == folders
    assert sum(bag.rows for bag in found.values()) == len(VALUES) + 2


def test_partitions_read_back_bear_the_same_names(odd: tuple[Any, Path], spark: Any) -> None:
    frame, path = odd
    by = ["odd=name", "second"]
    assert set(scan(spark.read.parquet(str(path)), plan([]), partition_by=by)) == set(
        scan(frame, plan([]), partition_by=by)
    )


def test_a_partition_is_chosen_by_its_name(odd: tuple[Any, Path]) -> None:
    frame, _ = odd
    by = ["odd=name", "second"]
    names = sorted(scan(frame, plan([]), partition_by=by))
    for chosen in (names[:1], names[1::2], names):
        assert set(scan(partition_names.only(frame, by, chosen), plan([]), partition_by=by)) == set(chosen)


NAMES = [
    "plain", "a.b", "a.b.c", "`tick`", "a`b", "``", "a b", " lead", "Größe", "日本語", "emoji😀", "select", "from",
    "group", "order", "where", "null", "true", "1st", "42", "a-b", "a/b", "a\\b", "a'b", 'a"b', "a;b", "a--b",
    "a/*b*/", "${x}", "$x", "%s", "{x}", "[0]", "a=b", "a,b", "(a)", "a:b", "*", "?", "#",
]  # fmt: skip


def test_names_that_need_quotes_go_from_draft_to_verdict(spark: Any, tmp_path: Path) -> None:
    types = ["bigint", "string", "double"]
    ddl = ", ".join(f"`{name.replace('`', '``')}` {types[at % 3]}" for at, name in enumerate(NAMES))
    make: list[Callable[[int], Any]] = [int, lambda row: ("x", "y")[row % 2], float]
    rows = [tuple(make[at % 3](row) for at in range(len(NAMES))) for row in range(200)]
    spark.createDataFrame(rows, ddl).write.parquet(str(tmp_path / "t"))
    drafted = draft(spark, DraftRequest(source=TableSource(str(tmp_path / "t")), contract_id="t", object="t"))
    assert {each["column"] for each in drafted.suggestions} >= set(NAMES)
    patches = [Patch(each["object"], each["column"], each["patch"]) for each in drafted.suggestions]
    promised = read(write(apply(read(drafted.document).document, patches)))
    run = verify(spark.read.parquet(str(tmp_path / "t")), promised)
    assert [each for each in run.results if each.outcome != "passed"] == []
    assert len(run.results) > 2 * len(NAMES)


def test_a_frame_is_judged_in_its_own_session_whose_settings_stay(spark: Any) -> None:
    frame = spark.createDataFrame([(1, "a"), (2, None)], "id bigint, s string")
    given = contract(check("completeness", column="s", mustBe=1), properties=[{"name": "id"}, {"name": "s"}])
    before = {row.key: row.value for row in spark.sql("set").collect()}
    run = verify(frame, given)
    after = {row.key: row.value for row in spark.sql("set").collect()}
    assert (run.verdict, run.rows, run.partitions) == ("failed", 2, ("",))
    assert after == before


def test_a_frame_is_judged_with_the_states_of_earlier_ones(spark: Any) -> None:
    given = contract(
        check("uniqueness", column="id", mustBe=1),
        check("size", "rows", mustBe=2),
        properties=[{"name": "id"}, {"name": "day", "partitioned": True, "partitionKeyPosition": 1}],
    )

    def frame(day: int, *ids: int) -> Any:
        return spark.createDataFrame([(each, f"{day}") for each in ids], "id bigint, day string")

    earlier = measure(frame(1, 1, 2), given, object_name="orders")
    assert verify(frame(2, 3, 4), given, earlier=earlier).verdict == "passed"
    again = verify(frame(2, 2, 3), given, earlier=earlier)
    assert [each.check_id for each in again.results if each.outcome == "failed"] == ["c"]
    assert again.partitions == ("day=2",)


TYPED = [
    ("decimal(10,2)", "cast(1.50 as decimal(10,2))"), ("timestamp_ntz", "timestamp_ntz'2026-01-01 10:00:00'"),
    ("binary", "cast('x' as binary)"), ("array<int>", "array(1)"), ("map<string,int>", "map('a', 1)"),
    ("struct<`a.b`:int>", "named_struct('a.b', 1)"), ("float", "cast(1.5 as float)"), ("tinyint", "cast(1 as tinyint)"),
]  # fmt: skip


def test_columns_of_every_type_are_profiled_and_kept(spark: Any, tmp_path: Path) -> None:
    frame = spark.range(20).selectExpr("id", *(f"{sql} as c{at}" for at, (_, sql) in enumerate(TYPED)))
    frame.write.parquet(str(tmp_path / "t"))
    drafted = draft(spark, DraftRequest(source=TableSource(str(tmp_path / "t")), contract_id="t", object="t"))
    patches = [Patch(each["object"], each["column"], each["patch"]) for each in drafted.suggestions]
    promised = read(write(apply(read(drafted.document).document, patches)))
    run = verify(spark.read.parquet(str(tmp_path / "t")), promised)
    assert run.verdict == "passed"
    profiled = {each["name"]: each["facts"]["completeness"] for each in drafted.profile["columns"]}
    assert profiled == {"id": 1.0, **{f"c{at}": 1.0 for at in range(len(TYPED))}}


VALUES_WITHIN = [
    ("s IN ('back\\\\slash', 'o\\'neil')", 1.0),
    ("s = 'back\\\\slash'", 0.5),
    ("s LIKE 'back%'", 0.5),
    ("s RLIKE '.*'", 1.0),
]


@pytest.mark.parametrize(("predicate", "share"), VALUES_WITHIN)
def test_texts_with_quotes_and_backslashes_are_compared_as_they_stand(predicate: str, share: float, spark: Any) -> None:
    frame = spark.createDataFrame([("back\\slash",), ("o'neil",)], "s string")
    bound = Compliance(predicate=predicate).bind(Schema((Column("s", "string"),)))
    assert bound.value(scan(frame, plan([bound]))[""].values) == share


def test_one_lost_column_fails_one_check_alone(spark: Any) -> None:
    given = contract(
        check("compliance", "lost", predicate="gone > 0", mustBe=1),
        check("size", "kept", mustBe=2),
        properties=[{"name": "id"}, {"name": "gone"}],
    )
    run = verify(spark.range(2), given)
    assert {each.check_id: str(each.outcome) for each in run.results if each.check_id in ("lost", "kept")} == {
        "lost": "not_evaluated",
        "kept": "passed",
    }


def test_the_base_document_of_a_frame_binds(spark: Any) -> None:
    schema = Schema((Column("id", "bigint", nullable=False),))
    base = skeleton(contract_id="t", name="t", object_name="t", physical_name="t", schema=schema)
    assert [each.check.id for each in bind(read(write(base)).object("t"), schema).checks] == ["id-required"]
