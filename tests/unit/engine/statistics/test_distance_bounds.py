"""The bounds of a distance contain its exact value, for all scans of the same rows."""

from collections import Counter
from typing import Any

import datasketches
import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treaty.engine.analyzers.distribution_distance import OF_NUMBERS, OF_TEXTS
from treaty.engine.components.moments import Moments
from treaty.engine.components.unions import frequent_union
from treaty.engine.components.unions.frequent_union import packed_sketch
from treaty.engine.statistics import stored_summaries
from treaty.engine.statistics.column_values import column
from treaty.engine.statistics.distance_bounds import distance_bounds
from treaty.engine.statistics.statistics import STATISTICS, PartitionPair
from treaty.engine.statistics.summaries import Summary, summary

ROWS = 6000
# The last digits of a sum depend on its order.
ROUNDING = 1e-9
ESTIMATED = [by for by in OF_NUMBERS[None] if by != "cohens_d"]


def sketched_numbers(values: Any, draws: Any) -> Summary:
    sketch = datasketches.kll_doubles_sketch(400)
    sketch.update(draws.permutation(values))
    return stored_summaries.numbers(len(values), Moments.zero, bytes(sketch.serialize()))


def sketched_texts(values: list[str], draws: Any, size: int) -> Summary:
    """A sketch of at most 3/4 of 2 ** size texts, in random order."""
    sketch = datasketches.frequent_strings_sketch(size)
    for value in draws.permutation(values):
        sketch.update(str(value))
    state = packed_sketch(bytes(sketch.serialize()), len(values))
    counts = {"values": stored_summaries.frequent(state), **stored_summaries.mask_counts(state)}
    return stored_summaries.texts(len(values), len(values), None, **counts)


def assert_within(by: str, of: str | None, exact: PartitionPair, estimated: PartitionPair) -> None:
    value = STATISTICS[f"{by}_of_{of}" if of else by].value(exact.now, exact)
    bounds = distance_bounds(by, of, estimated)
    assert value is not None
    assert bounds is not None
    assert bounds[0] - ROUNDING <= value <= bounds[1] + ROUNDING, (by, of)


UNIFORM = numpy.arange(ROWS)
DRAWS = numpy.random.default_rng(20261126)
NUMBERS = {
    "alike": (DRAWS.normal(0, 1, ROWS), DRAWS.normal(0, 1, ROWS)),
    "moved": (DRAWS.normal(0, 1, ROWS), DRAWS.normal(0.3, 1, ROWS)),
    "heavy tails": (DRAWS.lognormal(0, 2, ROWS), DRAWS.lognormal(0.1, 2, ROWS)),
    "disjoint": (DRAWS.uniform(0, 1, ROWS), DRAWS.uniform(2, 3, ROWS)),
    "mostly zeros": (
        numpy.where(DRAWS.random(ROWS) < 0.95, 0, DRAWS.exponential(1, ROWS)),
        numpy.where(DRAWS.random(ROWS) < 0.93, 0, DRAWS.exponential(1, ROWS)),
    ),
    "two values": ((DRAWS.random(ROWS) < 0.5) * 1.0, (DRAWS.random(ROWS) < 0.53) * 1.0),
    # A bin ends exactly at a value, so a small error moves a whole value into the next bin.
    "20 values": (UNIFORM % 20 * 1.0, UNIFORM % 20 * 1.0),
    "even and odd values": (UNIFORM % 20 * 2.0, UNIFORM % 20 * 2.0 + 1),
    "10 even and 10 odd values": (UNIFORM % 10 * 2.0, UNIFORM % 10 * 2.0 + 1),
}


@pytest.mark.parametrize("by", ESTIMATED)
@pytest.mark.parametrize("case", NUMBERS)
def test_the_distance_of_numbers_lies_within_the_bounds_of_every_scan(case: str, by: str) -> None:
    now, before = NUMBERS[case]
    exact = PartitionPair(summary(column(now)), summary(column(before)))
    draws = numpy.random.default_rng(1)
    for _ in range(20):
        estimates = sketched_numbers(now, draws), sketched_numbers(before, draws)
        assert_within(by, None, exact, PartitionPair(*estimates))
        # Only one of both is estimated.
        assert_within(by, None, exact, PartitionPair(estimates[0], exact.before))


SHARES = st.lists(st.floats(0.01, 1), min_size=2, max_size=40)


@settings(max_examples=60, deadline=None)
@given(left=SHARES, right=SHARES, step=st.integers(0, 3), seed=st.integers(0, 2**16))
def test_the_distance_of_any_numbers_lies_within_the_bounds(
    left: list[float], right: list[float], step: int, seed: int
) -> None:
    draws = numpy.random.default_rng(seed)
    now, before = (
        draws.choice(numpy.arange(len(shares)) * 2.0 + start, 4000, p=numpy.array(shares) / sum(shares))
        for shares, start in ((left, 0), (right, step))
    )
    exact = PartitionPair(summary(column(now)), summary(column(before)))
    estimates = PartitionPair(sketched_numbers(now, draws), sketched_numbers(before, draws))
    for by in ESTIMATED:
        assert_within(by, None, exact, estimates)


@settings(max_examples=60, deadline=None)
@given(skew=st.floats(1.05, 3), moved=st.integers(0, 30), seed=st.integers(0, 2**16), size=st.integers(4, 8))
def test_the_distance_of_texts_lies_within_the_bounds(skew: float, moved: int, seed: int, size: int) -> None:
    draws = numpy.random.default_rng(seed)
    now, before = (drawn_texts(draws, skew, start) for start in (0, moved))
    exact = PartitionPair(*(summary(column(some)) for some in (now, before)))
    estimates = PartitionPair(*(sketched_texts(some, draws, size) for some in (now, before)))
    for of in OF_TEXTS:
        for by in OF_TEXTS[of]:
            assert_is_bounded(by, of, exact, estimates)


def drawn_texts(draws: Any, skew: float, start: int) -> list[str]:
    """Texts that are their own masks."""
    numbers = numpy.minimum(draws.zipf(skew, 2000), 5000) + start
    return ["a" * int(each % 29) + "-" * int(each // 29 % 13) + "0" * int(each // 377) for each in numbers]


def assert_is_bounded(by: str, of: str, exact: PartitionPair, estimates: PartitionPair) -> None:
    """Assert that the exact distance lies within the bounds, or equals an exact estimate."""
    if distance_bounds(by, of, estimates):
        assert_within(by, of, exact, estimates)
    else:
        name = f"{by}_of_{of}"
        expected = STATISTICS[name].value(exact.now, exact)
        assert STATISTICS[name].value(estimates.now, estimates) == pytest.approx(expected, abs=ROUNDING)


@settings(max_examples=60, deadline=None)
@given(skew=st.floats(1.05, 3), moved=st.integers(0, 30), seed=st.integers(0, 2**16), size=st.integers(4, 8))
def test_the_distance_of_the_most_frequent_texts_lies_within_the_bounds_of_sketches(
    skew: float, moved: int, seed: int, size: int
) -> None:
    """The state in place of a sketch lists more than twice as many texts, with exact counts."""
    draws = numpy.random.default_rng(seed)
    texts = [drawn_texts(draws, skew, start) for start in (0, moved)]
    exact = PartitionPair(*(most_frequent(some, 4 << size) for some in texts))
    estimates = PartitionPair(*(sketched_texts(some, draws, size) for some in texts))
    for by in OF_TEXTS["values"]:
        if distance_bounds(by, "values", estimates):
            assert_within(by, "values", exact, estimates)


def most_frequent(values: list[str], most: int) -> Summary:
    ordered = sorted(Counter(values).items(), key=lambda entry: (-entry[1], entry[0]))
    error = ordered[most][1] if len(ordered) > most else 0
    state = frequent_union.of_counts(dict(ordered[:most]), len(values), error).dump()
    return stored_summaries.texts(len(values), len(values), None, values=stored_summaries.frequent(state))


def test_exact_states_have_no_bounds() -> None:
    for by in ESTIMATED:
        values = [1.0, 2.0, 3.0]
        pair = PartitionPair(summary(column(values)), summary(column(values[1:])))
        assert distance_bounds(by, None, pair) is None
    texts = PartitionPair(summary(column(["a", "b"])), summary(column(["b"])))
    assert all(distance_bounds(by, of, texts) is None for of in OF_TEXTS for by in OF_TEXTS[of])
