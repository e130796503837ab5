"""Candidate models of a metric series: level, trend, calendar seasons, periods and lagged value.

A SeriesModel describes a model; `features` returns its columns, one row for each point and a last one for the next
point."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np

from treaty.engine.anomaly.seasonality import about, periods, wave

DAY, HOUR = 86_400.0, 3_600.0
# Tolerance of the median step for a step of a day or an hour.
NEAR = 0.05


@dataclass(frozen=True, kw_only=True)
class SeriesModel:
    """A model of a series.

    `season`: an entry of SEASONS, or a period in points: `every N` of any form, `about every X.XX` a wave; empty for
    none. `logged`: on the scale of logarithms. `difference`: 0 for the values, k for their change over k points.
    `lagged`: includes the previous value."""

    season: str = ""
    trend: bool = False
    logged: bool = False
    difference: int = 0
    lagged: bool = False

    @property
    def words(self) -> str:
        """Return the model in words: "days of the week and trend, by factors"."""
        parts = [SEASON_NAMES.get(self.season, self.season) or ("" if self.difference else "level")]
        parts += ["trend"] if self.trend else []
        parts += [f"change since {_ago(self.difference)}"] if self.difference else []
        parts += ["the previous value"] if self.lagged else []
        return " and ".join(filter(None, parts)) + (", by factors" if self.logged else "")


SEASON_NAMES = {
    "weekday": "days of the week", "weekend": "weekends", "month": "days of the month", "year": "time of year",
    "hour": "hours of the day", "hour of week": "hours of the week",
}  # fmt: skip


def _ago(points: int) -> str:
    return "the previous value" if points == 1 else f"{points} values before"


@dataclass(frozen=True)
class CalendarTimes:
    """Times of the points, with the next point last. `step`: seconds between points."""

    at: tuple[datetime, ...]
    step: float
    holidays: frozenset[date] = frozenset()

    @property
    def ordinal(self) -> Any:
        """Return the position of each point in whole steps since the first.

        Without a regular step the points are counted."""
        seconds = np.array([(each - self.at[0]).total_seconds() for each in self.at])
        if abs(self.step / DAY - 30.4) < 1.5:
            return np.array([12 * each.year + each.month for each in self.at], dtype=float) - (
                12 * self.at[0].year + self.at[0].month
            )
        steps = np.round(seconds / self.step)
        steady = np.abs(seconds / self.step - steps) < 0.1
        return steps if steady.mean() > 0.9 and len(set(steps)) == len(steps) else np.arange(len(steps), dtype=float)

    def is_step(self, seconds: float) -> bool:
        """Return whether the step of the series is that many seconds."""
        return abs(self.step / seconds - 1) < NEAR


def features(shape: SeriesModel, times: CalendarTimes, values: Any, earlier: Any) -> Any:
    """Return the columns of the model.

    One row for each point, and a last one for the next point. `earlier`: the previous value of each point, on the
    model's scale and difference."""
    ordinal = times.ordinal
    columns = list(_season(shape.season, times, ordinal, values))
    if not _covers(shape.season):
        columns.append(np.ones(len(ordinal)))
    if shape.trend:
        columns.append((ordinal - ordinal[-1]) / max(ordinal[-1], 1.0))
    if shape.lagged:
        columns.append(earlier)
    if times.holidays:
        columns.append(np.array([each.date() in times.holidays for each in times.at], dtype=float))
    return np.stack(columns, axis=1)


def _covers(season: str) -> bool:
    """Return whether the season's columns include the level."""
    return season in ("weekday", "hour") or (season.startswith(EVERY) and int(season.removeprefix(EVERY)) <= FEW)


EVERY, ABOUT = "every ", "about every "
# Periods of at most this many points have a column for each point; longer ones are waves.
FEW = 12
WAVES = 3


def _season(season: str, times: CalendarTimes, ordinal: Any, values: Any) -> Iterator[Any]:
    if season in SEASONS:
        yield from SEASONS[season](times)
    elif season.startswith(ABOUT):
        yield from wave(float(season.removeprefix(ABOUT)), ordinal, values)
    elif season:
        period = int(season.removeprefix(EVERY))
        yield from _each(ordinal % period, period) if period <= FEW else _waves(ordinal / period)


def _each(codes: Any, count: int) -> Iterator[Any]:
    yield from ((codes == each).astype(float) for each in range(count))


def _waves(turns: Any, most: int = WAVES) -> Iterator[Any]:
    for each in range(1, most + 1):
        yield np.sin(2 * np.pi * each * turns)
        yield np.cos(2 * np.pi * each * turns)


def _weekdays(times: CalendarTimes) -> Iterator[Any]:
    return _each(np.array([each.weekday() for each in times.at]), 7)


def _weekends(times: CalendarTimes) -> Iterator[Any]:
    yield np.array([each.weekday() >= 5 for each in times.at], dtype=float)


def _hours(times: CalendarTimes) -> Iterator[Any]:
    return _each(np.array([each.hour for each in times.at]), 24)


def _hours_of_week(times: CalendarTimes) -> Iterator[Any]:
    yield from _waves(np.array([each.weekday() / 7 + each.hour / 168 for each in times.at]), 6)


def _month(times: CalendarTimes) -> Iterator[Any]:
    return _waves(np.array([(each.day - 1 + each.hour / 24) / _length(each) for each in times.at]))


def _length(moment: datetime) -> int:
    first = moment.replace(day=1)
    return ((first + timedelta(days=32)).replace(day=1) - first).days


def _year(times: CalendarTimes) -> Iterator[Any]:
    return _waves(np.array([each.timetuple().tm_yday / 365.25 for each in times.at]), 2)


SEASONS: dict[str, Callable[[CalendarTimes], Iterator[Any]]] = {
    "weekday": _weekdays,
    "weekend": _weekends,
    "hour": _hours,
    "hour of week": _hours_of_week,
    "month": _month,
    "year": _year,
}


def seasons(times: CalendarTimes, values: Any) -> tuple[str, ...]:
    """Return the seasons that a series of that step and length can have.

    The history contains at least two turns of each, except of waves."""
    count = len(values)
    turns = {"weekday": 7, "weekend": 7, "month": 30, "year": 366} if times.is_step(DAY) else {}
    if times.is_step(HOUR):
        turns = {"hour": 24, "weekday": 168, "hour of week": 168}
    named = [name for name, length in turns.items() if count >= 2 * length]
    exact = {turns[name] for name in named if name not in ("month", "year")}
    detected = (f"{EVERY}{period}" for period in periods(values) if period not in exact)
    return (*named, *detected, *(f"{ABOUT}{period:.2f}" for period in about(times.ordinal[:-1], values, exact)))
