"""Plans: what one reading computes, as text files that show every change of the SQL."""

import os

import pytest
from support.analyzer_cases import CASES
from support.analyzer_table import SCHEMA as ALL_TYPES
from support.folders import DATA
from support.orders import check, contract, on

from treaty.contracts.schema import Schema
from treaty.engine.analyzers.numbers import Mean
from treaty.engine.analyzers.rows import Size
from treaty.engine.checks.binding import bind
from treaty.engine.profile.table_profile import profile_of, profile_plan
from treaty.engine.states.planning.scan_plan import ROWS, plan

PLANS = DATA / "plans"
ORDERS = contract(
    check("mean", "a", column="amount", mustBeGreaterThan=0),
    check("mean", "b", column="amount", where="status = 'new'", mustBeGreaterThan=0),
    check("completeness", "c", column="amount", mustBe=1),
    check("compliance", "d", predicate="amount / id > 0 OR status LIKE 'o%'", mustBe=1),
    check("uniqueness", "e", columns=["id", "status"], where="amount > 0", mustBe=1),
    properties=on("id", primaryKey=True, primaryKeyPosition=1),
)
ORDER_TYPES = Schema(tuple(column for column in ALL_TYPES if column.name in ("id", "status")))


def shown(name: str) -> str:
    if name == "checks":
        from support.orders import SCHEMA

        return bind(ORDERS.object("orders"), SCHEMA).plan.explain(("day", "country"))
    if name == "profile":
        return profile_plan(profile_of(column, ALL_TYPES) for column in ALL_TYPES).explain()
    return plan(case.analyzer.bind(ALL_TYPES) for case in CASES).explain(("part",))


@pytest.mark.parametrize("name", ["checks", "profile", "all_analyzers"])
def test_the_plan_is_the_one_on_file(name: str) -> None:
    file = PLANS / f"{name}.txt"
    if os.environ.get("TREATY_WRITE_PLANS"):
        file.write_text(shown(name) + "\n", encoding="utf-8")
    assert shown(name) + "\n" == file.read_text(encoding="utf-8")


def test_equal_components_are_asked_once_whoever_asks() -> None:
    two = plan([Mean(column="id").bind(ORDER_TYPES), Mean(column="id").bind(ORDER_TYPES)])
    assert two == plan([Mean(column="id").bind(ORDER_TYPES)])
    assert len(two.scan) == 3


def test_the_rows_are_counted_whatever_is_asked() -> None:
    assert plan([]).scan == (ROWS,)
    assert plan([Size().bind(ORDER_TYPES)]) == plan([])


def test_a_filter_makes_another_component() -> None:
    both = plan([Size().bind(ORDER_TYPES), Size(where="id > 1").bind(ORDER_TYPES)])
    assert both.aggregates == ["count(1)", "count(1) FILTER (WHERE `id` > 1)"]
    assert len(both.keys) == 2
