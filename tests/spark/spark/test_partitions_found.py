"""Which partitions a write changed, found exactly, on each kind of table: whatever producers tell or do not tell."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support.agents import require_delta
from support.written import PROMISED, STEPS, CatalogTable, DeltaTable, Rows, Table, frame, sums

from treaty.engine.protocol.requests import MeasureRequest, MeasureResult, TableSource
from treaty.engine.protocol.write_hints import ChangeHints, DetectionMethod, WriteHint
from treaty.engine.spark.handlers.measure import measure

# What no write of this test ever tells rightly.
WRONG = WriteHint(("day=77",), DetectionMethod.SQL)


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
        expected = DetectionMethod.VERSIONS if table.kind == "delta" else DetectionMethod.FINGERPRINTS
        assert (name, table.changed(WRONG)) == (name, sorted(read))
        found = table.looked()
        assert (name, sums(found), set(found.vanished), found.method) == (name, read, vanished, expected)


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
    assert (sums(found), found.method) == ({}, DetectionMethod.VERSIONS)
    delta.append([(4, "1")])
    delta.sql("optimize {}")
    assert sums(delta.looked()) == {"day=1": 5}


def test_of_rows_that_are_merged_or_marked_as_deleted_only_their_partitions_are_read(delta: DeltaTable) -> None:
    delta.sql("alter table {} set tblproperties ('delta.enableDeletionVectors' = 'true')")
    # The table is described anew: nobody knows which of its rows this may have changed.
    assert (delta.looked().method, sorted(delta.known)) == (DetectionMethod.FINGERPRINTS, ["day=1", "day=2"])
    delta.append([(7, "3"), (8, "3")])
    assert sums(delta.looked()) == {"day=3": 15}
    delta.sql("delete from {} where id = 8")
    assert sums(delta.looked()) == {"day=3": 7}
    delta.sql("merge into {} t using (select 2 id, '2' day) s on t.id = s.id when matched then update set id = 6")
    found = delta.looked()
    assert (sums(found), found.method) == ({"day=2": 6}, DetectionMethod.VERSIONS)


def test_where_versions_are_cleaned_away_the_files_tell(spark: Any, delta: DeltaTable) -> None:
    delta.sql("alter table {} set tblproperties ('delta.checkpointInterval' = '1')")
    delta.looked()
    seen = delta.at
    assert seen is not None
    delta.append([(3, "2")])
    delta.append([(4, "3")])
    (Path(delta.place) / "_delta_log" / f"{seen.version + 1:020}.json").unlink()
    found = delta.looked()
    assert (sums(found), found.method) == ({"day=2": 5, "day=3": 4}, DetectionMethod.FINGERPRINTS)


@pytest.mark.parametrize("by", [("day",), ()])
def test_a_table_that_lost_all_its_rows_has_no_partition_left(by: tuple[str, ...], delta: DeltaTable) -> None:
    look = partial(measure, delta.spark)
    first = look(MeasureRequest(source=TableSource(delta.place, None, by), contract=PROMISED.source, object="orders"))
    delta.sql("delete from {}")
    asked = MeasureRequest(
        source=TableSource(delta.place, None, by),
        contract=PROMISED.source,
        object="orders",
        stored_fingerprints=dict(first.fingerprints),
    )
    hinted = replace(asked, hints=ChangeHints(WriteHint(("day=1",), DetectionMethod.PATH), first.table_version))
    found = look(hinted)
    assert (set(found.fingerprints), set(found.vanished)) == (set() if by else {""}, set(first.states) if by else set())
    again = look(
        replace(
            hinted, stored_fingerprints=dict(found.fingerprints), hints=ChangeHints(since_version=found.table_version)
        )
    )
    assert again.states == {}


def test_a_table_that_is_made_anew_is_another(delta: DeltaTable) -> None:
    delta.append([(3, "1")])
    delta.looked()
    shutil.rmtree(delta.place)
    for id in (5, 6, 7):
        delta.append([(id, "1"), (id, "2")])
    found = delta.looked()
    assert (sums(found), found.method) == ({"day=1": 18, "day=2": 18}, DetectionMethod.FINGERPRINTS)


def test_the_version_of_the_event_is_read_though_others_came_since(delta: DeltaTable) -> None:
    delta.append([(3, "1")])
    delta.append([(4, "2")])
    assert delta.at is not None
    event = WriteHint(("day=2",), DetectionMethod.SUBSET, delta.at.version + 1)
    found = delta.looked(event)
    assert (sums(found), found.table_version) == ({"day=1": 4}, replace(delta.at, version=event.version))
    # A late event of a version that was passed: what there is by now is looked at.
    assert sums(delta.looked(WriteHint(version=0))) == {"day=2": 6}


def test_a_table_that_is_not_parted_is_read_at_its_version_as_well(spark: Any, tmp_path: Path) -> None:
    require_delta()
    place = str(tmp_path / "orders")
    for id in (1, 2, 3):
        frame(spark, [(id, "1")]).write.format("delta").mode("append").save(place)
    source, known, at = TableSource(place), {}, None
    found: dict[int, tuple[dict[str, int], DetectionMethod | None]] = {}
    for version in (0, 2, 3):
        if version == 3:
            spark.sql(f"optimize delta.`{place}`").collect()
        look = ChangeHints(WriteHint(version=version), at)
        read = measure(
            spark,
            MeasureRequest(
                source=source, contract=PROMISED.source, object="orders", stored_fingerprints=known, hints=look
            ),
        )
        found[version], known, at = (sums(read), read.method), dict(read.fingerprints), read.table_version
    assert found == {
        0: ({"": 1}, DetectionMethod.FINGERPRINTS),
        2: ({"": 6}, DetectionMethod.VERSIONS),
        3: ({}, DetectionMethod.VERSIONS),
    }


def test_a_delta_table_of_the_catalog_is_read_at_a_version(spark: Any, delta: DeltaTable) -> None:
    delta.append([(3, "1")])
    spark.sql("create database if not exists found_partitions")
    spark.sql(f"create table found_partitions.lake using delta location '{delta.place}'")
    try:
        named = Table(spark, "found_partitions.lake", "delta")
        assert sums(named.looked(WriteHint(version=0))) == {"day=1": 1, "day=2": 2}
        assert sums(named.looked()) == {"day=1": 4}
    finally:
        spark.sql("drop table found_partitions.lake")


@dataclass
class View(Table):
    """A view, of which nothing tells what changed."""

    rows: Rows = field(default_factory=list)
    latest: int | None = None

    def show(self, *rows: tuple[int, str]) -> None:
        """What the view shows from now on."""
        frame(self.spark, list(rows)).createOrReplaceTempView(self.place)

    def looked(self, hint: WriteHint | None = None, reading: str = "a") -> MeasureResult:
        look = ChangeHints(hint or WriteHint(), None, self.latest, reading)
        found = measure(
            self.spark,
            MeasureRequest(
                source=self.source,
                contract=PROMISED.source,
                object="orders",
                stored_fingerprints=self.known,
                hints=look,
            ),
        )
        self.known = dict(found.fingerprints)
        return found


@pytest.fixture
def view(spark: Any) -> Iterator[View]:
    made = View(spark, "found_partitions_view", "view")
    made.show((1, "2026-01-01"), (2, "2026-01-02"))
    assert sums(made.looked()) == {"day=2026-01-01": 1, "day=2026-01-02": 2}
    yield made
    spark.catalog.dropTempView(made.place)


FIRST, SECOND, THIRD = (f"day=2026-01-0{day}" for day in (1, 2, 3))
HINTS: dict[str, tuple[WriteHint, int | None, dict[str, int], set[str], DetectionMethod]] = {
    "hinted at": (WriteHint((THIRD,), DetectionMethod.PATH), None, {THIRD: 5}, set(), DetectionMethod.PATH),
    "hinted at, and known": (WriteHint((FIRST,), DetectionMethod.SQL), 1, {FIRST: 3}, set(), DetectionMethod.SQL),
    "gone": (WriteHint((SECOND,), DetectionMethod.SUBSET), None, {}, {SECOND}, DetectionMethod.SUBSET),
    "never there": (
        WriteHint(("day=20260101",), DetectionMethod.NOMINAL),
        None,
        {FIRST: 3, THIRD: 5},
        {SECOND},
        DetectionMethod.POLICY,
    ),
    "too many": (
        WriteHint(tuple(f"day={at}" for at in range(65)), DetectionMethod.PATH),
        None,
        {FIRST: 3, THIRD: 5},
        {SECOND},
        DetectionMethod.POLICY,
    ),
    "nothing told, all": (WriteHint(), None, {FIRST: 3, THIRD: 5}, {SECOND}, DetectionMethod.POLICY),
    "nothing told, the newest": (WriteHint(), 1, {THIRD: 5}, set(), DetectionMethod.POLICY),
}


@pytest.mark.parametrize(("hint", "latest", "read", "vanished", "how"), HINTS.values(), ids=HINTS)
def test_where_nothing_tells_hints_do_and_then_the_contract(
    hint: WriteHint, latest: int | None, read: dict[str, int], vanished: set[str], how: DetectionMethod, view: View
) -> None:
    before, view.latest = view.known, latest
    view.show((3, "2026-01-01"), (5, "2026-01-03"))
    found = view.looked(hint, "b")
    assert (sums(found), set(found.vanished), found.method) == (read, vanished, how)
    assert {name for name, mark in found.fingerprints.items() if before.get(name) != mark} == set(read)
