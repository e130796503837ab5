"""Columns that may be keys: what sketches admit, and what names promise."""

import json
from decimal import Decimal
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis.strategies import integers
from support.bags import bag
from support.histories import history as counted
from support.oracles import STATE_OF

from treaty.contracts.schema import Column, Schema
from treaty.engine.components.sketches import DistinctSketch, QuantileSketch
from treaty.engine.profile.table_profile import TableProfile, profile_of, profile_plan
from treaty.engine.suggestions.keys import model
from treaty.engine.suggestions.keys.candidates import KeyNames, key_suggestions, may_be_unique
from treaty.engine.suggestions.keys.model import shipped
from treaty.engine.suggestions.keys.name_features import SchemaColumnName, features, singular, words
from treaty.engine.suggestions.kinds.uniqueness import meetings, worth_counting
from treaty.engine.suggestions.selection.pipeline import suggest

SCHEMA = Schema((Column("order_id", "bigint"), Column("customer_id", "bigint"), Column("note", "string")))
COLUMNS = tuple(profile_of(column, SCHEMA) for column in SCHEMA)
PLAN = profile_plan(COLUMNS)


def history(*partitions: dict[str, list[object]]) -> TableProfile:
    found = (bag(PLAN, SCHEMA, each) for each in partitions)
    return TableProfile(columns=COLUMNS, partitions=tuple((f"day={at}", each) for at, each in enumerate(found)))


def rows(count: int, first: int = 0, **more: list[object]) -> dict[str, list[object]]:
    """So many rows whose three columns are unique, but for those that are given."""
    ids = list(range(first, first + count))
    return {"order_id": ids, "customer_id": ids, "note": [f"note {at}" for at in ids], **more}


def suggested(found: TableProfile) -> list[str]:
    return [each.column.column.name for each in key_suggestions(found, KeyNames("orders"))]


def test_the_likeliest_by_name_comes_first() -> None:
    found = key_suggestions(history(rows(50), rows(50, 50)), KeyNames("orders"))
    assert found[0].column.column.name == "order_id"
    assert [each.suggested for each in found] == [True, False, False]


def test_what_repeats_in_a_partition_or_between_two_is_no_key() -> None:
    repeated = rows(50, customer_id=[7] * 50)
    assert "customer_id" not in suggested(history(repeated, rows(50, 50)))
    assert suggested(history(rows(50), rows(50))) == []


def test_what_is_missing_somewhere_is_no_key() -> None:
    assert "note" not in suggested(history(rows(50, note=[None, *map(str, range(49))])))


def test_a_table_without_rows_has_none() -> None:
    assert suggested(history(rows(0))) == []
    assert suggested(history()) == []


def unique(found: TableProfile) -> dict[str, dict[str, Any]]:
    told = [each for each in suggest(found, "orders") if each["kind"] == "unique"]
    return {each["column"]: each["evidence"] for each in told}


def test_values_that_were_counted_are_unique_whatever_names_promise() -> None:
    days = [{"total": range(20 * day, 20 * day + 20)} for day in range(5)]
    found = unique(
        counted({"total": "bigint", "order_id": "bigint"}, [{**day, "order_id": day["total"]} for day in days])
    )
    assert list(found) == ["order_id", "total"]
    assert found["order_id"]["worth"] > found["total"]["worth"]
    assert [each["confirmed"] for each in found.values()] == [True, True]
    assert found["total"]["likely"] < 0.5 < found["order_id"]["likely"] <= 1


def test_the_key_of_a_table_that_is_told_anew_each_day_has_its_chance_by_names_too() -> None:
    found = suggest(counted({"order_id": "bigint"}, [{"order_id": range(20)}] * 5), "orders")
    (told,) = [each["evidence"] for each in found if each["kind"] == "unique_in_partition"]
    assert told["confirmed"]
    assert told["likely"] > 0.5


def test_numbers_that_may_be_told_apart_by_chance_are_keys_where_names_promise_it() -> None:
    days = [{name: [each**3 + 101 * day % 997 for each in range(100, 120)] for name in ("total", "order_id")}
            for day in range(5)]  # fmt: skip
    found = suggest(counted({"total": "bigint", "order_id": "bigint"}, [*days, days[0]]), "orders")
    assert [each["column"] for each in found if each["kind"] == "unique_in_partition"] == ["order_id"]


@given(integers(1, 10_000), integers(20, 200), integers(0, 2**32 - 1))
def test_as_many_numbers_meet_as_do_when_they_are_drawn(most: int, count: int, seed: int) -> None:
    numbers = numpy.random.default_rng(seed).integers(0, most, count)
    told = meetings(QuantileSketch.ranks(STATE_OF["quantiles"](numbers.tolist())))
    expected = count * (count - 1) / 2 / most
    assert expected / 3 <= told <= 6 * expected


@pytest.mark.parametrize(("numbers", "pairs"), [([], 0), ([7], 0), ([7, 7], 1), ([7] * 40, 780)])
def test_how_many_numbers_meet_where_few_differ(numbers: list[int], pairs: int) -> None:
    assert meetings(QuantileSketch.ranks(STATE_OF["quantiles"](numbers))) == pytest.approx(pairs, rel=0.1)


def test_values_that_nobody_counted_are_unique_where_names_promise_it_and_a_sketch_admits_it() -> None:
    (name, told), *others = unique(history(*(rows(50, 50 * day) for day in range(5)))).items()
    assert (name, others) == ("order_id", [])
    assert (told["confirmed"], told["partitions"]) == (False, 0)
    assert unique(history(*(rows(50) for _ in range(5)))) == {}


def test_values_of_any_type_are_counted_where_names_promise_a_key() -> None:
    schema = Schema((Column("order_id", "decimal(20,0)"), Column("total", "decimal(20,0)")))
    columns = tuple(profile_of(column, schema) for column in schema)
    ids = [Decimal(at) for at in range(50)]
    found = TableProfile(
        columns=columns, partitions=(("", bag(profile_plan(columns), schema, {"order_id": ids, "total": ids})),)
    )
    assert [each.column.name for each in worth_counting(found, KeyNames("orders"))] == ["order_id"]


def test_what_names_promise_is_counted_first() -> None:
    found = history(rows(50), rows(50, 50))
    assert [each.column.name for each in worth_counting(found, KeyNames("orders"), most=1)] == ["order_id"]
    assert [each.column.name for each in worth_counting(found, KeyNames("customers"), most=1)] == ["customer_id"]
    assert len(worth_counting(found, KeyNames("orders"))) == 3


@pytest.mark.parametrize(("distinct", "may"), [(5_000, True), (4_970, True), (4_600, False), (2_500, False)])
def test_a_sketch_admits_only_what_its_own_error_does(distinct: int, may: bool) -> None:
    """Of 5,000 rows 8 % that repeat, which Deequ's rule lets pass, are more than the sketch may be wrong by."""
    found = bag(profile_plan(COLUMNS[:1]), SCHEMA, {"order_id": [at % distinct for at in range(5_000)]})
    assert may_be_unique(COLUMNS[0], found) == may
    distinct_of = COLUMNS[0].metrics["approx_count_distinct"].parts["distinct"]
    bounds = DistinctSketch.bounded(found.values[distinct_of.key])
    assert bounds.low <= distinct <= bounds.high


ORDERS = ("order_id", "customer_id", "email", "created_at", "total")


@pytest.mark.parametrize(
    ("column", "kind", "is_key"),
    [
        ("order_id", "bigint", True), ("customer_id", "bigint", False), ("email", "string", False),
        ("created_at", "timestamp", False), ("total", "decimal", False),
    ],
)  # fmt: skip
def test_names_tell_a_key_with_the_other_columns_and_without(column: str, kind: str, is_key: bool) -> None:
    assert (shipped().probability(SchemaColumnName("orders", column, kind, ORDERS)) > 0.5) == is_key
    assert (shipped().probability(SchemaColumnName("orders", column, kind)) > 0.5) == is_key


@pytest.mark.parametrize("name", ["", "_", "数量", "ID", "a.b", "x" * 5000, "123", "naïve été"])
def test_every_name_has_a_probability(name: str) -> None:
    for named in (
        SchemaColumnName(name, name, "bigint", (name,)),
        SchemaColumnName(name, name, "variant"),
        SchemaColumnName("", name, ""),
    ):
        assert 0 <= shipped().probability(named) <= 1


def test_names_are_cut_into_words() -> None:
    found = words("customerAddress_ID2 HTTPServer-straßenÜber")
    assert found == ("customer", "address", "id", "2", "http", "server", "straßenüber")
    plurals = ["categories", "addresses", "boxes", "matches", "orders", "status", "bus", "class"]
    assert list(map(singular, plurals)) == ["category", "address", "box", "match", "order", "statu", "bu", "class"]


def test_a_name_says_the_same_however_it_is_written() -> None:
    assert set(features(SchemaColumnName("OrderItems", "orderItemID", "bigint"))) == set(
        features(SchemaColumnName("order_items", "order_item_id", "int"))
    )


def test_the_model_says_what_it_is() -> None:
    card = json.loads(model.CARD.read_text("utf-8"))
    assert card["format"] == 1
    assert card["threshold"] == 0.5
    assert {"data", "date", "licence", "unique", "what", "made by"} <= card.keys()
    assert model.WEIGHTS.stat().st_size < 200_000
