"""Distances between two partitions, from their states: known answers, laws, and bounds that hold against raw values."""

from collections import Counter
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from math import inf, isfinite, log, nan
from typing import Any

import datasketches
import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import spatial, stats
from support.every import every
from support.oracles import STATE_OF

from treaty.engine.components.base import COMPONENTS
from treaty.engine.components.estimate import Estimate
from treaty.engine.components.sketches import HeavyHitters, QuantileSketch
from treaty.engine.components.unions.frequent_union import packed_sketch
from treaty.engine.statistics import divergences
from treaty.engine.statistics.distances import DISTANCES, distances
from treaty.engine.statistics.step_functions import ROUNDING, curves
from treaty.engine.statistics.value_shares import ShareBounds, SharePair

KINDS = sorted({kind for each in DISTANCES.values() for kind in each.kinds})
NUMBERS, VALUES = ("quantiles", "moments"), ("frequencies", "heavy_hitters")
ONE_SIDED = {"kullback_leibler"}
NEW_VALUE = log(100)


def between(kind: str, left: Sequence[Any], right: Sequence[Any]) -> dict[str, Estimate | None]:
    """The distances of two bags of values by the states of a kind of component."""
    return distances(kind, STATE_OF[kind](left), STATE_OF[kind](right))


def value(name: str, kind: str, left: Sequence[Any], right: Sequence[Any]) -> float:
    """One of them, which is exact."""
    found = between(kind, left, right)[name]
    assert found is not None
    assert found.error == 0
    return found.value


CASES = [
    ("kolmogorov_smirnov", "quantiles", [1, 2, 3, 4], [1, 2, 3, 4], 0.0),
    ("kolmogorov_smirnov", "quantiles", [1, 2, 3, 4], [3, 4, 5, 6], 0.5),
    ("kolmogorov_smirnov", "quantiles", [1, 2], [3, 4, 5], 1.0),
    ("kolmogorov_smirnov", "quantiles", [0], [0, 0, 0, 1], 0.25),
    ("kolmogorov_smirnov", "quantiles", [1.0, inf], [1.0, -inf], 0.5),
    ("earth_movers_distance", "quantiles", [1, 2, 3], [1, 2, 3, 1, 2, 3], 0.0),
    ("earth_movers_distance", "quantiles", [1, 2, 3], [11, 12, 13], 10.0),
    ("earth_movers_distance", "quantiles", [0], [0, 0, 0, 100], 25.0),
    ("cohens_d", "moments", [1, 2, 3], [3, 4, 5], 2.0),
    ("cohens_d", "moments", [0, 10], [0, 10, 0, 10], 0.0),
    ("cohens_d", "moments", [3, 3], [3, 3, 3], 0.0),
    ("cohens_d", "moments", [3], [3], 0.0),
    ("cohens_d", "moments", [3], [4], 1000.0),
    ("cohens_d", "moments", [3, 3], [4, 4], 1000.0),
    ("cohens_d", "moments", [0, 1e-9], [1, 1], 1000.0),
    ("jensen_shannon", "quantiles", [3, 3], [4, 4, 4], log(2)),
    ("jensen_shannon", "quantiles", [3, 3], [3], 0.0),
    ("jensen_shannon", "quantiles", range(100), range(1000, 1100), log(2)),
    ("kullback_leibler", "quantiles", [3, 3], [4, 4, 4], NEW_VALUE),
    ("kullback_leibler", "quantiles", range(100), [each for each in range(100) for _ in (0, 1)], 0.0),
    ("l1", "frequencies", ["a", "b"], ["a", "b", "a", "b"], 0.0),
    ("l1", "frequencies", ["a", "b"], ["a", "c"], 1.0),
    ("l1", "frequencies", ["a"], ["b"], 2.0),
    ("l_infinity", "frequencies", ["a", "b"], ["a", "a", "a", "c"], 0.5),
    ("l_infinity", "frequencies", ["a"], ["b"], 1.0),
    ("cosine", "frequencies", ["a", "b"], ["a", "b", "a", "b"], 0.0),
    ("cosine", "frequencies", ["a", "b"], ["a"], 1 - 0.5**0.5),
    ("cosine", "frequencies", ["a"], ["b"], 1.0),
    ("chi_squared", "frequencies", ["a", "a", "b", "b"], ["a", "b"], 0.0),
    ("chi_squared", "frequencies", ["a"], ["b", "b"], 1.0),
    ("chi_squared", "frequencies", ["a", "a", "a", "b"], ["a", "b", "b", "b"], 0.25),
    ("jensen_shannon", "frequencies", ["a"], ["b", "c"], log(2)),
    ("jensen_shannon", "heavy_hitters", ["a", "b"], ["b", "a"], 0.0),
    ("kullback_leibler", "frequencies", ["a"], ["b", "c"], NEW_VALUE),
    ("kullback_leibler", "frequencies", ["a"], ["a", "b"], log(1 / 0.505)),
    ("kullback_leibler", "frequencies", ["a", "b"], ["a"], (log(0.5 / 0.995) + NEW_VALUE) / 2),
    ("l1", "pattern_profile", ["aaa", "000"], ["aaa"], 1.0),
]


@every(("name", "kind", "left", "right", "expected"), CASES)
def test_a_distance_has_the_value_that_is_known(
    name: str, kind: str, left: list[Any], right: list[Any], expected: float
) -> None:
    assert value(name, kind, left, right) == pytest.approx(expected, abs=1e-9)


def test_every_distance_has_a_case_and_is_told_from_components_there_are() -> None:
    assert {name for name, *_ in CASES} == set(DISTANCES)
    assert set(KINDS) <= set(COMPONENTS)
    assert all(each.of.__doc__ for each in DISTANCES.values())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("left", "right"), [([], []), ([1, 2], []), ([], [1, 2]), ([None, None], [1])])
def test_where_one_side_has_no_values_there_is_no_distance(kind: str, left: list[Any], right: list[Any]) -> None:
    assert set(between(kind, left, right).values()) == {None}


def test_states_of_no_rows_and_kinds_that_tell_no_distance_are_answered() -> None:
    assert set(distances("quantiles", None, None).values()) == {None}
    assert distances("sum", 1, 2) == {}


@pytest.mark.parametrize("left", [[1.0, inf], [1.0, -inf], [-1e308, 1e308]])
def test_no_earth_is_moved_from_infinity(left: list[float]) -> None:
    assert between("quantiles", left, [1.0])["earth_movers_distance"] is None


@pytest.mark.parametrize("left", [(2, nan, nan), (2, inf, nan), (2, 1.0, inf)])
def test_means_that_are_no_numbers_are_not_apart(left: Any) -> None:
    assert distances("moments", left, (2, 1.0, 1.0)) == {"cohens_d": None}


def test_columns_of_two_types_are_not_compared() -> None:
    import pyarrow

    from treaty.engine.components.frequencies import FrequencyTable

    whole = FrequencyTable((pyarrow.table({"k0": [1, 2], "n": [1, 1]}),))
    with pytest.raises(TypeError, match="the column has different types"):
        distances("frequencies", whole, STATE_OF["frequencies"](["1"]))


def test_combinations_with_nulls_are_values_like_others() -> None:
    left, right = [(1, None), (1, 2)], [(None, 1), (1, 2)]
    assert value("l1", "frequencies", left, right) == 1.0
    assert value("l1", "frequencies", left, left) == 0.0


WHOLE = st.lists(st.integers(-50, 50), min_size=1, max_size=60)
WORDS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=60)
FAR = st.integers(0, 40)
BAGS = {"quantiles": WHOLE, "moments": WHOLE, "frequencies": WORDS, "heavy_hitters": WORDS}


@pytest.mark.search
@pytest.mark.parametrize("kind", BAGS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_distance_is_never_negative_and_as_far_there_as_back(kind: str, data: st.DataObject) -> None:
    left, right = data.draw(BAGS[kind]), data.draw(BAGS[kind])
    there, back = between(kind, left, right), between(kind, right, left)
    for name, found in there.items():
        assert found is not None
        assert 0 <= found.low <= found.value <= found.high
        assert isfinite(found.high)
        other = back[name]
        assert other is not None
        if name not in ONE_SIDED:
            assert found.value == pytest.approx(other.value, abs=1e-12)


@pytest.mark.search
@pytest.mark.parametrize("kind", BAGS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_partition_is_not_apart_from_itself_nor_from_itself_many_times(kind: str, data: st.DataObject) -> None:
    left = data.draw(BAGS[kind])
    for times in (1, 3):
        for found in between(kind, left, left * times).values():
            assert found is not None
            assert found.value == pytest.approx(0, abs=1e-9)
            assert found.error == 0


@settings(max_examples=100, deadline=None)
@given(left=WHOLE, right=WHOLE)
def test_numbers_are_as_far_apart_as_the_raw_ones(left: list[int], right: list[int]) -> None:
    assert value("kolmogorov_smirnov", "quantiles", left, right) == pytest.approx(greatest_gap(left, right))
    expected = stats.wasserstein_distance(left, right)
    assert value("earth_movers_distance", "quantiles", left, right) == pytest.approx(expected, abs=1e-9)


def greatest_gap(left: Any, right: Any) -> float:
    """The statistic of Kolmogorov and Smirnov, by counting what is at most each value."""
    return max(
        abs(stats.percentileofscore(left, each, "weak") - stats.percentileofscore(right, each, "weak")) / 100
        for each in {*left, *right}
    )


@pytest.mark.search
@settings(max_examples=100, deadline=None)
@given(left=WORDS, right=WORDS)
def test_values_are_as_far_apart_as_scipy_says(left: list[str], right: list[str]) -> None:
    found = {name: each.value for name, each in between("frequencies", left, right).items() if each}
    assert found == pytest.approx(exact_distances(left, right), abs=1e-9)


def exact_distances(left: Sequence[str], right: Sequence[str]) -> dict[str, float]:
    """The distances of values, from the raw ones."""
    ours, theirs = Counter(left), Counter(right)
    counts = numpy.array([[side[each] for each in sorted(ours | theirs)] for side in (ours, theirs)], dtype=float)
    p, q = counts / counts.sum(axis=1, keepdims=True)
    both = len(counts[0]) > 1
    chi = stats.chi2_contingency(counts, correction=False).statistic / counts.sum() if both else 0.0
    return {
        "jensen_shannon": spatial.distance.jensenshannon(p, q) ** 2,
        "kullback_leibler": stats.entropy(p, 0.99 * q + 0.01 * p),
        "l1": numpy.abs(p - q).sum(),
        "l_infinity": numpy.abs(p - q).max(),
        "cosine": spatial.distance.cosine(p, q),
        "chi_squared": chi,
    }


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(st.integers(-50, 50), min_size=2, max_size=60), by=st.tuples(st.integers(0, 40), st.integers(0, 40))
)
def test_numbers_moved_further_are_further_apart(values: list[int], by: tuple[int, int]) -> None:
    moved = [[each + much for each in values] for much in sorted(by)]
    for name, kind in (
        ("kolmogorov_smirnov", "quantiles"),
        ("earth_movers_distance", "quantiles"),
        ("cohens_d", "moments"),
    ):
        near, far = (value(name, kind, each, values) for each in moved)
        assert near <= far + 1e-12


@pytest.mark.search
@settings(max_examples=60, deadline=None)
@given(values=WORDS)
def test_more_rows_of_a_new_value_are_further_apart(values: list[str]) -> None:
    grown = [between("frequencies", [*values, *["new"] * many], values) for many in (0, 1, 5, 50)]
    for name in exact_distances(values, values):
        found = [each[name].value for each in grown]  # type: ignore[union-attr]
        assert all(near < far for near, far in pairwise(found)), name


def small_sketch(values: Sequence[str]) -> bytes:
    """Frequent values in so little room that few are kept."""
    sketch = datasketches.frequent_strings_sketch(3)
    for each in values:
        sketch.update(each)
    return packed_sketch(bytes(sketch.serialize()), len(values))


MANY_WORDS = st.lists(st.integers(1, 900).map(lambda n: f"w{int(n**0.5)}"), min_size=1, max_size=120)


@pytest.mark.search
@settings(max_examples=300, deadline=None)
@given(left=MANY_WORDS, right=MANY_WORDS)
def test_bounds_from_frequent_values_hold_whatever_was_forgotten(left: list[str], right: list[str]) -> None:
    found = distances("heavy_hitters", small_sketch(left), small_sketch(right))
    for name, exact in exact_distances(left, right).items():
        told = found[name]
        assert told is None or told.low - 1e-9 <= exact <= told.high + 1e-9, name


def test_small_sketches_do_forget() -> None:
    words = [f"w{each}" for each in range(100)]
    assert HeavyHitters.values(small_sketch(words))[1] > 0
    told = distances("heavy_hitters", small_sketch(words), small_sketch(words))
    assert told["l1"] is not None
    assert told["l1"].error > 1


def test_a_value_that_neither_lists_may_differ_most() -> None:
    # Left: a with 0.5, fifty others with 0.01 each; right: a with 0.4, two others with 0.3 each. Both list a alone.
    left, right = ShareBounds.at_least(numpy.array([50.0]), 100, 1), ShareBounds.at_least(numpy.array([40.0]), 100, 30)
    told = divergences.l_infinity(SharePair(left, right, 100, 100))
    assert told.value == pytest.approx(0.1)
    assert told.high == pytest.approx(0.3)


VECTOR = st.lists(st.floats(0, 1), min_size=6, max_size=6).filter(lambda each: sum(each) > 0.1)
TERMS = {
    "l1": divergences.l1,
    "jensen_shannon": divergences.jensen_shannon,
    "kullback_leibler": divergences.kullback_leibler,
    "chi_squared": divergences.chi_squared,
}


def normed(weights: Any) -> Any:
    return numpy.array(weights) / numpy.sum(weights)


@pytest.mark.search
@settings(max_examples=300, deadline=None)
@given(p=VECTOR, q=VECTOR, near_p=VECTOR, near_q=VECTOR, off=st.floats(0, 0.3))
def test_bounds_hold_for_shares_that_are_off_by_no_more_than_their_error(
    p: Any, q: Any, near_p: Any, near_q: Any, off: float
) -> None:
    true = [normed(p), normed(q)]
    seen = [(1 - off) * one + off * normed(other) for one, other in zip(true, (near_p, near_q), strict=True)]
    errors = [float(numpy.abs(one - other).max()) for one, other in zip(true, seen, strict=True)]
    exact = SharePair(ShareBounds.about(true[0], 0.0), ShareBounds.about(true[1], 0.0), 10, 30)
    about = SharePair(
        ShareBounds.about(seen[0], errors[0] + 1e-12), ShareBounds.about(seen[1], errors[1] + 1e-12), 10, 30
    )
    for name, told in TERMS.items():
        certain, found = told(exact), told(about)
        assert found.low - 1e-9 <= certain.value <= found.high + 1e-9, name


def merged(kind: str, values: Sequence[Any], pieces: int = 8) -> Any:
    return reduce(COMPONENTS[kind]().merge, (STATE_OF[kind](values[at::pieces]) for at in range(pieces)))


DRAWS = numpy.random.default_rng(20261121)
SAMPLES = {
    "normal, moved": (DRAWS.normal(0, 1, 20_000), DRAWS.normal(0.1, 1, 9_000)),
    "exponential, wider": (DRAWS.exponential(1, 20_000), DRAWS.exponential(1.5, 20_000)),
    "alike": (DRAWS.normal(5, 2, 20_000), DRAWS.normal(5, 2, 20_000)),
    "few values": (DRAWS.integers(0, 5, 20_000).astype(float), DRAWS.integers(0, 6, 5_000).astype(float)),
    "outliers": (DRAWS.normal(0, 1, 20_000), numpy.append(DRAWS.normal(0, 1, 20_000), [1e6] * 20)),
    "disjoint": (DRAWS.uniform(0, 1, 10_000), DRAWS.uniform(2, 3, 10_000)),
}


@pytest.mark.parametrize("sample", SAMPLES)
def test_bounds_from_merged_quantiles_hold_against_the_raw_numbers(sample: str) -> None:
    left, right = SAMPLES[sample]
    states = [merged("quantiles", each) for each in (left, right)]
    found = distances("quantiles", *states)
    assert all(ranks.error() > 0 for each in states if (ranks := QuantileSketch.ranks(each)))
    for name, exact in {**exact_numbers(left, right), **exact_bins(left, right, states)}.items():
        told = found[name]
        assert told is not None
        # Two ways to add the same numbers up differ in their last digits.
        assert told.low - ROUNDING <= exact <= told.high + ROUNDING, name
        assert told.error > 0


def exact_numbers(left: Any, right: Any) -> dict[str, float]:
    return {
        "kolmogorov_smirnov": stats.ks_2samp(left, right, method="asymp").statistic,
        "earth_movers_distance": stats.wasserstein_distance(left, right),
    }


def exact_bins(left: Any, right: Any, states: Sequence[bytes]) -> dict[str, float]:
    """The divergences of the raw numbers over the bins that the sketches chose."""
    given_curves = curves(*states)
    assert given_curves is not None
    edges = given_curves.edges
    p, q = (
        numpy.bincount(numpy.searchsorted(edges, each), minlength=len(edges) + 1) / len(each) for each in (left, right)
    )
    mean = (p + q) / 2
    return {
        "jensen_shannon": (stats.entropy(p, mean) + stats.entropy(q, mean)) / 2,
        "kullback_leibler": stats.entropy(p, 0.99 * q + 0.01 * p),
    }


def shares_between(edges: Any, numbers: Any) -> Any:
    return numpy.bincount(numpy.searchsorted(edges, numbers), minlength=len(edges) + 1) / len(numbers)


def test_the_error_of_numbers_is_small_enough_to_be_of_use() -> None:
    left, right = SAMPLES["alike"]
    found = between("quantiles", left, right)
    errors = {name: each.error for name, each in found.items() if each}
    assert errors["kolmogorov_smirnov"] < 0.02
    assert errors["earth_movers_distance"] < 0.02 * float(max(left.max(), right.max()) - min(left.min(), right.min()))
    assert errors["jensen_shannon"] < 0.05


def test_bounds_from_merged_frequent_values_hold_against_the_raw_values() -> None:
    left, right = ([f"w{int(each)}" for each in DRAWS.zipf(1.3, 60_000)] for _ in range(2))
    states = [merged("heavy_hitters", each) for each in (left, right)]
    assert all(HeavyHitters.values(each)[1] > 0 for each in states)
    found = distances("heavy_hitters", *states)
    for name, exact in exact_distances(left, right).items():
        told = found[name]
        assert told is not None
        assert told.low - ROUNDING <= exact <= told.high + ROUNDING, name
