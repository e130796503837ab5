"""The gate before tables of a catalog: each changed partition lies elsewhere from one change on."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support.gates import Crash
from support.orders import check, contract

from treaty.engine.core.errors import EngineError
from treaty.engine.gate.candidate import TableGate
from treaty.engine.gate.gate import CandidateRejected, answer, gate, open_gate, recover
from treaty.engine.gate.publication import intent_of, store_of
from treaty.engine.gate.table_kinds import site_of
from treaty.engine.protocol.gate_requests import LocationRequest, TableKind
from treaty.engine.protocol.requests import MeasureRequest, TableSource
from treaty.engine.spark.handlers.gate_staging import stage
from treaty.engine.spark.handlers.gate_tables import SessionTables
from treaty.engine.spark.handlers.measure import measure
from treaty.engine.states import bag as bags

PROPERTIES = [
    {"name": "id", "logicalType": "integer"},
    {"name": "day", "logicalType": "string", "partitioned": True},
]
PROMISED = contract(
    check("sum", "sum", column="id", mustBeGreaterThan=0),
    check("size", "few", scope="dataset", mustBeLessThan=9),
    properties=PROPERTIES,
)
DDL = "id int, day string"
# A day that a folder's name holds in other signs.
ODD = "a:b %20"


@pytest.fixture
def table(spark: Any, tmp_path: Path) -> Iterator[str]:
    """A new table of the catalog, in a folder of its own."""
    place = tmp_path / "orders"
    spark.sql("create database if not exists gated_catalog")
    spark.sql(
        "create table gated_catalog.orders (id int, day string) using parquet"
        f" partitioned by (day) location '{place.as_uri()}'"
    )
    yield "gated_catalog.orders"
    spark.sql("drop table gated_catalog.orders")


def location(tmp_path: Path) -> str:
    return os.path.realpath(tmp_path / "orders")


def written(spark: Any, table: str, given: list[tuple[int, str]]) -> None:
    """Rows published through the gate."""
    with gate(spark, table, PROMISED) as candidate:
        candidate.write(spark.createDataFrame(given, DDL))


def rows(spark: Any, table: str) -> list[tuple[int, str]]:
    return sorted((row["id"], row["day"]) for row in spark.table(table).collect())


def agree(spark: Any, table: str, store: Any) -> bool:
    """Whether the states are those that Spark computes of the table now."""
    found = measure(
        spark, MeasureRequest(source=TableSource(table, None, ("day",)), contract=PROMISED.source, object="orders")
    )
    current = store.current()
    kept = {name: bags.unpack(store.bag(each.bag)).values for name, each in current.entries.items()}
    anew = {name: bags.unpack(packed).values for name, packed in found.states.items()}
    return kept == anew and current.fingerprints == found.fingerprints


def test_partitions_lie_elsewhere_once_they_are_published(spark: Any, table: str, tmp_path: Path) -> None:
    spark.createDataFrame([(1, "1"), (2, ODD)], DDL).write.insertInto(table)
    written(spark, table, [(3, ODD), (4, "3")])
    assert rows(spark, table) == [(1, "1"), (3, ODD), (4, "3")]
    with pytest.raises(CandidateRejected):
        written(spark, table, [(each, "1") for each in range(9)])
    assert answer(table, PROMISED, spark=spark) == "passed"
    assert agree(spark, table, store_of(location(tmp_path)))
    spark.createDataFrame([(5, "3")], DDL).write.insertInto(table)
    assert (len(rows(spark, table)), answer(table, PROMISED, spark=spark)) == (4, "unknown")
    # What reads the folder by its path sees nothing of what the gate has published.
    assert [row["id"] for row in spark.read.parquet(location(tmp_path)).where("day = '3'").collect()] == []


REFUSED = {
    "no partitions": ("create table gated_catalog.t (id int) using parquet", "has no partitions"),
    "another format": (
        "create table gated_catalog.t (id int, day string) using csv partitioned by (day)", "neither a Parquet nor"),
    "a view": ("create view gated_catalog.t as select 1 as id", "neither a Parquet nor"),
    "a table that is not there": ("", "neither an existing path nor a table of the catalog"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_gate_cannot_publish_to_is_refused(name: str, spark: Any, table: str) -> None:
    made, said = REFUSED[name]
    if made:
        spark.sql(made)
    try:
        with pytest.raises(EngineError, match=said):
            gate(spark, "gated_catalog.t", PROMISED)
    finally:
        if made:
            spark.sql(f"drop {'view' if 'view' in made else 'table'} gated_catalog.t")


def test_a_column_that_the_table_does_not_have_is_refused(spark: Any, table: str) -> None:
    with pytest.raises(EngineError, match="has no column extra"), gate(spark, table, PROMISED) as candidate:
        candidate.write(spark.createDataFrame([(1, 2)], "id int, extra int"), {"day": "1"})


@dataclass(frozen=True)
class Ending(SessionTables):
    """A session whose caller ends right before a partition is placed, or right after."""

    at: str = ""
    before: Callable[[], object] = lambda: None
    after: Callable[[], object] = lambda: None

    def place(self, request: LocationRequest) -> None:
        if request.name == self.at:
            self.before()
        super().place(request)
        if request.name == self.at:
            self.after()


def crash() -> None:
    raise Crash


def through(spark: Any, table: str, tables: SessionTables, given: list[tuple[int, str]]) -> None:
    """A publication that ends somewhere."""
    site = site_of(table, tables)
    plain = TableGate(
        table=site.location,
        contract=PROMISED,
        object="orders",
        partition_by=("day",),
        store=store_of(site.location),
        measure=partial(measure, spark),
        stage=partial(stage, ("day",)),
        kind=TableKind.CATALOG,
        name=table,
        tables=tables,
    )
    with open_gate(replace(plain)) as candidate:
        candidate.write(spark.createDataFrame(given, DDL))


ENDS = {
    "before the first": {"at": "day=1", "before": crash},
    "between two": {"at": "day=1", "after": crash},
    "after the last": {"at": "day=2", "after": crash},
}


def test_a_crash_beside_any_change_is_recovered(spark: Any, table: str, tmp_path: Path) -> None:
    written(spark, table, [(1, "0"), (2, "1")])
    store = store_of(location(tmp_path))
    for number, end in enumerate(ENDS.values(), start=10):
        candidate = [(number, "1"), (number, "2")]
        with pytest.raises(Crash):
            through(spark, table, Ending(spark, **end), candidate)
        assert Path(intent_of(location(tmp_path))).exists()
        assert answer(table, PROMISED, spark=spark) == "unknown"
        assert recover(table, spark=spark) == "forward"
        assert (rows(spark, table), agree(spark, table, store)) == ([(1, "0"), *candidate], True)
        assert answer(table, PROMISED, spark=spark) == "passed"


def test_where_new_files_are_lost_partitions_lie_where_they_lay(spark: Any, table: str, tmp_path: Path) -> None:
    written(spark, table, [(1, "0"), (2, "1")])
    with pytest.raises(Crash):
        through(spark, table, Ending(spark, at="day=2", before=crash), [(3, "1"), (4, "2")])
    for lost in (tmp_path / "orders").glob("_published-*/day=2/*.parquet"):
        lost.unlink()
    assert recover(table, spark=spark) == "back"
    assert rows(spark, table) == [(1, "0"), (2, "1")]
    assert agree(spark, table, store_of(location(tmp_path)))
    assert answer(table, PROMISED, spark=spark) == "passed"
