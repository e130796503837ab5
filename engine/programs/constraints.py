"""Define constraints on single statistics and their rates of false alarms (AVH paper, section 4.2).

Widths are in spreads: standard deviations of the transformed past, but at least the statistic's floor, because a
statistic that never varied may vary later. A bound converts a width to a rate of false alarms: the paper's bounds,
which are proven or assume what real tables do not satisfy, or by default the tail measured on real tables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy
from numpy.typing import NDArray

from treaty.engine.programs.stationarity import LagTransform, Positions
from treaty.engine.statistics.statistics import Law, Statistic

Array = NDArray[Any]

# Grid of widths in spreads, each a fifth larger: from 1, as if only one row had changed, to 80.
WIDTHS = tuple(float(width) for width in numpy.round(1.2 ** numpy.arange(25), 2))
# Fewer points give no usable spread.
LEAST_POINTS = 5


@dataclass(frozen=True)
class ProbabilityBound:
    """A bound on the share of a statistic's values beyond a given number of spreads.

    `rate`: computes the rate of each width for a past. `proven`: valid for any distribution with known mean and
    deviation. `empty`: rate of almost empty or all-null batches; 1 if it is not known."""

    name: str
    description: str
    rate: "Callable[[StatisticSummary, Array], Array]"
    proven: bool = False
    empty: "Callable[[StatisticSummary], float]" = field(default=lambda _: 1.0, kw_only=True)


def chebyshev(width: Array) -> Array:
    """Return Chebyshev's bound: at most 1/k^2 lie k deviations away, on either side (proposition 1)."""
    return numpy.minimum(1.0, 1.0 / numpy.square(width))


def cantelli(width: Array) -> Array:
    """Return Cantelli's bound: at most 1/(1 + k^2) lie k deviations above (proposition 2)."""
    rates: Array = 1.0 / (1.0 + numpy.square(width))
    return rates


def normal(width: Array) -> Array:
    """Return the share of a normal distribution k deviations away, on either side (proposition 3)."""
    from scipy.special import erfc

    rates: Array = erfc(width / numpy.sqrt(2.0))
    return rates


PAPERS: Mapping[Law, Callable[[Array], Array]] = {"any": chebyshev, "distance": cantelli, "mean": normal}


@dataclass(frozen=True, kw_only=True)
class StatisticSummary:
    """Summary of a statistic's transformed past.

    - `middle`: mean.
    - `deviation`: spread, at least the floor.
    - `points`: number of values.
    - `relative_deviation`: standard deviation divided by the spread; 1 above the floor, 0 if nothing ever changed.
    - `values`: the transformed values."""

    statistic: Statistic
    change: LagTransform
    middle: float
    deviation: float
    points: int
    relative_deviation: float = 1.0
    values: Array = field(default_factory=lambda: numpy.zeros(0), compare=False, repr=False)

    def broken(self, width: Array) -> Array:
        """Return the share of the past beyond each width; 0 if unknown."""
        beyond: Array = (self.away(self.values) > width[:, None]).sum(axis=1) / max(1, len(self.values))
        return beyond

    def away(self, value: Any) -> Any:
        """Return the distance from the middle in spreads, on the sides that alarm; otherwise 0."""
        with numpy.errstate(over="ignore"):
            distance = (numpy.asarray(value, dtype=float) - self.middle) / self.deviation
        return numpy.maximum(distance, 0.0) if self.law == "distance" else numpy.abs(distance)

    @property
    def law(self) -> Law:
        """Return which bound applies: a difference of distances alarms on both sides, unlike a distance."""
        return "any" if self.statistic.is_distance and self.change.lag else self.statistic.law


# The measured tail: a quarter of Chebyshev's, plus events beyond any width (1 of 2,000 clean batches), fitted by hand
# on thirty batches of 271 columns of public tables. If nothing had changed before, as many again lie within one floor.
# With fewer batches all terms grow.
QUARTER, EVENTS, MEASURED_AT = 0.25, 0.0005, 30
# With long histories no tail is heavier than CUBE / k^3, as simulated with Student's t of three degrees, lognormal and
# contaminated series. Events are as frequent after sixty batches as after thirty, and 0 of 90,000 after 120 (tuning
# set).
CUBE, LONG, LASTING = 2.5, 240, 60
# Batches with less than a tenth of the smallest count so far: none of 4,342 columns' clean batches of the tuning set.
EMPTY = 0.00001


def measured_tail(past: StatisticSummary, width: Array) -> Array:
    """Return the rate measured on clean batches of real tables: about 1 / 4 k^2, plus events beyond any width.

    There is no guarantee. Both terms grow with fewer points than the thirty of the measurement, and shrink with a
    long history. Widths are in spreads; if the spread is the floor, k is larger accordingly. The rate is at least that
    of the past itself: month-end effects recur."""
    scarce, k = _scarcity(past), width / max(past.relative_deviation, 1e-12)
    cube = CUBE * max(1.0, LONG / max(past.points, 1))
    tail = numpy.minimum(scarce**2 * QUARTER / k**2, cube / k**3)
    rate = tail + _events(past) * (1.0 + (1.0 - past.relative_deviation) / width)
    return numpy.minimum(1.0, numpy.maximum(rate, past.broken(width)))


def _scarcity(past: StatisticSummary) -> float:
    return max(1.0, MEASURED_AT / max(past.points, 1))


def _events(past: StatisticSummary) -> float:
    """Return the rate of events beyond any width."""
    return EVENTS * _scarcity(past) * min(1.0, LASTING / max(past.points, 1))


def _emptied(past: StatisticSummary) -> float:
    """Return the rate of almost empty batches, which shrinks with a long history."""
    return EMPTY / EVENTS * _events(past)


def _deviations(past: StatisticSummary, width: Array) -> Array:
    """Convert widths from spreads to standard deviations; infinite if nothing ever changed."""
    return width / past.relative_deviation if past.relative_deviation else numpy.full(len(width), numpy.inf)


def _proven(past: StatisticSummary, width: Array) -> Array:
    law = cantelli if past.law == "distance" else chebyshev
    return law(_deviations(past, width))


BOUNDS: Mapping[str, ProbabilityBound] = {
    each.name: each
    for each in (
        ProbabilityBound("measured", "the tail measured on real tables", measured_tail, empty=_emptied),
        ProbabilityBound(
            "paper", "Chebyshev, Cantelli and the central limit theorem",
            lambda past, width: PAPERS[past.law](_deviations(past, width)),
        ),
        ProbabilityBound("proven", "Chebyshev and Cantelli", _proven, proven=True),
    )
}  # fmt: skip


def past(
    statistic: Statistic, change: LagTransform, values: Array, floor: float, positions: Positions | None = None
) -> StatisticSummary | None:
    """Summarize past values of a statistic; NaN marks missing values.

    `positions`: of the values in time; None means that none is missing.

    None if fewer than five values are left, if one is infinite, or if there is no finite spread: a statistic that is
    sometimes infinite has no limits."""
    if numpy.isinf(values).any():
        return None
    with numpy.errstate(over="ignore", invalid="ignore"):  # non-finite values are dropped below
        transformed = change.series(values, positions)
        transformed = transformed[numpy.isfinite(transformed)]
        if len(transformed) < LEAST_POINTS:
            return None
        is_constant = bool((transformed == transformed[0]).all())
        middle, deviation = (
            (float(transformed[0]), 0.0) if is_constant else (float(transformed.mean()), float(transformed.std(ddof=1)))
        )
    # Just above one floor, so that one row more or less stays within it despite rounding.
    spread = max(deviation, (1 + 1e-6) * _floor(change, values, floor), 1e-9 * abs(middle), 1e-12)
    finite = numpy.isfinite(middle) and numpy.isfinite(WIDTHS[-1] * spread)
    relative = min(1.0, deviation / spread)
    return (
        StatisticSummary(
            statistic=statistic,
            change=change,
            middle=middle,
            deviation=spread,
            points=len(transformed),
            relative_deviation=relative,
            values=transformed,
        )
        if finite
        else None
    )


def _floor(change: LagTransform, values: Array, floor: float) -> float:
    """Return the floor on the scale of the transform: for logarithms it is relative."""
    if not change.logged:
        return floor
    with numpy.errstate(over="ignore"):
        usual = float(numpy.nanmedian(numpy.abs(values)))
    return floor / usual if usual > 0 else floor
