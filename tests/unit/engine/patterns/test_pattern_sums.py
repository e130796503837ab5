"""The sums of a lake: they add up over its tables, and say what they say of each pattern."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treaty.engine.patterns.lake_sums import FIELDS, PatternSums, merge_sums, nothing, sample_evenly, sums_of
from treaty.engine.patterns.language.pattern_ids import identity

values = st.lists(st.sampled_from(["a1", "b2", "2020-01-01", "x y", "7", "-7.5", ""]), max_size=20)


def _same(one: PatternSums, other: PatternSums) -> bool:
    fields = (name for name in FIELDS if name != "impurity")
    equal = all((getattr(one, name) == getattr(other, name)).all() for name in fields)
    return (
        equal and one.size == other.size and one.impurity == pytest.approx(other.impurity) and one.texts == other.texts
    )


@settings(max_examples=30)
@given(st.lists(values, max_size=8), st.integers(0, 8))
def test_sums_of_parts_are_the_sums_of_the_whole(columns: list[list[str]], cut: int) -> None:
    parts = [sums_of(columns[:cut]), nothing(), sums_of(columns[cut:])]
    assert _same(merge_sums(parts), sums_of(columns))
    assert _same(merge_sums(parts[::-1]), sums_of(columns))


def test_a_pattern_has_the_mean_impurity_of_the_columns_that_have_it() -> None:
    pure, mixed = ["1:02", "3:04"] * 10, ["1:02"] * 15 + ["12:34"] * 5
    sums = sums_of([pure, mixed, ["other"] * 20])
    place = sums.texts.index("<digit>:<digit>{2}")
    assert (sums.size, sums.columns[place], sums.fpr[place]) == (3, 2, pytest.approx((0 + 0.25) / 2))
    assert sums.ids[place] == identity("<digit>:<digit>{2}")


def test_the_replay_counts_columns_whose_later_rows_would_have_alarmed() -> None:
    turned = ["1:02"] * 40 + ["12:34"] * 60
    sums = sums_of([turned, ["1:02", "3:04"] * 50])
    narrow, wide = (sums.texts.index(text) for text in ("<digit>:<digit>{2}", "<digit>+:<digit>{2}"))
    assert (sums.learned[narrow], sums.failed[narrow]) == (2, 1)
    assert (sums.learned[wide], sums.failed[wide]) == (2, 0)


def test_columns_without_values_count_nothing() -> None:
    assert sums_of([[], []]).size == 0
    assert len(nothing()) == 0


def test_values_are_spread_over_the_whole_column_in_order() -> None:
    assert sample_evenly([str(n) for n in range(10)], 4) == ["0", "2", "5", "7"]
    assert sample_evenly(["a"], 4) == ["a"]


def test_patterns_of_few_columns_can_be_left_out() -> None:
    sums = sums_of([["a1", "b2"], ["c3", "d4"], ["2020"]])
    frequent = sums.frequent(2)
    assert 0 < len(frequent) < len(sums)
    assert min(frequent.columns) == 2
    assert [identity(text) for text in frequent.texts] == frequent.ids.tolist()
