"""Answers that are easily got wrong, from contract to verdict: all in one verification of one small frame."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from support.orders import check, contract, result

from treaty.contracts.document.model import Contract
from treaty.engine.core.results import CheckResult, Outcome
from treaty.engine.session.verify import verify

DDL = (
    "a double, b double, long bigint, path string, mail string, card string, word string, day date, seen timestamp, "
    "text string, size string"
)
ROWS = [
    (1.0, 10.0, 9007199254740993, "C:\\temp", "John@Example.COM", "4111111111111111", "", date(2026, 1, 2),
     datetime(2026, 1, 2, 3, tzinfo=UTC), "1.5", "1"),
    (0.0, 0.0, 9007199254740992, "C:\\new", "x a@b.co y", "4111111111111112", "word", date(1969, 12, 31),
     datetime(2026, 1, 1, tzinfo=UTC), "-2e3", "2"),
    (None, None, None, None, None, None, None, None, None, None, None),
]  # fmt: skip


def promise(check_id: str, analyzer: str, **words: Any) -> dict[str, Any]:
    return check(analyzer, check_id, **words)


CONTRACT: Contract = contract(
    promise("size", "size", mustBe=3),
    promise("ratio", "ratio_of_sums", numerator="a", denominator="b", mustBe=0.1),
    promise("guarded", "implication", condition="b <> 0", predicate="a / b >= 0.1", mustBe=1),
    promise("unguarded", "compliance", predicate="a / b >= 0.1", where="b >= 0", mustBe=1),
    promise("gone", "compliance", predicate="nowhere > 0", mustBe=1),
    promise("paths", "contained_in", column="path", values=["C:\\temp", "C:\\new"], mustBe=1),
    promise("emails", "pattern_match", column="mail", format="email", mustBe=0.5),
    promise("cards", "pattern_match", column="card", format="credit_card", mustBe=0.5),
    promise("words", "approx_count_distinct", column="word", mustBe=2),
    promise("anything", "pattern_match", column="word", pattern=".*", mustBe=1),
    promise("something", "pattern_match", column="word", pattern=".*", nulls="break", mustBe=1),
    promise("largest", "maximum", column="long", mustBe=9007199254740993),
    promise("first-day", "minimum", column="day", mustBe="1969-12-31"),
    promise("last-day", "maximum", column="day", mustBeLessThan="2026-01-03"),
    promise("newest", "maximum", column="seen", mustBe="2026-01-02T03:00:00+00:00"),
    promise("newest-by-zone", "maximum", column="seen", mustBe="2026-01-02 05:00:00+02:00"),
    promise("since-noon", "minimum", column="seen", mustBeGreaterThan="2026-01-01 12:00"),
    promise("no-time", "minimum", column="seen", mustBeGreaterThan="soon"),
    promise("none", "pattern_match", column="word", pattern="x", where="a > 99", mustBe=1),
    promise("no-sum", "sum", column="a", where="a > 99", mustBeGreaterThan=0),
    promise("no-nulls", "null_values", column="a", where="b > 99", mustBe=0),
    promise("numbers", "data_type", column="text", type="number", mustBe=1),
    promise("filtered-type", "data_type", column="size", type="integer", where="size = '1'", mustBe=1),
    promise("positive", "in_range", column="size", exclusive_minimum=0, mustBe=1),
    promise("positive-text", "in_range", column="mail", exclusive_minimum=0, mustBe=1),
    properties=[],
)


@pytest.fixture(scope="module")
def results(spark: Any) -> dict[str, CheckResult]:
    run = verify(spark.createDataFrame(ROWS, DDL), CONTRACT)
    return {each.check_id: result(run, each.check_id) for each in run.results}


def test_a_ratio_of_sums_is_its_own_columns_beside_other_metrics(results: dict[str, CheckResult]) -> None:
    assert results["ratio"].value == 0.1


def test_a_column_that_is_not_there_ends_its_own_check_alone(results: dict[str, CheckResult]) -> None:
    assert {each.check_id for each in results.values() if each.outcome is Outcome.NOT_EVALUATED} == {"gone", "no-time"}
    assert results["size"].outcome is Outcome.PASSED


def test_what_cannot_be_evaluated_is_of_no_account_where_the_condition_does_not_hold(
    results: dict[str, CheckResult],
) -> None:
    assert (results["guarded"].outcome, results["guarded"].unevaluated_rows) == (Outcome.PASSED, 0)
    assert (results["unguarded"].value, results["unguarded"].unevaluated_rows) == (0.5, 1)


def test_a_value_with_a_backslash_is_found_among_those_given(results: dict[str, CheckResult]) -> None:
    assert (results["paths"].value, results["paths"].row_count) == (1.0, 2)


def test_an_address_may_be_in_capitals_and_stands_alone(results: dict[str, CheckResult]) -> None:
    assert (results["emails"].value, results["emails"].violating_rows) == (0.5, 1)


def test_a_card_number_whose_check_digit_is_wrong_is_none(results: dict[str, CheckResult]) -> None:
    assert (results["cards"].value, results["cards"].violating_rows) == (0.5, 1)


def test_an_empty_text_matches_what_may_be_empty_and_a_null_is_not_judged(results: dict[str, CheckResult]) -> None:
    assert (results["anything"].value, results["anything"].row_count) == (1.0, 2)
    assert (results["something"].value, results["something"].row_count) == (2 / 3, 3)


def test_the_largest_long_keeps_its_last_digit(results: dict[str, CheckResult]) -> None:
    assert (results["largest"].value, results["largest"].outcome) == (9007199254740993, Outcome.PASSED)


def test_dates_and_times_have_a_smallest_and_a_largest(results: dict[str, CheckResult]) -> None:
    ends = [results[name] for name in ("first-day", "last-day", "newest")]
    assert [each.outcome for each in ends] == [Outcome.PASSED] * 3
    assert [each.value for each in ends] == ["1969-12-31", "2026-01-02", "2026-01-02T03:00:00+00:00"]


def test_limits_of_times_are_times_however_they_are_written(results: dict[str, CheckResult]) -> None:
    assert results["newest-by-zone"].outcome is Outcome.PASSED
    assert results["since-noon"].outcome is Outcome.FAILED
    assert "ISO 8601" in str(results["no-time"].reason)


def test_a_filter_that_admits_no_row_is_no_pass(results: dict[str, CheckResult]) -> None:
    unmatched = [results[name] for name in ("none", "no-sum", "no-nulls")]
    assert {each.outcome for each in unmatched} == {Outcome.NOT_APPLICABLE}


def test_rows_that_the_filter_leaves_out_are_of_no_type(results: dict[str, CheckResult]) -> None:
    assert (results["filtered-type"].value, results["filtered-type"].row_count) == (1.0, 1)
    assert results["numbers"].outcome is Outcome.PASSED


def test_an_empty_text_is_one_of_the_distinct_values(results: dict[str, CheckResult]) -> None:
    assert results["words"].value == 2


def test_a_text_that_is_no_number_is_not_positive(results: dict[str, CheckResult]) -> None:
    assert (results["positive"].value, results["positive"].unevaluated_rows) == (1.0, 0)
    assert (results["positive-text"].value, results["positive-text"].unevaluated_rows) == (0.0, 2)
