"""Profiles without Spark: what is told of odd data, what texts read as, the document and its pages."""

import json
from collections.abc import Sequence
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.bags import bag
from support.histories import history, steady

from treaty.contracts.schema import Column, Schema
from treaty.engine.components.text_classes import CLASSES
from treaty.engine.profile.document import MOST_SHOWN, document
from treaty.engine.profile.facts import FACTS
from treaty.engine.profile.format import ColumnDocument, ProfileDocument
from treaty.engine.profile.html import page
from treaty.engine.profile.notes import FEW_ROWS
from treaty.engine.profile.stored_profile import profile_from_states
from treaty.engine.profile.table_profile import TableProfile, profile_of, profile_plan
from treaty.engine.profile.text_types import DATES, MOMENTS, iso, kind_of, readings
from treaty.engine.profile.text_types import mask_of as mask_of_pattern
from treaty.engine.profile.value_masks import mask_of, masks_of
from treaty.engine.states.planning.scan_plan import plan

MANY = FEW_ROWS
TEXT, INT, DOUBLE = {"x": "string"}, {"x": "bigint"}, {"x": "double"}


def told(types: dict[str, str], days: Sequence[dict[str, Sequence[Any]]]) -> ProfileDocument:
    return document(history(types, days), "t")


def notes(types: dict[str, str], values: Sequence[Any]) -> tuple[str, ...]:
    found = told(types, [{"x": values}])
    return (*found.notes, *found.columns[0].notes)


ODD = [
    ("no row", INT, [], "the table has no rows: its columns cannot be profiled"),
    ("one row", INT, [1], "only 1 row: too few to show typical values"),
    ("few rows", INT, [1, 2], "only 2 rows: too few to show typical values"),
    ("nulls alone", INT, [None] * MANY, "no row has a value"),
    ("nulls alone, text", TEXT, [None] * MANY, "no row has a value"),
    ("a constant", INT, [7] * MANY, "all values are equal"),
    ("10,000 categories", TEXT, [f"v{at}" for at in range(10_000)], "too many values for exact counts"),
    ("NaN", DOUBLE, [nan, nan, *map(float, range(MANY))], "2 values are NaN: there is no mean"),
    (
        "infinite",
        DOUBLE,
        [inf, *map(float, range(MANY))],
        "some values are infinite: there is no mean and no histogram",
    ),
]


@pytest.mark.parametrize(("types", "values", "note"), [case[1:] for case in ODD], ids=[case[0] for case in ODD])
def test_what_is_odd_about_data_is_said(types: dict[str, str], values: Sequence[Any], note: str) -> None:
    assert any(each.startswith(note) for each in notes(types, values))


def test_nothing_is_said_of_data_that_are_as_usual() -> None:
    assert notes(INT, range(100)) == notes(TEXT, ["a", "b", None] * MANY) == ()


def test_a_profile_of_odd_data_is_json_without_numbers_that_are_none() -> None:
    for _, types, values, _ in ODD:
        json.dumps(told(types, [{"x": values}]).model_dump(mode="json"), allow_nan=False)


def test_a_clock_that_went_back_is_told_with_the_partition() -> None:
    days = [{"x": [f"2026-01-0{day}T00:00:00"] * MANY} for day in (1, 3, 2, 4)]
    assert column(days).notes[-1] == "the latest time is earlier than in the previous partition in day=02"


def column(days: Sequence[dict[str, Sequence[Any]]]) -> ColumnDocument:
    """The document of a timestamp column whose extremes are these texts."""
    schema = Schema((Column("x", "timestamp"),))
    profile = profile_of(schema.columns[0], schema)
    extremes = {name: profile.metrics[name] for name in ("completeness", "maximum")}
    wanted = plan(extremes.values())
    bags = tuple((f"day={at:02d}", bag(wanted, schema, day)) for at, day in enumerate(days))
    return document(TableProfile(columns=(profile,), partitions=bags), "t").columns[0]


def test_only_values_that_are_surely_frequent_are_shown() -> None:
    found = told(TEXT, [{"x": [*(["often"] * 5000), *(f"v{at}" for at in range(10_000))]}]).columns[0]
    assert [each.value for each in found.values] == ["often"]
    assert not found.all_values


def test_of_few_values_all_are_shown_and_of_more_the_first() -> None:
    few = told(TEXT, [{"x": ["a", "b", "b"]}]).columns[0]
    assert ([(each.value, each.count) for each in few.values], few.all_values) == ([("b", 2), ("a", 1)], True)
    more = told(TEXT, [{"x": [f"v{at}" for at in range(50)]}]).columns[0]
    assert (len(more.values), more.all_values) == (MOST_SHOWN, False)


def test_facts_that_do_not_fit_a_type_are_not_told() -> None:
    assert set(told(TEXT, steady(["a"])).columns[0].facts) == {
        name for name, fact in FACTS.items() if not fact.of_values
    }
    assert "mean_length" not in told(INT, steady([1])).columns[0].facts


@pytest.mark.parametrize("kind", ["bigint", "string", "double", "date", "timestamp"])
def test_no_value_of_a_classified_column_is_told(kind: str) -> None:
    schema = Schema((Column("x", kind),), classified=frozenset({("x",)}))
    profile = profile_of(schema.columns[0], schema)
    parts = profile_plan([profile])
    assert not parts.passing
    assert profile.frequent is None


READ = [
    ("integer", {"integer": 10}, "integer"),
    ("decimal", {"integer": 5, "decimal": 5}, "decimal"),
    ("fractional", {"decimal": 1, "fractional": 9}, "fractional"),
    ("boolean", {"boolean": 3}, "boolean"),
    ("date", {"date": 3}, "date"),
    ("timestamp", {"date": 1, "timestamp": 3}, "timestamp"),
    ("nine in ten", {"integer": 9, "other": 1}, "integer"),
    ("eight in ten", {"integer": 8, "other": 2}, None),
    ("mixed", {"integer": 5, "boolean": 5}, None),
    ("text", {"other": 5}, None),
    ("nothing", {}, None),
]


@pytest.mark.parametrize(("counts", "kind"), [case[1:] for case in READ], ids=[case[0] for case in READ])
def test_texts_read_as_the_narrowest_type_that_nearly_all_of_them_have(
    counts: dict[str, int], kind: str | None
) -> None:
    found = kind_of([counts.get(name, 0) for name in CLASSES])
    assert (found[0] if found else None) == kind


def test_long_numbers_are_no_longs_and_longer_ones_are_codes() -> None:
    whole = [10, 0, 0, 0, 0, 0, 0]
    types = [[each.type for each in readings("x", whole, {}, longest)] for longest in (18, 19, 38, 39)]
    assert types == [["bigint"], ["decimal(38,0)"], ["decimal(38,0)"], []]


def test_days_and_months_that_look_alike_are_both_tried() -> None:
    found = readings("x", [0, 0, 0, 0, 0, 0, 10], {"00/00/0000": 10}, 10)
    assert [each.format for each in found] == ["dd/MM/yyyy", "MM/dd/yyyy"]


def test_masks_of_formats_tell_date_from_moment() -> None:
    masks = {mask_of_pattern(each) for each in DATES} & {mask_of_pattern(each) for each in MOMENTS}
    assert masks == set()


def test_no_text_of_another_length_is_read_by_a_format() -> None:
    assert "char_length(x) = 10" in iso("x", "dd/MM/yyyy")


@pytest.mark.parametrize(
    ("text", "mask"), [("", ""), ("Ab-1", "Aa-0"), ("éÉ☃٣", "aAx0"), ("x" * 70, "a" * 64), ("中", "x")]
)
def test_masks_show_what_texts_look_like(text: str, mask: str) -> None:
    assert mask_of(text) == mask


@given(st.dictionaries(st.text(max_size=5), st.integers(1, 9)))
def test_masks_count_every_text_once(counts: dict[str, int]) -> None:
    assert sum(masks_of(counts).values()) == sum(counts.values())


def test_a_page_shows_data_as_text_and_needs_nothing_else() -> None:
    found = told({"<b>": "string"}, [{"<b>": ["<script>alert(1)</script>", "\x1b[31m"] * MANY}])
    written = page(found)
    assert "<script" not in written
    assert "&lt;script&gt;" in written
    assert "\x1b" not in written
    assert not any(word in written for word in ("http://", "https://", "src=", "url("))


def test_a_document_reads_itself() -> None:
    found = told({"x": "double", "y": "string"}, [{"x": [1.0, 2.5] * MANY, "y": ["a", None] * MANY}])
    assert ProfileDocument.model_validate_json(found.model_dump_json()) == found


SCHEMA = Schema((Column("x", "bigint"), Column("y", "string"), Column("day", "string")))
STORED = profile_plan([profile_of(each, SCHEMA) for each in SCHEMA])


def packed(day: str, rows: int) -> tuple[str, bytes]:
    values = {"x": range(rows), "y": ["a", "b"] * (rows // 2), "day": [day] * rows}
    return f"day={day}", bag(STORED, SCHEMA, values).pack()


def test_stored_states_of_partitions_make_a_profile_of_all_of_them() -> None:
    found = document(profile_from_states([packed("1", 40), packed("2", 60)], SCHEMA, without=["day"]), "t")
    assert (found.rows, found.partitions, [each.name for each in found.columns]) == (
        100,
        ("day=1", "day=2"),
        ["x", "y"],
    )
    assert (found.columns[0].facts["maximum"], found.columns[1].facts["approx_count_distinct"]) == (59, 2)


def test_damaged_states_are_left_out_and_named() -> None:
    name, content = packed("2", 60)
    found = document(profile_from_states([packed("1", 40), (name, content[:-9] + b"123456789")], SCHEMA), "t")
    assert found.rows == 40
    assert any(each.startswith("day=2 is excluded:") for each in found.notes)


@pytest.mark.parametrize("given", [[], [("day=1", b"")]])
def test_where_no_states_are_stored_nothing_is_told(given: list[tuple[str, bytes]]) -> None:
    found = document(profile_from_states(given, SCHEMA), "t")
    assert (found.rows, [dict(each.facts) for each in found.columns]) == (0, [{}, {}, {}])


def test_what_no_check_measured_is_not_told() -> None:
    alone = plan([profile_of(SCHEMA.columns[0], SCHEMA).metrics["completeness"]])
    content = bag(alone, SCHEMA, {"x": range(10), "y": ["a"] * 10, "day": ["1"] * 10}).pack()
    found = document(profile_from_states([("day=1", content)], SCHEMA), "t")
    assert [set(each.facts) for each in found.columns] == [{"completeness"}, set(), set()]


def test_texts_that_are_null_alone_read_as_nothing() -> None:
    found = document(profile_from_states([packed("1", 0)], SCHEMA), "t")
    assert [each.reads_as for each in found.columns] == [None, None, None]
