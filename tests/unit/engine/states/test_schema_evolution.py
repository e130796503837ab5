"""Partitions whose columns came, went or changed their type: what is put together, and what is told instead."""

from decimal import Decimal
from functools import reduce
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.bags import bag
from support.orders import NOW, check, contract, result, run

from treaty.contracts.document.model import Contract
from treaty.contracts.schema import Column, Schema
from treaty.engine.checks.binding import bind
from treaty.engine.components.frequencies import FrequencySpectrum, groups, occurrences, singletons
from treaty.engine.core.results import Outcome
from treaty.engine.evaluation import state_queries
from treaty.engine.states import schema_evolution
from treaty.engine.states.bag import StateBag, merged


def schema(**types: str) -> Schema:
    return Schema(tuple(Column(name, type_) for name, type_ in types.items()))


def read(of: Contract, columns: dict[str, list[Any]], **types: str) -> StateBag:
    """The states of rows that were read with these types."""
    found = schema(**types)
    return bag(bind(of.object("orders"), found).plan, found, columns)


ALIKE = [
    ("int", "bigint"), ("tinyint", "smallint"), ("float", "double"), ("string", "varchar(10)"),
    ("decimal(10,2)", "decimal(20,2)"), ("date", "DATE"), ("struct<a:int>", "struct<a:int>"),
]  # fmt: skip
UNLIKE = [
    ("int", "string"), ("int", "double"), ("date", "timestamp"), ("timestamp", "timestamp_ntz"), ("boolean", "int"),
    ("decimal(10,2)", "decimal(10,4)"), ("decimal(10,0)", "bigint"), ("date", "string"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), ALIKE)
def test_types_whose_states_say_the_same_are_alike(old: str, new: str) -> None:
    assert schema_evolution.family(old) == schema_evolution.family(new)


@pytest.mark.parametrize(("old", "new"), UNLIKE)
def test_types_whose_states_say_something_else_are_not(old: str, new: str) -> None:
    assert schema_evolution.family(old) != schema_evolution.family(new)


CHECKS = {
    name: check(analyzer, name, scope="dataset", mustBeGreaterOrEqualTo=0, **words)
    for name, (analyzer, words) in {
        "sum": ("sum", {"column": "x"}),
        "distinct": ("count_distinct", {"column": "x"}),
        "complete": ("completeness", {"column": "x"}),
        "least": ("minimum", {"column": "x"}),
        "size": ("size", {}),
        "other": ("maximum", {"column": "y"}),
        "pair": ("count_distinct", {"columns": ["x", "y"]}),
        "filtered": ("size", {"where": "x IS NOT NULL"}),
        "whole": ("completeness", {"column": "x", "where": "y > 0"}),
    }.items()
}
GIVEN = contract(*CHECKS.values(), properties=[])
BARE = contract(check("size", mustBeGreaterThan=0), properties=[])


def judged(*parts: StateBag) -> dict[str, Any]:
    """What is found of each check over days 1, 2, ..., of which the last is new."""
    named = {f"day={at}": part for at, part in enumerate(parts, start=1)}
    last = max(named)
    found = run(GIVEN, {last: named.pop(last)}, named)
    return {name: result(found, name) for name in CHECKS}


def test_whole_numbers_of_any_width_are_put_together() -> None:
    old = read(GIVEN, {"x": [1, 2, None], "y": [1, 1, 1]}, x="int", y="int")
    new = read(GIVEN, {"x": [2, 2**40], "y": [5, 1]}, x="bigint", y="int")
    found = judged(old, new)
    assert {name: each.outcome for name, each in found.items()} == dict.fromkeys(CHECKS, Outcome.PASSED)
    assert (found["sum"].value, found["distinct"].value, found["complete"].value) == (5 + 2**40, 3, 0.8)
    assert {each.reason for each in found.values()} == {None}


def test_a_type_that_changed_is_told_with_its_partitions_and_merged_with_nothing() -> None:
    days = [read(GIVEN, {"x": [1], "y": [1]}, x="int", y="int") for _ in range(3)]
    found = judged(*days, read(GIVEN, {"x": ["1"], "y": [9]}, x="string", y="int"))
    reason = "x is of type int in day=1 to day=3 and of type string in day=4: rewrite them with one type"
    for name in ("distinct", "least", "pair", "filtered"):
        assert found[name].outcome is Outcome.NOT_EVALUATED
        assert str(found[name].reason).startswith(reason), name
    assert (found["size"].value, found["other"].value) == (4, 9)
    # How many values there are does not depend on their type.
    assert (found["complete"].value, found["whole"].value) == (1, 1)


def test_decimals_of_two_scales_are_not_taken_for_each_other() -> None:
    old = read(GIVEN, {"x": [Decimal("1.50")], "y": [1]}, x="decimal(10,2)", y="int")
    new = read(GIVEN, {"x": [Decimal("1.5000")], "y": [1]}, x="decimal(10,4)", y="int")
    found = judged(old, new)
    assert found["distinct"].outcome is Outcome.NOT_EVALUATED
    assert "decimal(10,2) in day=1" in str(found["distinct"].reason)


def test_a_column_that_was_added_counts_as_null_before_and_that_is_told() -> None:
    old = read(GIVEN, {"y": [1, 1, 1]}, y="int")
    found = judged(old, read(GIVEN, {"x": [7, 8], "y": [2, 2]}, x="int", y="int"))
    at_once = judged(read(GIVEN, {"x": [None, None, None, 7, 8], "y": [1, 1, 1, 2, 2]}, x="int", y="int"))
    said = "x is not in day=1 and of type int in day=2"
    for name in ("sum", "distinct", "complete", "least"):
        assert (found[name].value, found[name].outcome) == (at_once[name].value, Outcome.PASSED)
        assert found[name].reason == said
    assert (found["other"].value, found["other"].reason, found["size"].value) == (2, None, 5)
    for name in ("pair", "filtered", "whole"):
        assert found[name].outcome is Outcome.NOT_EVALUATED
        assert str(found[name].reason).startswith(f"{said}: validate all partitions again")


def test_a_column_that_was_dropped_is_missed_by_its_checks_alone() -> None:
    old = read(GIVEN, {"x": [1], "y": [1]}, x="int", y="int")
    found = judged(old, read(GIVEN, {"y": [2]}, y="int"))
    assert found["sum"].outcome is Outcome.NOT_EVALUATED
    assert found["sum"].reason == "the table has no column `x`"
    assert (found["other"].value, found["size"].value) == (2, 2)


def test_a_partition_that_was_never_measured_is_not_taken_for_one_without_the_column() -> None:
    bare = read(BARE, {"x": [1], "y": [1]}, x="int", y="int")
    found = judged(bare, read(GIVEN, {"x": [2], "y": [2]}, x="int", y="int"))
    assert found["sum"].outcome is Outcome.NOT_EVALUATED
    assert "some partitions have no state" in str(found["sum"].reason)
    unread = StateBag({}, failures={"*": "it cannot be read"})
    assert judged(unread, read(GIVEN, {"x": [2], "y": [2]}, x="int", y="int"))["sum"].reason == "it cannot be read"


def test_what_spark_added_up_of_unlike_types_is_not_taken() -> None:
    old = read(GIVEN, {"x": [Decimal("1.50")], "y": [1]}, x="decimal(10,2)", y="int")
    new = read(GIVEN, {"x": [Decimal("1.5000")], "y": [1]}, x="decimal(10,4)", y="int")
    (key,) = (key for key in new.entries if key.startswith("frequencies/") and "`y`" not in key)
    spectra = {key: FrequencySpectrum({1: 2}, {1: 2}, key)}
    told = result(run(GIVEN, {"day=2": new}, {"day=1": old}, spectra=spectra), "distinct")
    assert (told.outcome, told.value) == (Outcome.NOT_EVALUATED, None)
    alike = result(run(GIVEN, {"day=2": new}, {"day=1": new}, spectra=spectra), "distinct")
    assert (alike.outcome, alike.value) == (Outcome.PASSED, 2)


def test_questions_are_answered_alike() -> None:
    old, new = read(GIVEN, {"y": [1]}, y="int"), read(GIVEN, {"x": [7], "y": [2]}, x="int", y="int")
    text = read(GIVEN, {"x": ["a"], "y": [2]}, x="string", y="int")
    asked = [state_queries.bind_metric(state_queries.metric(each), new.schema) for each in ("sum:column=x", "size")]
    added = state_queries.answers(asked, [("day=1", old.pack()), ("day=2", new.pack())], now=NOW)
    assert [(each.reading.value, each.reason) for each in added if each.reading] == [
        (7, "x is not in day=1 and of type int in day=2"),
        (2, None),
    ]
    unlike, size = state_queries.answers(asked, [("day=1", text.pack()), ("day=2", new.pack())], now=NOW)
    assert unlike.reading is None
    assert "x is of type string in day=1 and of type int in day=2" in str(unlike.reason)
    assert size.reading is not None


KINDS = {"none": {}, "int": {"x": "int"}, "bigint": {"x": "bigint"}, "string": {"x": "string"}, "bare": {"x": "int"}}


def part(kind: str, at: int) -> StateBag:
    """The states of one row of a partition of that kind; `bare` has the column, and states of nothing but its rows."""
    of = BARE if kind == "bare" else GIVEN
    types = {**KINDS[kind], "y": "int"}
    values = {"x": [str(at) if kind == "string" else at], "y": [at]}
    return read(of, {name: values[name] for name in types}, **types)


def both(one: StateBag, other: StateBag) -> StateBag:
    return merged([one, other])


def said(states: StateBag) -> dict[str, Any]:
    """The states by key, of frequencies their figures."""
    tables = {key: each.value for key, each in states.entries.items() if each.component.grouping}
    plain = {key: each.value for key, each in states.entries.items() if key not in tables}
    return plain | {key: [tell(each) for tell in (groups, singletons, occurrences)] for key, each in tables.items()}


@given(kinds=st.lists(st.sampled_from(sorted(KINDS)), min_size=2, max_size=4))
def test_in_whatever_order_partitions_are_put_together_the_same_is_known(kinds: list[str]) -> None:
    parts = [part(kind, at) for at, kind in enumerate(kinds)]
    found = [reduce(both, order) for order in permutations(parts)]
    halves = both(parts[0], merged(parts[1:]))
    assert all(said(each) == said(halves) for each in found)
    told = {kind for kind in kinds if kind != "none"}
    summed = {"bare", "string"} & told == set() and told != set()
    assert any(key.startswith("sum/") for key in halves.entries) == summed
