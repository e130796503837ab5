"""Metrics of more rows than 2^31, without Spark: whatever the counts, nothing overflows or is rounded twice."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from support.analyzer_table import SCHEMA

from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.bound import MetricValue
from treaty.engine.analyzers.nulls import Completeness, NullValues
from treaty.engine.analyzers.numbers import (
    Kurtosis,
    Mean,
    Range,
    RatioOfSums,
    Skewness,
    StandardDeviation,
    Sum,
    Variance,
    Zeros,
)
from treaty.engine.analyzers.rows import Implication, Size
from treaty.engine.analyzers.text import MeanLength
from treaty.engine.analyzers.types import DataType
from treaty.engine.analyzers.values import ContainedIn
from treaty.engine.components.moments import HigherMoments, Moments
from treaty.engine.components.text_classes import CLASSES

COUNTS = st.integers(2**31, 2**50)
SUMS = st.integers(-(2**63) * 10**12, 2**63 * 10**12)
Pair = tuple[int, int]


def read(analyzer: Analyzer, left: Mapping[str, Any], right: Mapping[str, Any]) -> MetricValue:
    """The reading of two partitions' states, given by the names of the parts, after merging."""
    bound = analyzer.bind(SCHEMA)
    merged = {part.key: part.component.merge(left[name], right[name]) for name, part in bound.parts.items()}
    return bound.read(merged)


def split(rows: Pair, **parts: Pair) -> tuple[dict[str, int], dict[str, int]]:
    given = {"rows": rows, **parts}
    return {name: pair[0] for name, pair in given.items()}, {name: pair[1] for name, pair in given.items()}


@given(rows=st.tuples(COUNTS, COUNTS))
def test_rows_are_counted(rows: Pair) -> None:
    assert read(Size(), *split(rows)).value == sum(rows)


@given(rows=st.tuples(COUNTS, COUNTS), share=st.fractions(0, 1))
def test_shares_are_those_of_the_exact_counts(rows: Pair, share: Fraction) -> None:
    part = (int(rows[0] * share), int(rows[1] * share))
    expected = float(Fraction(sum(part), sum(rows)))
    judged = split(rows, present=rows, valid=part)
    assert read(Completeness(column="id"), *split(rows, present=part)).value == expected
    assert read(ContainedIn(column="id", values=(1,)), *judged).value == expected
    assert read(ContainedIn(column="id", values=(1,)), *judged).broken == sum(rows) - sum(part)
    assert (
        read(Implication(condition="id > 1", predicate="id > 2"), *split(rows, evaluated=rows, satisfying=part)).value
        == expected
    )


@given(rows=st.tuples(COUNTS, COUNTS))
def test_bad_rows_are_counted(rows: Pair) -> None:
    assert read(Zeros(column="id"), *split(rows, bad=rows)).value == sum(rows)
    assert read(NullValues(column="id"), *split(rows, bad=rows)).broken == sum(rows)
    assert read(NullValues(column="id", count_in="percent"), *split(rows, bad=rows)).value == 100.0


@given(sums=st.tuples(SUMS, SUMS), count=st.tuples(COUNTS, COUNTS))
def test_sums_means_and_ratios_of_longs_are_rounded_once(sums: Pair, count: Pair) -> None:
    exact = Fraction(sum(sums), sum(count))
    assert read(Sum(column="id"), *split(count, total=sums)).value == sum(sums)
    assert read(Mean(column="id"), *split(count, total=sums, count=count)).value == float(exact)
    ratio = RatioOfSums(numerator="id", denominator="big")
    assert read(ratio, *split(count, above=sums, below=count)).value == float(exact)
    assert read(MeanLength(column="status"), *split(count, total=sums, present=count)).value == float(exact)


@given(counts=st.lists(st.tuples(COUNTS, COUNTS), min_size=7, max_size=7))
def test_classes_of_texts_are_counted(counts: list[Pair]) -> None:
    left, right = (tuple(pair[side] for pair in counts) for side in (0, 1))
    rows = (sum(left), sum(right))
    found = read(
        DataType(column="typed", type="integer"),
        {"rows": rows[0], "classes": left},
        {"rows": rows[1], "classes": right},
    )
    assert found.value == float(Fraction(sum(counts[0]), sum(rows)))
    assert found.details == {"null": 0, **{name: sum(pair) for name, pair in zip(CLASSES, counts, strict=True)}}


@given(low=st.decimals(-(10**27), 0, places=10), high=st.decimals(0, 10**27, places=10))
def test_a_range_of_wide_decimals_keeps_its_digits(low: Decimal, high: Decimal) -> None:
    found = read(
        Range(column="wide"),
        {"rows": 1, "smallest": low, "largest": low},
        {"rows": 1, "smallest": high, "largest": high},
    )
    assert Fraction(found.value or 0) == Fraction(high) - Fraction(low)


@settings(deadline=None)
@given(values=st.lists(st.integers(-1000, 1000), min_size=1, max_size=20), times=st.integers(2**31, 2**40))
def test_moments_of_very_many_rows_are_those_of_few(values: list[int], times: int) -> None:
    """Every value repeated many times has the same mean and the same population moments."""
    numbers = np.array(values, dtype=float)
    deviations = numbers - numbers.mean()
    powers = [float((deviations**power).sum()) * times for power in (2, 3, 4)]
    three = (len(values) * times, float(numbers.mean()), powers[0])
    five = (*three, *powers[1:])
    rows = len(values) * times
    for analyzer, expected in (
        (Variance(column="id"), numbers.var()),
        (StandardDeviation(column="id"), numbers.std()),
    ):
        found = read(analyzer, {"rows": rows, "moments": three}, {"rows": rows, "moments": three})
        assert found.counted == 2 * rows
        assert found.value == pytest.approx(expected, rel=1e-9, abs=1e-9)
    for analyzer, oracle in ((Skewness(column="id"), stats.skew), (Kurtosis(column="id"), stats.kurtosis)):
        found = read(analyzer, {"rows": rows, "moments": five}, {"rows": rows, "moments": five})
        same = numbers.min() == numbers.max()
        assert found.value == (None if same else pytest.approx(oracle(numbers), rel=1e-9, abs=1e-9))


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(-1000, 1000), min_size=1, max_size=8), min_size=1, max_size=6))
def test_merged_moments_are_those_of_all_values(parts: list[list[int]]) -> None:
    state = HigherMoments.zero
    for part in parts:
        numbers = np.array(part, dtype=float)
        deviations = numbers - numbers.mean()
        powers = (float((deviations**power).sum()) for power in (2, 3, 4))
        state = HigherMoments().merge(state, (len(part), float(numbers.mean()), *powers))  # type: ignore[arg-type]
    whole = np.array([value for part in parts for value in part], dtype=float)
    empty = {"rows": 0, "moments": HigherMoments.zero}
    skewness = read(Skewness(column="id"), {"rows": len(whole), "moments": state}, empty).value
    kurtosis = read(Kurtosis(column="id"), {"rows": len(whole), "moments": state}, empty).value
    if whole.min() == whole.max():
        assert (skewness, kurtosis) == (None, None)
    else:
        assert skewness == pytest.approx(stats.skew(whole), rel=1e-7, abs=1e-7)
        assert kurtosis == pytest.approx(stats.kurtosis(whole), rel=1e-7, abs=1e-7)


def test_a_column_of_one_fraction_stays_constant_in_however_many_parts() -> None:
    state, higher = Moments.zero, HigherMoments.zero
    for rows in (1, 3, 7, 2**33, 11):
        state = Moments().merge(state, (rows, 0.1, 0.0))
        higher = HigherMoments().merge(higher, (rows, 0.1, 0.0, 0.0, 0.0))
    assert state[1:] == (0.1, 0.0)
    assert higher[1:] == (0.1, 0.0, 0.0, 0.0)
