"""Detectors: what each admits of the next point, what they promise, and what they say of odd pasts."""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treaty.contracts.comparison.threshold_order import NumericDomain
from treaty.engine.anomaly import DETECTORS
from treaty.engine.anomaly.closed_form import continued
from treaty.engine.anomaly.detector import DetectorBand, InsufficientHistory, detector
from treaty.engine.anomaly.series import DetectionRequest, Series, SeriesPoint, partition_key

START = datetime(2026, 1, 5, tzinfo=UTC)
DAY = timedelta(days=1)
CALM = [100.0, 103.0, 98.0, 101.0, 99.0, 102.0, 97.0, 100.0, 104.0, 99.0, 101.0, 98.0]
WEEKLY = [value * (1.2 if at % 7 < 5 else 0.8) + at % 3 for at, value in enumerate([100.0] * 70)]
WAVE = [100 + 20 * math.sin(2 * math.pi * at / 23.5) + (0.4, -0.3, 0.1)[at % 3] for at in range(40)]


def past(values: Sequence[float | None], step: timedelta = DAY) -> Series:
    return Series.of(SeriesPoint(time=START + at * step, value=value) for at, value in enumerate(values))


def judged(
    name: str, values: Sequence[float | None], step: timedelta = DAY, **arguments: Any
) -> DetectorBand | InsufficientHistory:
    return detector(name, arguments).judge(
        DetectionRequest(past=past(values, step), at=START + len(values) * step, false_alarms=2.0)
    )


# The detector, its arguments, a past, values of the next point that are no anomaly and such that are one.
CASES: Mapping[str, tuple[str, dict[str, Any], Sequence[float], Sequence[float], Sequence[float]]] = {
    "limits": ("threshold", {"lower": 1, "upper": 5}, [], [1, 5], [0.9, 5.1]),
    "one limit": ("threshold", {"upper": 5}, [], [-1e9, 5], [5.1]),
    "a change": ("absolute_change", {"decrease": 2, "increase": 3}, [7, 10], [8, 13], [7.9, 13.1]),
    "a change of the second order": ("absolute_change", {"increase": 1, "order": 2}, [1, 3], [-9, 6], [6.1]),
    "a share": ("relative_change", {"least_rate": 0.5, "largest_rate": 2}, [10], [5, 20], [4.9, 20.1]),
    "a share of a negative value": ("relative_change", {"largest_rate": 2}, [-10], [-20, 5], [-20.1]),
    "a clause of a value": ("program", {"of": "x", "lower": 1, "upper": 5}, [], [1, 5], [0.9, 5.1]),
    "a clause of a step": ("program", {"of": "x", "lag": 2, "lower": -1, "upper": 3}, [7, 90], [6, 10], [5.9, 10.1]),
    "a clause of a ratio": (
        "program", {"of": "x", "lag": 1, "logged": True, "upper": math.log(2)}, [9, 10], [-5, 19.9], [20.1]
    ),
    "three deviations": ("online_normal", {}, CALM, [100, 92, 108], [85, 115]),
    "of the last ones": ("batch_normal", {"window": 6}, [*[9000.0] * 9, *CALM], [100], [60, 150, 9000]),
    "a median": ("robust", {}, [*CALM, 1e6, 1e6, 1e6], [100, 95], [1000, 0]),
    "changes": ("difference", {"detector": "online_normal"}, [x * 10 for x in range(9)] + [91], [100], [300, 0]),
    "a shift": ("change_point", {}, [*CALM, *CALM, 108, 109, 108, 109], [80], [109]),
    "auto": ("auto", {}, CALM, [100, 95, 105], [60, 150]),
    "auto on a weekend": ("auto", {}, WEEKLY, [120, 122], [80, 100, 150]),
    "auto on a weekend that was declared": ("auto", {"season": "weekday"}, WEEKLY[:13], [80, 82], [60, 120]),
    "auto on a wave of no whole period": ("auto", {}, WAVE, [80.5, 81.3], [75, 86, 100]),
    "auto on a slow trend": ("auto", {}, [each + at for at, each in enumerate(CALM)], [110, 112], [85, 140]),
    "the upper side alone": ("auto", {"sides": "upper"}, CALM, [-50, 100], [150]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_detector_tells_what_is_no_anomaly(name: str) -> None:
    kind, arguments, values, sound, odd = CASES[name]
    band = judged(kind, values, **arguments)
    assert isinstance(band, DetectorBand), band
    promise = detector(kind, arguments).promise(band)
    assert not isinstance(promise, InsufficientHistory)
    assert [promise.holds(float(each)) for each in (*sound, *odd)] == [True] * len(sound) + [False] * len(odd)


@pytest.mark.search
@pytest.mark.parametrize("kind", ["holt_winters", "ets", "arima"])
def test_models_of_time_series_follow_the_season(kind: str) -> None:
    values = [value + (0.5 if at % 4 else -0.7) * (1 + at % 5) for at, value in enumerate(WEEKLY[:40])]
    values[11] = float("nan")
    band = judged(kind, values)
    assert isinstance(band, DetectorBand), band
    assert band.lower is not None
    assert band.upper is not None
    # The day after the fortieth is a Saturday: a working day's value is none of its.
    assert band.lower < 82 < band.upper < 120


def test_every_detector_says_what_it_makes_of_odd_pasts() -> None:
    odd: Mapping[str, Sequence[float | None]] = {
        "empty": [], "one point": [5.0], "gaps": [None] * 9, "no numbers": [math.nan, math.inf, -math.inf] * 4,
        "constant": [7.0] * 20, "zeros": [0.0] * 20, "huge": [1e308, -1e308] * 10, "tiny": [1e-320] * 9,
    }  # fmt: skip
    arguments = {
        "threshold": {"upper": 1}, "absolute_change": {"increase": 1}, "relative_change": {"largest_rate": 2},
        "program": {"of": "x", "lag": 1, "logged": True, "upper": 800},
    }  # fmt: skip
    for name in DETECTORS.keys() - {"holt_winters", "ets", "arima"}:
        for values in odd.values():
            found = judged(name, values, **arguments.get(name, {}))
            assert isinstance(found, InsufficientHistory) or not any(
                math.isnan(edge) for edge in (found.lower, found.upper) if edge is not None
            )


def test_a_constant_series_admits_a_hundredth_until_it_is_long() -> None:
    short, long = judged("auto", [50.0] * 20), judged("auto", [50.0] * 200)
    assert isinstance(short, DetectorBand)
    assert isinstance(long, DetectorBand)
    assert (short.lower, short.upper) == (49.5, 50.5)
    assert (long.lower, long.upper) == (50.0, 50.0)


def test_gaps_are_left_as_gaps() -> None:
    whole = judged("auto", WEEKLY)
    holes = judged("auto", [None if at in (20, 21, 33) else value for at, value in enumerate(WEEKLY)])
    assert isinstance(whole, DetectorBand)
    assert isinstance(holes, DetectorBand)
    assert holes.points == whole.points - 3
    assert holes.expected == pytest.approx(whole.expected, rel=0.01)


def test_a_holiday_like_none_before_is_not_judged() -> None:
    def asked(days: Sequence[int]) -> DetectorBand | InsufficientHistory:
        holidays = tuple((START + at * DAY).date().isoformat() for at in (*days, len(WEEKLY)))
        return judged("auto", WEEKLY, holidays=holidays)

    assert isinstance(asked([]), InsufficientHistory)
    assert isinstance(asked([10, 25, 40]), DetectorBand)


def test_data_that_come_late_are_told_by_the_times_between_points() -> None:
    kind, asked = (
        detector("missing_arrival", {}),
        DetectionRequest(past=past(CALM), at=START + 15 * DAY, false_alarms=2.0),
    )
    band = kind.judge(asked)
    assert isinstance(band, DetectorBand)
    assert band.upper is not None
    assert 24 < band.upper < kind.observed(asked, 100) == 96


@given(st.lists(st.integers(-1000, 1000), min_size=3, max_size=9), st.integers(1, 3))
def test_what_continues_a_series_has_no_difference_of_that_order(values: list[int], order: int) -> None:
    further = [*values, continued([float(each) for each in values], order)] if len(values) >= order else values
    differences = [float(each) for each in further]
    for _ in range(order):
        differences = [after - before for before, after in pairwise(differences)]
    assert differences[-1] == 0


@settings(max_examples=20, deadline=None)
@given(st.floats(0.01, 1000), st.floats(-1e6, 1e6), st.sampled_from(["auto", "online_normal", "robust"]))
def test_a_band_goes_with_the_unit_of_the_metric(factor: float, offset: float, name: str) -> None:
    here, there = judged(name, [-each for each in CALM]), judged(name, [-each * factor - offset for each in CALM])
    assert isinstance(here, DetectorBand)
    assert isinstance(there, DetectorBand)
    if name == "auto" and -min(CALM) * factor - offset > 0:
        return
    assert there.lower == pytest.approx((here.lower or 0) * factor - offset, rel=1e-4, abs=1e-3)
    assert there.upper == pytest.approx((here.upper or 0) * factor - offset, rel=1e-4, abs=1e-3)


@pytest.mark.parametrize(
    ("partition", "time", "segment"),
    [
        ("day=2026-03-01", "2026-03-01T00:00", None),
        ("day=2026-03-01/land=DE", "2026-03-01T00:00", "land=DE"),
        ("land=DE/day=20260301", "2026-03-01T00:00", "land=DE"),
        ("year=2026/month=3/day=1/hour=4", "2026-03-01T04:00", None),
        ("month=2026-03", "2026-03-01T00:00", None),
        ("week=2026-W10", "2026-03-02T00:00", None),
        ("ts=2026-03-01 04%3A30%3A00", "2026-03-01T04:30", None),
        ("day=2026-02-30", None, "day=2026-02-30"),
        ("land=DE", None, "land=DE"),
        ("code=123456/year=26", None, "code=123456/year=26"),
        ("", None, None),
    ],
)
def test_the_name_of_a_partition_says_its_time_and_segment(
    partition: str, time: str | None, segment: str | None
) -> None:
    found = partition_key(partition)
    assert (found.time and found.time.isoformat()[:16], found.segment) == (time, segment)


def test_of_points_of_the_same_time_the_last_counts_in_the_order_of_time() -> None:
    given_points = [SeriesPoint(time=START + at * DAY, value=value) for at, value in ((2, 1.0), (0, 2.0), (2, 3.0))]
    assert Series.of(given_points).values == (2.0, 3.0)
    assert Series.of(given_points).before(START + 2 * DAY).values == (2.0,)


def test_dates_of_holidays_are_read_from_documents() -> None:
    assert detector("auto", {"holidays": ["2026-12-25"]}).holidays == (date(2026, 12, 25),)


@pytest.mark.parametrize("name", ["auto", "batch_normal", "online_normal", "robust"])
@pytest.mark.parametrize(
    ("domain", "values", "ends"),
    [
        (NumericDomain(0, whole=True), [3.0, 900.0, 20.0, 4.0] * 6, (0, math.inf)),
        (NumericDomain(0, 1), [0.99, 0.4, 1.0, 0.98] * 6, (0, 1)),
        (NumericDomain(), [-3.0, 900.0, 20.0, -4.0] * 6, (-math.inf, math.inf)),
    ],
    ids=["rows", "shares", "any number"],
)
def test_a_band_holds_only_values_that_the_metric_can_have(
    name: str, domain: NumericDomain, values: list[float], ends: tuple[float, float]
) -> None:
    request = DetectionRequest(past=past(values), at=START + len(values) * DAY, false_alarms=2.0, domain=domain)
    band = detector(name, {}).judge(request)
    assert isinstance(band, DetectorBand)
    assert ends[0] <= (0 if band.lower is None else band.lower) <= (0 if band.upper is None else band.upper) <= ends[1]
