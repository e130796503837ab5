"""The demo's shop, its incidents, how a table becomes a history and deliveries, and what is said of the verdicts."""

from dataclasses import replace
from datetime import UTC, datetime
from io import StringIO
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from treaty.engine.core.results import Outcome, Verdict
from treaty.registry.demo import shop_data
from treaty.registry.demo.deliveries import DemoDelivery, DemoLake, shop_lake, wider
from treaty.registry.demo.incidents import INCIDENTS, befallen, of
from treaty.registry.demo.run import DemoReport, print_report
from treaty.registry.demo.scenario import DeliveryResult, names_of
from treaty.registry.schemas import CheckResultOut, RunSummaryOut

TABLES = {table.name: table for table in shop_data.TABLES}
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
KINDS = st.sampled_from(["int", "bigint", "double", "string", "date", "boolean"])


@pytest.mark.parametrize("name", TABLES)
def test_the_same_seed_gives_the_same_rows_and_another_seed_others(name: str) -> None:
    once, again, other = (shop_data.rows_of(TABLES[name], 3, seed=seed) for seed in (1, 1, 2))

    assert once == again
    assert once != other
    assert {", ".join(row) for row in once} == {", ".join(each.split()[0] for each in TABLES[name].columns.split(", "))}


@pytest.mark.parametrize("name", TABLES)
def test_a_day_stays_within_a_third_of_its_table_s_volume(name: str) -> None:
    volumes = [len(shop_data.rows_of(TABLES[name], day, seed=7)) for day in range(shop_data.DAYS)]

    assert max(volumes) < 2 * min(volumes)


@pytest.mark.parametrize("incident", INCIDENTS, ids=lambda each: each.name)
def test_an_incident_changes_its_own_delivery_alone(incident: Any) -> None:
    hit = [
        (name, day)
        for name, table in TABLES.items()
        for day in (incident.day - 1, incident.day, incident.day + 1)
        if befallen(of(name, day), rows := shop_data.rows_of(table, day, seed=7), seed=7) != rows
    ]

    assert hit == ([] if incident.types else [(incident.table, incident.day)])
    assert of(incident.table, incident.day) == (incident,)


def test_an_incident_that_changes_types_names_columns_of_its_table() -> None:
    reshaping = [each for each in INCIDENTS if each.types]
    assert reshaping
    for incident in reshaping:
        known = dict(column.rsplit(" ", 1) for column in TABLES[incident.table].columns.split(", "))
        assert all(known[name] != kind for name, kind in incident.types.items())


def test_damage_is_the_same_for_the_same_seed() -> None:
    found, rows = of("orders", 27), shop_data.rows_of(TABLES["orders"], 27, seed=7)

    assert befallen(found, rows, seed=7) == befallen(found, rows, seed=7)
    assert befallen(found, rows, seed=7) != befallen(found, rows, seed=8)


@pytest.mark.parametrize(
    ("days", "history", "names"),
    [
        (40, 25, [each.name for each in INCIDENTS]),
        (31, 25, ["nulls", "truncated load"]),
        (31, 28, ["truncated load"]),
        (27, 25, []),
    ],
)
def test_a_lake_knows_the_incidents_of_its_deliveries(days: int, history: int, names: list[str]) -> None:
    lake = shop_lake(days=days, history=history)

    assert [each.name for each in lake.incidents] == names
    assert [each.name for day in lake.deliveries for one in day for each in one.incidents] == names
    assert (len(lake.history), len(lake.deliveries)) == (3 * history, days - history)
    assert lake.tables == ("orders", "order_items", "customers")


def test_a_lake_of_some_tables_has_no_incident_of_the_others() -> None:
    lake = shop_lake(tables=[TABLES["order_items"]])

    assert lake.tables == ("order_items",)
    assert [each.name for each in lake.incidents] == ["truncated load", "schema change"]


def test_history_and_deliveries_are_in_the_order_of_the_days() -> None:
    lake = shop_lake(days=12, history=9)
    arriving = [each.partition for each in lake.history] + [each.partition for day in lake.deliveries for each in day]

    assert arriving == sorted(arriving)
    assert arriving[0] == shop_data.FIRST_DAY.isoformat()


def arrived(lake: DemoLake, index: int) -> list[tuple[str, str | None]]:
    """Table and day of what arrived together, with what it is called where that was not its turn."""
    return [
        (f"{each.table} {each.partition[-2:]}", each.late_delivery and each.late_delivery.name)
        for each in lake.deliveries[index]
    ]


def test_one_partition_is_late_and_one_is_delivered_again() -> None:
    lake = shop_lake(days=32, history=28, tables=[TABLES["orders"], TABLES["order_items"]])

    assert [each.name for each in lake.late_deliveries] == ["late partition", "re-delivery"]
    assert arrived(lake, 0) == [("order_items 29", None)]
    assert arrived(lake, 1) == [("orders 30", None), ("order_items 30", None), ("orders 29", "late partition")]
    assert arrived(lake, 3) == [("orders 02", None), ("order_items 02", None), ("order_items 01", "re-delivery")]
    broken, again = (each for day in lake.deliveries for each in day if each.target == ("order_items", "2026-10-01"))
    assert ([each.name for each in broken.incidents], again.incidents) == (["truncated load"], ())


@pytest.mark.parametrize(("days", "history"), [(29, 25), (40, 31)])
def test_what_would_arrive_outside_the_days_has_its_own_turn(days: int, history: int) -> None:
    lake = shop_lake(days=days, history=history)

    assert lake.late_deliveries == ()
    assert {len(each) for each in lake.deliveries} == {3}


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ("int", "bigint", "bigint"),
        ("double", "int", "double"),
        ("bigint", "double", "double"),
        ("date", "date", "date"),
        ("int", "date", "string"),
        ("boolean", "double", "string"),
        ("string", "int", "string"),
    ],
)
def test_the_wider_type_holds_values_of_both(one: str, other: str, both: str) -> None:
    assert wider(one, other) == both


@given(KINDS, KINDS, KINDS)
def test_the_order_of_the_files_does_not_change_the_type(one: str, other: str, third: str) -> None:
    assert wider(one, one) == one
    assert wider(one, other) == wider(other, one)
    assert wider(wider(one, other), third) == wider(one, wider(other, third))


def result(name: str, outcome: Outcome = Outcome.FAILED, **more: Any) -> CheckResultOut:
    """A result of that check."""
    words = {
        "check_id": name,
        "name": name,
        "outcome": outcome,
        "severity": "error",
        "scope": "delta",
        "sentence": name,
        "unevaluated": 0,
        **more,
    }
    unknown = dict.fromkeys(each for each, field in CheckResultOut.model_fields.items() if field.is_required())
    return CheckResultOut.model_validate({**unknown, **words})


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ([], ""),
        ([result("complete", finding="69.1 % have a value")], "complete (69.1 % have a value)"),
        ([result("columns", reason="missing: a")], "columns (missing: a)"),
        ([result("kinds")], "kinds (failed)"),
        (
            [result("mean", Outcome.NOT_EVALUATED), result("a", finding="it is 1")],
            "a (it is 1); mean: could not be evaluated",
        ),
        ([result("a", finding="it is 1"), result("a", finding="it is 1")], "a (it is 1)"),
        (
            [result(name, finding="it is 1") for name in "abcde"],
            "a (it is 1); b (it is 1); c (it is 1); and 2 more",
        ),
    ],
)
def test_broken_checks_are_named_failed_ones_first_and_each_once(broken: list[CheckResultOut], words: str) -> None:
    assert names_of(broken) == words


def judged(verdict: Verdict, delivery: DemoDelivery) -> DeliveryResult:
    """The verdict on a delivery."""
    run = RunSummaryOut(
        id=UUID(int=1), contract_id=delivery.table, version="1.0.0", object=delivery.table, partitions=(),
        outcome_counts={}, verdict=verdict, rows=1, started_at=NOW, finished_at=NOW, reason=None,
    )  # fmt: skip
    return DeliveryResult(delivery, run, (result("complete", value="0.5"),), 1.0)


def of_lake(lake: DemoLake, *, alarmed: set[str]) -> DemoReport:
    """The report of a loop in which the deliveries of those days alarmed."""
    every = [each for day in lake.deliveries for each in day]
    verdicts = [Verdict.FAILED if each.partition in alarmed else Verdict.PASSED for each in every]
    return DemoReport(tuple(map(judged, verdicts, every)), lake.incidents, lake.late_deliveries)


@pytest.mark.parametrize(
    ("alarmed", "missed", "false"),
    [
        ({27}, [], 0),
        (set(), ["nulls"], 0),
        ({26, 27}, [], 1),
        ({26}, ["nulls"], 1),
    ],
)
def test_the_report_counts_what_was_missed_and_what_alarmed_without_cause(
    alarmed: set[int], missed: list[str], false: int
) -> None:
    lake = shop_lake(days=29, history=25, tables=[TABLES["orders"]])

    report = of_lake(lake, alarmed={shop_data.day_name(day) for day in alarmed})

    assert [each.name for each in report.missed] == missed
    assert len(report.false_alarms) == false


def test_the_printed_report_says_missed_where_nothing_alarmed() -> None:
    lake = shop_lake(days=31, history=25)
    said = StringIO()

    print_report(of_lake(lake, alarmed={shop_data.day_name(27)}), Console(file=said, width=150, highlight=False))

    assert "truncated load  order_items  2026-10-01" in said.getvalue()
    assert said.getvalue().count("missed") == 1
    assert "false alarms: 2 of 16 deliveries" in said.getvalue()
    assert "late partition: orders 2026-09-29, ✓ passed" in said.getvalue()


def test_a_delivery_keeps_its_incidents_under_another_name() -> None:
    (nulls, *_) = shop_lake(days=28, history=27).deliveries[0]

    assert replace(nulls, table="others").incidents == of("orders", 27)
