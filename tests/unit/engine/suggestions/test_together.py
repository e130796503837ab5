"""Columns that promise something together: what is worth counting, by a sample, and what is suggested of the counts."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from math import exp, log
from typing import Any

import numpy
import pytest
from support.histories import related

from treaty.engine.suggestions.kinds.column_group_search import RowSample, by_chance, pairs_by_chance
from treaty.engine.suggestions.selection.pipeline import suggest

Days = Sequence[Mapping[str, Sequence[Any]]]


def said(types: dict[str, str], days: Days) -> dict[str, str]:
    """The sentences about columns together, with the scope of their checks."""
    made = suggest(related(types, days), "orders")
    kinds = {"determined", "in_order", "composite_key"}
    return {
        each["sentence"]: each["patch"]["quality"]["implementation"]["scope"] for each in made if each["kind"] in kinds
    }


CITIES = {"city": ["Oslo", "Bergen", "Ghent", "Namur"] * 25, "land": ["NO", "NO", "BE", "BE"] * 25}
TEXTS = {"city": "string", "land": "string"}


def test_what_another_column_determines_is_told_by_that_of_fewest_values() -> None:
    whole = {**CITIES, "id": list(range(100)), "zone": [at % 8 for at in range(100)]}
    days = [{**whole, "id": [each + 100 * day for each in whole["id"]]} for day in range(5)]
    types = {"id": "bigint", **TEXTS, "zone": "bigint"}
    assert said(types, days) == {
        "land is determined by city": "dataset",
        "city is determined by zone": "dataset",
    }


def test_of_columns_that_determine_each_other_the_first_tells_the_other() -> None:
    days = [{"land": CITIES["land"], "name": [{"NO": "Norway", "BE": "Belgium"}[each] for each in CITIES["land"]]}] * 4
    assert list(said({"land": "string", "name": "string"}, days)) == ["name is determined by land"]


@pytest.mark.parametrize(
    ("column", "other"),
    [
        (CITIES["city"], ["NO"] * 100),  # constant
        (list(map(str, range(100))), CITIES["land"]),  # unique in each partition
        (CITIES["city"], ["NO", "BE"] * 49 + ["NO", "NO"]),  # broken by one row
        ([None] * 100, CITIES["land"]),
        ([*map(str, range(98)), "same", "same"], ["x", "y"] * 49 + ["x", "x"]),  # by chance
    ],
)
def test_what_says_nothing_is_not_suggested(column: list[Any], other: list[Any]) -> None:
    assert said(TEXTS, [{"city": column, "land": other}] * 4) == {}


def test_what_one_newer_partition_breaks_is_not_suggested() -> None:
    broken = {**CITIES, "land": ["BE", *CITIES["land"][1:]]}
    assert said(TEXTS, [*[CITIES] * 9, broken]) == {}


def test_two_columns_are_a_key_together_where_none_is_alone() -> None:
    days = [{"shop": [at // 50 for at in range(1000)], "line": [at % 50 for at in range(1000)]} for _ in range(4)]
    types = {"shop": "bigint", "line": "bigint"}
    assert said(types, days) == {"shop, line are unique together within a partition": "delta"}
    running = [{"shop": [each + 20 * at for each in day["shop"]], "line": day["line"]} for at, day in enumerate(days)]
    assert said(types, running) == {"shop, line are unique together": "dataset"}
    alone = [{**day, "line": list(range(1000))} for day in days]
    assert "composite_key" not in {each["kind"] for each in suggest(related(types, alone), "orders")}


def test_three_columns_are_a_key_where_no_two_are() -> None:
    rows = range(1000)
    day = {"a": [at % 10 for at in rows], "b": [at // 10 % 10 for at in rows], "c": [at // 100 for at in rows]}
    assert list(said(dict.fromkeys("abc", "bigint"), [day] * 3)) == ["a, b, c are unique together within a partition"]


@pytest.mark.parametrize("broken", [0, 3])
def test_no_key_is_told_where_a_combination_occurs_twice(broken: int) -> None:
    days: list[dict[str, Any]] = [{"a": [at // 50 for at in range(1000)], "b": [at % 50 for at in range(1000)]}] * 4
    days[broken] = {"a": [0, *days[0]["a"][1:]], "b": [1, *days[0]["b"][1:]]}
    assert said({"a": "bigint", "b": "bigint"}, days) == {}


def test_moments_are_in_order_where_every_row_has_them_so() -> None:
    texts = [date(2026, 1, at % 28 + 1) for at in range(100)]
    later = [each + timedelta(days=at % 5) for at, each in enumerate(texts)]
    types = {"ordered": "date", "sent": "date"}
    assert said(types, [{"ordered": texts, "sent": later}] * 3) == {"sent is never earlier than ordered": "delta"}
    assert not [each for each in said(types, [{"ordered": texts, "sent": texts}] * 3) if "earlier" in each]
    late = [{"ordered": texts, "sent": later}, {"ordered": [*texts[:-1], date(2026, 3, 9)], "sent": later}]
    assert not [each for each in said(types, late) if "earlier" in each]


@pytest.mark.parametrize("days", [[], [{"city": [], "land": []}], [{"city": ["a"], "land": ["b"]}]])
def test_little_data_says_nothing(days: Days) -> None:
    assert said(TEXTS, days) == {}


def test_columns_that_have_nothing_to_do_with_each_other_are_alike_as_often_as_chance_has_it() -> None:
    draws = numpy.random.default_rng(3)
    groups, shares, told = numpy.array([2, 3]), numpy.array([0.5, 0.3, 0.2]), 0
    for _ in range(20_000):
        values = draws.choice(3, size=5, p=shares)
        told += len(set(values[:2])) == 1 and len(set(values[2:])) == 1
    assert exp(by_chance(groups, shares * 10)) == pytest.approx(told / 20_000, rel=0.15)


def test_rows_that_would_be_alike_by_chance_are_counted() -> None:
    draws = numpy.random.default_rng(4)
    rows = RowSample.of({name: draws.integers(0, 20, 2000).tolist() for name in "ab"}, [0] * 2000)
    assert pairs_by_chance(rows, ("a", "b"), [2000]) == pytest.approx(2000 * 1999 / 2 / 400, rel=0.02)
    assert log(pairs_by_chance(rows, ("a",), [2000, 2000])) > log(pairs_by_chance(rows, ("a", "b"), [2000]))
