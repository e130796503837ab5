"""The gate before Delta tables, with Delta: one commit, states bound to the version that it made."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support.agents import require_delta
from support.gates import Crash
from support.orders import check, contract

from treaty.engine.core.errors import EngineError
from treaty.engine.gate.candidate import TableGate
from treaty.engine.gate.gate import CandidateRejected, GenerationConflict, answer, gate, open_gate, recover
from treaty.engine.gate.publication import intent_of, store_of
from treaty.engine.protocol.gate_requests import CommitRequest, FenceRequest, TableKind
from treaty.engine.protocol.requests import MeasureRequest, TableSource
from treaty.engine.spark.handlers.gate_staging import stage
from treaty.engine.spark.handlers.gate_tables import SessionTables
from treaty.engine.spark.handlers.measure import measure
from treaty.engine.states import bag as bags
from treaty.engine.states.generations import Generation, StateFolder

PROPERTIES = [
    {"name": "id", "logicalType": "integer", "required": True},
    {"name": "day", "logicalType": "date", "partitioned": True},
]
PROMISED = contract(
    check("sum", "sum", column="id", mustBeGreaterThan=0),
    check("size", "few", scope="dataset", mustBeLessThan=9),
    properties=PROPERTIES,
)
DDL = "id int, day date"
MONDAY, TUESDAY = date(2026, 1, 5), date(2026, 1, 6)


@pytest.fixture(autouse=True)
def _delta() -> None:
    require_delta()


@pytest.fixture
def table(tmp_path: Path) -> str:
    return str(tmp_path / "orders")


def rows(spark: Any, table: str) -> list[tuple[int, str]]:
    read = spark.read.format("delta").load(table)
    return sorted((row["id"], str(row["day"])) for row in read.collect())


def begun(spark: Any, table: str) -> None:
    """A new table that a gate has made, of two days."""
    with gate(spark, table, PROMISED, format="delta") as first:
        first.write(spark.createDataFrame([(1, MONDAY), (2, TUESDAY)], DDL))


def versions(spark: Any, table: str) -> list[str]:
    found = spark.sql(f"describe history delta.`{table}`").select("version", "operation").collect()
    return [row["operation"] for row in sorted(found, key=lambda row: row["version"])]


def agree(spark: Any, table: str) -> bool:
    """Whether the states are those that Spark computes of the table now."""
    found = measure(
        spark, MeasureRequest(source=TableSource(table, "delta", ("day",)), contract=PROMISED.source, object="orders")
    )
    current = store_of(table).current()
    kept = {name: bags.unpack(store_of(table).bag(each.bag)).values for name, each in current.entries.items()}
    anew = {name: bags.unpack(packed).values for name, packed in found.states.items()}
    return kept == anew and current.fingerprints == found.fingerprints


def test_a_delta_table_is_made_and_its_partitions_replaced_each_in_one_commit(spark: Any, table: str) -> None:
    begun(spark, table)
    with gate(spark, table, PROMISED) as candidate:
        candidate.write(spark.createDataFrame([(3,), (4,)], "id bigint"), {"day": str(MONDAY)})
    assert rows(spark, table) == [(2, str(TUESDAY)), (3, str(MONDAY)), (4, str(MONDAY))]
    with pytest.raises(CandidateRejected) as refused, gate(spark, table, PROMISED) as again:
        again.write(spark.createDataFrame([(each, MONDAY) for each in range(9)], DDL))
    assert [each.check_id for each in refused.value.run.results if each.outcome == "failed"] == ["few"]
    assert versions(spark, table) == ["WRITE", "WRITE"]
    assert (answer(table, PROMISED, spark=spark), agree(spark, table)) == ("passed", True)
    with pytest.raises(EngineError, match="pass the Spark session"):
        answer(table, PROMISED)


def test_whatever_changes_rows_is_seen_and_only_what_changed_is_measured_again(spark: Any, table: str) -> None:
    begun(spark, table)
    source = TableSource(table, "delta", ("day",))

    def changed() -> list[str]:
        """The partitions that are measured again, after which the table is gated anew."""
        known = store_of(table).current().fingerprints
        found = measure(
            spark, MeasureRequest(source=source, contract=PROMISED.source, object="orders", stored_fingerprints=known)
        ).states
        assert answer(table, PROMISED, spark=spark) == "unknown"
        with gate(spark, table, PROMISED) as again:
            again.write(spark.createDataFrame([(9,)], "id int"), {"day": "2026-01-09"})
        return sorted(found)

    monday = [f"day={MONDAY}"]
    spark.createDataFrame([(5, MONDAY), (6, MONDAY)], DDL).coalesce(1).write.format("delta").mode("append").save(table)
    assert changed() == monday
    spark.sql(f"optimize delta.`{table}`").collect()
    assert changed() == monday
    # From here on rows may vanish beside their files: no fingerprint is as it was.
    spark.sql(f"alter table delta.`{table}` set tblproperties ('delta.enableDeletionVectors' = 'true')").collect()
    everything = [*monday, f"day={TUESDAY}", "day=2026-01-09"]
    assert changed() == everything
    spark.sql(f"delete from delta.`{table}` where id = 6").collect()
    assert changed() == everything
    assert rows(spark, table) == [(1, str(MONDAY)), (2, str(TUESDAY)), (5, str(MONDAY)), (9, "2026-01-09")]
    assert (agree(spark, table), answer(table, PROMISED, spark=spark)) == (True, "passed")


def test_a_table_of_the_catalog_that_is_delta_is_the_same_table(spark: Any, table: str) -> None:
    begun(spark, table)
    spark.sql("create database if not exists gated")
    spark.sql(f"create table gated.orders using delta location '{table}'")
    with gate(spark, "gated.orders", PROMISED) as candidate:
        candidate.write(spark.createDataFrame([(3, MONDAY)], DDL))
    assert answer("gated.orders", PROMISED, spark=spark) == "passed"
    assert sorted(row["id"] for row in spark.table("gated.orders").collect()) == [2, 3]
    spark.sql("drop table gated.orders")


def test_a_table_without_partitions_is_replaced_as_a_whole(spark: Any, table: str) -> None:
    given = contract(check("size", mustBeGreaterThan=0), properties=PROPERTIES[:1])
    for number in (1, 2):
        with gate(spark, table, given, format="delta") as candidate:
            candidate.write(spark.createDataFrame([(number,)], "id int"))
    assert [row["id"] for row in spark.read.format("delta").load(table).collect()] == [2]
    assert answer(table, given, spark=spark) == "passed"


@dataclass(frozen=True)
class Ending(SessionTables):
    """A session whose caller ends right before it asks for a commit, or right after that was made."""

    before: Callable[[], object] = lambda: None
    after: Callable[[], object] = lambda: None

    def commit(self, request: CommitRequest) -> None:
        self.before()
        super().commit(request)
        self.after()

    def fence(self, request: FenceRequest) -> None:
        super().fence(request)
        self.after()


@dataclass(frozen=True)
class EndingStates(StateFolder):
    """States whose caller ends right after they were swapped."""

    def swap(self, *asked: Any) -> Generation:
        super().swap(*asked)
        raise Crash


def crash() -> None:
    raise Crash


def through(spark: Any, table: str, ids: list[int], **more: Any) -> None:
    """A publication to Monday through a gate that ends somewhere."""
    plain = TableGate(
        table=table,
        contract=PROMISED,
        object="orders",
        partition_by=("day",),
        store=store_of(table),
        measure=partial(measure, spark),
        stage=partial(stage, ("day",)),
        kind=TableKind.DELTA,
        tables=SessionTables(spark),
    )
    with open_gate(replace(plain, **more)) as candidate:
        candidate.write(spark.createDataFrame([(each, MONDAY) for each in ids], DDL))


def test_a_crash_beside_a_commit_is_recovered_by_what_the_history_says(spark: Any, table: str) -> None:
    begun(spark, table)
    held = [(1, str(MONDAY)), (2, str(TUESDAY))]
    ends = {
        "before the commit": ({"tables": Ending(spark, before=crash)}, "back"),
        "after the commit": ({"tables": Ending(spark, after=crash)}, "forward"),
        "after the swap": ({"store": EndingStates(store_of(table).place)}, "forward"),
    }
    for number, (at, (end, done)) in enumerate(ends.items(), start=10):
        with pytest.raises(Crash):
            through(spark, table, [number], **end)
        assert (Path(intent_of(table)).exists(), answer(table, PROMISED, spark=spark)) == (True, "unknown"), at
        assert recover(table, spark=spark) == done, at
        held = held if done == "back" else [(2, str(TUESDAY)), (number, str(MONDAY))]
        assert (rows(spark, table), agree(spark, table)) == (held, True), at
        assert answer(table, PROMISED, spark=spark) == "passed", at


def test_a_commit_that_comes_first_or_too_late_is_refused(spark: Any, table: str) -> None:
    begun(spark, table)
    other = spark.createDataFrame([(7, TUESDAY)], DDL).write.format("delta").mode("append")
    with pytest.raises(GenerationConflict, match="has changed since it was validated"):
        through(spark, table, [3], tables=Ending(spark, before=lambda: other.save(table)))
    assert rows(spark, table) == [(1, str(MONDAY)), (2, str(TUESDAY)), (7, str(TUESDAY))]
    late: list[CommitRequest] = []

    @dataclass(frozen=True)
    class Lost(SessionTables):
        def commit(self, request: CommitRequest) -> None:
            staged = spark.createDataFrame([(3, str(MONDAY))], "id int, day string")
            staged.write.partitionBy("day").parquet(f"{table}-late")
            late.append(replace(request, staged=f"{table}-late"))
            raise Crash

    with pytest.raises(Crash):
        through(spark, table, [3], tables=Lost(spark))
    assert recover(table, spark=spark) == "back"
    (newest,) = spark.sql(f"describe history delta.`{table}` limit 1").collect()
    # Even where it was begun anew on what recovery has left.
    SessionTables(spark).commit(replace(late[0], version=newest["version"]))
    assert rows(spark, table) == [(1, str(MONDAY)), (2, str(TUESDAY)), (7, str(TUESDAY))]
    assert (agree(spark, table), answer(table, PROMISED, spark=spark)) == (True, "unknown")
