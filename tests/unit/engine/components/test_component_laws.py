"""The laws of every registered component: merging is a commutative monoid, and states survive their bytes."""

from collections import Counter
from functools import reduce
from math import isclose
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.oracles import STATE_OF

from treaty.engine.analyzers import ANALYZERS
from treaty.engine.components.base import COMPONENTS, Component
from treaty.engine.components.frequencies import Frequencies
from treaty.engine.components.naive_bayes import NaiveBayes
from treaty.engine.components.sketches import DistinctSketch, HeavyHitters, QuantileSketch
from treaty.engine.components.theta_sketch import ThetaSketch

WHOLE = st.integers(-(2**63), 2**63 - 1)
VALUES = {
    "sum": st.one_of(st.none(), WHOLE),
    "moments": st.one_of(st.none(), st.floats(-1e9, 1e9)),
    "higher_moments": st.one_of(st.none(), st.floats(-1e3, 1e3)),
    "co_moments": st.one_of(st.none(), st.tuples(st.floats(-1e9, 1e9), st.floats(-1e3, 1e3))),
    "quantiles": st.one_of(st.none(), st.floats(-1e12, 1e12)),
}
FALLBACK = st.one_of(st.none(), st.integers(-50, 50))


def observed(component: Component, state: Any) -> Any:
    """What may be compared: sketches by what they say, never by their bytes; counts by theirs, in any pieces."""
    if isinstance(component, Frequencies | NaiveBayes):
        return component.dump(state)
    if isinstance(component, DistinctSketch):
        return DistinctSketch.estimate(state)
    if isinstance(component, ThetaSketch):
        return ThetaSketch.estimate(state)
    if isinstance(component, HeavyHitters):
        return HeavyHitters.values(state)
    if isinstance(component, QuantileSketch):
        ranks = QuantileSketch.ranks(state)
        return (ranks.rows, ranks.low, ranks.high) if ranks else None
    return tuple(state) if isinstance(state, tuple) else state


def agree(component: Component, left: Any, right: Any) -> bool:
    left, right = observed(component, left), observed(component, right)
    if component.kind in ("moments", "co_moments"):
        return left[0] == right[0] and all(
            isclose(a, b, rel_tol=1e-9, abs_tol=1e-3) for a, b in zip(left[1:], right[1:], strict=True)
        )
    if component.kind == "higher_moments":
        # Sums of n powers of deviations of at most 2,000 each.
        return left[0] == right[0] and all(
            isclose(a, b, rel_tol=1e-9, abs_tol=1e-12 * left[0] * 2e3**power)
            for power, (a, b) in enumerate(zip(left[1:], right[1:], strict=True), start=1)
        )
    return bool(left == right)


# The number that a query gives for some rows says nothing of more rows.
UNMERGED = {"answer"}
KINDS = [pytest.param(COMPONENTS[kind](), id=kind) for kind in sorted(COMPONENTS.keys() - UNMERGED)]


def values(component: Component, **limits: int) -> st.SearchStrategy[list[Any]]:
    return st.lists(VALUES.get(component.kind, FALLBACK), **limits)


def test_every_component_has_an_oracle_and_belongs_to_an_analyzer_or_the_profile() -> None:
    used = {part.kind for analyzer in ANALYZERS.values() for part in analyzer.components.values()}
    assert set(STATE_OF) == set(COMPONENTS) - UNMERGED
    assert used | {"heavy_hitters"} == set(COMPONENTS)


@pytest.mark.parametrize("component", KINDS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_zero_changes_nothing(component: Component, data: st.DataObject) -> None:
    state = STATE_OF[component.kind](data.draw(values(component)))
    assert agree(component, component.merge(state, component.zero), state)
    assert agree(component, component.merge(component.zero, state), state)


@pytest.mark.search
@pytest.mark.parametrize("component", KINDS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_order_and_grouping_of_merges_do_not_matter(component: Component, data: st.DataObject) -> None:
    a, b, c = (STATE_OF[component.kind](data.draw(values(component))) for _ in range(3))
    assert agree(component, component.merge(a, b), component.merge(b, a))
    assert agree(component, component.merge(component.merge(a, b), c), component.merge(a, component.merge(b, c)))


@pytest.mark.search
@pytest.mark.parametrize("component", KINDS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_split_anywhere_and_merged_equals_the_whole(component: Component, data: st.DataObject) -> None:
    given_values = data.draw(values(component))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(given_values)), max_size=4)))
    pieces = [given_values[start:end] for start, end in zip([0, *cuts], [*cuts, len(given_values)], strict=True)]
    states = [STATE_OF[component.kind](piece) for piece in pieces]
    for merged in (reduce(component.merge, states), component.merge_all(states)):
        assert agree(component, merged, STATE_OF[component.kind](given_values))


@pytest.mark.parametrize("component", KINDS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_state_survives_its_bytes(component: Component, data: st.DataObject) -> None:
    state = STATE_OF[component.kind](data.draw(values(component)))
    assert agree(component, component.load(component.dump(state)), state)
    assert agree(component, component.load(component.dump(component.zero)), component.zero)


@pytest.mark.search
@pytest.mark.parametrize("component", KINDS)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_merging_changes_neither_operand(component: Component, data: st.DataObject) -> None:
    a, b = (STATE_OF[component.kind](data.draw(values(component))) for _ in range(2))
    before = component.dump(a), component.dump(b)
    component.merge(a, b)
    assert (component.dump(a), component.dump(b)) == before


def test_merged_quantiles_stay_within_the_published_rank_error() -> None:
    numbers = [(index * 7919) % 20011 / 7 for index in range(20011)]
    merged = reduce(QuantileSketch().merge, (STATE_OF["quantiles"](numbers[at::16]) for at in range(16)))
    ordered = sorted(numbers)
    ranks = QuantileSketch.ranks(merged)
    assert ranks
    for rank in (0.01, 0.25, 0.5, 0.75, 0.99):
        found = ordered.index(ranks.quantile(rank)) / len(ordered)
        assert abs(found - rank) <= ranks.error() <= 0.007


def test_merged_frequent_values_stay_within_their_stated_error() -> None:
    words = [f"w{int(index**0.5)}" for index in range(4_000_000, 4_030_000)] + ["often"] * 5000
    merged = reduce(HeavyHitters().merge, (STATE_OF["heavy_hitters"](words[at::8]) for at in range(8)))
    counts, error = HeavyHitters.values(merged)
    exact = Counter(words)
    assert abs(counts["often"] - 5000) <= error or counts["often"] == 5000
    assert all(abs(count - exact[word]) <= error for word, count in counts.items())


def test_few_values_are_counted_exactly() -> None:
    counts, error = HeavyHitters.values(STATE_OF["heavy_hitters"](["a"] * 3 + ["b"]))
    assert (counts, error) == ({"a": 3, "b": 1}, 0)
