"""Whether partitions keep a promise, held against asking of each: extremes and what was read before answer the same."""

from collections.abc import Callable
from math import log, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.histories import history

from treaty.contracts.assertions import Assertion
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.suggestions.candidates import SuggestionCandidate, SuggestionMetric
from treaty.engine.suggestions.selection.holdout_test import holdout_candidates
from treaty.engine.suggestions.selection.regimes import (
    LEAST_AFTER,
    LEAST_BEFORE,
    LEAST_STEP,
    NEIGHBORS,
    TIMES_AS_HIGH,
    step,
)

NUMBER = st.one_of(st.integers(-3, 3), st.sampled_from([-1.5, 0.1, 0.5, 2.0, nan]))
LIMITS = {
    "mustBe": 2, "mustNotBe": 2, "mustBeGreaterThan": 0, "mustBeGreaterOrEqualTo": 0.5, "mustBeLessThan": 2,
    "mustBeLessOrEqualTo": 2, "mustBeBetween": (-1, 2), "mustNotBeBetween": (-1, 1),
}  # fmt: skip


@given(st.sampled_from(sorted(LIMITS)), st.lists(st.one_of(st.none(), NUMBER), max_size=8))
def test_a_promise_is_kept_by_all_where_each_keeps_it(operator: str, values: list[Any]) -> None:
    assertion = Assertion(operator, LIMITS[operator])
    made = SuggestionCandidate(
        kind="kind",
        sentence="",
        expression="",
        patch={},
        measure=SuggestionMetric(lambda _: values),
        assertion=assertion,
    )
    each = [None if value is None else not assertion.holds(value) for value in values]
    part = HistorySlice.of(history({"x": "bigint"}, [{"x": [1]}]))
    assert made.failed(part) == each
    assert made.holds(part) == (True not in each)


SCALES = st.sampled_from([1.0, 0.0, 100.0])


@given(st.lists(st.one_of(st.integers(0, 3), st.integers(100, 103), st.integers(1, 9)).map(float), max_size=30), SCALES)
def test_the_last_step_is_where_values_before_and_after_are_far_apart(values: list[float], more: float) -> None:
    def high(of: list[float], least: Callable[[list[float]], float], at: int) -> bool:
        before, after = of[max(0, at - NEIGHBORS) : at], of[at : at + NEIGHBORS]
        wide = max(max(before) - min(before), max(after) - min(after))
        far = max(min(of[at:]) - max(before), min(before) - max(of[at:]))
        return far > TIMES_AS_HIGH * wide and far > least([*before, *after])

    told = [value + more for value in values]
    logs = [log(value) for value in told] if all(value > 0 for value in told) else [0.0] * len(told)
    for before in (1, LEAST_BEFORE):
        found = [
            at
            for at in range(before, len(told) - LEAST_AFTER + 1)
            if high(told, lambda around: LEAST_STEP * max(map(abs, around)), at)
            or high(logs, lambda _: -log(1 - LEAST_STEP), at)
        ]
        assert step(told, before) == max(found, default=0)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([9.0, 10, 11, 9e9, 12e9, 14e9, 20e9, 22e9, 25e9], 3),
        ([9.0, 10, 11, -9e9, -12e9, -14e9, -20e9, -22e9, -25e9], 0),
        ([5000.0, *[400.0 + each for each in range(9)]], 0),
    ],
)
def test_a_factor_is_a_step_however_wide_large_values_spread(values: list[float], expected: int) -> None:
    assert step(values) == expected


def test_one_partition_unlike_all_others_says_nothing_of_bands_but_of_what_all_values_keep() -> None:
    full, first = [*range(50)], [None] * 45 + [*range(5)]
    found = {
        each.candidate.kind: each.part.start
        for each in holdout_candidates(history({"x": "double"}, [{"x": first}, *[{"x": full}] * 12]))
    }
    assert found["median_band"] == 1
    assert "complete" not in found


@pytest.mark.parametrize("most", [0, 1, 2, 3, 9])
def test_values_are_added_up_until_there_are_more_than_are_asked_for(most: int) -> None:
    days = [{"x": list(values)} for values in ("aab", "bc", "cd")]
    part = HistorySlice.of(history({"x": "string"}, days))
    counts, error = part.all_values(part.history.columns[0], most)
    every = {"a": 2, "b": 2, "c": 2, "d": 1}
    assert error == 0
    assert counts == every if most >= len(every) else len(counts) > most
    assert part.all_values(part.history.columns[0]) == (every, 0)
