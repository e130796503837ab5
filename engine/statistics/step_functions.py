"""Represent the numbers of two partitions as step functions from their KLL sketches.

F(x) is the share of the values that are at most x. A sketch estimates it with the same error everywhere: its
normalized rank error, which 99 % of sketches satisfy (datasketches, `get_normalized_rank_error`); with two sketches
the bounds below hold 98 % of the time. A sketch that still stores every value (of a few hundred) is exact."""

from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any

import numpy
from numpy.typing import NDArray

from treaty.engine.components.estimate import Estimate
from treaty.engine.components.sketches import QuantileSketch
from treaty.engine.statistics.value_shares import ShareBounds, SharePair

BINS = 20
ROUNDING = 1e-12

Array = NDArray[numpy.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class StepFunction:
    """Ascending values `at` with `cumulative`: the share of all values at most each of them; the last is 1.

    `error`: maximum error of such a share. `of_bin`: maximum error of the share between two values. `rows`: number of
    values."""

    at: Array
    cumulative: Array
    error: float
    of_bin: float
    smallest: float
    largest: float
    rows: int

    def below(self, values: Array) -> Array:
        """Return the share of all values that are at most each given value."""
        return numpy.concatenate([[0.0], self.cumulative])[numpy.searchsorted(self.at, values, side="right")]

    @property
    def area_error(self) -> float:
        """Return the maximum error of the area under the function; outside its extremes it is exact."""
        return self.error * (self.largest - self.smallest)


def steps(state: Any) -> StepFunction | None:
    """Return the step function of a `QuantileSketch` state; None without values."""
    ranks = QuantileSketch.ranks(state)
    if ranks is None:
        return None
    return StepFunction(
        at=ranks.values,
        cumulative=ranks.shares,
        error=ranks.error(),
        of_bin=ranks.error(between=True),
        smallest=ranks.low,
        largest=ranks.high,
        rows=ranks.rows,
    )


@dataclass(frozen=True, eq=False)
class CurvePair:
    """The numbers of two partitions."""

    left: StepFunction
    right: StepFunction

    @cached_property
    def grid(self) -> Array:
        """Return the values at which either function steps, ascending."""
        return numpy.union1d(self.left.at, self.right.at)

    @cached_property
    def gaps(self) -> Array:
        """Return the difference of the functions from each step to the next."""
        return numpy.abs(self.left.below(self.grid) - self.right.below(self.grid))

    @cached_property
    def edges(self) -> Array:
        """Return the 20-quantiles of an even mixture of both, without duplicates.

        So neither partition sets the scale for the other, no bin between edges is empty in both, and outliers do not
        decide the width of bins."""
        mixed = (self.left.below(self.grid) + self.right.below(self.grid)) / 2
        levels = numpy.arange(1, BINS) / BINS
        return numpy.unique(self.grid[numpy.searchsorted(mixed, levels - ROUNDING, side="left")])

    @cached_property
    def shares(self) -> SharePair:
        """Return the shares of both in bins: up to and including the first edge, between edges, above the last."""
        left_shares, right_shares = _binned(self.left, self.edges), _binned(self.right, self.edges)
        return SharePair(left_shares, right_shares, self.left.rows, self.right.rows)


def _binned(curve: StepFunction, edges: Array) -> ShareBounds:
    upto = numpy.concatenate([[0.0], curve.below(edges), [1.0]])
    return ShareBounds.about(numpy.diff(upto), curve.of_bin)


def curves(left: Any, right: Any) -> CurvePair | None:
    """Pair two `QuantileSketch` states; None if one has no values."""
    one, other = steps(left), steps(right)
    return CurvePair(one, other) if one and other else None


def kolmogorov_smirnov(pair: CurvePair) -> Estimate:
    """Return the largest difference of the two shares at most x, over all x.

    Between 0 and 1; 1 for disjoint ranges. The statistic of Kolmogorov (1933) and Smirnov (1948) for two samples,
    not its p-value, which is 0 for any real change of a large table. The error is at most the sum of the sketches'
    rank errors. Infinite values count as values."""
    value = float(pair.gaps.max())
    error = pair.left.error + pair.right.error
    return Estimate(value, max(0.0, value - error), min(1.0, value + error))


def earth_movers_distance(pair: CurvePair) -> Estimate | None:
    """Return the mean distance that values must move to match the other partition.

    In the column's own unit; microseconds for dates and times. The area between the two functions (Vallender 1973:
    the Wasserstein distance of order 1 on a line). The error is at most the sum of rank error times range of either.
    None if a value is infinite."""
    value = float((pair.gaps[:-1] * numpy.diff(pair.grid)).sum())
    error = pair.left.area_error + pair.right.area_error
    return Estimate(value, max(0.0, value - error), value + error) if isfinite(value + error) else None
