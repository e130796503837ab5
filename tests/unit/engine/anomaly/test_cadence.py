"""Partitions a year: what budgets are divided by, from a minute to a month."""

from datetime import UTC, datetime, timedelta

import pytest

from treaty.engine.anomaly.cadence import cadence
from treaty.engine.anomaly.series import DetectionRequest, Series, SeriesPoint
from treaty.engine.programs.table_budget import allowance

START = datetime(2025, 1, 1, tzinfo=UTC)
YEARLY = [
    (timedelta(minutes=1), 525_960),
    (timedelta(minutes=5), 105_192),
    (timedelta(minutes=15), 35_064),
    (timedelta(minutes=30), 17_532),
    (timedelta(hours=1), 8_766),
    (timedelta(hours=6), 1_461),
    (timedelta(days=1), 365.25),
    (timedelta(days=7), 52.18),
    (timedelta(days=30.4375), 12),
]


def times(step: timedelta) -> list[datetime]:
    return [START + at * step for at in range(30)]


@pytest.mark.parametrize(("step", "yearly"), YEARLY)
def test_partitions_are_counted_as_they_come(step: timedelta, yearly: float) -> None:
    assert cadence(times(step)).yearly == pytest.approx(yearly, rel=1e-3)
    points = Series.of(SeriesPoint(time=time, value=1.0) for time in times(step))
    assert points.yearly == pytest.approx(yearly, rel=1e-3)


@pytest.mark.parametrize(("step", "yearly"), YEARLY)
def test_a_budget_is_a_rate_of_the_partitions_that_come(step: timedelta, yearly: float) -> None:
    past = Series.of(SeriesPoint(time=time, value=1.0) for time in times(step))
    detected = DetectionRequest(past=past, at=times(step)[-1] + step, false_alarms=0.5)
    assert detected.rate == pytest.approx(0.5 / yearly, rel=1e-3)
    programs = allowance(0.01, cadence(times(step)).yearly)
    assert programs == pytest.approx(min(0.01, 0.04 / yearly), rel=1e-3)
