"""A lag counts time: whatever partitions are missing or excluded, a clean periodic series raises no alarm."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treaty.engine.anomaly.cadence import UNITS, cadence, nearest, position, positions
from treaty.engine.anomaly.detector import DetectorBand, InsufficientHistory, between, detector
from treaty.engine.anomaly.learned_programs import ProgramClause
from treaty.engine.anomaly.series import DetectionRequest, Series, SeriesPoint
from treaty.engine.programs import stationarity
from treaty.engine.programs.avh import Program, fit
from treaty.engine.programs.fitting import refit_clause
from treaty.engine.programs.history import Batch, ColumnHistory
from treaty.engine.programs.program import Clause
from treaty.engine.programs.stationarity import LagTransform, Positions
from treaty.engine.statistics.column_values import ColumnValues
from treaty.engine.statistics.summaries import summary

START = datetime(2025, 1, 1, tzinfo=UTC)
CYCLE = (10.0, 20.0, 15.0, 40.0, 80.0, 5.0, 5.5)


def months(at: int) -> datetime:
    return datetime(2020 + at // 12, at % 12 + 1, 1, tzinfo=UTC)


TIMES: dict[str, Any] = {
    "hours": lambda at: START + at * timedelta(hours=1),
    "days": lambda at: START + at * timedelta(days=1),
    "weeks": lambda at: START + at * timedelta(days=7),
    "months": months,
}
# What becomes of a partition: it is there, missing, without a value, or of an incident.
FATES = st.lists(st.sampled_from(["there", "there", "missing", "empty", "excluded"]), min_size=60, max_size=60)


def past(unit: str, fates: Sequence[str]) -> Series:
    points = [
        SeriesPoint(
            time=TIMES[unit](at),
            value=None if fate == "empty" else CYCLE[at % 7] * (1000 if fate == "excluded" else 1),
            partition=str(at),
            excluded=fate == "excluded",
        )
        for at, fate in enumerate(fates)
        if fate != "missing"
    ]
    return Series.of(points)


def clause(lag: int, lower: float, upper: float, **settings: Any) -> ProgramClause:
    return ProgramClause.model_validate({"of": "x", "lag": lag, "lower": lower, "upper": upper, **settings})


@pytest.mark.parametrize("unit", UNITS)
@settings(max_examples=100, deadline=None)
@given(fates=FATES, lag=st.integers(1, 21), logged=st.booleans(), ahead=st.integers(0, 9))
def test_no_gap_makes_a_clause_alarm_on_a_clean_value(
    unit: str, fates: list[str], lag: int, logged: bool, ahead: int
) -> None:
    cycle = numpy.log(CYCLE) if logged else numpy.array(CYCLE)
    steps = cycle - numpy.roll(cycle, lag)
    limits = clause(lag, float(steps.min()) - 1e-9, float(steps.max()) + 1e-9, logged=logged, lag_unit=unit)
    at = len(fates) + ahead
    band = limits.judge(DetectionRequest(past=past(unit, fates), at=TIMES[unit](at)))
    before = fates[at - lag] if at - lag < len(fates) else "missing"
    assert isinstance(band, DetectorBand) is (before == "there")
    assert isinstance(band, InsufficientHistory) or between((band.lower, band.upper), CYCLE[at % 7])


@pytest.mark.parametrize(
    ("fate", "reason"),
    [
        ("missing", "there is no partition to compare with: 7 days earlier"),
        ("empty", "the partition to compare with has no value: 7 days earlier"),
        ("excluded", "the partition to compare with belongs to an incident: 7 days earlier"),
    ],
)
def test_a_clause_without_a_counterpart_says_why_there_is_no_verdict(fate: str, reason: str) -> None:
    fates = ["there"] * 60
    fates[53] = fate
    request = DetectionRequest(past=past("days", fates), at=TIMES["days"](60))
    # An approved clause of an older contract names no unit: its step is that of the partitions.
    assert clause(7, -1, 1).judge(request) == clause(7, -1, 1, lag_unit="days").judge(request) == reason


def test_partitions_without_a_cadence_are_compared_in_order() -> None:
    times = [START + timedelta(days=at**2) for at in range(9)]
    irregular = Series.of(SeriesPoint(time=time, value=float(at)) for at, time in enumerate(times))
    band = clause(2, -1, 1).judge(DetectionRequest(past=irregular, at=START + timedelta(days=90)))
    assert isinstance(band, DetectorBand)
    assert (band.lower, band.upper) == (6, 8)


@cache
def numbers(day: int, weekend: float = 60) -> ColumnValues:
    return ColumnValues(numpy.random.default_rng(day).normal(weekend if day % 7 >= 5 else 100, 5, 200))


def history_of(times: dict[int, datetime], weekend: float = 60) -> ColumnHistory:
    return ColumnHistory.of(Batch(str(day), summary(numbers(day, weekend)), time) for day, time in times.items())


@settings(max_examples=200, deadline=None)
@given(
    kept=st.sets(st.integers(0, 59), min_size=1),
    jitter=st.lists(st.floats(-0.2, 0.2), min_size=60, max_size=60),
    lag=st.integers(1, 30),
)
def test_a_difference_is_of_partitions_that_many_steps_apart(kept: set[int], jitter: list[float], lag: int) -> None:
    at = sorted(kept)
    history = history_of({day: START + timedelta(days=day + jitter[day]) for day in at}, weekend=100)
    values = numpy.array(at, dtype=float)
    series = LagTransform(lag, unit="days").series(values, history.positions("days"))
    expected = [lag if day - lag in kept else numpy.nan for day in at]
    numpy.testing.assert_array_equal(series, expected)


@settings(max_examples=300, deadline=None)
@given(ascending=st.lists(st.floats(-50, 50), unique=True).map(sorted), target=st.floats(-60, 60))
def test_the_nearest_position_is_within_half_a_step(ascending: list[float], target: float) -> None:
    found = nearest(ascending, target)
    distances = [abs(each - target) for each in ascending]
    closest = min(distances, default=1.0)
    assert (found is not None) is (closest < 0.5)
    assert found is None or distances[found] == closest


@pytest.mark.parametrize("unit", UNITS)
def test_a_regular_table_has_a_unit_and_one_position_a_step(unit: Any) -> None:
    times = [TIMES[unit](at) for at in range(40)]
    assert cadence(times).unit == unit
    assert [round(each - position(times[0], unit)) for each in positions(times, unit)] == list(range(40))
    assert positions([*times[1:], times[0]], unit) == positions([None, *times[1:]], unit) == tuple(range(40))


def table(day: int) -> dict[str, Any]:
    return {"amount": numbers(day).values}


def program(days: Sequence[int]) -> Program:
    return fit({START + timedelta(days=day): table(day) for day in days})


@settings(max_examples=12, deadline=None)
@given(missing=st.sets(st.integers(0, 41), max_size=12))
def test_a_program_of_a_history_with_gaps_does_not_flag_clean_days(missing: set[int]) -> None:
    learned = program([day for day in range(42) if day not in missing])
    flagged = [day for day in range(42, 56) if learned.judge(table(day), START + timedelta(days=day)).flagged]
    assert flagged == []


@settings(max_examples=30, deadline=None)
@given(missing=st.sets(st.integers(0, 58), max_size=30))
def test_limits_that_are_refitted_to_gaps_are_those_of_whole_weeks(missing: set[int]) -> None:
    history = history_of({day: START + timedelta(days=day) for day in range(60) if day not in missing})
    weekly = Clause(
        statistic="mean", change=LagTransform(7, unit="days"), lower=-1.0, upper=1.0, middle=0.0, width=6.0, rate=0.001,
        points=42,
    )  # fmt: skip
    refitted = refit_clause(weekly, history)
    assert refitted.lower is not None
    assert refitted.upper is not None
    # A weekday compared with a weekend would be 40 apart.
    assert -15 < refitted.lower < refitted.upper < 15


WEEK = (100, 104, 98, 120, 140, 40, 35)


@pytest.mark.parametrize("name", ["holt_winters", "ets", "arima"])
@pytest.mark.parametrize("unit", ["days", "months"])
@pytest.mark.parametrize("missing", [0, 1, 2, 4])
def test_a_seasonal_forecast_is_of_the_partition_and_not_of_the_first_missing_one(
    name: str, unit: str, missing: int
) -> None:
    noise = numpy.random.default_rng(7).normal(0, 1, 60)
    points = (
        SeriesPoint(time=TIMES[unit](at), value=WEEK[at % 7] + noise[at], excluded=at == 58 - missing)
        for at in range(60 - missing)
    )
    band = detector(name, {"period": 7}).judge(DetectionRequest(past=Series.of(points), at=TIMES[unit](60)))
    assert isinstance(band, DetectorBand)
    assert between((band.lower, band.upper), WEEK[60 % 7])
    assert not between((band.lower, band.upper), WEEK[(60 - missing - 2) % 7])


def test_a_snapshot_that_does_not_follow_the_history_is_refused() -> None:
    learned = program(range(14))
    with pytest.raises(ValueError, match="does not follow the history"):
        learned.judge(table(13), START + timedelta(days=13))


def test_positions_are_searched_once_for_each_lag(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Positions.in_order(9)
    first = known.earlier(numpy.arange(9.0), 2)
    monkeypatch.setattr(stationarity, "nearest", None)
    numpy.testing.assert_array_equal(known.earlier(numpy.arange(9.0), 2), first)
