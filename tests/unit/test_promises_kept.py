"""Whether partitions keep a promise, held against asking of each: extremes and what was read before answer the same."""

from math import nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.histories import history

from contracts.assertions import Assertion
from engine.profile.candidates import Candidate, Measure
from engine.profile.measured import Part
from engine.profile.regimes import BESIDE, LEAST_AFTER, LEAST_BEFORE, LEAST_STEP, TIMES_AS_HIGH, step

NUMBER = st.one_of(st.integers(-3, 3), st.sampled_from([-1.5, 0.1, 0.5, 2.0, nan]))
LIMITS = {
    "mustBe": 2, "mustNotBe": 2, "mustBeGreaterThan": 0, "mustBeGreaterOrEqualTo": 0.5, "mustBeLessThan": 2,
    "mustBeLessOrEqualTo": 2, "mustBeBetween": (-1, 2), "mustNotBeBetween": (-1, 1),
}  # fmt: skip


@given(st.sampled_from(sorted(LIMITS)), st.lists(st.one_of(st.none(), NUMBER), max_size=8))
def test_a_promise_is_kept_by_all_where_each_keeps_it(operator: str, values: list[Any]) -> None:
    assertion = Assertion(operator, LIMITS[operator])
    made = Candidate("kind", "", "", {}, Measure(lambda _: values), assertion)
    each = [None if value is None else not assertion.holds(value) for value in values]
    part = Part.of(history({"x": "bigint"}, [{"x": [1]}]))
    assert made.failed(part) == each
    assert made.holds(part) == (True not in each)


@given(st.lists(st.one_of(st.integers(0, 3), st.integers(100, 103)).map(float), max_size=30))
def test_the_last_step_is_where_values_before_and_after_are_far_apart(values: list[float]) -> None:
    def high(at: int) -> bool:
        before, after = values[max(0, at - BESIDE) : at], values[at : at + BESIDE]
        wide = max(max(before) - min(before), max(after) - min(after))
        far = max(min(values[at:]) - max(before), min(before) - max(values[at:]))
        return far > TIMES_AS_HIGH * wide and far > LEAST_STEP * max(map(abs, (*before, *after)))

    found = [at for at in range(LEAST_BEFORE, len(values) - LEAST_AFTER + 1) if high(at)]
    assert step(values) == max(found, default=0)


@pytest.mark.parametrize("most", [0, 1, 2, 3, 9])
def test_values_are_added_up_until_there_are_more_than_are_asked_for(most: int) -> None:
    days = [{"x": list(values)} for values in ("aab", "bc", "cd")]
    part = Part.of(history({"x": "string"}, days))
    counts, error = part.all_values(part.history.columns[0], most)
    every = {"a": 2, "b": 2, "c": 2, "d": 1}
    assert error == 0
    assert counts == every if most >= len(every) else len(counts) > most
    assert part.all_values(part.history.columns[0]) == (every, 0)
