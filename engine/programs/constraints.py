"""Constraints of one statistic each, with how often they alarm although nothing is wrong (AVH paper, section 4.2).

A width is told in spreads: standard deviations of the past, as its change has it, yet never less than the statistic's
floor, for a statistic that never varied is not one that never will. What alarms then is told by a bound: the paper's,
which are proven or assume what real tables do not keep, or the tail that was measured on real tables, by default."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy
from numpy.typing import NDArray

from treaty.engine.programs.stationarity import LagTransform
from treaty.engine.statistics.statistics import Law, Statistic

Array = NDArray[Any]

# The grid of widths, in spreads, a fifth apart: from one, as where nothing had moved but by a row, to eighty.
WIDTHS = tuple(float(width) for width in numpy.round(1.2 ** numpy.arange(25), 2))
# Fewer points tell no spread.
LEAST_POINTS = 5


@dataclass(frozen=True)
class ProbabilityBound:
    """A law of how often a statistic lies more than so many spreads away: the `rate` of each width for a past.

    `proven`: whatever the distribution, as long as its mean and deviation are known."""

    name: str
    description: str
    rate: "Callable[[StatisticSummary, Array], Array]"
    proven: bool = False


def chebyshev(width: Array) -> Array:
    """At most 1 / k^2 lie k deviations away, on either side (proposition 1)."""
    return numpy.minimum(1.0, 1.0 / numpy.square(width))


def cantelli(width: Array) -> Array:
    """At most 1 / (1 + k^2) lie k deviations above (proposition 2)."""
    rates: Array = 1.0 / (1.0 + numpy.square(width))
    return rates


def normal(width: Array) -> Array:
    """The share of a normal distribution that lies k deviations away, on either side (proposition 3)."""
    from scipy.special import erfc

    rates: Array = erfc(width / numpy.sqrt(2.0))
    return rates


PAPERS: Mapping[Law, Callable[[Array], Array]] = {"any": chebyshev, "distance": cantelli, "mean": normal}


@dataclass(frozen=True, kw_only=True)
class StatisticSummary:
    """What the past says of a statistic, as its change has it: the middle, the spread with its floor, of how many.

    `relative_deviation`: the standard deviation as a share of the spread; 1 beyond the floor, 0 where nothing ever
    moved. `values`: the values themselves, as the change has them."""

    statistic: Statistic
    change: LagTransform
    middle: float
    deviation: float
    points: int
    relative_deviation: float = 1.0
    values: Array = field(default_factory=lambda: numpy.zeros(0), compare=False, repr=False)

    def broken(self, width: Array) -> Array:
        """The share of the past itself that lies beyond each width; 0 where it is not known."""
        beyond: Array = (self.away(self.values) > width[:, None]).sum(axis=1) / max(1, len(self.values))
        return beyond

    def away(self, seen: Any) -> Any:
        """How many spreads values lie from the middle, on the sides that alarm; 0 within these."""
        with numpy.errstate(over="ignore"):
            distance = (numpy.asarray(seen, dtype=float) - self.middle) / self.deviation
        one_sided = self.statistic.is_distance and not self.change.lag
        return numpy.maximum(distance, 0.0) if one_sided else numpy.abs(distance)


# The measured tail: a quarter of Chebyshev's, and events that no width admits (1 of 2,000 clean batches): fitted by
# hand on thirty batches of 271 columns of public tables. Where nothing had moved, as many more alarm within one floor.
# With fewer batches all grow.
QUARTER, EVENTS, MEASURED_AT = 0.25, 0.0005, 30


def measured_tail(past: StatisticSummary, width: Array) -> Array:
    """What was measured on clean batches of real tables: about 1 / 4 k^2, and events that no width admits.

    No guarantee. With fewer points than the thirty it was measured with both grow as their number falls. A width is of
    spreads: where these are of the floor, k is so much larger. Nor is a rate below that of the past itself: what comes
    at the end of each month comes again."""
    scarce = max(1.0, MEASURED_AT / max(past.points, 1))
    tail = scarce**2 * QUARTER * numpy.square(past.relative_deviation / width)
    told = tail + scarce * EVENTS * (1.0 + (1.0 - past.relative_deviation) / width)
    return numpy.minimum(1.0, numpy.maximum(told, past.broken(width)))


def _deviations(past: StatisticSummary, width: Array) -> Array:
    """Widths in spreads as widths in standard deviations; infinite where nothing ever moved."""
    return width / past.relative_deviation if past.relative_deviation else numpy.full(len(width), numpy.inf)


def _proven(past: StatisticSummary, width: Array) -> Array:
    law = cantelli if past.statistic.is_distance else chebyshev
    return law(_deviations(past, width))


BOUNDS: Mapping[str, ProbabilityBound] = {
    each.name: each
    for each in (
        ProbabilityBound("measured", "the tail measured on real tables", measured_tail),
        ProbabilityBound(
            "paper", "Chebyshev, Cantelli and the central limit theorem",
            lambda past, width: PAPERS[past.statistic.law](_deviations(past, width)),
        ),
        ProbabilityBound("proven", "Chebyshev and Cantelli", _proven, proven=True),
    )
}  # fmt: skip


def past(statistic: Statistic, change: LagTransform, values: Array, floor: float) -> StatisticSummary | None:
    """What these values of the past say, NaN where there is a gap.

    None where there are fewer than five, where one is infinite, or where neither they nor the floor tell a finite
    spread: what is infinite at times has no limits."""
    if numpy.isinf(values).any():
        return None
    with numpy.errstate(over="ignore", invalid="ignore"):  # what is not finite tells nothing
        seen = change.series(values)
        seen = seen[numpy.isfinite(seen)]
        if len(seen) < LEAST_POINTS:
            return None
        same = bool((seen == seen[0]).all())
        middle, deviation = (float(seen[0]), 0.0) if same else (float(seen.mean()), float(seen.std(ddof=1)))
    # One row more or less is within one floor, however it was rounded.
    spread = max(deviation, (1 + 1e-6) * _floor(change, values, floor), 1e-9 * abs(middle), 1e-12)
    finite = numpy.isfinite(middle) and numpy.isfinite(WIDTHS[-1] * spread)
    moved = min(1.0, deviation / spread)
    return (
        StatisticSummary(
            statistic=statistic,
            change=change,
            middle=middle,
            deviation=spread,
            points=len(seen),
            relative_deviation=moved,
            values=seen,
        )
        if finite
        else None
    )


def _floor(change: LagTransform, values: Array, floor: float) -> float:
    """The floor on the change's scale: of logarithms it is relative."""
    if not change.logged:
        return floor
    with numpy.errstate(over="ignore"):
        usual = float(numpy.nanmedian(numpy.abs(values)))
    return floor / usual if usual > 0 else floor
