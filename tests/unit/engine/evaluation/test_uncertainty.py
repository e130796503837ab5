"""Estimates have bounds, and a finding says when a threshold lies within them."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from support.bags import bag

from treaty.contracts.assertions import ANOMALIES, Assertion
from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.bound import MetricValue
from treaty.engine.analyzers.characters import PatternShare
from treaty.engine.analyzers.distinct import ApproxCountDistinct, ApproxDistinctness, CountDistinct
from treaty.engine.analyzers.numbers import Mean
from treaty.engine.analyzers.quantiles import ApproxInterquartileRange, ApproxQuantile, KllBuckets
from treaty.engine.evaluation.sentences import exactness_sentence, uncertainty_sentence
from treaty.engine.evaluation.uncertainty import uncertain_bounds
from treaty.engine.states.planning.scan_plan import plan

SCHEMA = Schema((Column("x", "double"), Column("code", "string")))


def measured(analyzer: Analyzer, values: Sequence[Any]) -> MetricValue:
    """The metric of one column's values, from states as Spark makes them."""
    bound = analyzer.bind(SCHEMA)
    columns = {"x": values, "code": values}
    return bound.read(bag(plan([bound]), SCHEMA, columns).values)


def numbers(rows: int) -> list[float]:
    draw = random.Random(rows)
    return sorted(draw.gauss(100, 15) for _ in range(rows))


def _nearest(values: Sequence[float], share: float) -> float:
    return values[max(0, -int(-share * len(values) // 1) - 1)]


def _fullest(values: Sequence[float]) -> float:
    width = (values[-1] - values[0]) / 10
    bins = Counter(min(9, int((value - values[0]) / width)) for value in values)
    return max(bins.values()) / len(values)


EXACT: list[tuple[Analyzer, Callable[[Sequence[float]], float]]] = [
    (ApproxQuantile(column="x", quantile=0.5), lambda values: _nearest(values, 0.5)),
    (ApproxQuantile(column="x", quantile=0.99), lambda values: _nearest(values, 0.99)),
    (ApproxInterquartileRange(column="x"), lambda values: _nearest(values, 0.75) - _nearest(values, 0.25)),
    (KllBuckets(column="x"), _fullest),
    (ApproxCountDistinct(column="x"), lambda values: len(set(values))),
    (ApproxDistinctness(column="x"), lambda values: len(set(values)) / len(values)),
]


@pytest.mark.parametrize(("analyzer", "exact"), EXACT, ids=lambda each: getattr(each, "phrase", ""))
@pytest.mark.parametrize("rows", [20_000, 50_000])
def test_bounds_contain_the_exact_value(
    analyzer: Analyzer, exact: Callable[[Sequence[float]], float], rows: int
) -> None:
    values = numbers(rows)
    low, high = measured(analyzer, values).bounds or (0.0, 0.0)
    assert low < high
    assert low <= exact(values) <= high


@pytest.mark.parametrize("analyzer", [*(each for each, _ in EXACT), PatternShare(column="code")])
def test_few_values_are_exact_and_have_no_bounds(analyzer: Analyzer) -> None:
    assert measured(analyzer, ["ab", "cd"] if isinstance(analyzer, PatternShare) else numbers(20)).bounds is None


@pytest.mark.parametrize("analyzer", [Mean(column="x"), CountDistinct(columns=("x",))])
def test_exact_metrics_have_no_bounds(analyzer: Analyzer) -> None:
    assert measured(analyzer, numbers(3000)).bounds is None


def test_a_share_of_masks_is_uncertain_if_masks_were_discarded() -> None:
    texts = [f"{'a' * (at % 40)}{'-' * (at // 40)}" for at in range(1600)] + ["0000"] * 400
    low, high = measured(PatternShare(column="code"), texts).bounds or (0.0, 0.0)
    assert low <= 400 / 2000 <= high


INSIDE: list[tuple[str, Any, bool]] = [
    ("mustBeLessOrEqualTo", 103, True),
    ("mustBeLessOrEqualTo", 98, True),
    ("mustBeLessOrEqualTo", 97.9, False),
    ("mustBeLessOrEqualTo", 108, False),
    ("mustBeLessThan", 108, True),
    ("mustBeGreaterThan", 98, True),
    ("mustBeGreaterOrEqualTo", 98, False),
    ("mustBeGreaterOrEqualTo", 108.5, False),
    ("mustBe", 100, True),
    ("mustBe", 109, False),
    ("mustNotBe", 100, True),
    ("mustNotBe", 97, False),
    ("mustBeBetween", (90, 110), False),
    ("mustBeBetween", (90, 105), True),
    ("mustBeBetween", (100, 105), True),
    ("mustBeBetween", (200, 300), False),
    ("mustNotBeBetween", (100, 101), True),
    ("mustNotBeBetween", (90, 110), False),
    (ANOMALIES, (100, 101), False),
    ("mustBe", "103", False),
]


@pytest.mark.parametrize(("operator", "limit", "uncertain"), INSIDE)
def test_a_threshold_within_the_bounds_makes_the_outcome_uncertain(operator: str, limit: Any, uncertain: bool) -> None:
    assertion = Assertion(operator, limit)
    estimate = MetricValue(value=103, rows=1000, bounds=(98, 108))
    assert uncertain_bounds(assertion, estimate) == ((98, 108) if uncertain else None)
    assert uncertain_bounds(assertion, MetricValue(value=103, rows=1000)) is None


def test_the_bounds_in_words() -> None:
    count, buckets = ApproxCountDistinct(column="x"), KllBuckets(column="x")
    assert uncertainty_sentence(count, (4980, 5120)) == "uncertain: the exact value is between 4,980 and 5,120"
    assert uncertainty_sentence(buckets, (0.25, 0.268)) == "uncertain: the exact value is between 25 % and 26.8 %"
    words = "computed exactly: the estimate allowed a value between 4,980 and 5,120"
    assert exactness_sentence(count, (4980, 5120)) == words
