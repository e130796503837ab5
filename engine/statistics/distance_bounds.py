"""Bound distances so that chance decides no check: bounds of every scan contain the exact value.

They are wider than those of an `Estimate`, and fail about once in a million times.
The bins of a divergence of numbers are estimated, too: its bounds hold for all bins that the errors allow."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import isfinite, sqrt
from typing import Any

import numpy

from treaty.engine.components.estimate import Estimate
from treaty.engine.components.unions.ranks import ERRORS
from treaty.engine.statistics import divergences, step_functions
from treaty.engine.statistics.divergences import Term, term_bounds
from treaty.engine.statistics.statistics import PartitionPair
from treaty.engine.statistics.step_functions import BINS, Array, CurvePair, StepFunction
from treaty.engine.statistics.value_shares import ShareBounds, SharePair

# Possible positions of an edge that are compared.
POSITIONS = 33
# Bins that share the error of a sketch: the fewer there are, the likelier all of them are off at once.
FEW_BINS = 2


def distance_bounds(by: str, of: str | None, pair: PartitionPair) -> tuple[float, float] | None:
    """Return bounds of a distance; None if it is exact or has no value.

    `of`: the aspect of texts that is compared; None means numbers."""
    sides = getattr(pair, of or "curves")
    estimate = None if sides is None else (_OF_TEXTS if of else _OF_NUMBERS)[by](sides)
    bounds = estimate.bounds if estimate else None
    return (float(bounds[0]), float(bounds[1])) if bounds and isfinite(bounds[1]) else None


def _widened(distance: Callable[[CurvePair], Estimate | None], pair: CurvePair) -> Estimate | None:
    return distance(CurvePair(_with_errors(pair.left, ERRORS), _with_errors(pair.right, ERRORS)))


def _with_errors(curve: StepFunction, factor: float) -> StepFunction:
    return replace(curve, error=factor * curve.error, of_bin=factor * curve.of_bin)


def _binned(term: Term, pair: CurvePair) -> Estimate:
    """Bound a divergence of binned numbers over all possible edges."""
    value = float(term(pair.shares.left.at, pair.shares.right.at).sum())
    if not (pair.left.error or pair.right.error):
        return Estimate.exact(value)
    low, high = PossibleBins(term, pair).extremes
    # The divergence of partitions without a common value is the greatest.
    most = float(term(1.0, 0.0) + term(0.0, 1.0))
    return Estimate(value, min(value, low), max(value, min(most, high)))


@dataclass(frozen=True, eq=False)
class PossibleBins:
    """The bins of a pair, with every position of their edges that the errors allow."""

    term: Term
    pair: CurvePair

    @property
    def extremes(self) -> tuple[float, float]:
        """Return the least and the greatest sum of terms over all positions of the edges."""
        start = numpy.zeros(1, dtype=int)
        low = high = numpy.zeros(1)
        for end in self.positions:
            near, far = self._terms(start, end)
            low, high = (low[:, None] + near).min(axis=0), (high[:, None] + far).max(axis=0)
            start = end
        return float(low[0]), float(high[0])

    @property
    def positions(self) -> Iterator[Any]:
        """Yield the possible positions of each edge and of the end: numbers of grid values up to it."""
        mixed = (self.pair.left.below(self.pair.grid) + self.pair.right.below(self.pair.grid)) / 2
        error = ERRORS * (self.pair.left.error + self.pair.right.error) / 2
        for level in numpy.arange(1, BINS) / BINS:
            levels = numpy.linspace(level - error, level + error, POSITIONS) - step_functions.ROUNDING
            upto = numpy.unique(numpy.searchsorted(mixed, levels, side="left")) + 1
            yield numpy.unique(numpy.minimum(upto, len(mixed)))
        yield numpy.array([len(mixed)])

    def _terms(self, start: Any, end: Any) -> tuple[Array, Array]:
        """Return the least and the greatest term from each start to each end.

        An empty bin has no term; a bin with its end before its start is impossible."""
        left, right = (
            ShareBounds.about(
                numpy.maximum(upto[end][None, :] - upto[start][:, None], 0.0), self._factor * curve.of_bin
            )
            for curve, upto in zip((self.pair.left, self.pair.right), self._shares, strict=True)
        )
        near, far = term_bounds(self.term, SharePair(left, right, self.pair.left.rows, self.pair.right.rows))
        length = end[None, :] - start[:, None]
        least = numpy.where(length > 0, near, numpy.where(length < 0, numpy.inf, 0.0))
        return least, numpy.where(length > 0, far, numpy.where(length < 0, -numpy.inf, 0.0))

    @cached_property
    def _shares(self) -> tuple[Array, Array]:
        """Return for both the shares of the values up to each number of grid values."""
        pair = self.pair
        left, right = (numpy.concatenate([[0.0], curve.below(pair.grid)]) for curve in (pair.left, pair.right))
        return left, right

    @cached_property
    def _factor(self) -> float:
        return max(1.0, ERRORS * sqrt(FEW_BINS / (len(self.pair.edges) + 1)))


_OF_NUMBERS: Mapping[str, Callable[[CurvePair], Estimate | None]] = {
    "kolmogorov_smirnov": partial(_widened, step_functions.kolmogorov_smirnov),
    "earth_movers_distance": partial(_widened, step_functions.earth_movers_distance),
    "jensen_shannon": partial(_binned, divergences.jensen_shannon_term),
    "kullback_leibler": partial(_binned, divergences.kullback_leibler_term),
}
# Errors of frequent values are certain, and the values themselves are the bins.
_OF_TEXTS: Mapping[str, Callable[[SharePair], Estimate]] = {
    "l1": divergences.l1,
    "l_infinity": divergences.l_infinity,
    "cosine": divergences.cosine,
    "chi_squared": divergences.chi_squared,
    "jensen_shannon": divergences.jensen_shannon,
    "kullback_leibler": divergences.kullback_leibler,
    "new": divergences.new,
}
