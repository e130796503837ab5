"""Verdicts in words."""

import re
from decimal import Decimal
from typing import Any

import pytest
from support.analyzer_cases import CASES
from support.analyzer_table import Case
from support.every import every
from support.orders import ROWS, check, contract, judged

from treaty.contracts.assertions import OPERATORS, PAIRED, Assertion
from treaty.engine.analyzers.bound import MetricValue
from treaty.engine.analyzers.distinct import DuplicateRows, Uniqueness
from treaty.engine.analyzers.nulls import Completeness, NullValues
from treaty.engine.analyzers.numbers import Mean, Minimum
from treaty.engine.analyzers.rows import Compliance, Size
from treaty.engine.analyzers.values import ContainedIn
from treaty.engine.evaluation.sentences import BOUNDS, counted_rows, finding_sentence

COMPLETE, UNIQUE = Completeness(column="amount"), Uniqueness(columns=("order_id", "line"))
WHOLE = Assertion("mustBe", 1)


def read(value: Any, rows: int, **more: Any) -> MetricValue:
    return MetricValue(value=value, rows=rows, **{"counted": rows, **more})


SAID = {
    "a share that is missed": (
        COMPLETE, WHOLE, read(0.9967, 50000, broken=165),
        "99.7 % of 50,000 rows have amount (required: 100 %); 165 rows have no value",
    ),
    "a share that is kept": (
        COMPLETE, Assertion("mustBeGreaterOrEqualTo", 0.95), read(0.9967, 50000, broken=165),
        "99.7 % of 50,000 rows have amount (required: at least 95 %); 165 rows have no value",
    ),
    "a whole share": (COMPLETE, WHOLE, read(1.0, 3, broken=0), "all of 3 rows have amount (required: 100 %)"),
    "a share that is missed by a hair": (
        COMPLETE, WHOLE, read(0.99999999, 10**8, broken=1),
        "99.999999 % of 100,000,000 rows have amount (required: 100 %); 1 row has no value",
    ),
    "keys that are shared": (
        UNIQUE, WHOLE, read(0.5, 6, broken=4),
        "50.0 % of the distinct values of order_id, line occur exactly once (required: 100 %); "
        "4 rows share their values with another row",
    ),
    "a predicate and its filter": (
        Compliance(predicate="amount > 0", where="status = 'new'"), WHOLE, read(0.5, 2, broken=1),
        "50.0 % of 2 rows satisfy amount > 0 where status = 'new' (required: 100 %); 1 row does not satisfy it",
    ),
    "a predicate that reads like a finding": (
        Compliance(predicate="s = ': 1 rows of 1 rows have {value}' and t = '1 rows'"), WHOLE, read(0.5, 2, broken=1),
        "50.0 % of 2 rows satisfy s = ': 1 rows of 1 rows have {value}' and t = '1 rows' (required: 100 %); "
        "1 row does not satisfy it",
    ),
    "rows that could not be evaluated": (
        Compliance(predicate="a / b > 0"), Assertion("mustBeGreaterThan", 0.5), read(0.25, 4, broken=3, unevaluated=2),
        "25.0 % of 4 rows satisfy a / b > 0 (required: more than 50 %); 3 rows do not satisfy it; "
        "2 rows could not be evaluated",
    ),
    "one row that could not be evaluated": (
        Size(), Assertion("mustNotBe", 0), read(7, 7, unevaluated=1),
        "7 rows (required: not 0); 1 row could not be evaluated",
    ),
    "too few rows": (Size(), Assertion("mustBeBetween", (1000, 2000)), read(7, 7),
                     "7 rows (required: between 1,000 and 2,000)"),
    "too many rows": (Size(), Assertion("mustBeBetween", (1000, 2000)), read(12001, 12001),
                      "12,001 rows (required: between 1,000 and 2,000)"),
    "rows in a gap": (Size(), Assertion("mustNotBeBetween", (1, 9)), read(7, 7),
                      "7 rows (required: not between 1 and 9)"),
    "a bound that is met and not passed": (Size(), Assertion("mustBeLessThan", 7), read(7, 7),
                                           "7 rows (required: less than 7)"),
    "a number that is too low": (
        Mean(column="amount"), Assertion("mustBeGreaterOrEqualTo", 2.5), read(2.25, 4),
        "mean of amount is 2.25 (required: at least 2.5)",
    ),
    "a number that is too high": (
        Mean(column="amount"), Assertion("mustBeLessOrEqualTo", 2), read(2.25, 4),
        "mean of amount is 2.25 (required: at most 2)",
    ),
    "a decimal, exactly": (
        Minimum(column="big"), Assertion("mustBe", 0), read(Decimal("12345678901234567890123456789012345.12"), 4),
        "minimum of big is 12,345,678,901,234,567,890,123,456,789,012,345.12 (required: 0)",
    ),
    "no number": (Mean(column="wild"), Assertion("mustBeLessThan", 2), read(float("nan"), 4),
                  "mean of wild is not a number (required: less than 2)"),
    "one row": (Size(), Assertion("mustBeLessOrEqualTo", 1), read(1, 1), "1 row (required: at most 1)"),
    "nulls": (NullValues(column="status"), Assertion("mustBe", 0), read(3, 4, broken=3),
              "3 of 4 rows have no status (required: 0); 3 rows have no value"),
    "one null": (NullValues(column="status"), Assertion("mustBe", 0), read(1, 4, broken=1),
                 "1 of 4 rows has no status (required: 0); 1 row has no value"),
    "duplicates": (DuplicateRows(columns=("status",)), Assertion("mustBe", 0), read(1, 4, broken=2),
                   "duplicate rows of status: 1 of 4 rows (required: 0); 2 rows share their values with another row"),
    "a percentage of nulls": (NullValues(column="status", count_in="percent"), Assertion("mustBe", 0), read(25.0, 4),
                              "25 percent of 4 rows have no status (required: 0)"),
    "no share": (COMPLETE, WHOLE, read(0.0, 4, broken=4),
                 "none of 4 rows have amount (required: 100 %); 4 rows have no value"),
    "a long list": (
        ContainedIn(column="status", values=tuple(f"value {n}" for n in range(99))), WHOLE, read(1.0, 4),
        "all of 4 values of status are among "
        + ", ".join(f"value {n}" for n in range(99))[:159] + "… (required: 100 %)",
    ),
    "a date": (Minimum(column="day"), Assertion("mustBeGreaterThan", "2026-01-01"), read("2025-12-31", 4),
               "minimum of day is 2025-12-31 (required: more than 2026-01-01)"),
    "a text": (Minimum(column="status", where="id > 1"), Assertion("mustBe", "new"), read("new", 4),
               "minimum of status where id > 1 is new (required: new)"),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_a_verdict_is_a_sentence(name: str) -> None:
    analyzer, assertion, reading, said = SAID[name]
    assert finding_sentence(analyzer, assertion, reading) == said


def test_every_operator_has_words_for_its_bound() -> None:
    assert BOUNDS.keys() == OPERATORS.keys()


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_bound_is_said_with_its_limits(operator: str) -> None:
    limit = (31, 42) if operator in PAIRED else 31
    said = finding_sentence(Size(), Assertion(operator, limit), read(7, 7))
    assert "31" in said
    assert ("42" in said) == (operator in PAIRED)


@every("case", CASES, ids=lambda case: case.id)
def test_every_analyzer_can_say_what_it_found(case: Case) -> None:
    said = finding_sentence(case.analyzer, WHOLE, MetricValue(value=0.5, rows=4, counted=4, broken=2))
    value, bound = ("50.0 %", "(required: 100 %)") if case.analyzer.unit == "share" else ("0.5", "(required: 1)")
    assert value in said
    assert bound in said
    assert "2 " + case.analyzer.violation_phrase in said
    assert said.isprintable()
    assert not re.search(
        r"\{(value|counted|subject|phrase|" + "|".join(type(case.analyzer).model_fields) + r")\}", said
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("rows have no value", "1 row has no value"),
        ("rows do not satisfy it", "1 row does not satisfy it"),
        ("rows share their values with another row", "1 row shares their values with another row"),
        ("rows are too short", "1 row is too short"),
        ("rows could not be evaluated", "1 row could not be evaluated"),
        ("values break it", "1 values break it"),
    ],
)
def test_one_row_is_said_in_the_singular(words: str, said: str) -> None:
    assert counted_rows(1, words) == said


def test_a_result_says_what_was_found() -> None:
    found = judged(contract(check("completeness", column="amount", mustBe=1)))
    assert found.finding == "75.0 % of 4 rows have amount (required: 100 %); 1 row has no value"


def test_what_could_not_be_judged_says_its_reason_and_finds_nothing() -> None:
    found = judged(contract(check("minimum", column="status", mustBeGreaterThan=3)))
    assert (found.finding, found.reason is None) == (None, False)
    assert judged(contract(check("mean", column="amount", where="id > 9", mustBe=1)), ROWS).finding is None
