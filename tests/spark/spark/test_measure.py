"""Measuring what changed on real Spark and real files: which partitions are read, and what cannot be."""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.orders import NOW, check, contract

from treaty.contracts.document.model import Contract
from treaty.contracts.errors import ContractError
from treaty.engine.core.errors import EngineError, UnreadableTable
from treaty.engine.core.results import RunResult
from treaty.engine.evaluation.evaluator import evaluate, missing_states
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.protocol.requests import UNREAD, DraftRequest, MeasureRequest, MeasureResult, TableSource
from treaty.engine.spark.handlers.draft import NOTHING_SOUND, draft
from treaty.engine.spark.handlers.measure import measure
from treaty.engine.spark.sources import changes
from treaty.engine.spark.sources.readers import format_of
from treaty.engine.states import bag as bags
from treaty.engine.states.bag import ALL
from treaty.engine.states.state_files import StateFiles

COLUMNS = [{"name": "id", "logicalType": "integer"}, {"name": "day", "partitioned": True, "partitionKeyPosition": 1}]
ORDERS = contract(
    check("mean", "average", column="id", mustBeGreaterOrEqualTo=0),
    check("uniqueness", "ids", column="id", mustBe=1),
    properties=COLUMNS,
)
DAYS = ("day=1", "day=2", "day=3")


def asked(
    path: Path | str, known: dict[str, str] | None = None, given: Contract = ORDERS, **source: Any
) -> MeasureRequest:
    """What the registry would ask of a table parted by day."""
    where = TableSource(str(path), **{"partition_by": ("day",), **source})
    return MeasureRequest(source=where, contract=given.source, object="orders", stored_fingerprints=known or {})


def write(spark: Any, path: Path, rows: Sequence[tuple[int, int]], mode: str = "error", **options: str) -> None:
    """Writes (id, day) rows as a table parted by day."""
    frame = spark.createDataFrame(list(rows), "id bigint, day int").coalesce(1)
    frame.write.mode(mode).options(**options).partitionBy("day").parquet(str(path))


@pytest.fixture
def table(spark: Any, tmp_path: Path) -> Path:
    write(spark, tmp_path / "t", [(10 * day + each, day) for day in (1, 2, 3) for each in range(day)])
    return tmp_path / "t"


def rows(measured: MeasureResult) -> dict[str, int]:
    return {name: bags.unpack(packed).rows for name, packed in measured.states.items()}


def judged(measured: MeasureResult, given: Contract = ORDERS) -> RunResult:
    packed = measured.states
    return evaluate(
        EvaluationRequest(
            contract=given,
            object_name="orders",
            schema=measured.schema,
            states=packed,
            delta=sorted(packed),
            started_at=NOW,
            finished_at=NOW,
        )
    )


def test_a_table_never_seen_is_read_whole(spark: Any, table: Path) -> None:
    measured = measure(spark, asked(table))
    assert rows(measured) == {"day=1": 1, "day=2": 2, "day=3": 3}
    assert set(measured.fingerprints) == set(DAYS)
    assert judged(measured).verdict == "passed"


def overwrite(spark: Any, path: Path) -> None:
    write(spark, path / "day=2", [(1, 1)], "overwrite")
    for file in (path / "day=2" / "day=1").iterdir():
        shutil.move(file, path / "day=2" / file.name)
    (path / "day=2" / "day=1").rmdir()


EVENTS: dict[str, tuple[Any, set[str], set[str]]] = {
    "nothing": (lambda spark, path: None, set(), set()),
    "one partition overwritten": (overwrite, {"day=2"}, set()),
    "rows appended to one": (lambda spark, path: write(spark, path, [(99, 3)], "append"), {"day=3"}, set()),
    "a new partition": (lambda spark, path: write(spark, path, [(99, 4)], "append"), {"day=4"}, set()),
    "one dropped": (lambda spark, path: shutil.rmtree(path / "day=1"), set(), {"day=1"}),
    "dynamic overwrite": (
        lambda spark, path: write(spark, path, [(7, 1), (8, 4)], "overwrite", partitionOverwriteMode="dynamic"),
        {"day=1", "day=4"},
        set(),
    ),
    "the whole overwritten": (
        lambda spark, path: write(spark, path, [(7, 1), (8, 4)], "overwrite", partitionOverwriteMode="static"),
        {"day=1", "day=4"},
        {"day=2", "day=3"},
    ),
    "a marker file written": (lambda spark, path: (path / "_SUCCESS").touch(), set(), set()),
}


@pytest.mark.parametrize("event", EVENTS)
def test_exactly_what_changed_is_read_again(event: str, spark: Any, table: Path) -> None:
    happens, changed, vanished = EVENTS[event]
    before = measure(spark, asked(table))
    happens(spark, table)
    after = measure(spark, asked(table, dict(before.fingerprints)))
    assert (set(after.states), set(after.vanished)) == (changed, vanished)
    assert set(after.fingerprints) == (set(DAYS) | changed) - vanished
    assert all(after.fingerprints[name] == before.fingerprints[name] for name in set(DAYS) - changed - vanished)


MORE = contract(
    check("mean", "average", column="id", mustBeGreaterOrEqualTo=0),
    check("uniqueness", "ids", column="id", mustBe=1),
    check("maximum", "largest", column="id", mustBeLessThan=100),
    check("entropy", "spread", column="id", mustBeGreaterOrEqualTo=0),
    properties=COLUMNS,
)


@pytest.mark.parametrize("partition_by", [("day",), ()])
def test_only_the_states_that_are_lacking_are_computed(spark: Any, table: Path, partition_by: tuple[str, ...]) -> None:
    first = measure(spark, asked(table, partition_by=partition_by))
    held = missing_states(MORE, "orders", first.states)
    assert held.keys() == first.states.keys()
    request = asked(table, dict(first.fingerprints), MORE, partition_by=partition_by)
    second = measure(spark, replace(request, stored_keys=held))
    assert (second.states, set(second.added)) == ({}, set(first.states))
    assert all(len(bags.unpack(packed).entries) == 2 for packed in second.added.values())
    whole = {name: bags.combine_readings(first.states[name], packed) for name, packed in second.added.items()}
    assert missing_states(MORE, "orders", whole) == {}
    at_once = judged(measure(spark, asked(table, given=MORE, partition_by=partition_by)), MORE)
    assert [each.value for each in judged(replace(second, states=whole), MORE).results] == [
        each.value for each in at_once.results
    ]


def test_what_changed_is_read_whole_and_the_rest_gets_what_it_lacks(spark: Any, table: Path) -> None:
    first = measure(spark, asked(table))
    write(spark, table, [(99, 3)], "append")
    held = {**missing_states(MORE, "orders", first.states), "day=1": frozenset[str]()}
    second = measure(spark, replace(asked(table, dict(first.fingerprints), MORE), stored_keys=held))
    assert (set(second.states), set(second.added)) == ({"day=3"}, {"day=1", "day=2"})
    assert missing_states(MORE, "orders", {"day=1": second.added["day=1"], "day=3": second.states["day=3"]}) == {}


def test_an_empty_partition_has_states_of_no_rows(spark: Any, table: Path) -> None:
    spark.createDataFrame([], "id bigint").write.parquet(str(table / "day=4"))
    measured = measure(spark, asked(table))
    assert rows(measured)["day=4"] == 0
    outcomes = {each.check_id: each.outcome for each in judged(measured).results if each.partition == "day=4"}
    assert outcomes == {"average": "not_applicable"}


def test_a_row_without_a_partition_value_is_in_the_null_partition(spark: Any, tmp_path: Path) -> None:
    write(spark, tmp_path / "t", [(1, 1), (2, None)])  # type: ignore[list-item]
    found = measure(spark, asked(tmp_path / "t"))
    assert rows(found) == {"day=1": 1, "day=__HIVE_DEFAULT_PARTITION__": 1}
    assert set(found.fingerprints) == set(found.states)


def test_partitions_are_named_as_the_contract_orders_them_whatever_the_folders(spark: Any, tmp_path: Path) -> None:
    frame = spark.createDataFrame([(1, "DE", "a"), (2, "FR", "b")], "id bigint, country string, day string")
    frame.write.partitionBy("country", "day").parquet(str(tmp_path / "t"))
    found = measure(spark, asked(tmp_path / "t", partition_by=("day", "country")))
    assert rows(found) == {"day=a/country=DE": 1, "day=b/country=FR": 1}
    assert set(rows(measure(spark, asked(tmp_path / "t", partition_by=("day",))))) == {"day=a", "day=b"}


@pytest.mark.parametrize("kind", ["parquet", "orc", "json", "csv"])
def test_a_table_without_partitions_is_one_partition(kind: str, spark: Any, tmp_path: Path) -> None:
    spark.range(5).write.option("header", "true").format(kind).save(str(tmp_path / "t"))
    request = asked(tmp_path / "t", partition_by=())
    first = measure(spark, request)
    assert rows(first) == {"": 5}
    assert first.schema.find("id") is not None
    again = measure(spark, replace(request, stored_fingerprints=first.fingerprints))
    assert (again.states, again.vanished, again.fingerprints) == ({}, (), first.fingerprints)


def test_one_file_is_a_table(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("id\tname\n1\ta b\n2\tc\n")
    found = measure(spark, asked(tmp_path / "t.tsv", partition_by=()))
    assert rows(found) == {"": 2}
    assert found.schema.names == ("id", "name")


def test_partitions_may_be_columns(spark: Any, tmp_path: Path) -> None:
    frame = spark.createDataFrame([(1, 1), (2, 2), (3, 2)], "id bigint, day int")
    frame.write.parquet(str(tmp_path / "t"))
    first = measure(spark, asked(tmp_path / "t"))
    assert rows(first) == {"day=1": 1, "day=2": 2}
    assert measure(spark, asked(tmp_path / "t", dict(first.fingerprints))).states == {}
    frame.where("day = 2").write.mode("overwrite").parquet(str(tmp_path / "t"))
    again = measure(spark, asked(tmp_path / "t", dict(first.fingerprints)))
    assert (rows(again), again.vanished) == ({"day=2": 2}, ("day=1",))


@pytest.fixture
def catalog(spark: Any) -> Iterator[str]:
    spark.sql("create table orders_by_day (id bigint, day date) using parquet partitioned by (day)")
    spark.sql("insert into orders_by_day values (1, date'2026-01-01'), (2, date'2026-01-02'), (3, date'2026-01-02')")
    yield "orders_by_day"
    spark.sql("drop view if exists orders_view")
    spark.sql("drop table orders_by_day")


def test_a_catalog_table_is_read_where_it_changed(spark: Any, catalog: str) -> None:
    first = measure(spark, asked(catalog))
    assert rows(first) == {"day=2026-01-01": 1, "day=2026-01-02": 2}
    spark.sql("insert into orders_by_day values (4, date'2026-01-03')")
    assert rows(measure(spark, asked(catalog, dict(first.fingerprints)))) == {"day=2026-01-03": 1}


def test_a_catalog_tells_which_columns_a_table_has_now_though_no_file_changed(spark: Any, catalog: str) -> None:
    known = dict(measure(spark, asked(catalog)).fingerprints)
    spark.sql("alter table orders_by_day add columns (note string)")
    found = measure(spark, replace(asked(catalog, known), columns=True))
    assert (found.states, found.columns) == ({}, (("id", "bigint"), ("note", "string"), ("day", "date")))
    assert measure(spark, asked(catalog, known)).columns == ()


def test_what_is_read_tells_its_columns_itself_and_a_folder_has_those_of_its_files(spark: Any, table: Path) -> None:
    first = measure(spark, replace(asked(table), columns=True))
    again = measure(spark, replace(asked(table, dict(first.fingerprints)), columns=True))
    assert (first.schema.names, first.columns, again.columns) == (("id", "day"), (), ())


def test_a_view_tells_nothing_of_files_and_is_always_read(spark: Any, catalog: str) -> None:
    spark.sql(f"create view orders_view as select * from {catalog}")
    first = measure(spark, asked("orders_view"))
    assert rows(first) == {"day=2026-01-01": 1, "day=2026-01-02": 2}
    assert rows(measure(spark, asked("orders_view", dict(first.fingerprints)))) == rows(first)


def corrupt(path: Path) -> None:
    """Garbage in place of every data file, without the checksum that would tell."""
    for file in [each for each in path.rglob("*") if each.is_file()]:
        file.unlink()
        if not file.name.startswith((".", "_")):
            file.write_bytes(b"garbage" * 40)


def missing(path: Path) -> None:
    shutil.rmtree(path)


def emptied(path: Path) -> None:
    missing(path)
    path.mkdir()


def only_text(path: Path) -> None:
    emptied(path)
    (path / "readme.md").write_text("no table")


UNREADABLE = {
    "a missing path": (missing, "does not exist or is not readable: check the path"),
    "an empty folder": (emptied, "contains no file of a known format"),
    "no data file": (only_text, "specify its format or write the table first"),
    "corrupt files": (corrupt, "check its name, its format and that its files have one schema"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_table_that_cannot_be_read_is_told_with_what_to_do(name: str, spark: Any, table: Path) -> None:
    damage, said = UNREADABLE[name]
    damage(table)
    with pytest.raises(UnreadableTable) as caught:
        measure(spark, asked(table))
    assert said in caught.value.reason
    assert "garbage" not in caught.value.reason
    assert "Exception" not in caught.value.reason


@pytest.mark.parametrize(
    ("location", "source", "said"),
    [
        ("no_such_table", {}, "neither an existing path nor a table of the catalog \\(TABLE_OR_VIEW_NOT_FOUND"),
        ("a-b; drop table x", {}, "neither an existing path nor a table of the catalog"),
        ("nosuch://bucket/t", {}, "does not exist or is not readable"),
    ],
)
def test_a_location_that_is_none_is_told(location: str, source: dict[str, Any], said: str, spark: Any) -> None:
    with pytest.raises(UnreadableTable, match=said):
        measure(spark, asked(location, **source))


def test_an_unknown_format_or_partition_column_is_told(spark: Any, table: Path) -> None:
    with pytest.raises(UnreadableTable, match="as a nosuch table: DATA_SOURCE_NOT_FOUND"):
        measure(spark, asked(table, format="nosuch"))
    with pytest.raises(UnreadableTable, match="no partition column hour; its columns are id, day"):
        measure(spark, asked(table, partition_by=("hour",)))


def test_one_corrupt_partition_is_not_evaluated_and_the_others_are(spark: Any, table: Path) -> None:
    corrupt(table / "day=2")
    measured = measure(spark, asked(table))
    assert bags.unpack(measured.states["day=2"]).failures.keys() == {ALL}
    assert measured.fingerprints["day=2"] == UNREAD
    run = judged(measured)
    outcomes = {each.partition: str(each.outcome) for each in run.results if each.check_id == "average"}
    assert outcomes == {"day=1": "passed", "day=2": "not_evaluated", "day=3": "passed"}
    assert (run.verdict, run.rows) == ("not_evaluated", 4)
    assert all("FAILED_READ_FILE" in str(each.reason) for each in run.results if each.outcome == "not_evaluated")


def test_a_portion_at_a_time_reads_each_partition_once_and_one_that_is_broken_holds_nothing_up(
    spark: Any, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treaty.engine.spark.handlers.measure.AT_ONCE", 1)
    next((table / "day=1").glob("*.parquet")).write_bytes(b"PAR1 not really")
    known: dict[str, str] = {}
    portions = []
    while not portions or portions[-1].remaining:
        passed = frozenset(name for each in portions for name in each.states if each.fingerprints[name] == UNREAD)
        measured = measure(spark, replace(asked(table, dict(known)), portion=2, skipped_partitions=passed))
        known.update({name: measured.fingerprints[name] for name in measured.states})
        portions.append(measured)
    assert [(sorted(each.states), each.remaining) for each in portions] == [(["day=1", "day=2"], 1), (["day=3"], 0)]
    assert portions[-1].fingerprints["day=1"] == UNREAD
    assert ALL in bags.unpack(portions[0].states["day=1"]).failures
    assert rows(portions[1]) == {"day=3": 3}


def test_a_repaired_partition_is_read_again_although_nothing_else_changed(spark: Any, table: Path) -> None:
    corrupt(table / "day=2")
    first = measure(spark, asked(table))
    overwrite(spark, table)
    again = measure(spark, asked(table, dict(first.fingerprints)))
    assert rows(again) == {"day=2": 1}


def test_partitions_whose_schemas_conflict_are_each_judged_on_their_own(spark: Any, table: Path) -> None:
    spark.createDataFrame([("1",), ("2",)], "id string").write.mode("overwrite").parquet(str(table / "day=2"))
    run = judged(measure(spark, asked(table)))
    found = {(each.check_id, each.partition): str(each.outcome) for each in run.results}
    assert {name: found["average", name] for name in DAYS} == {
        "day=1": "passed", "day=2": "not_evaluated", "day=3": "passed",
    }  # fmt: skip
    assert {name: found["schema-types", name] for name in DAYS} == {
        "day=1": "passed", "day=2": "failed", "day=3": "passed",
    }  # fmt: skip


def test_a_column_added_in_one_partition_is_read_with_the_others(spark: Any, table: Path) -> None:
    spark.sql("select 5L id, 'x' extra").write.mode("overwrite").parquet(str(table / "day=3"))
    measured = measure(spark, asked(table))
    assert set(measured.schema.names) == {"id", "extra", "day"}
    assert judged(measured).verdict == "warned"


def test_faults_of_the_contract_are_raised_whole(spark: Any, table: Path) -> None:
    faulty = contract(check("zzz", mustBe=1), check("mean", "b", column="gone", mustBe=1), properties=COLUMNS)
    with pytest.raises(ContractError) as caught:
        measure(spark, asked(table, given=faulty))
    assert len(caught.value.faults) == 2


def test_large_states_lie_in_files_beside_the_bags(spark: Any, table: Path, tmp_path: Path) -> None:
    files = StateFiles(str(tmp_path / "states"))
    measured = measure(spark, replace(asked(table), state_url=files.url))
    assert len(list((tmp_path / "states").iterdir())) == 3
    run = evaluate(
        EvaluationRequest(
            contract=ORDERS,
            object_name="orders",
            states=measured.states,
            delta=DAYS,
            started_at=NOW,
            finished_at=NOW,
            files=files,
        )
    )
    assert run.verdict == "passed"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"columns": ("id", "dya")}, "the table has no column dya (did you mean 'day'?); available: id, day"),
        ({"partitions": ("day=9",)}, "the table has no partition day=9"),
        (
            {"excluded_partitions": ("day=1", "day=9"), "refuse_unknown_exclusions": True},
            "the table has no partition day=9 (did you mean 'day=3'?); available: day=1, day=2, day=3",
        ),
    ],
)
def test_a_draft_of_what_is_not_there_is_refused(words: dict[str, Any], said: str, spark: Any, table: Path) -> None:
    request = DraftRequest(source=TableSource(str(table), partition_by=("day",)), contract_id="t", object="t", **words)
    with pytest.raises(EngineError) as caught:
        draft(spark, request)
    assert said in caught.value.reason


def test_a_draft_without_unknown_computed_partitions_is_refused(spark: Any, table: Path) -> None:
    source = TableSource(str(table), partition_by=("half=cast(cast(day as int) % 2 as string)",))
    request = DraftRequest(
        source=source, contract_id="t", object="t", excluded_partitions=("half=7",), refuse_unknown_exclusions=True
    )
    with pytest.raises(EngineError, match=r"the table has no partition half=7 .*; available: half=0, half=1"):
        draft(spark, request)
    assert draft(spark, replace(request, excluded_partitions=("half=1",))).profile["partitions"] == ["half=0"]


def test_a_draft_of_some_partitions_reads_no_others(spark: Any, table: Path) -> None:
    request = DraftRequest(
        source=TableSource(str(table), partition_by=("day",)), contract_id="t", object="t", partitions=DAYS[1:]
    )
    assert draft(spark, request).profile["partitions"] == ["day=2", "day=3"]


def test_a_draft_learns_nothing_from_what_is_spoilt(spark: Any, table: Path) -> None:
    source, spoilt = TableSource(str(table), partition_by=("day",)), (DAYS[0], "day=9", "month=1")
    request = DraftRequest(source=source, contract_id="t", object="t", excluded_partitions=spoilt)
    assert draft(spark, request).profile["partitions"] == ["day=2", "day=3"]
    nothing = draft(spark, replace(request, excluded_partitions=DAYS))
    assert nothing.suggestions == ()
    assert NOTHING_SOUND in nothing.profile["notes"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.parquet", "parquet"), ("a.snappy.parquet", "parquet"), ("a.json.gz", "json"), ("a.jsonl", "json"),
        ("a.csv.zst", "csv"), ("A.CSV", "csv"), ("a.tsv", "tsv"), ("_delta_log/0.json", "delta"), ("x.orc", "orc"),
    ],
)  # fmt: skip
def test_the_format_is_known_by_the_files(name: str, kind: str, tmp_path: Path) -> None:
    (tmp_path / "t" / name).parent.mkdir(parents=True)
    (tmp_path / "t" / name).touch()
    (tmp_path / "t" / "_SUCCESS").touch()
    assert format_of(str(tmp_path / "t")) == kind


def test_a_table_format_is_never_read_by_its_folders(spark: Any, table: Path) -> None:
    (table / "_delta_log").mkdir()
    (table / "_delta_log" / "0.json").touch()
    assert changes.layout(spark, TableSource(str(table), partition_by=("day",))).folders == {}
