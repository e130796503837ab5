"""Compute distances between the value shares of two partitions.

Most are sums over the values of a term in their shares p and q that is 0 if they are equal, grows with their
distance, and is convex and of degree 1: `term(cp, cq) = c term(p, q)`. So bounds of the shares give bounds of the sum,
and grouping values never makes it larger (Csiszar 1967, f-divergences). Logarithms are natural."""

from collections.abc import Callable
from functools import partial
from math import acos, cos, pi, sqrt
from typing import Any

import numpy

from treaty.engine.components.estimate import Estimate
from treaty.engine.statistics.value_shares import Array, ShareBounds, SharePair

SKEW = 0.99

Term = Callable[[Any, Any], Array]


def l1(pair: SharePair) -> Estimate:
    """Return the sum of |p - q| over all values: between 0 and 2; 2 means no common value."""
    return _summed(_difference, pair)


def l_infinity(pair: SharePair) -> Estimate:
    """Return the largest |p - q| of a value (Chebyshev's distance of the shares).

    Between 0 and 1. Values that a sketch does not list cannot be distinguished: they affect only the bounds."""
    value = _largest(_difference(pair.left.at, pair.right.at))
    unlisted = max(pair.left.most, pair.right.most)
    low, high = (_largest(each) for each in term_bounds(_difference, pair))
    return Estimate(value, low, max(high, unlisted))


def jensen_shannon(pair: SharePair) -> Estimate:
    """Return half the divergences of both from their mean (Lin 1991).

    Between 0 and ln 2; ln 2 means no common value. The divergence, not its root. Needs no smoothing."""
    return _summed(jensen_shannon_term, pair)


def kullback_leibler(pair: SharePair) -> Estimate:
    """Return the sum of p ln(p / m) over all values.

    m = 0.99 q + 0.01 p. Between 0 and 4.61 (ln 100). Not symmetric: left is the new partition, right is the one it is
    compared with. Without the hundredth of p a single new value would make it infinite; with it no value adds more than
    p ln 100. This is the skew divergence (Lee 1999, Measures of distributional similarity). It does not depend on the
    number of rows, as pseudo-counts would, and is 0 only for equal shares."""
    return _summed(kullback_leibler_term, pair)


def chi_squared(pair: SharePair) -> Estimate:
    """Return Pearson's statistic for equal shares (1900) divided by the rows of both: phi squared.

    Between 0 and 1; 1 means no common value. Multiplied by the rows it is the statistic itself, with values - 1
    degrees of freedom. Its p-value is not reported: for any real change of a large table it is 0."""
    of_left = pair.left_rows / (pair.left_rows + pair.right_rows)
    return _summed(partial(_chi_squared, of_left), pair)


def new(pair: SharePair) -> Estimate:
    """Return the share of values that the other partition does not have: between 0 and 1. Not symmetric.

    Values that a sketch does not list may be new or not, as the bounds show."""
    left, right = pair.left, pair.right
    value = float(left.at[right.at <= 0].sum())
    unlisted = left.rest + float(left.high[right.at <= 0].sum()) if right.rest else value + left.rest
    return Estimate(value, 0.0 if right.rest else value, min(1.0, unlisted))


def cosine(pair: SharePair) -> Estimate:
    """Return 1 minus the cosine of the angle between the shares: between 0 and 1; 1 means no common value.

    The bounds follow from the possible angular error of each; nothing is known of a sketch that lists no value."""
    left_norm, right_norm = (float(numpy.linalg.norm(each.at)) for each in (pair.left, pair.right))
    if not (left_norm and right_norm):
        return Estimate(1.0, 0.0, 1.0)
    similar = float(pair.left.at @ pair.right.at) / (left_norm * right_norm)
    value = min(1.0, max(0.0, 1.0 - similar))
    error = _angle_error(pair.left, left_norm) + _angle_error(pair.right, right_norm)
    if not error:
        return Estimate.exact(value)
    angle = acos(1.0 - value)
    return Estimate(
        value, min(value, 1 - cos(max(0.0, angle - error))), max(value, 1 - cos(min(pi / 2, angle + error)))
    )


def _angle_error(shares: ShareBounds, norm: float) -> float:
    """Bound the angular error: unlisted shares of at most `most` deviate by at most the root of most times rest."""
    sine = sqrt(shares.most * shares.rest) / norm
    return float(numpy.arcsin(sine)) if sine < 1 else pi / 2


def _difference(p: Any, q: Any) -> Array:
    differences: Array = numpy.abs(numpy.subtract(p, q, dtype=float))
    return differences


def _relative(p: Any, m: Any) -> Array:
    """Return p ln(p / m) - p + m.

    The terms sum to the divergence because the shares sum to 1; a term is 0 if p equals m."""
    p, m = numpy.asarray(p, dtype=float), numpy.asarray(m, dtype=float)
    logs = numpy.log(numpy.divide(p, m, out=numpy.ones_like(m), where=(p > 0) & (m > 0)))
    terms: Array = numpy.maximum(p * logs - p + m, 0.0)
    return terms


def jensen_shannon_term(p: Any, q: Any) -> Array:
    """Return the terms of `jensen_shannon` of single shares."""
    mean = (numpy.asarray(p, dtype=float) + q) / 2
    return (_relative(p, mean) + _relative(q, mean)) / 2


def kullback_leibler_term(p: Any, q: Any) -> Array:
    """Return the terms of `kullback_leibler` of single shares."""
    return _relative(p, SKEW * numpy.asarray(q, dtype=float) + (1 - SKEW) * numpy.asarray(p, dtype=float))


def _chi_squared(of_left: float, p: Any, q: Any) -> Array:
    expected = of_left * numpy.asarray(p, dtype=float) + (1 - of_left) * numpy.asarray(q, dtype=float)
    squared = of_left * (1 - of_left) * _difference(p, q) ** 2
    return numpy.divide(squared, expected, out=numpy.zeros_like(expected), where=expected > 0)


def _summed(term: Term, pair: SharePair) -> Estimate:
    """Return the sum of the terms, with all unlisted values as one.

    Lower bound: terms of shares as close as their bounds allow. Upper bound: the smaller of the terms of shares as far
    apart as allowed, and those of the certain shares; both with the uncertain rest fully disjoint."""
    left, right = pair.left, pair.right
    value = float(term(left.at, right.at).sum() + term(left.rest, right.rest))
    if pair.exact:
        return Estimate.exact(value)
    near, far = (float(each.sum()) for each in term_bounds(term, pair))
    low = near + float(_nearest(term, _rest(left), _rest(right)).sum())
    certain = float(term(left.low, right.low).sum()) + _disjoint_divergence(term, left.loose, right.loose)
    high = min(far + _disjoint_divergence(term, left.rest, right.rest), certain)
    return Estimate(value, min(value, low), max(value, high))


def _disjoint_divergence(term: Term, left: float, right: float) -> float:
    return float(term(left, 0.0) + term(0.0, right))


def _rest(shares: ShareBounds) -> ShareBounds:
    """Return the bounds of the total share of the unlisted values."""
    rest = numpy.array([shares.rest])
    return ShareBounds(
        at=rest, low=numpy.array([max(0.0, 1.0 - float(shares.high.sum()))]) if shares.rest else rest, high=rest
    )


def term_bounds(term: Term, pair: SharePair) -> tuple[Array, Array]:
    """Return the least and the greatest term of each value within its bounds.

    The least is at the closest shares, the greatest at one of two corners."""
    left, right = pair.left, pair.right
    far = numpy.maximum(term(left.low, right.high), term(left.high, right.low))
    return _nearest(term, left, right), far


def _nearest(term: Term, left: ShareBounds, right: ShareBounds) -> Array:
    """Return the terms of the closest possible shares; 0 if they may be equal."""
    above = numpy.maximum(left.low, right.high)
    below = numpy.minimum(left.high, right.low)
    return numpy.where(
        left.low > right.high,
        term(above, right.high),
        numpy.where(left.high < right.low, term(below, right.low), 0.0),
    )


def _largest(terms: Array) -> float:
    return float(terms.max(initial=0.0))
