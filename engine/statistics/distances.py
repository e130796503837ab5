"""Compute distances between two partitions from their states, without reading a row.

Each distance is declared once, with the kinds of components that it can be computed from. It is an estimate with
bounds (`Estimate`), exact if the states are; None if a partition has no values."""

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


def cohens_d(sums: tuple[Three, Three]) -> Estimate | None:
    """Return the difference of the means in pooled standard deviations, without sign (Cohen 1988).

    0 or more, exact. At most 1,000: without any deviation a difference would be infinite. None if a value is
    infinite or NaN."""
    (n1, mean1, m1), (n2, mean2, m2) = sums
    difference, degrees = abs(mean1 - mean2), n1 + n2 - 2
    if not (isfinite(difference) and isfinite(m1 + m2)):
        return None
    deviation = sqrt((m1 + m2) / degrees) if degrees else 0.0
    near = difference < FARTHEST * deviation
    return Estimate.exact(difference / deviation if near else FARTHEST if difference else 0.0)


@dataclass(frozen=True)
class DistanceMeasure:
    """A named distance.

    `kinds`: component kinds it can be computed from. `of`: computes it from two states side by side; its docstring is
    published in the reference."""

    name: str
    kinds: frozenset[str]
    of: Callable[[Any], Estimate | None]


def _of_shares(estimate: Callable[[Any], Estimate | None]) -> Callable[[Any], Estimate | None]:
    @wraps(estimate)
    def of(summary: Any) -> Estimate | None:
        return estimate(summary.shares)

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


# Pairs two states of a component kind; None if one has no values.
_SIDE_BY_SIDE: Mapping[str, Callable[[Any, Any], Any]] = {
    "quantiles": step_functions.curves,
    "moments": _moments,
    "frequencies": lambda left, right: pair_shares(exact_counts(left), exact_counts(right)),
    "heavy_hitters": lambda left, right: pair_shares(frequent(left), frequent(right)),
    "pattern_profile": lambda left, right: pair_shares(frequent(left), frequent(right)),
}


def distances(kind: str, left: Any, right: Any) -> dict[str, Estimate | None]:
    """Return every distance that a component kind allows, by name.

    `left`: state of the new partition. `right`: state of the other. A distance is None if it has no value. Empty for
    kinds without distances. Raises TypeError if the column has different types."""
    measures = [each for each in DISTANCES.values() if kind in each.kinds]
    pair = _SIDE_BY_SIDE[kind](left, right) if measures else None
    return {each.name: None if pair is None else each.of(pair) for each in measures}
