"""What is said of odd data: nothing is suggested of what tells nothing, and detectors say what they make of it."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from math import inf, nan
from typing import Any

import pytest
from support.histories import history, steady
from support.oracles import bags

from treaty.engine.anomaly import DETECTORS
from treaty.engine.anomaly.detector import DetectorBand, InsufficientHistory, detector
from treaty.engine.anomaly.series import DetectionRequest, Series, SeriesPoint
from treaty.engine.suggestions.selection.holdout_test import holdout_candidates

INT, TEXT, DOUBLE, DATE = {"x": "bigint"}, {"x": "string"}, {"x": "double"}, {"x": "date"}
MANY = list(range(100))
FIRST = date(2024, 1, 1)
# Days of clocks that went back: each partition has one date, and the fifth is the latest.
BACK = [{"x": [FIRST + timedelta(days=day)] * 40} for day in (0, 1, 2, 3, 9, 8, 7, 6, 5, 4)]
GAPS = [{"x": MANY if at not in (3, 4) else []} for at in range(10)]
GONE = [{"x": MANY if at < 7 else [None] * 100} for at in range(10)]
CONSTANT = {"approx_count_distinct_band", "complete", "row_count_band"}

# What may be suggested of each: neither more nor less.
SUGGESTED: Sequence[tuple[str, dict[str, str], Sequence[dict[str, Sequence[Any]]], set[str]]] = [
    ("empty, ten days", INT, steady([]), set()),
    ("one row", INT, [{"x": [1]}], set()),
    ("two rows", TEXT, [{"x": ["a"]}] * 2, set()),
    ("one row a day", INT, steady([1]), {*CONSTANT, "non_negative", "positive"}),
    ("nulls, numbers", INT, steady([None] * 40), {"row_count_band"}),
    ("nulls, texts", TEXT, steady([None] * 40), {"row_count_band"}),
    ("nulls, dates", DATE, steady([None] * 40), {"row_count_band"}),
    ("a constant", INT, steady([7] * 40), {*CONSTANT, "non_negative", "positive"}),
    (
        "10,000 categories",
        TEXT,
        steady([f"v{at}" for at in range(10_000)], days=3),
        {"complete", "has_small_letter", "lower_case", "not_empty", "trimmed", "unique_in_partition"},
    ),
    ("NaN alone", DOUBLE, steady([nan] * 40), CONSTANT),
    ("some NaN", DOUBLE, steady([nan, 1.0, 2.0] * 20), CONSTANT),
    ("days without rows", INT, GAPS, {"approx_count_distinct_band", "complete", "non_negative", "value_range"}),
    ("a column that ends", INT, GONE, {"non_negative", "row_count_band", "unique_in_partition", "value_range"}),
    ("a clock that went back", DATE, BACK, {"complete", "row_count_band"}),
]


@pytest.mark.search
@pytest.mark.parametrize("case", SUGGESTED, ids=[each[0] for each in SUGGESTED])
def test_of_odd_data_no_more_is_suggested_than_they_tell(case: Any) -> None:
    _, types, days, expected = case
    assert {each.candidate.kind for each in holdout_candidates(history(types, days))} == expected


START, DAY = datetime(2026, 1, 5, tzinfo=UTC), timedelta(days=1)
LEARNING, OPEN = "learning", "a band"
ODD: dict[str, Sequence[float | None]] = {
    "empty": [],
    "one point": [5.0],
    "gaps alone": [None] * 40,
    "no numbers": [nan, inf, -inf] * 14,
    "constant": [7.0] * 40,
    "half gaps": [None if at % 2 else 100.0 + at % 3 for at in range(80)],
    "some infinite": [inf if at == 20 else 100.0 + at % 3 for at in range(40)],
}
# Detectors that need no past, or none of numbers: what they say where others learn.
NEEDS_NONE = {"threshold": {OPEN}, "program": {OPEN}, "missing_arrival": {OPEN, LEARNING}}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "threshold": {"upper": 1000}, "program": {"of": "x", "upper": 1000},
    "absolute_change": {"increase": 1}, "relative_change": {"largest_rate": 2},
    "holt_winters": {"period": 1}, "ets": {"period": 1}, "arima": {"period": 1},
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(set(DETECTORS) - {"holt_winters", "ets", "arima"}))
def test_a_detector_learns_from_numbers_alone_and_says_so_where_there_are_too_few(name: str) -> None:
    for odd, values in ODD.items():
        found = told(name, values)
        numbers = [each for each in values if each is not None and abs(each) < inf]
        few = len(numbers) < 2 and not (name in ("absolute_change", "relative_change") and numbers)
        expected = NEEDS_NONE.get(name, {LEARNING} if few else {OPEN})
        assert (LEARNING if isinstance(found, InsufficientHistory) else OPEN) in expected, odd
        if isinstance(found, DetectorBand) and name not in NEEDS_NONE:
            # Of forty values there are thirty-nine changes.
            assert found.points == len(numbers) - (name == "difference"), odd


def told(name: str, values: Sequence[float | None]) -> DetectorBand | InsufficientHistory:
    points = (SeriesPoint(time=START + at * DAY, value=value) for at, value in enumerate(values))
    question = DetectionRequest(past=Series.of(points), at=START + len(values) * DAY, false_alarms=2.0)
    return detector(name, ARGUMENTS.get(name, {})).judge(question)


def test_points_that_come_in_any_order_are_one_series() -> None:
    """A clock that went back: what is learned is in the order of the data's time, not of their arrival."""
    points = [SeriesPoint(time=START + at * DAY, value=100.0 + at % 7) for at in range(40)]
    bands = [
        detector("auto", {}).judge(DetectionRequest(past=Series.of(each), at=START + 40 * DAY, false_alarms=2.0))
        for each in (points, points[::-1], [*points[20:], *points[:20]])
    ]
    assert bands[0] == bands[1] == bands[2]


# Classes with their tokens, and the weighted F1 of telling one from the other; None: nothing can be judged.
PREDICTED: Sequence[tuple[str, Sequence[tuple[str, list[str]]], float | None]] = [
    ("no rows", [], None),
    ("one row", [("a", ["x"])], None),
    ("one class", [("a", ["x"])] * 40, 1.0),
    # All are taken for the most frequent class: 0.6 of the rows at an F1 of 0.75, and 0.4 at 0.
    ("inputs that tell nothing", [("a", ["x"])] * 24 + [("b", ["x"])] * 16, 0.45),
    ("10,000 classes, each of its own", [(f"c{at}", [f"t{at}"]) for at in range(10_000)], 0.0),
    # About one token of a hundred shares its feature with another's.
    ("10,000 classes, each twice", [(f"c{at}", [f"t{at}"]) for at in range(10_000)] * 2, 1.0),
]


@pytest.mark.parametrize("case", PREDICTED, ids=[each[0] for each in PREDICTED])
def test_what_is_predicted_of_odd_data(case: Any) -> None:
    _, rows, expected = case
    state = bags(rows)
    found = state.left_out.quality("f1") if state is not None else None
    assert found is None if expected is None else found == pytest.approx(expected, abs=0.02)
