"""Compute the cadence of partitions and their positions in time, by which a lag counts.

A lag that counted partitions would compare other days of the week as soon as one partition is missing."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import Literal

LagUnit = Literal["hours", "days", "weeks", "months"]

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
YEAR = 365.25 * DAY
UNITS: dict[LagUnit, timedelta] = {"hours": HOUR, "days": DAY, "weeks": 7 * DAY, "months": 365.2425 / 12 * DAY}


@dataclass(frozen=True)
class Cadence:
    """The cadence of partitions: its name, and the number per cycle; None without an expected cycle.

    `cycle` counts steps of `cycle_unit`. `yearly`: number of partitions per year. `unit`: time from one partition to
    the next; None if irregular or finer than an hour."""

    name: str
    cycle: int | None
    yearly: float
    unit: LagUnit | None = None

    @property
    def cycle_unit(self) -> LagUnit | None:
        """Return the unit that a cycle is counted in: hours if partitions are finer than an hour."""
        return self.unit or ("hours" if self.cycle else None)

    @property
    def partitions_per_cycle(self) -> int:
        """Return the number of partitions in a cycle; 0 without a cycle."""
        if not self.cycle or self.cycle_unit is None:
            return 0
        return round(self.yearly * self.cycle * UNITS[self.cycle_unit] / YEAR)

    @property
    def is_within_day(self) -> bool:
        """Return whether a day has several partitions, so that its hours may differ."""
        return self.cycle_unit == "hours"


DAILY = Cadence("daily", 7, 365.25, "days")
CADENCES = (
    Cadence("hourly", 24, 8766.0, "hours"),
    DAILY,
    Cadence("weekly", None, 52.18, "weeks"),
    Cadence("monthly", 12, 12.0, "months"),
)
IRREGULAR = Cadence("irregular", None, 365.25)
# Ranges of typical steps per cadence: chosen by hand, wide enough for a missed run, too narrow for the next cadence.
STEPS = ((0.75 * HOUR, 1.5 * HOUR), (0.75 * DAY, 1.5 * DAY), (6 * DAY, 8 * DAY), (27 * DAY, 32 * DAY))
# Share of the steps that must be in the range: chosen by hand.
REGULAR = 0.7


def cadence(times: Sequence[datetime | None]) -> Cadence:
    """Return the cadence of the partitions by the steps between their times; irregular if unclear."""
    dated = [time for time in times if time is not None]
    gaps = [later - earlier for earlier, later in pairwise(dated)]
    if len(gaps) < 2:
        return IRREGULAR
    for candidate, (low, high) in zip(CADENCES, STEPS, strict=True):
        if sum(low <= gap <= high for gap in gaps) >= REGULAR * len(gaps):
            return candidate
    step = timedelta(seconds=median(gap.total_seconds() for gap in gaps))
    if step <= timedelta(0):
        return IRREGULAR
    regular = sum(0.75 * step <= gap <= 1.5 * step for gap in gaps) >= REGULAR * len(gaps)
    if step < HOUR and regular:
        return Cadence("finer than hourly", 24, YEAR / step)
    return Cadence("irregular", None, YEAR / step)


def positions(times: Sequence[datetime | None], unit: LagUnit | None) -> tuple[float, ...]:
    """Return the ascending positions of partitions in time; one step has length 1.

    They are counted in order without a unit, if a time is missing, and if times do not ascend."""
    on_axis = tuple(position(time, unit) for time in times if time is not None) if unit else ()
    ascends = all(earlier < later for earlier, later in pairwise(on_axis))
    return on_axis if ascends and len(on_axis) == len(times) else tuple(map(float, range(len(times))))


def position(time: datetime, unit: LagUnit) -> float:
    """Return the number of steps from 1970 to a time; a time without a zone is UTC."""
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() / UNITS[unit].total_seconds()


def nearest(ascending: Sequence[float], target: float) -> int | None:
    """Return the index of the position nearest to the target; None if none is within half a step."""
    right = bisect_left(ascending, target)
    around = [at for at in (right - 1, right) if 0 <= at < len(ascending) and abs(ascending[at] - target) < 0.5]
    return min(around, key=lambda at: abs(ascending[at] - target), default=None)


def lag_description(lag: int, unit: LagUnit | None) -> str:
    """Describe the partition that a lag refers to: "the previous partition", "7 days earlier"."""
    if unit is None:
        return "the previous partition" if lag == 1 else f"{lag} partitions earlier"
    return f"{lag} {unit.removesuffix('s') if lag == 1 else unit} earlier"
