"""Which partitions a write changed, found exactly, on each kind of table: whatever producers tell or do not tell."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.agents import require_delta
from support.written import STEPS, CatalogTable, DeltaTable, Table, sums

from engine.hints import Hint, How

HERE = Path(__file__).parents[1]
# What no write of this test ever tells rightly.
WRONG = Hint(("day=77",), How.SQL)


@pytest.fixture(params=["parquet", "orc", "catalog parquet", "catalog orc", "delta"])
def table(request: pytest.FixtureRequest, spark: Any, tmp_path: Path) -> Iterator[Table]:
    """A table of three days that was looked at."""
    *catalog, kind = request.param.split()
    made: Table = Table(spark, str(tmp_path / "orders"), kind)
    if kind == "delta":
        require_delta()
        made = DeltaTable(spark, made.place, kind)
    if catalog:
        spark.sql("create database if not exists found_partitions")
        made = CatalogTable(spark, "found_partitions.orders", kind)
        spark.sql(f"create table {made.place} (id int, day string) using {kind} partitioned by (day)")
    made.append([(1, "1"), (2, "2"), (3, "3")])
    assert sums(made.looked()) == {"day=1": 1, "day=2": 2, "day=3": 3}
    yield made
    if catalog:
        spark.sql(f"drop table {made.place}")


def test_exactly_what_a_write_changed_is_found_and_read(table: Table) -> None:
    for name, (happens, read, vanished) in STEPS.items():
        happens(table)
        expected = How.VERSIONS if table.kind == "delta" else How.FINGERPRINTS
        assert (name, table.changed(WRONG)) == (name, sorted(read))
        found = table.looked()
        assert (name, sums(found), set(found.vanished), found.how) == (name, read, vanished, expected)


@pytest.fixture
def delta(spark: Any, tmp_path: Path) -> DeltaTable:
    require_delta()
    made = DeltaTable(spark, str(tmp_path / "orders"), "delta")
    made.append([(1, "1"), (2, "2")])
    made.looked()
    return made


def test_rows_that_are_only_written_anew_are_not_read(delta: DeltaTable) -> None:
    delta.append([(3, "2")])
    assert sums(delta.looked()) == {"day=2": 5}
    delta.sql("optimize {}")
    found = delta.looked()
    assert (sums(found), found.how) == ({}, How.VERSIONS)
    delta.append([(4, "1")])
    delta.sql("optimize {}")
    assert sums(delta.looked()) == {"day=1": 5}


def test_of_rows_that_are_merged_or_marked_as_deleted_only_their_partitions_are_read(delta: DeltaTable) -> None:
    delta.sql("alter table {} set tblproperties ('delta.enableDeletionVectors' = 'true')")
    # The table is described anew: nobody knows which of its rows this may have changed.
    assert (delta.looked().how, sorted(delta.known)) == (How.FINGERPRINTS, ["day=1", "day=2"])
    delta.append([(7, "3"), (8, "3")])
    assert sums(delta.looked()) == {"day=3": 15}
    delta.sql("delete from {} where id = 8")
    assert sums(delta.looked()) == {"day=3": 7}
    delta.sql("merge into {} t using (select 2 id, '2' day) s on t.id = s.id when matched then update set id = 6")
    found = delta.looked()
    assert (sums(found), found.how) == ({"day=2": 6}, How.VERSIONS)
