"""Answers depend on the stored states only: any order, any grouping, stored in between or not, bit for bit."""

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict
from math import inf, nan
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.oracles import STATE_OF

from treaty.engine.components import codec
from treaty.engine.components.base import COMPONENTS, Component, MaxComponent, MinComponent, SumComponent
from treaty.engine.components.comoments import CoMoments
from treaty.engine.components.moments import HigherMoments, Moments
from treaty.engine.components.sketches import DistinctSketch, HeavyHitters, QuantileSketch
from treaty.engine.components.theta_sketch import ThetaSketch
from treaty.engine.components.unions import frequent_union, rank_union

UNMERGED = {"answer"}
KINDS = [pytest.param(COMPONENTS[kind](), id=kind) for kind in sorted(COMPONENTS.keys() - UNMERGED)]
ANSWERS: dict[type[Component], Callable[[Any], Any]] = {
    DistinctSketch: lambda state: asdict(DistinctSketch.bounded(state)),
    ThetaSketch: lambda state: asdict(ThetaSketch.estimate(state)),
}
NUMBERS = st.one_of(st.none(), st.floats(-1e9, 1e9), st.sampled_from([0.0, -0.0, 1e-300, 0.1, 1e300]))
VALUES = {
    "sum": NUMBERS,
    "min": NUMBERS,
    "max": NUMBERS,
    "moments": st.one_of(st.none(), st.floats(-1e9, 1e9)),
    "higher_moments": st.one_of(st.none(), st.floats(-1e3, 1e3)),
    "co_moments": st.one_of(st.none(), st.tuples(st.floats(-1e9, 1e9), st.floats(-1e3, 1e3))),
    "quantiles": st.one_of(st.none(), st.floats(-1e12, 1e12)),
}
FALLBACK = st.one_of(st.none(), st.integers(-50, 50))


def answer(component: Component, state: Any) -> str:
    """All that a state answers, with every bit: for most kinds its bytes."""
    return repr(ANSWERS.get(type(component), component.dump)(state))


def grouped(component: Component, states: Sequence[Any], draw: random.Random) -> Any:
    """The states merged in a random order and grouping; some groups are stored and read again."""
    remaining = draw.sample(list(states), len(states))
    while len(remaining) > 1:
        size = draw.randint(1, min(4, len(remaining)))
        merged = component.merge_all(remaining[:size])
        if draw.random() < 0.5:
            merged = component.load(component.dump(merged))
        remaining = [*remaining[size:], merged]
    return remaining[0]


def assert_same(component: Component, states: Sequence[Any], seed: int) -> None:
    draw = random.Random(seed)
    expected = answer(component, component.merge_all(states))
    assert answer(component, component.merge_all(states)) == expected
    assert {answer(component, grouped(component, states, draw)) for _ in range(4)} == {expected}


@pytest.mark.parametrize("component", KINDS)
@settings(max_examples=40, deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_order_grouping_and_storing_change_no_bit(component: Component, data: st.DataObject, seed: int) -> None:
    values = st.lists(VALUES.get(component.kind, FALLBACK), max_size=12)
    lists = data.draw(st.lists(values, min_size=1, max_size=8))
    assert_same(component, [STATE_OF[component.kind](each) for each in lists], seed)


ANY_NUMBER = st.one_of(st.floats(), st.sampled_from([inf, -inf, nan, 1e308, -1e308, 5e-324]))
SPREAD = st.one_of(st.floats(0), st.sampled_from([inf, nan, 0.0]))
ROWS = st.integers(1, 5)
STATES = [
    (SumComponent(), ANY_NUMBER),
    (MinComponent(), ANY_NUMBER),
    (MaxComponent(), ANY_NUMBER),
    (Moments(), st.tuples(ROWS, ANY_NUMBER, SPREAD)),
    (HigherMoments(), st.tuples(ROWS, ANY_NUMBER, SPREAD, ANY_NUMBER, SPREAD)),
    (CoMoments(), st.tuples(ROWS, ANY_NUMBER, ANY_NUMBER, SPREAD, SPREAD, ANY_NUMBER)),
]


@pytest.mark.parametrize(("component", "states"), [pytest.param(*each, id=each[0].kind) for each in STATES])
@settings(max_examples=150, deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_infinities_nan_and_overflow_change_no_bit(
    component: Component, states: st.SearchStrategy[Any], data: st.DataObject, seed: int
) -> None:
    assert_same(component, data.draw(st.lists(states, min_size=1, max_size=7)), seed)


LARGE = {
    "quantiles": lambda draw: [draw.gauss(0, 1) for _ in range(draw.choice([0, 1, 30, 900, 4000]))],
    "heavy_hitters": lambda draw: [f"w{int(draw.paretovariate(0.6))}" for _ in range(draw.choice([0, 5, 700, 2500]))],
    "distinct": lambda draw: [draw.randint(0, 20_000) for _ in range(draw.choice([0, 3, 900, 9000]))],
    "theta": lambda draw: [draw.randint(0, 20_000) for _ in range(draw.choice([0, 3, 900, 9000]))],
}


@pytest.mark.parametrize("limit", ["as it is", "small"])
@pytest.mark.parametrize("kind", LARGE)
def test_sketches_of_many_values_change_no_bit(kind: str, limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if limit == "small":
        monkeypatch.setattr(rank_union, "MOST_VALUES", 300)
        monkeypatch.setattr(rank_union, "MOST_COLLECTED", 20_000)
        monkeypatch.setattr(frequent_union, "MOST_LISTED", 60)
    draw = random.Random(20261125)
    states = [STATE_OF[kind](LARGE[kind](draw)) for _ in range(24)]
    assert_same(COMPONENTS[kind](), [*states, states[3], states[3]], seed=7)


def test_a_sampled_union_stays_within_its_error_and_keeps_extremes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rank_union, "MOST_VALUES", 2000)
    draw = random.Random(1)
    parts = [[draw.gauss(at % 3, 1) for _ in range(1500)] for at in range(60)]
    numbers = sorted(value for part in parts for value in part)
    ranks = QuantileSketch.ranks(QuantileSketch().merge_all([STATE_OF["quantiles"](part) for part in parts]))
    assert ranks
    assert ranks.entries.threshold > 0
    assert len(ranks.entries.values) <= 2000
    assert (ranks.rows, ranks.low, ranks.high) == (len(numbers), numbers[0], numbers[-1])
    for share in (0.01, 0.25, 0.5, 0.9, 0.99):
        low, high = ranks.bounds(share)
        assert low <= numbers[int(share * len(numbers))] <= high
    assert ranks.error() < 0.05


def test_copies_of_one_sketch_are_not_sampled() -> None:
    state = STATE_OF["quantiles"]([float(at) for at in range(390)])
    ranks = QuantileSketch.ranks(QuantileSketch().merge_all([state] * 3000))
    assert ranks
    assert (ranks.error(), ranks.quantile(0.5), ranks.rows) == (0, 194.0, 390 * 3000)


def test_discarded_values_of_a_union_count_as_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frequent_union, "MOST_LISTED", 50)
    draw = random.Random(5)
    parts = [[f"w{int(draw.paretovariate(0.7))}" for _ in range(600)] for _ in range(20)]
    exact = {value: sum(part.count(value) for part in parts) for value in {each for part in parts for each in part}}
    counts, error = HeavyHitters.values(HeavyHitters().merge_all([STATE_OF["heavy_hitters"](part) for part in parts]))
    assert 0 < len(counts) <= 50
    assert all(counts[value] - error <= exact[value] <= counts[value] for value in counts)
    assert max(count for value, count in exact.items() if value not in counts) <= error


@pytest.mark.parametrize("merged", [False, True])
def test_a_sketch_that_discarded_every_value_is_incomplete(merged: bool) -> None:
    unique = [STATE_OF["heavy_hitters"]([f"{at}/{each}" for each in range(769)]) for at in range(2)]
    state = HeavyHitters().merge_all(unique) if merged else unique[0]
    counts, error = HeavyHitters.values(state)
    assert (dict(counts), HeavyHitters.rows(state)) == ({}, 769 * (1 + merged))
    assert error >= 1 + merged
    read = HeavyHitters().load(HeavyHitters().dump(state))
    assert (HeavyHitters.values(read), HeavyHitters.rows(read)) == ((counts, error), HeavyHitters.rows(state))


@given(parts=st.lists(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5), min_size=1, max_size=6))
@example(parts=[[0.1], [0.2], [0.3], [-0.6]])
def test_a_merged_sum_is_the_rounded_exact_sum(parts: list[list[float]]) -> None:
    from fractions import Fraction

    states = [each for part in parts for each in part]
    merged = SumComponent().merge_all(states)
    assert float(merged) == float(sum(map(Fraction, states)))
    assert codec.load(codec.dump(merged)) == merged


def test_bytes_of_another_sketch_are_refused() -> None:
    for wrong in (b"\x05", STATE_OF["theta"](range(9)), STATE_OF["quantiles"]([float(at) for at in range(9)])[:11]):
        with pytest.raises(ValueError, match="no KLL sketch of doubles"):
            QuantileSketch.ranks(wrong)
