"""What changes of arguments mean: told from their texts, and held against data that are judged by both checks."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.every import every
from support.orders import check, judged
from support.orders import contract as judging
from support.versions import compared, document

from treaty.contracts.assertions import OPERATORS
from treaty.contracts.comparison.compatibility import compare
from treaty.contracts.comparison.directions import Direction
from treaty.contracts.document.model import Contract
from treaty.engine.checks.argument_order import order
from treaty.engine.core.results import Outcome

DECIDED = {Direction.TIGHTENS, Direction.LOOSENS}
KEPT = {Outcome.PASSED, Outcome.NOT_APPLICABLE}
Words = Mapping[str, Any]
ALL, NONE = {"mustBe": 1}, {"mustBe": 0}
VALUES = {"analyzer": "contained_in", "column": "status"}
RANGE = {"analyzer": "in_range", "column": "amount"}
ROWS = {"analyzer": "compliance"}
MISSING = {"analyzer": "missing_values", "column": "status"}
INVALID = {"analyzer": "invalid_values", "column": "status"}
MATCHES = {"analyzer": "pattern_match", "column": "status"}
BOTH_THERE = {"analyzer": "combined_completeness"}
CASES: dict[str, tuple[Words, Words, str]] = {
    "a value more": ({**VALUES, "values": ["a"], **ALL}, {**VALUES, "values": ["a", "b"], **ALL}, "loosens"),
    "a value less": ({**VALUES, "values": ["a", "b"], **ALL}, {**VALUES, "values": ["a"], **ALL}, "tightens"),
    "a number is no text": ({**VALUES, "values": [1], **ALL}, {**VALUES, "values": ["1"], **ALL}, "undetermined"),
    "one number in two forms": ({**VALUES, "values": [1], **ALL}, {**VALUES, "values": [1.0], **ALL}, "untested"),
    "a value more of what must be rare": (
        {**VALUES, "values": ["a"], "mustBeLessThan": 0.1}, {**VALUES, "values": ["a", "b"], "mustBeLessThan": 0.1},
        "tightens",
    ),
    "a value more, in a band": (
        {**VALUES, "values": ["a"], "mustBeBetween": [0.2, 0.4]},
        {**VALUES, "values": ["a", "b"], "mustBeBetween": [0.2, 0.4]},
        "undetermined",
    ),
    "a valid value more": (
        {**INVALID, "valid_values": ["a"], **NONE}, {**INVALID, "valid_values": ["a", "b"], **NONE}, "loosens"
    ),
    "a missing value more": (
        {**MISSING, "missing": [""], **NONE}, {**MISSING, "missing": ["", "-"], **NONE}, "tightens"
    ),
    "a wider range": ({**RANGE, "minimum": 0, **ALL}, {**RANGE, "minimum": -1, **ALL}, "loosens"),
    "a range with an end": ({**RANGE, "minimum": 0, **ALL}, {**RANGE, "minimum": 0, "maximum": 9, **ALL}, "tightens"),
    "a moved range": (
        {**RANGE, "minimum": 0, "maximum": 9, **ALL}, {**RANGE, "minimum": 5, "maximum": 14, **ALL}, "undetermined"
    ),
    "nulls that break it": (
        {**RANGE, "minimum": 0, **ALL}, {**RANGE, "minimum": 0, "nulls": "break", **ALL}, "tightens"
    ),
    "a default that is written": (
        {**RANGE, "minimum": 0, **ALL}, {**RANGE, "minimum": 0, "nulls": "ignore", **ALL}, "untested"
    ),
    "a pattern that matches more": (
        {**MATCHES, "pattern": "[a-z]+", **ALL}, {**MATCHES, "pattern": "[a-z]*", **ALL}, "loosens"
    ),
    "a pattern that may match anywhere": (
        {**MATCHES, "pattern": "a", **ALL}, {**MATCHES, "pattern": "a", "within": True, **ALL}, "loosens"
    ),
    "a pattern for a format": (
        {**MATCHES, "pattern": "[a-z]+", **ALL}, {**MATCHES, "format": "email", **ALL}, "undetermined"
    ),
    "an invalid pattern that matches less": (
        {**INVALID, "pattern": "[a-z]+", **NONE}, {**INVALID, "pattern": "[a-z]", **NONE}, "tightens"
    ),
    "a condition more": (
        {**ROWS, "predicate": "amount > 0", **ALL}, {**ROWS, "predicate": "amount > 0 AND id > 0", **ALL}, "tightens"
    ),
    "a weaker condition": (
        {**ROWS, "predicate": "amount > 1", **ALL}, {**ROWS, "predicate": "amount >= 1", **ALL}, "loosens"
    ),
    "another condition": (
        {**ROWS, "predicate": "amount > 1", **ALL}, {**ROWS, "predicate": "id > 1", **ALL}, "undetermined"
    ),
    "a condition laid out otherwise": (
        {**ROWS, "predicate": "amount > 1", **ALL}, {**ROWS, "predicate": "(amount>1)", **ALL}, "untested"
    ),
    "less rows, all of which must keep it": (
        {**ROWS, "predicate": "amount > 1", **ALL}, {**ROWS, "predicate": "amount > 1", "where": "id > 1", **ALL},
        "loosens",
    ),
    "more rows, most of which must keep it": (
        {**ROWS, "predicate": "amount > 1", "where": "id > 1", "mustBeGreaterThan": 0.9},
        {**ROWS, "predicate": "amount > 1", "mustBeGreaterThan": 0.9},
        "undetermined",
    ),
    "less rows that are enough": (
        {"analyzer": "size", "mustBeGreaterThan": 9}, {"analyzer": "size", "where": "id > 1", "mustBeGreaterThan": 9},
        "tightens",
    ),
    "less rows, of which a smallest is at most": (
        {"analyzer": "minimum", "column": "amount", "mustBeLessThan": 9},
        {"analyzer": "minimum", "column": "amount", "where": "id > 1", "mustBeLessThan": 9},
        "undetermined",
    ),
    "less rows, of which a smallest is at least": (
        {"analyzer": "minimum", "column": "amount", "mustBeGreaterThan": 9},
        {"analyzer": "minimum", "column": "amount", "where": "id > 1", "mustBeGreaterThan": 9},
        "loosens",
    ),
    "less rows and more values": (
        {**VALUES, "values": ["a"], **ALL}, {**VALUES, "values": ["a", "b"], "where": "id > 1", **ALL}, "loosens"
    ),
    "less rows and less values": (
        {**VALUES, "values": ["a", "b"], **ALL}, {**VALUES, "values": ["a"], "where": "id > 1", **ALL}, "undetermined"
    ),
    "all of more columns": (
        {**BOTH_THERE, "columns": ["id"], **ALL}, {**BOTH_THERE, "columns": ["id", "amount"], **ALL}, "tightens"
    ),
    "any of more columns": (
        {**BOTH_THERE, "columns": ["id"], "of": "any", **ALL},
        {**BOTH_THERE, "columns": ["id", "amount"], "of": "any", **ALL},
        "loosens",
    ),
    "a higher quantile": (
        {"analyzer": "approx_quantile", "column": "amount", "quantile": 0.9, "mustBeLessThan": 9},
        {"analyzer": "approx_quantile", "column": "amount", "quantile": 0.99, "mustBeLessThan": 9},
        "tightens",
    ),
    "an order that lets equals pass": (
        {"analyzer": "comparison", "column": "id", "operator": "<", "other": "amount", **ALL},
        {"analyzer": "comparison", "column": "id", "operator": "<=", "other": "amount", **ALL},
        "loosens",
    ),
    "an unknown analyzer": (
        {"analyzer": "elsewhere", "kind": 1, **ALL}, {"analyzer": "elsewhere", "kind": 2, **ALL}, "undetermined"
    ),
}  # fmt: skip


def found(old: Words, new: Words) -> set[Direction]:
    """The directions of what differs; nothing of what no data are judged by."""
    differences = compared(document(check(**old)), document(check(**new))).differences
    return {each.direction for each in differences} - {Direction.UNTESTED}


@every(("old", "new", "direction"), CASES.values(), ids=CASES)
def test_arguments_are_ordered_where_their_meaning_is_known(old: Words, new: Words, direction: str) -> None:
    assert found(old, new) == {Direction(direction)} - {Direction.UNTESTED}


def test_a_check_of_the_standard_is_ordered_as_ours() -> None:
    old, new = (
        document({"id": "c", "metric": "invalidValues", "arguments": {"properties": ["status"], **words}, "mustBe": 0})
        for words in ({"validValues": ["a"]}, {"validValues": ["a", "b"]})
    )
    assert {each.direction for each in compared(old, new).differences} == {Direction.LOOSENS}


PREDICATES = st.sampled_from([
    "amount > 1", "amount >= 1", "amount < 3", "amount = 2", "amount IN (1, 2)", "amount BETWEEN 1 AND 2", "id > 1",
    "amount > 1 AND id > 1", "amount > 1 OR id > 1", "status = 'a'", "status IN ('a', 'b')", "status IS NOT NULL",
    "NOT amount > 1", "amount <> 2",
])  # fmt: skip
SOME = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=3, unique=True)
SHARES = st.sampled_from([
    {"mustBe": 1}, {"mustBeGreaterThan": 0.5}, {"mustBeGreaterOrEqualTo": 0.5}, {"mustBeLessThan": 0.5},
    {"mustBe": 0}, {"mustNotBe": 1}, {"mustBeBetween": [0.3, 0.6]}, {"mustNotBeBetween": [0, 0.4]},
])  # fmt: skip
COUNTS = st.sampled_from([
    {"mustBe": 0}, {"mustBe": 1}, {"mustBeLessThan": 2}, {"mustBeLessOrEqualTo": 1}, {"mustBeGreaterThan": 0},
    {"mustBeGreaterOrEqualTo": 1}, {"mustNotBe": 0}, {"mustBeBetween": [1, 2]},
])  # fmt: skip


def arguments(name: str, promises: st.SearchStrategy[Any], **drawn: st.SearchStrategy[Any]) -> Any:
    made = st.fixed_dictionaries({"analyzer": st.just(name), **drawn, "where": st.none() | PREDICATES})
    return st.builds(lambda words, promise: {**words, **promise}, made, promises)


NULLS = st.sampled_from(["ignore", "break"])
CHECKS = [
    arguments("contained_in", SHARES, column=st.just("status"), values=SOME, nulls=NULLS),
    arguments("compliance", SHARES, predicate=PREDICATES),
    arguments("implication", SHARES, condition=st.just("id > 0"), predicate=PREDICATES),
    arguments("completeness", SHARES, column=st.just("amount")),
    arguments(
        "combined_completeness", SHARES, of=st.sampled_from(["all", "any"]),
        columns=st.lists(st.sampled_from(["id", "amount", "status"]), min_size=1, max_size=3, unique=True),
    ),
    arguments("size", COUNTS),
    arguments("null_values", COUNTS, column=st.just("status")),
    arguments("invalid_values", COUNTS, column=st.just("status"), valid_values=SOME),
    arguments("missing_values", COUNTS, column=st.just("status"), missing=SOME),
    arguments("minimum", COUNTS, column=st.just("amount")),
    arguments("maximum", COUNTS, column=st.just("amount")),
    arguments("uniqueness", SHARES, columns=st.just(["status"])),
]  # fmt: skip
TABLES = st.lists(
    st.tuples(
        st.sampled_from([None, 0, 1, 2]), st.sampled_from([None, 0.0, 1.0, 2.0, 3.0]),
        st.sampled_from([None, "a", "b", "c"]),
    ),
    max_size=4,
)  # fmt: skip


@cache
def read(words: str) -> Contract:
    return judging(check(**{word: given for word, given in json.loads(words).items() if given is not None}))


def directions(old: Words, new: Words) -> set[Direction]:
    differences = compare(read(json.dumps(old)), read(json.dumps(new)), order).differences
    return {each.direction for each in differences} - {Direction.UNTESTED}


def keeps(words: Words, rows: list[tuple[Any, ...]]) -> bool:
    columns = dict(zip(("id", "amount", "status"), map(list, zip(*rows, strict=True)), strict=False))
    outcome = judged(read(json.dumps(words)), columns or {"id": [], "amount": [], "status": []}).outcome
    assert outcome is not Outcome.NOT_EVALUATED
    return outcome in KEPT


@pytest.mark.parametrize("checks", CHECKS, ids=lambda _: "")
@given(data=st.data())
def test_data_agree_with_the_direction(checks: Any, data: st.DataObject) -> None:
    old, other = data.draw(checks), data.draw(checks)
    word = data.draw(st.sampled_from(sorted({*old} - {*OPERATORS, "analyzer", "column", "columns"})))
    new = {**old, word: other[word]}
    told = directions(old, new)
    for rows in data.draw(st.lists(TABLES, max_size=3)) if told < DECIDED else ():
        before, after = keeps(old, rows), keeps(new, rows)
        assert Direction.LOOSENS in told or before or not after
        assert Direction.TIGHTENS in told or after or not before
