"""How far the shares of values in two partitions differ.

Most are sums over the values of a term in their shares p and q that is 0 where these are equal, grows with their
distance, and is convex and of degree 1: term(cp, cq) = c term(p, q). So bounds of the shares give bounds of the sum,
and taking several values together never makes it larger (Csiszar 1967, f-divergences). Logarithms are natural."""

from collections.abc import Callable
from functools import partial
from math import acos, cos, pi, sqrt
from typing import Any

import numpy

from treaty.engine.components.estimate import Estimate
from treaty.engine.statistics.value_shares import Array, ShareBounds, SharePair

SKEW = 0.99

Term = Callable[[Any, Any], Array]


def l1(given: SharePair) -> Estimate:
    """The sum of |p - q| over all values: between 0 and 2, which it is where no value is in both."""
    return _summed(_difference, given)


def l_infinity(given: SharePair) -> Estimate:
    """The largest |p - q| of a value: between 0 and 1 (Chebyshev's distance of the shares).

    Values that a sketch does not list cannot be told apart: of these, the bounds alone say something."""
    value = _largest(_difference(given.left.at, given.right.at))
    unlisted = max(given.left.most, given.right.most)
    low, high = (_largest(each) for each in _bounds(_difference, given))
    return Estimate(value, low, max(high, unlisted))


def jensen_shannon(given: SharePair) -> Estimate:
    """Half the divergences of either from their mean (Lin 1991): between 0 and ln 2, which it is where none is in both.

    The divergence, not its root. Needs no smoothing."""
    return _summed(_jensen_shannon, given)


def kullback_leibler(given: SharePair) -> Estimate:
    """The sum of p ln(p / m) over all values, m = 0.99 q + 0.01 p: between 0 and 4.61 (ln 100). Not symmetric.

    Without the hundredth of p a single new value would make it infinite; with it none adds more than p ln 100.
    That is the skew divergence (Lee 1999, Measures of distributional similarity). It does not depend on
    how many rows there are, as pseudo-counts would, and is 0 for equal shares alone. The left one is the new partition,
    the right one what it is compared with."""
    return _summed(_kullback_leibler, given)


def chi_squared(given: SharePair) -> Estimate:
    """Pearson's statistic that two partitions have the same shares (1900), divided by the rows of both: phi squared.

    Between 0 and 1, which it is where no value is in both. Times the rows it is the statistic itself, of values - 1
    degrees of freedom; its p-value is 0 for any honest change of a large table, and is not told."""
    of_left = given.left_rows / (given.left_rows + given.right_rows)
    return _summed(partial(_chi_squared, of_left), given)


def new(given: SharePair) -> Estimate:
    """The share that values have which the other partition has none of: between 0 and 1. Not symmetric.

    What a sketch does not list may be new or not: the bounds say so."""
    left, right = given.left, given.right
    value = float(left.at[right.at <= 0].sum())
    unlisted = left.rest + float(left.high[right.at <= 0].sum()) if right.rest else value + left.rest
    return Estimate(value, 0.0 if right.rest else value, min(1.0, unlisted))


def cosine(given: SharePair) -> Estimate:
    """1 less the cosine of the angle between the shares: between 0 and 1, which it is where no value is in both.

    Bounds from the angles by which either may be off."""
    ours, theirs = (float(numpy.linalg.norm(each.at)) for each in (given.left, given.right))
    similar = float(given.left.at @ given.right.at) / (ours * theirs)
    value = min(1.0, max(0.0, 1.0 - similar))
    off = _angle_error(given.left, ours) + _angle_error(given.right, theirs)
    if not off:
        return Estimate.exact(value)
    angle = acos(1.0 - value)
    return Estimate(value, min(value, 1 - cos(max(0.0, angle - off))), max(value, 1 - cos(min(pi / 2, angle + off))))


def _angle_error(shares: ShareBounds, norm: float) -> float:
    """What is loose lies in pieces of at most `most`, so the vector is off by at most the root of most times rest."""
    off = sqrt(shares.most * shares.rest) / norm
    return float(numpy.arcsin(off)) if off < 1 else pi / 2


def _difference(p: Any, q: Any) -> Array:
    apart: Array = numpy.abs(numpy.subtract(p, q, dtype=float))
    return apart


def _relative(p: Any, m: Any) -> Array:
    """p ln(p / m) - p + m: adds up to the divergence, for the shares add up to 1; each term is 0 where p is m."""
    p, m = numpy.asarray(p, dtype=float), numpy.asarray(m, dtype=float)
    logs = numpy.log(numpy.divide(p, m, out=numpy.ones_like(m), where=(p > 0) & (m > 0)))
    terms: Array = numpy.maximum(p * logs - p + m, 0.0)
    return terms


def _jensen_shannon(p: Any, q: Any) -> Array:
    mean = (numpy.asarray(p, dtype=float) + q) / 2
    return (_relative(p, mean) + _relative(q, mean)) / 2


def _kullback_leibler(p: Any, q: Any) -> Array:
    return _relative(p, SKEW * numpy.asarray(q, dtype=float) + (1 - SKEW) * numpy.asarray(p, dtype=float))


def _chi_squared(of_left: float, p: Any, q: Any) -> Array:
    expected = of_left * numpy.asarray(p, dtype=float) + (1 - of_left) * numpy.asarray(q, dtype=float)
    squared = of_left * (1 - of_left) * _difference(p, q) ** 2
    return numpy.divide(squared, expected, out=numpy.zeros_like(expected), where=expected > 0)


def _summed(term: Term, given: SharePair) -> Estimate:
    """The sum of the terms, what no sketch lists taken as one value.

    At least: the terms of shares as near as their bounds admit. At most: of shares as far, or of those that are
    certain; either with what is loose wholly apart."""
    left, right = given.left, given.right
    value = float(term(left.at, right.at).sum() + term(left.rest, right.rest))
    if given.exact:
        return Estimate.exact(value)
    near, far = (float(each.sum()) for each in _bounds(term, given))
    low = near + float(_nearest(term, _rest(left), _rest(right)).sum())
    certain = float(term(left.low, right.low).sum()) + _disjoint_divergence(term, left.loose, right.loose)
    high = min(far + _disjoint_divergence(term, left.rest, right.rest), certain)
    return Estimate(value, min(value, low), max(value, high))


def _disjoint_divergence(term: Term, left: float, right: float) -> float:
    return float(term(left, 0.0) + term(0.0, right))


def _rest(shares: ShareBounds) -> ShareBounds:
    """The bounds of what the values that are not listed have together."""
    rest = numpy.array([shares.rest])
    return ShareBounds(
        at=rest, low=numpy.array([max(0.0, 1.0 - float(shares.high.sum()))]) if shares.rest else rest, high=rest
    )


def _bounds(term: Term, given: SharePair) -> tuple[Array, Array]:
    """The least and the greatest term of each value within its bounds: nearest to equal, and at one of two corners."""
    left, right = given.left, given.right
    far = numpy.maximum(term(left.low, right.high), term(left.high, right.low))
    return _nearest(term, left, right), far


def _nearest(term: Term, left: ShareBounds, right: ShareBounds) -> Array:
    """The terms of the shares that are nearest to each other; 0 where they may be equal."""
    above = numpy.maximum(left.low, right.high)
    below = numpy.minimum(left.high, right.low)
    return numpy.where(
        left.low > right.high,
        term(above, right.high),
        numpy.where(left.high < right.low, term(below, right.low), 0.0),
    )


def _largest(terms: Array) -> float:
    return float(terms.max(initial=0.0))
