"""A lake's index as a folder: tables add, are replaced and forgotten; common domains and their carriers are found."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from treaty.engine.core.disk import LockHeld, file_lock
from treaty.engine.patterns.analysis import PatternCarriers, common_domains, pattern_carriers
from treaty.engine.patterns.index import PatternIndex
from treaty.engine.patterns.index_file import UnreadableIndex
from treaty.engine.patterns.lake_index import PatternLake, half_of
from treaty.engine.patterns.lake_sums import FIELDS
from treaty.engine.patterns.language.pattern import PatternError

TIMES = [f"{n % 24}:{n * 7 % 60:02d}" for n in range(80)]
DATES = [f"2024-{n % 12 + 1:02d}-{n % 28 + 1:02d}" for n in range(80)]
CODES = [f"AB{n:04d}" for n in range(80)]
ORDERS = {"at": TIMES, "day": DATES}
FLIGHTS = {"departs": TIMES[5:], "code": CODES}


def _alike(one: PatternIndex, other: PatternIndex) -> bool:
    fields = all(getattr(one.sums, name).tolist() == getattr(other.sums, name).tolist() for name in FIELDS)
    return (
        fields and one.sums.size == other.sums.size and dict(one.background.columns) == dict(other.background.columns)
    )


def test_tables_add_up_whatever_the_order(tmp_path: Path) -> None:
    one, other = PatternLake(tmp_path / "one"), PatternLake(tmp_path / "other")
    together = one.add({"orders": ORDERS, "flights": FLIGHTS})
    other.add({"flights": FLIGHTS})
    assert _alike(other.add({"orders": ORDERS}), together)
    assert other.tables() == ["flights", "orders"]


def test_a_table_that_is_indexed_again_replaces_what_it_was(tmp_path: Path) -> None:
    lake, fresh = PatternLake(tmp_path / "lake"), PatternLake(tmp_path / "fresh")
    lake.add({"orders": {"at": CODES}, "flights": FLIGHTS})
    replaced = lake.add({"orders": ORDERS})
    assert _alike(replaced, fresh.add({"orders": ORDERS, "flights": FLIGHTS}))
    assert replaced.sums.size == 4


def test_a_table_that_is_forgotten_leaves_nothing_behind(tmp_path: Path) -> None:
    lake, fresh = PatternLake(tmp_path / "lake"), PatternLake(tmp_path / "fresh")
    lake.add({"orders": ORDERS, "flights": FLIGHTS})
    assert lake.forget(["orders", "visits"]) == 2
    fresh.add({"flights": FLIGHTS})
    assert _alike(lake.index(), fresh.index())
    assert pattern_carriers(lake, "<digit>{4}-<digit>{2}-<digit>{2}").carriers == ()


def test_what_is_forgotten_while_it_is_read_is_not_added(tmp_path: Path) -> None:
    lake = PatternLake(tmp_path)
    lake.add({"orders": ORDERS})
    since = lake.forgotten()
    lake.forget(["orders"])
    lake.add({"orders": ORDERS, "flights": FLIGHTS}, since=since)
    assert lake.tables() == ["flights"]
    lake.add({"orders": ORDERS}, since=lake.forgotten())
    assert lake.tables() == ["flights", "orders"]


def test_one_process_at_a_time_changes_a_lake(tmp_path: Path) -> None:
    lake = PatternLake(tmp_path, patience=0)
    lake.add({"orders": ORDERS})
    with file_lock(str(tmp_path / "lock"), patience=0):
        for change in (lambda: lake.add({"flights": FLIGHTS}), lambda: lake.forget(["orders"])):
            with pytest.raises(LockHeld):
                change()
    assert lake.tables() == ["orders"]


def test_workers_that_learn_at_once_leave_the_sum_of_both(tmp_path: Path) -> None:
    columns = {f"table {n}": {"at": TIMES[n:]} for n in range(6)}
    with ThreadPoolExecutor(3) as workers:
        list(workers.map(lambda each: PatternLake(tmp_path).add(dict([each])), columns.items()))
    fresh = PatternLake(tmp_path / "fresh")
    fresh.add(columns)
    assert _alike(PatternLake(tmp_path).index(), fresh.index())


def test_after_a_change_that_was_cut_short_every_table_is_due(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lake = PatternLake(tmp_path)
    lake.add({"orders": ORDERS}, {"orders": "noon"})
    assert lake.table_versions() == {"orders": "noon"}
    with monkeypatch.context() as patch:
        patch.setattr(PatternLake, "_sum_up", _ended)
        with pytest.raises(RuntimeError):
            lake.add({"flights": FLIGHTS}, {"flights": "noon"})
    assert set(lake.table_versions().values()) == {""}
    lake.add({"orders": ORDERS}, {"orders": "noon"})
    assert lake.table_versions() == {"orders": "noon", "flights": "noon"}
    assert lake.index().sums.size == 4


def _ended(lake: PatternLake) -> None:
    raise RuntimeError(lake.folder)


def test_the_columns_that_carry_a_pattern_are_found(tmp_path: Path) -> None:
    lake = PatternLake(tmp_path)
    lake.add({"orders": ORDERS, "flights": FLIGHTS})
    found = pattern_carriers(lake, "<digit>+:<digit>{2}").carriers
    assert [(each.table, each.column, each.impurity) for each in found] == [
        ("flights", "departs", 0),
        ("orders", "at", 0),
    ]


def test_common_domains_are_told_with_their_names(tmp_path: Path) -> None:
    lake = PatternLake(tmp_path)
    lake.add({"orders": ORDERS, "flights": FLIGHTS, "visits": {"on": DATES[3:]}})
    told = {(each.columns, each.text): each.name for each in common_domains(lake, 100)}
    assert {columns for columns, _ in told} == {2}
    assert told[2, "2024-<digit>{2}-<digit>{2}"] == "date or time (%Y-%m-%d)"
    assert any(text.startswith("<digit>+:") for _, text in told)


def test_beside_a_pattern_stand_those_that_are_narrower_and_wider(tmp_path: Path) -> None:
    lake = PatternLake(tmp_path)
    lake.add({"orders": ORDERS, "flights": FLIGHTS})
    found = pattern_carriers(lake, "<digit>+:<digit>{2}")
    assert found.domain is not None
    assert (found.domain.columns, found.domain.fpr) == (2, 0)
    assert {(each.text, each.fpr > 0.3) for each in found.narrower} == {
        ("<digit>{2}:<digit>{2}", True),
        ("<digit>:<digit>{2}", True),
    }
    assert "<digit>+:<digit>+" in [each.text for each in found.wider]


def test_who_sees_some_columns_alone_is_told_of_these(tmp_path: Path) -> None:
    lake = PatternLake(tmp_path)
    lake.add({"orders": ORDERS, "flights": FLIGHTS, "visits": {"on": DATES[3:]}})
    seen = {"orders": ("day",), "unknown": ("at",)}
    assert [each.column for each in pattern_carriers(lake, "2024-<digit>{2}-<digit>{2}", seen).carriers] == ["day"]
    assert pattern_carriers(lake, "<digit>+:<digit>{2}", seen) == PatternCarriers(None, (), (), ())
    assert {each.text.count(":") for each in common_domains(lake, 100, seen)} == {0}
    assert common_domains(lake, 100, {}) == []


def test_a_lake_without_an_index_and_a_text_that_is_no_pattern_are_told(tmp_path: Path) -> None:
    with pytest.raises(UnreadableIndex):
        PatternLake(tmp_path).index()
    with pytest.raises(PatternError):
        pattern_carriers(PatternLake(tmp_path), "<number>")


def test_tables_are_halved_by_their_names_alone() -> None:
    assert {half_of(f"table {n}") for n in range(20)} == {0, 1}
    assert half_of("orders") == half_of("orders")
