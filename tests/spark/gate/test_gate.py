"""The gate with Spark: frames staged as Parquet, judged, and read back as what was written."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from support.orders import check, contract

from treaty.engine.core.errors import EngineError
from treaty.engine.gate.gate import CandidateRejected, StateFolder, answer, gate

PROPERTIES = [
    {"name": "id", "logicalType": "integer", "required": True},
    {"name": "day", "logicalType": "string", "partitioned": True},
]
PROMISED = contract(
    check("uniqueness", "ids", column="id", mustBe=1),
    check("size", "some", mustBeGreaterThan=0),
    properties=PROPERTIES,
)
MONDAY, TUESDAY = {"day": "2026-01-05"}, {"day": "2026-01-06"}


@pytest.fixture
def table(tmp_path: Path) -> str:
    return str(tmp_path / "orders")


def ids(spark: Any, *values: int | None) -> Any:
    return spark.createDataFrame([(value,) for value in values], "id int")


def rows(spark: Any, table: str) -> list[tuple[int, str]]:
    read = spark.read.parquet(table)
    return sorted((row["id"], str(row["day"])) for row in read.collect())


def test_partitions_are_replaced_judged_with_the_others_and_read_back(spark: Any, table: str) -> None:
    store = StateFolder(f"{table}-states")
    with gate(spark, table, PROMISED, store) as candidate:
        candidate.write(spark.createDataFrame([(1, date(2026, 1, 5)), (2, date(2026, 1, 6))], "id int, day date"))
    assert candidate.run.verdict == "passed"
    with pytest.raises(CandidateRejected) as refused, gate(spark, table, PROMISED, store) as again:
        again.write(ids(spark, 2, 3), MONDAY)
    assert [each.check_id for each in refused.value.run.results if each.outcome == "failed"] == ["ids"]
    with gate(spark, table, PROMISED, store) as last:
        last.write(ids(spark, 3, 4), MONDAY)
    assert rows(spark, table) == [(2, "2026-01-06"), (3, "2026-01-05"), (4, "2026-01-05")]
    assert answer(table, PROMISED, store) == "passed"
    assert store.current().entries.keys() == {"day=2026-01-05", "day=2026-01-06"}


def test_checks_that_must_see_all_rows_see_the_table_as_it_would_be(spark: Any, table: str) -> None:
    counted = check("sql", "all", scope="dataset", query="select count(distinct id) from {object}", mustBe=3)
    given = contract(counted, properties=PROPERTIES)
    with gate(spark, table, given, partition_by=["day"]) as first:
        first.write(spark.createDataFrame([(1, "1"), (2, "1"), (3, "2")], "id int, day string"))
    with gate(spark, table, given) as second:
        second.write(ids(spark, 1, 2, 2), {"day": "1"})
    assert (second.run.verdict, len(rows(spark, table))) == ("passed", 4)
    with pytest.raises(CandidateRejected) as refused, gate(spark, table, given) as third:
        third.write(ids(spark, 1, 3), {"day": "1"})
    (failed,) = [each for each in refused.value.run.results if each.outcome == "failed"]
    assert (failed.check_id, failed.value) == ("all", 2)


def test_a_named_partition_without_rows_is_judged_as_empty(spark: Any, table: str) -> None:
    with pytest.raises(CandidateRejected) as refused, gate(spark, table, PROMISED) as candidate:
        candidate.write(ids(spark), MONDAY)
    (failed,) = [each for each in refused.value.run.results if each.outcome == "failed"]
    assert (failed.check_id, failed.partition, failed.value) == ("some", "day=2026-01-05", 0)
    assert not Path(table).exists()


WRONG = {
    "a row of another partition": ("id int, day string", [(1, "2026-01-05"), (2, "2026-01-06")], MONDAY,
                                   "a row belongs to a partition other than the one specified"),
    "a column that parts nothing": ("id int", [(1,)], {"hour": "3"}, "hour is not a partition column of the table"),
    "a partition that nobody names": ("id int", [(1,)], None, "has no column day: specify its value as day=VALUE"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_belongs_elsewhere_is_refused(name: str, spark: Any, table: str) -> None:
    ddl, given, partition, said = WRONG[name]
    with pytest.raises(EngineError, match=said), gate(spark, table, PROMISED) as candidate:
        candidate.write(spark.createDataFrame(given, ddl), partition)
    assert not Path(table).exists()


@pytest.fixture
def inferring(spark: Any) -> Iterator[Any]:
    """The session as users have it: it takes the names of folders for numbers."""
    setting = "spark.sql.sources.partitionColumnTypeInference.enabled"
    before = spark.conf.get(setting)
    spark.conf.set(setting, "true")
    yield spark
    spark.conf.set(setting, before)


def test_partitions_that_spark_names_otherwise_than_their_folders_are_told(inferring: Any, table: str) -> None:
    with (
        pytest.raises(EngineError, match=r"partitionColumnTypeInference.enabled"),
        gate(inferring, table, PROMISED) as candidate,
    ):
        candidate.write(ids(inferring, 1), {"day": "01"})
    assert not Path(table).exists()
