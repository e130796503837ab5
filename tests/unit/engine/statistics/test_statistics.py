"""Statistics of partitions: each against a value told another way, from values in memory and with what is missing."""

from collections import Counter
from math import log
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treaty.engine.statistics.code_points import CLASSES, kind
from treaty.engine.statistics.column_values import column
from treaty.engine.statistics.statistics import STATISTICS, compute_statistics
from treaty.engine.statistics.summaries import summary

NUMBERS = [1.0, 2.0, 2.0, -4.0, 0.0, None, 9.0, 4.0]
TEXTS = ["Ab-1", "ab 2", None, " x", "Ab-1", "É٣", "", "日本"]


def told(values: list[Any], before: list[Any] | None = None) -> dict[str, float | None]:
    return compute_statistics(summary(column(values)), None if before is None else summary(column(before)))


OF_ONE = [
    (NUMBERS, "row_count", 8),
    (NUMBERS, "complete_ratio", 7 / 8),
    (NUMBERS, "unique_ratio", 6 / 7),
    (NUMBERS, "distinct_count", 6),
    (NUMBERS, "minimum", -4),
    (NUMBERS, "maximum", 9),
    (NUMBERS, "mean", 2),
    (NUMBERS, "median", 2),
    (NUMBERS, "range", 13),
    (NUMBERS, "sum", 14),
    (NUMBERS, "standard_deviation", numpy.std([1, 2, 2, -4, 0, 9, 4])),
    (NUMBERS, "quantile_05", -4),
    (NUMBERS, "quantile_95", 9),
    (NUMBERS, "zero_ratio", 1 / 7),
    (NUMBERS, "negative_ratio", 1 / 7),
    (TEXTS, "complete_ratio", 7 / 8),
    (TEXTS, "unique_ratio", 6 / 7),
    (TEXTS, "distinct_count", 6),
    (TEXTS, "mean_length", 18 / 7),
    (TEXTS, "mean_letters", 10 / 7),
    (TEXTS, "mean_upper", 3 / 7),
    (TEXTS, "mean_digits", 4 / 7),
    (TEXTS, "mean_punctuation", 2 / 7),
    (TEXTS, "mean_blanks", 2 / 7),
    (TEXTS, "minimum_length", 0),
    (TEXTS, "maximum_length", 4),
    (TEXTS, "padded_ratio", 1 / 7),
    (TEXTS, "upper_share", 3 / 10),
]


@pytest.mark.parametrize(("values", "name", "value"), OF_ONE)
def test_a_statistic_of_a_partition_is_what_counting_says(values: list[Any], name: str, value: float) -> None:
    assert told(values)[name] == pytest.approx(value, rel=1e-12)


OF_TWO = [
    ([1, 2, 3, 4], [1, 2, 3, 5], "kolmogorov_smirnov", 0.25),
    ([1, 2, 3, 4], [2, 3, 4, 5], "earth_movers_distance", 1.0),
    ([1, 3], [2, 4], "cohens_d", 1 / 2**0.5),
    ([1, 1, 2, 2], [1, 1, 2, 2], "jensen_shannon", 0.0),
    ([1, 1], [2, 2], "jensen_shannon", log(2)),
    ([1, 1], [2, 2], "kullback_leibler", log(100)),
    (["a", "a", "b"], ["a", "b", "c"], "l1_of_values", 2 / 3),
    (["a", "a", "b"], ["a", "b", "c"], "l_infinity_of_values", 1 / 3),
    (["a"], ["b"], "cosine_of_values", 1.0),
    (["a", "b"], ["c", "d"], "chi_squared_of_values", 1.0),
    (["a", "b"], ["c", "d"], "l1_of_masks", 0.0),
    (["a", "b"], ["A", "2"], "l1_of_masks", 2.0),
    (["x1"], ["x1"], "jensen_shannon_of_masks", 0.0),
    (["a", "b", "c", "c"], ["a", "d"], "new_of_values", 0.75),
    (["a", "Ab1"], ["Bc2", "b"], "new_of_masks", 0.0),
    (["a", "Abc12"], ["Bc2", "b"], "new_of_masks", 0.5),
    (["a", "Abc12"], ["Bc2", "b"], "new_of_shapes", 0.0),
    (["a", "abc1"], ["Bc2", "b"], "new_of_shapes", 0.5),
]


@pytest.mark.parametrize(("now", "before", "name", "value"), OF_TWO)
def test_a_distance_compares_a_partition_with_the_one_before(
    now: list[Any], before: list[Any], name: str, value: float
) -> None:
    assert told(now, before)[name] == pytest.approx(value, abs=1e-12)


MISSING: list[tuple[str, list[Any], list[Any] | None, set[str]]] = [
    ("no rows", [], [1.0], {"row_count", "distinct_count"}),
    ("nothing but nulls", [numpy.nan] * 3, [1.0], {"row_count", "complete_ratio", "distinct_count"}),
    ("nothing before", [2.0, 1.0], None, set()),
    ("another type before", [1.0], ["a"], set()),
]


@pytest.mark.parametrize(("_", "values", "before", "only"), MISSING, ids=[row[0] for row in MISSING])
def test_what_has_no_value_is_none_and_never_an_infinite_number(
    _: str, values: list[Any], before: list[Any] | None, only: set[str]
) -> None:
    found = told(values, before)
    kept = {name for name, value in found.items() if value is not None}
    assert all(numpy.isfinite(value) for value in found.values() if value is not None)
    assert not only or kept == only
    assert before == [1.0] or not {name for name in kept if STATISTICS[name].is_distance}


@pytest.mark.parametrize("values", [[numpy.inf, 1.0], [numpy.inf, -numpy.inf], [1.7e308, 1.7e308]])
def test_what_is_infinite_is_so_and_never_nan(values: list[float]) -> None:
    found = [value for value in told(values, [1.0]).values() if value is not None]
    assert not numpy.isnan(found).any()
    assert numpy.isinf(found).any()


FLOORS = [
    ("complete_ratio", [1.0, 2.0], 0.0),
    ("complete_ratio", [1.0, None], 0.5),
    ("new_of_values", ["a", "b", "a", "b"], 0.0),
    ("new_of_values", ["a", "b", "a", "c"], 0.25),
    ("new_of_masks", ["a", "b", "a", "c"], 0.0),
    ("new_of_shapes", ["a", "bc", "a1", "c"], 0.25),
]


@pytest.mark.parametrize(("name", "values", "floor"), FLOORS)
def test_what_has_never_been_missing_or_new_has_no_floor(name: str, values: list[Any], floor: float) -> None:
    assert STATISTICS[name].floor(summary(column(values))) == floor


@given(st.lists(st.one_of(st.none(), st.text(max_size=6)), max_size=20))
def test_whatever_the_texts_the_parts_of_their_tallies_add_up(values: list[str | None]) -> None:
    found = summary(column([*values, "a"]))
    present = [value for value in values if value is not None] + ["a"]
    assert sorted(found.values.counts) == sorted(Counter(present).values())
    assert found.masks.counts.sum() == found.shapes.counts.sum() == found.present == len(present)
    assert found.length == sum(map(len, present))
    for name, bit in CLASSES.items():
        assert found.characters[name] == sum(kind(sign) & bit > 0 for text in present for sign in text)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_distances_are_told_in_their_bounds_and_are_0_of_a_partition_from_itself(
    now: list[float], before: list[float]
) -> None:
    found, own = told(now, before), told(now, now)
    for name, each in STATISTICS.items():
        if each.is_distance and each.texts is False:
            assert found[name] >= -1e-12
            assert own[name] == pytest.approx(0, abs=1e-9)


def test_every_statistic_says_what_it_is() -> None:
    assert {name: len(name.split()) for name in STATISTICS} == dict.fromkeys(STATISTICS, 1)
    assert {"numbers", "texts"} == {"texts" if each.texts else "numbers" for each in STATISTICS.values()}
    distances = {name for name, each in STATISTICS.items() if each.is_distance}
    assert len(distances) == 5 + 2 * 6 + 3
