"""Time series of a metric for detectors: ordered by data time, one value for each time, with gaps."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from itertools import pairwise
from math import isfinite
from statistics import median
from typing import Any

from treaty.contracts.comparison.threshold_order import ANY, NumericDomain
from treaty.engine.core.partitions import partition_names

LARGEST = 1e150
YEAR = timedelta(days=365.25)
DAY = timedelta(days=1)
# Columns that name a part of a date, with the position of that part. A partition may have several:
# year=2026/month=03/day=01.
PARTS = {"year": 0, "yyyy": 0, "month": 1, "mm": 1, "day": 2, "dd": 2, "hour": 3, "hh": 3}
_CLOCK = r"([01]\d|2[0-3])(?::?([0-5]\d)(?::?([0-5]\d)(?:\.\d+)?)?)?"
_MOMENT = re.compile(rf"(\d{{4}})-?(0[1-9]|1[0-2])(?:-?([0-2]\d|3[01]))?(?:[ T_-]?{_CLOCK})?Z?", re.ASCII)
_WEEK = re.compile(r"(\d{4})-?W([0-5]\d)", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class SeriesPoint:
    """A metric at one data time.

    `value`: None means a gap, with its `reason`. `excluded`: the point belongs to an incident and is not learned
    from. `details`: distribution behind the value, for metrics with segments."""

    time: datetime
    value: float | None
    partition: str | None = None
    reason: str | None = None
    excluded: bool = False
    details: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Series:
    """Points in order of time, one for each time."""

    points: tuple[SeriesPoint, ...] = ()

    @staticmethod
    def of(points: Iterable[SeriesPoint]) -> "Series":
        """Return the series of points given in the order of measurement; the last one of each time counts."""
        newest = {point.time: point for point in points}
        return Series(tuple(newest[time] for time in sorted(newest)))

    def before(self, moment: datetime) -> "Series":
        """Return the points before a data time, whenever they were measured."""
        return Series(self.points[: bisect_left(self.points, moment, key=lambda point: point.time)])

    @cached_property
    def learned(self) -> tuple[SeriesPoint, ...]:
        """Return the points with a finite number that belong to no incident."""
        return tuple(each for each in self.points if finite(each.value) is not None and not each.excluded)

    @cached_property
    def values(self) -> tuple[float, ...]:
        """Return the numbers that are learned from."""
        return tuple(float(each.value) for each in self.learned if each.value is not None)

    @cached_property
    def step(self) -> timedelta:
        """Return the median time between points; a day for fewer than two points."""
        gaps = [later.time - earlier.time for earlier, later in pairwise(self.points)]
        return timedelta(seconds=median(gap.total_seconds() for gap in gaps)) if gaps else DAY

    @property
    def yearly(self) -> float:
        """Return the number of points a year at that step."""
        return YEAR / self.step


@dataclass(frozen=True, kw_only=True)
class DetectionRequest:
    """Request to a detector: the band of normal values at the time `at`, given the history `past`.

    `false_alarms`: budget of false alarms a year for this series. `holidays`: days that differ from others. `domain`:
    values that the metric can have."""

    past: Series
    at: datetime
    false_alarms: float = 1.0
    holidays: frozenset[date] = frozenset()
    domain: NumericDomain = ANY

    @property
    def rate(self) -> float:
        """Return the share of normal points that may raise an alarm, at most 5 %."""
        return min(0.05, self.false_alarms / self.past.yearly)


def finite(value: Any) -> float | None:
    """Return the value as a finite number; None for texts, booleans and numbers beyond 1e150.

    Larger numbers have no square in a double."""
    if isinstance(value, bool | str) or value is None:
        return None
    try:
        number = float(value)
    except (OverflowError, ValueError, TypeError):
        return None
    return number if isfinite(number) and abs(number) <= LARGEST else None


@dataclass(frozen=True)
class PartitionKey:
    """Time and segment of a partition.

    `time`: time in its name; None means none. `segment`: the rest of the name, as `a=b/c=d`; None means nothing."""

    time: datetime | None
    segment: str | None = None


def partition_key(partition: str | None) -> PartitionKey:
    """Parse time and segment from the name of a partition.

    `day=2026-11-20/country=DE` is a day of the segment `country=DE`. Supports dates, times, ISO weeks and months,
    and separate columns year=, month=, day=, hour=."""
    columns = partition_names.values(partition or "")
    parts = {PARTS[name.lower()]: value for name, value in columns.items() if name.lower() in PARTS}
    time = _of_parts(parts)
    used = {name for name in columns if name.lower() in PARTS} if time else set[str]()
    if time is None:
        for name, value in columns.items():
            time = moment(value or "")
            if time is not None:
                used = {name}
                break
    rest = [(name, value) for name, value in columns.items() if name not in used]
    return PartitionKey(time, partition_names.name([name for name, _ in rest], [value for _, value in rest]) or None)


def _of_parts(parts: Mapping[int, str | None]) -> datetime | None:
    """Return the time of numeric year, month, day and hour; None without a year or for other texts."""
    texts = [parts.get(at) for at in range(max(parts, default=-1) + 1)]
    if not texts or len(texts[0] or "") != 4 or not all(text and text.isdigit() for text in texts):
        return None
    numbers = [int(text or 0) for text in texts]
    return _time(*numbers, *(1, 1, 0)[len(numbers) - 1 :])


def moment(text: str) -> datetime | None:
    """Parse a date, time, ISO week or month, in UTC; None for any other text."""
    week = _WEEK.fullmatch(text)
    if week:
        try:
            return datetime.fromisocalendar(int(week[1]), int(week[2]), 1).replace(tzinfo=UTC)
        except ValueError:
            return None
    parsed = _MOMENT.fullmatch(text)
    if not parsed or (text.isdigit() and len(text) < 6):
        return None
    year, month, day, hour, minute, second = (int(each) if each else None for each in parsed.groups())
    return _time(year or 0, month or 1, day or 1, hour or 0, minute or 0, second or 0)


def _time(*numbers: int) -> datetime | None:
    year, month, day, hour, minute, second = (*numbers, 0, 0)[:6]
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None
