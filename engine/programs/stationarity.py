"""Transform statistics so that partitions are comparable (AVH paper, section 4.2, appendix E).

A transform yields the value itself, its difference from an earlier partition, or the difference of the logarithms.
In the paper the augmented Dickey-Fuller test selects one; on thirty points the test has almost no power, so by
default several transforms are offered and the program chooses."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy
from numpy.typing import NDArray

from treaty.engine.anomaly.cadence import Cadence, LagUnit, lag_description, nearest

Array = NDArray[Any]

SIGNIFICANT = 0.05
# The test needs at least this many points.
LEAST_TESTED = 8
# Number of cycles a lag needs for a usable spread: chosen by hand.
CYCLES = 3


@dataclass(frozen=True)
class Positions:
    """Positions in time of a history's partitions, ascending, and of the next one.

    One step has length 1."""

    past: tuple[float, ...]
    next: float
    _earlier: dict[int, list[int | None]] = field(default_factory=dict, compare=False, repr=False)

    @staticmethod
    def in_order(points: int) -> "Positions":
        """Return the positions of that many partitions without a gap."""
        return Positions(tuple(map(float, range(points))), float(points))

    @property
    def of_newest(self) -> "Positions":
        """Return the positions as if the newest partition followed the others."""
        return Positions(self.past[:-1], self.past[-1])

    def earlier(self, values: Array, lag: int) -> Array:
        """Return the value `lag` steps before each partition; NaN where no partition is."""
        if lag not in self._earlier:
            self._earlier[lag] = [nearest(self.past, at - lag) for at in self.past]
        return _values_at(values, self._earlier[lag])

    def before_next(self, values: Array, lag: int) -> float:
        """Return the value `lag` steps before the next partition; NaN where no partition is."""
        return float(_values_at(values, [nearest(self.past, self.next - lag)])[0])


def _values_at(values: Array, places: Sequence[int | None]) -> Array:
    return numpy.array([numpy.nan if at is None else values[at] for at in places], dtype=float)


@dataclass(frozen=True)
class LagTransform:
    """The value itself (`lag` 0), or its difference from the value `lag` steps before.

    `logged`: difference of the logarithms, defined for positive values only. `unit`: length of a step; None counts
    partitions in order."""

    lag: int = 0
    logged: bool = False
    unit: LagUnit | None = None

    def series(self, values: Array, positions: Positions | None = None) -> Array:
        """Transform the past at equal length; NaN if a value or its counterpart is missing.

        `positions`: None means that no partition is missing."""
        scaled: Array = self.scaled(values)
        if not self.lag:
            return scaled
        return scaled - (positions or Positions.in_order(len(values))).earlier(scaled, self.lag)

    def next(self, value: Any, past: Array, positions: Positions | None = None) -> Any:
        """Transform the next value, or several possible ones; NaN if its counterpart is missing."""
        if not self.lag:
            return self.scaled(value)
        before = (positions or Positions.in_order(len(past))).before_next(self.scaled(past), self.lag)
        with numpy.errstate(over="ignore"):
            return self.scaled(value) - before

    def scaled(self, values: Any) -> Any:
        """Return the values, or their logarithms."""
        if not self.logged:
            return numpy.asarray(values, dtype=float)
        numbers = numpy.asarray(values, dtype=float)
        return numpy.log(numbers, out=numpy.full_like(numbers, numpy.nan), where=numbers > 0)

    @property
    def description(self) -> str:
        """Describe the transform; '' for the value itself."""
        ratio = ", as a ratio" if self.logged else ""
        return f"compared with {lag_description(self.lag, self.unit)}{ratio}" if self.lag else ""


LEVEL = LagTransform()


def offered(cadence: Cadence, points: int) -> tuple[LagTransform, ...]:
    """Return the transforms to choose from: level, step, ratio, and the seasonal step after three cycles."""
    cycle, unit, length = cadence.cycle, cadence.unit, cadence.partitions_per_cycle
    level = (LEVEL,) if knows_level(cadence, points) else ()
    seasonal = (LagTransform(cycle, unit=cadence.cycle_unit),) if cycle and points >= CYCLES * length else ()
    return (*level, LagTransform(1, unit=unit), LagTransform(1, logged=True, unit=unit), *seasonal)


def knows_level(cadence: Cadence, points: int) -> bool:
    """Return whether the past shows the level: hours of a day that are not in it may have another one."""
    return not cadence.is_within_day or points >= cadence.partitions_per_cycle


def first_stationary(
    values: Array, unit: LagUnit | None = None, positions: Positions | None = None
) -> LagTransform | None:
    """Return the first transform that makes the series stationary (algorithm 5).

    `unit`, `positions`: as of `LagTransform`.
    The order is: none, lags 1 to K-1, then the same of logarithms. None if there is none; the paper drops such a
    statistic."""
    candidates = _candidate_transforms(len(values), unit)
    return next((each for each in candidates if stationary(each.series(values, positions))), None)


def _candidate_transforms(points: int, unit: LagUnit | None) -> Iterator[LagTransform]:
    yield LEVEL
    for logged in (False, True):
        yield from (LagTransform(lag, logged, unit) for lag in range(1, points))


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
