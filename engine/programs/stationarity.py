"""How a statistic of the next partition is made comparable with those of the past (AVH paper, section 4.2, appendix E).

A change says what is looked at: the value itself, how much it differs from the one so many partitions before, or that
of the logarithms. The augmented Dickey-Fuller test tells one for a series, as the paper has it; on thirty points it is
nearly blind, so by default several are offered side by side and the program chooses."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy
from numpy.typing import NDArray

Array = NDArray[Any]

SIGNIFICANT = 0.05
# Fewer leave the test no degree of freedom.
LEAST_TESTED = 8
# How many cycles a lag needs before its spread is told from more than chance: by hand.
CYCLES = 3
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@dataclass(frozen=True, order=True)
class LagTransform:
    """What of a value is looked at: itself (`lag` 0), or how it differs from the one `lag` partitions before.

    `logged`: the difference of the logarithms, which there is of positive values alone."""

    lag: int = 0
    logged: bool = False

    def series(self, values: Array) -> Array:
        """The past so seen, as long as it was: NaN where a value or the one before is missing."""
        scaled: Array = self.scaled(values)
        if not self.lag:
            return scaled
        seen = numpy.full(len(values), numpy.nan)
        seen[self.lag :] = scaled[self.lag :] - scaled[: -self.lag]
        return seen

    def next(self, value: Any, past: Array) -> Any:
        """The next value, or several that it might be, so seen; NaN where the one to compare with is missing."""
        if not self.lag:
            return self.scaled(value)
        before = past[-self.lag] if len(past) >= self.lag else numpy.nan
        with numpy.errstate(over="ignore"):
            return self.scaled(value) - self.scaled(before)

    def scaled(self, values: Any) -> Any:
        """The values on the scale of the change."""
        if not self.logged:
            return numpy.asarray(values, dtype=float)
        given = numpy.asarray(values, dtype=float)
        return numpy.log(given, out=numpy.full_like(given, numpy.nan), where=given > 0)

    @property
    def description(self) -> str:
        """What is looked at, in words; '' for the value itself."""
        if not self.lag:
            return ""
        before = "the partition before" if self.lag == 1 else f"the one {self.lag} partitions before"
        return f"against {before}" + (", as a ratio" if self.logged else "")


LEVEL = LagTransform()


def offered(cycle: int | None, points: int) -> tuple[LagTransform, ...]:
    """The changes that are offered side by side: level, step, and the step over a cycle of which there are three."""
    seasonal = (LagTransform(cycle),) if cycle and cycle > 1 and points >= CYCLES * cycle else ()
    return (LEVEL, LagTransform(1), LagTransform(1, logged=True), *seasonal)


def first_stationary(values: Array) -> LagTransform | None:
    """The first change after which the series is stationary: none, lags 1 to K-1, the same of logarithms (algorithm 5).

    None where there is none: the paper leaves such a statistic out."""
    return next((each for each in _candidate_transforms(len(values)) if stationary(each.series(values))), None)


def _candidate_transforms(points: int) -> Iterator[LagTransform]:
    yield LEVEL
    for logged in (False, True):
        yield from (LagTransform(lag, logged) for lag in range(1, points))


def stationary(values: Sequence[float] | Array) -> bool:
    """Whether the augmented Dickey-Fuller test rejects, at 5 %, that the series has a unit root; gaps are left out.

    A series that never varies is stationary. One of fewer than 8 points is not: nothing can be told of it."""
    given = numpy.asarray(values, dtype=float)
    given = given[numpy.isfinite(given)]
    if len(given) < LEAST_TESTED:
        return False
    return True if numpy.ptp(given) == 0 else _p_value(given) < SIGNIFICANT


def _p_value(values: Array) -> float:
    from statsmodels.tsa.stattools import adfuller

    # A series that a lag explains wholly is told of by warnings, and so is a change of the library to come.
    with numpy.errstate(all="ignore"), catch_warnings():
        simplefilter("ignore")
        try:
            found = float(adfuller(values, autolag="AIC")[1])
        except (ValueError, numpy.linalg.LinAlgError):
            return 1.0
    return found if numpy.isfinite(found) else 1.0


@dataclass(frozen=True)
class Cadence:
    """How often partitions come: in words, and how many make a cycle; None where none is to be expected."""

    name: str
    cycle: int | None
    yearly: float


DAILY = Cadence("daily", 7, 365.25)
CADENCES = (
    Cadence("hourly", 24, 8766.0),
    DAILY,
    Cadence("weekly", None, 52.18),
    Cadence("monthly", 12, 12.0),
)
IRREGULAR = Cadence("irregular", None, 365.25)
# Between which usual steps a cadence is told: by hand, wide enough for a missed run, too narrow for the next cadence.
STEPS = ((0.5 * HOUR, 1.5 * HOUR), (0.75 * DAY, 1.5 * DAY), (6 * DAY, 8 * DAY), (27 * DAY, 32 * DAY))
# Of the steps, so many must lie there: by hand.
REGULAR = 0.7


def cadence(times: Sequence[datetime | None]) -> Cadence:
    """How often the partitions came, by the steps between their times; irregular where these do not tell."""
    known = [time for time in times if time is not None]
    gaps = [later - earlier for earlier, later in pairwise(known)]
    if len(gaps) < 2:
        return IRREGULAR
    for found, (low, high) in zip(CADENCES, STEPS, strict=True):
        if sum(low <= gap <= high for gap in gaps) >= REGULAR * len(gaps):
            return found
    step = median(gap.total_seconds() for gap in gaps)
    return Cadence("irregular", None, min(8766.0, 365.25 * 86400 / step)) if step > 0 else IRREGULAR
