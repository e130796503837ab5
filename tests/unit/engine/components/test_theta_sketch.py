"""Overlap of keys from theta sketches: exact while they are small, within its bounds beyond."""

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.oracles import STATE_OF

from treaty.engine.components.estimate import Estimate
from treaty.engine.components.operands import Operand
from treaty.engine.components.theta_sketch import KeyOverlap, ThetaSketch, overlap


def keys(values: Iterable[int]) -> bytes:
    """A state of some keys."""
    state: bytes = STATE_OF["theta"](list(values))
    return state


NOTHING = KeyOverlap(Estimate.exact(0.0), None, None)


@pytest.mark.parametrize(
    ("left", "right", "shared", "of_left", "of_right"),
    [
        (range(10), range(10), 10, 1.0, 1.0),
        (range(10), range(5, 25), 5, 0.5, 0.25),
        (range(10), range(10, 20), 0, 0.0, 0.0),
        (range(4000), range(3999), 3999, 3999 / 4000, 1.0),
    ],
)
def test_the_overlap_of_few_keys_is_exact(
    left: range, right: range, shared: int, of_left: float, of_right: float
) -> None:
    found = overlap(keys(left), keys(right))
    assert found == KeyOverlap(*(Estimate.exact(each) for each in (shared, of_left, of_right)))


def test_no_keys_share_nothing() -> None:
    some = KeyOverlap(Estimate.exact(0.0), Estimate.exact(0.0), None)
    assert overlap(keys([1, 2]), None) == overlap(keys([1, 2]), keys([])) == some
    assert overlap(None, None) == overlap(keys([]), None) == NOTHING


@settings(max_examples=60, deadline=None)
@given(left=st.frozensets(st.integers(0, 60)), right=st.frozensets(st.integers(0, 60)))
def test_the_overlap_of_sets_is_that_of_their_keys(left: frozenset[int], right: frozenset[int]) -> None:
    found = overlap(keys(left), keys(right))
    assert found.shared == Estimate.exact(len(left & right))
    assert found.of_left == (Estimate.exact(len(left & right) / len(left)) if left else None)
    assert overlap(keys(right), keys(left)) == KeyOverlap(found.shared, found.of_right, found.of_left)


def test_bounds_of_many_keys_hold_as_often_as_they_say() -> None:
    held = {"shared": 0, "left": 0, "right": 0}
    for at in range(40):
        start, many, common = at * 100_000, 6_000 + 500 * at, 100 + 140 * at
        left = range(start, start + many)
        right = range(start + many - common, start + 2 * many)
        found = overlap(keys(left), keys(right))
        assert found.of_left is not None
        assert found.of_right is not None
        held["shared"] += found.shared.low <= common <= found.shared.high
        held["left"] += found.of_left.low <= common / len(left) <= found.of_left.high
        held["right"] += found.of_right.low <= common / len(right) <= found.of_right.high
        assert 0 < found.of_left.error < 0.05
    # Of 40 with a chance of 95 % each, fewer than 34 hold one time in 700; the keys' hashes are always the same.
    assert all(count >= 34 for count in held.values()), held


def test_merged_partitions_have_the_keys_of_both() -> None:
    merged = ThetaSketch().merge(keys(range(20_000)), keys(range(10_000, 30_000)))
    found = ThetaSketch.estimate(merged)
    assert found.low <= 30_000 <= found.high
    contained = overlap(merged, keys(range(20_000))).of_right
    assert contained is not None
    assert contained.value == contained.high == 1.0


def test_a_key_among_hundreds_of_thousands_tells_nothing_of_its_share() -> None:
    found = overlap(keys([1]), keys(range(100, 300_000)))
    assert found.of_left is None
    assert found.shared.low <= 0 <= found.shared.high


@pytest.mark.parametrize(
    ("types", "asked"),
    [
        (("bigint",), "cast(c0 as bigint)"),
        (("timestamp",), "unix_micros(c0)"),
        (("string",), "concat('=', cast(c0 as string))"),
    ],
)
def test_a_key_of_one_column_is_asked_as_it_is_counted(types: tuple[str, ...], asked: str) -> None:
    operands = tuple(Operand(sql=f"c{at}", type=each) for at, each in enumerate(types))
    assert ThetaSketch().aggregates(operands) == (f"theta_sketch_agg({asked}, 12)",)
