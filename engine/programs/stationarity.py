"""Transform statistics so that partitions are comparable (AVH paper, section 4.2, appendix E).

A transform yields the value itself, its difference from an earlier partition, or the difference of the logarithms.
In the paper the augmented Dickey-Fuller test selects one; on thirty points the test has almost no power, so by
default several transforms are offered and the program chooses."""

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
# The test needs at least this many points.
LEAST_TESTED = 8
# Number of cycles a lag needs for a usable spread: chosen by hand.
CYCLES = 3
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@dataclass(frozen=True, order=True)
class LagTransform:
    """The value itself (`lag` 0), or its difference from the value `lag` partitions before.

    `logged`: difference of the logarithms, defined for positive values only."""

    lag: int = 0
    logged: bool = False

    def series(self, values: Array) -> Array:
        """Transform the past at equal length; NaN if a value or its predecessor is missing."""
        scaled: Array = self.scaled(values)
        if not self.lag:
            return scaled
        differences = numpy.full(len(values), numpy.nan)
        differences[self.lag :] = scaled[self.lag :] - scaled[: -self.lag]
        return differences

    def next(self, value: Any, past: Array) -> Any:
        """Transform the next value, or several possible ones; NaN if its predecessor is missing."""
        if not self.lag:
            return self.scaled(value)
        before = past[-self.lag] if len(past) >= self.lag else numpy.nan
        with numpy.errstate(over="ignore"):
            return self.scaled(value) - self.scaled(before)

    def scaled(self, values: Any) -> Any:
        """Return the values, or their logarithms."""
        if not self.logged:
            return numpy.asarray(values, dtype=float)
        numbers = numpy.asarray(values, dtype=float)
        return numpy.log(numbers, out=numpy.full_like(numbers, numpy.nan), where=numbers > 0)

    @property
    def description(self) -> str:
        """Describe the transform; '' for the value itself."""
        if not self.lag:
            return ""
        before = "the previous partition" if self.lag == 1 else f"{self.lag} partitions earlier"
        return f"compared with {before}" + (", as a ratio" if self.logged else "")


LEVEL = LagTransform()


def offered(cycle: int | None, points: int) -> tuple[LagTransform, ...]:
    """Return the transforms to choose from: level, step, ratio, and the seasonal step after three cycles."""
    seasonal = (LagTransform(cycle),) if cycle and cycle > 1 and points >= CYCLES * cycle else ()
    return (LEVEL, LagTransform(1), LagTransform(1, logged=True), *seasonal)


def first_stationary(values: Array) -> LagTransform | None:
    """Return the first transform that makes the series stationary (algorithm 5).

    The order is: none, lags 1 to K-1, then the same of logarithms. None if there is none; the paper drops such a
    statistic."""
    return next((each for each in _candidate_transforms(len(values)) if stationary(each.series(values))), None)


def _candidate_transforms(points: int) -> Iterator[LagTransform]:
    yield LEVEL
    for logged in (False, True):
        yield from (LagTransform(lag, logged) for lag in range(1, points))


def stationary(values: Sequence[float] | Array) -> bool:
    """Return whether the augmented Dickey-Fuller test rejects a unit root at 5 %; gaps are dropped.

    A constant series is stationary. A series with fewer than 8 points is not, because nothing can be concluded."""
    finite = numpy.asarray(values, dtype=float)
    finite = finite[numpy.isfinite(finite)]
    if len(finite) < LEAST_TESTED:
        return False
    return True if numpy.ptp(finite) == 0 else _p_value(finite) < SIGNIFICANT


def _p_value(values: Array) -> float:
    from statsmodels.tsa.stattools import adfuller

    # A series fully explained by its lags causes warnings, as do upcoming changes of the library.
    with numpy.errstate(all="ignore"), catch_warnings():
        simplefilter("ignore")
        try:
            p = float(adfuller(values, autolag="AIC")[1])
        except (ValueError, numpy.linalg.LinAlgError):
            return 1.0
    return p if numpy.isfinite(p) else 1.0


@dataclass(frozen=True)
class Cadence:
    """The cadence of partitions: its name, and the number per cycle; None without an expected cycle.

    `yearly`: number of partitions per year."""

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
# Ranges of typical steps per cadence: chosen by hand, wide enough for a missed run, too narrow for the next cadence.
STEPS = ((0.5 * HOUR, 1.5 * HOUR), (0.75 * DAY, 1.5 * DAY), (6 * DAY, 8 * DAY), (27 * DAY, 32 * DAY))
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
    step = median(gap.total_seconds() for gap in gaps)
    return Cadence("irregular", None, min(8766.0, 365.25 * 86400 / step)) if step > 0 else IRREGULAR
