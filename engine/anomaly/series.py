"""A metric over time, as detectors learn from it: in the order of its data, one value a moment, gaps left as gaps."""

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

from treaty.engine.core.partitions import partition_names

LARGEST = 1e150
YEAR = timedelta(days=365.25)
DAY = timedelta(days=1)
# Columns that name a part of a date, and the part; a partition may have several: year=2026/month=03/day=01.
PARTS = {"year": 0, "yyyy": 0, "month": 1, "mm": 1, "day": 2, "dd": 2, "hour": 3, "hh": 3}
_CLOCK = r"([01]\d|2[0-3])(?::?([0-5]\d)(?::?([0-5]\d)(?:\.\d+)?)?)?"
_MOMENT = re.compile(rf"(\d{{4}})-?(0[1-9]|1[0-2])(?:-?([0-2]\d|3[01]))?(?:[ T_-]?{_CLOCK})?Z?", re.ASCII)
_WEEK = re.compile(r"(\d{4})-?W([0-5]\d)", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class SeriesPoint:
    """A metric at one time of its data. `value` None: a gap, for the `reason`.

    `excluded`: it belongs to an incident; nothing is learned from it. `details`: the distribution behind the value, of
    metrics that have segments."""

    time: datetime
    value: float | None
    partition: str | None = None
    reason: str | None = None
    excluded: bool = False
    details: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Series:
    """Points in the order of time, no two of the same: of several the last one that was given counts."""

    points: tuple[SeriesPoint, ...] = ()

    @staticmethod
    def of(points: Iterable[SeriesPoint]) -> "Series":
        """The series of these points, given in the order in which they were measured."""
        newest = {point.time: point for point in points}
        return Series(tuple(newest[time] for time in sorted(newest)))

    def before(self, moment: datetime) -> "Series":
        """What lies before that moment of data time, whenever it was measured."""
        return Series(self.points[: bisect_left(self.points, moment, key=lambda point: point.time)])

    @cached_property
    def learned(self) -> tuple[SeriesPoint, ...]:
        """The points that there is a finite number of and that belong to no incident."""
        return tuple(each for each in self.points if finite(each.value) is not None and not each.excluded)

    @cached_property
    def values(self) -> tuple[float, ...]:
        """The numbers that are learned from."""
        return tuple(float(each.value) for each in self.learned if each.value is not None)

    @cached_property
    def step(self) -> timedelta:
        """The usual time from one point to the next; a day where there are fewer than two."""
        gaps = [later.time - earlier.time for earlier, later in pairwise(self.points)]
        return timedelta(seconds=median(gap.total_seconds() for gap in gaps)) if gaps else DAY

    @property
    def yearly(self) -> float:
        """How many points a year has at that pace."""
        return YEAR / self.step


@dataclass(frozen=True, kw_only=True)
class DetectionRequest:
    """What a detector is asked: which values are no anomaly at the time `at`, after that past.

    `false_alarms`: how many a year it may raise of this series while nothing is wrong. `holidays`: days that are not
    like others. `share`: the metric is one, from 0 to 1."""

    past: Series
    at: datetime
    false_alarms: float = 1.0
    holidays: frozenset[date] = frozenset()
    share: bool = False

    @property
    def rate(self) -> float:
        """The share of points that may alarm while nothing is wrong: at most one of twenty."""
        return min(0.05, self.false_alarms / self.past.yearly)


def finite(value: Any) -> float | None:
    """The value as a finite number; None for texts, for truths, and for what no double holds with its square."""
    if isinstance(value, bool | str) or value is None:
        return None
    try:
        number = float(value)
    except (OverflowError, ValueError, TypeError):
        return None
    return number if isfinite(number) and abs(number) <= LARGEST else None


@dataclass(frozen=True)
class PartitionKey:
    """Where a partition stands: the time that its name says (None: none), and what else it says, as `a=b/c=d`."""

    time: datetime | None
    segment: str | None = None


def partition_key(partition: str | None) -> PartitionKey:
    """The place of a partition, told by its name alone: `day=2026-11-20/country=DE` is a day of the segment
    `country=DE`. Dates, times, ISO weeks and months are read, and year=, month=, day=, hour= beside each other."""
    told = partition_names.values(partition or "")
    parts = {PARTS[name.lower()]: value for name, value in told.items() if name.lower() in PARTS}
    time = _of_parts(parts)
    used = {name for name in told if name.lower() in PARTS} if time else set[str]()
    if time is None:
        for name, value in told.items():
            time = moment(value or "")
            if time is not None:
                used = {name}
                break
    rest = [(name, value) for name, value in told.items() if name not in used]
    return PartitionKey(time, partition_names.name([name for name, _ in rest], [value for _, value in rest]) or None)


def _of_parts(parts: Mapping[int, str | None]) -> datetime | None:
    """The time of year, month, day and hour, each of them a number; None where they are not, or no year is."""
    texts = [parts.get(at) for at in range(max(parts, default=-1) + 1)]
    if not texts or len(texts[0] or "") != 4 or not all(text and text.isdigit() for text in texts):
        return None
    numbers = [int(text or 0) for text in texts]
    return _time(*numbers, *(1, 1, 0)[len(numbers) - 1 :])


def moment(text: str) -> datetime | None:
    """The date, time, ISO week or month that a text is, in UTC; None for any other text."""
    week = _WEEK.fullmatch(text)
    if week:
        try:
            return datetime.fromisocalendar(int(week[1]), int(week[2]), 1).replace(tzinfo=UTC)
        except ValueError:
            return None
    found = _MOMENT.fullmatch(text)
    if not found or (text.isdigit() and len(text) < 6):
        return None
    year, month, day, hour, minute, second = (int(each) if each else None for each in found.groups())
    return _time(year or 0, month or 1, day or 1, hour or 0, minute or 0, second or 0)


def _time(*numbers: int) -> datetime | None:
    year, month, day, hour, minute, second = (*numbers, 0, 0)[:6]
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None
