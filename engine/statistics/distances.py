"""Distances between two partitions, told from their states alone: no row is read again.

Each is declared once, with the kinds of components it can be told from. It is an estimate with bounds (`Estimate`),
exact where the states are; None where a partition has no values: then there is nothing to compare."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from math import isfinite, sqrt
from typing import Any

from treaty.engine.components.estimate import Estimate
from treaty.engine.components.moments import Three
from treaty.engine.statistics import divergences, step_functions
from treaty.engine.statistics.value_shares import exact_counts, frequent, pair_shares

FARTHEST = 1000.0

NUMBERS = frozenset({"quantiles"})
VALUES = frozenset({"frequencies", "heavy_hitters", "pattern_profile"})


def cohens_d(given: tuple[Three, Three]) -> Estimate | None:
    """How many standard deviations the means are apart, pooled and without sign (Cohen 1988): 0 and more, exact.

    At most 1,000: without any deviation a difference would be infinite. None where a value is infinite or NaN."""
    (n1, mean1, m1), (n2, mean2, m2) = given
    apart, free = abs(mean1 - mean2), n1 + n2 - 2
    if not (isfinite(apart) and isfinite(m1 + m2)):
        return None
    deviation = sqrt((m1 + m2) / free) if free else 0.0
    near = apart < FARTHEST * deviation
    return Estimate.exact(apart / deviation if near else FARTHEST if apart else 0.0)


@dataclass(frozen=True)
class DistanceMeasure:
    """A distance by its name: `kinds` of components whose states tell it, and `of` two of them side by side.

    What `of` says of itself is its page in the reference."""

    name: str
    kinds: frozenset[str]
    of: Callable[[Any], Estimate | None]


def _of_shares(told: Callable[[Any], Estimate | None]) -> Callable[[Any], Estimate | None]:
    @wraps(told)
    def of(given: Any) -> Estimate | None:
        return told(given.shares)

    return of


DISTANCES: Mapping[str, DistanceMeasure] = {
    each.name: each
    for each in (
        DistanceMeasure("kolmogorov_smirnov", NUMBERS, step_functions.kolmogorov_smirnov),
        DistanceMeasure("earth_movers_distance", NUMBERS, step_functions.earth_movers_distance),
        DistanceMeasure("cohens_d", frozenset({"moments"}), cohens_d),
        DistanceMeasure("jensen_shannon", NUMBERS | VALUES, _of_shares(divergences.jensen_shannon)),
        DistanceMeasure("kullback_leibler", NUMBERS | VALUES, _of_shares(divergences.kullback_leibler)),
        DistanceMeasure("l1", VALUES, divergences.l1),
        DistanceMeasure("l_infinity", VALUES, divergences.l_infinity),
        DistanceMeasure("cosine", VALUES, divergences.cosine),
        DistanceMeasure("chi_squared", VALUES, divergences.chi_squared),
    )
}


def _moments(left: Three, right: Three) -> tuple[Three, Three] | None:
    return (left, right) if left[0] and right[0] else None


# Two states of a kind of component side by side; None where one has no values.
_SIDE_BY_SIDE: Mapping[str, Callable[[Any, Any], Any]] = {
    "quantiles": step_functions.curves,
    "moments": _moments,
    "frequencies": lambda left, right: pair_shares(exact_counts(left), exact_counts(right)),
    "heavy_hitters": lambda left, right: pair_shares(frequent(left), frequent(right)),
    "pattern_profile": lambda left, right: pair_shares(frequent(left), frequent(right)),
}


def distances(kind: str, left: Any, right: Any) -> dict[str, Estimate | None]:
    """Every distance that states of a kind of component tell, by name: `left` the new partition's, `right` the other's.

    None for one that has no value. Empty for a kind that tells none. Raises TypeError where the column is not of one
    type in both."""
    asked = [each for each in DISTANCES.values() if kind in each.kinds]
    given = _SIDE_BY_SIDE[kind](left, right) if asked else None
    return {each.name: None if given is None else each.of(given) for each in asked}
