"""Suggest bounds from a well-known distribution that a column's numbers follow.

To add a distribution, add a row to `DISTRIBUTIONS`."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from treaty.contracts.assertions import Assertion
from treaty.engine.components.operands import FRACTIONAL, TEXT
from treaty.engine.core.number_format import figure
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.suggestions.candidates import SuggestionCandidate, of_column
from treaty.engine.suggestions.number_columns import NumberColumn, number_column
from treaty.engine.suggestions.tolerances import drifts, round_outwards
from treaty.engine.suggestions.value_ranges import bounds_check, share_between

# Shares at which quantiles are compared; the largest distance at any of them measures the fit.
SHARES = tuple((at + 0.5) / 40 for at in range(40))
# Set by hand: about the combined effect of a KLL sketch's error and of rounded data.
FAR = 0.03
LEAST_ROWS = 1000
# Values beyond this share on either side are not expected in the lifetime of a table.
TAIL = 1e-9

Quantile = Callable[[float], float]


@dataclass(frozen=True)
class DistributionFamily:
    """A family of distributions. `fit`: returns the member with these quantiles; None if there is none."""

    name: str
    fit: Callable[[Sequence[float]], "FittedDistribution | None"]


@dataclass(frozen=True)
class FittedDistribution:
    """A distribution with parameters: its CDF `below`, its quantile function `at`, and a description."""

    below: Callable[[float], float]
    at: Quantile
    words: str


def _normal(values: Sequence[float]) -> FittedDistribution | None:
    spread = (values[-7] - values[6]) / (NormalDist().inv_cdf(SHARES[-7]) - NormalDist().inv_cdf(SHARES[6]))
    if not spread > 0:
        return None
    fitted = NormalDist((values[19] + values[20]) / 2, spread)
    return FittedDistribution(
        fitted.cdf, fitted.inv_cdf, f"mean {figure(fitted.mean)}, standard deviation {figure(spread)}"
    )


def _lognormal(values: Sequence[float]) -> FittedDistribution | None:
    inner = _normal([math.log(value) for value in values]) if values[0] > 0 else None
    if inner is None:
        return None
    return FittedDistribution(
        lambda value: inner.below(math.log(value)) if value > 0 else 0.0,
        lambda share: math.exp(inner.at(share)),
        f"logarithm: {inner.words}",
    )


def _exponential(values: Sequence[float]) -> FittedDistribution | None:
    mean = (values[19] + values[20]) / 2 / math.log(2)
    if not mean > 0 or values[0] < 0:
        return None
    return FittedDistribution(
        lambda value: 1 - math.exp(-max(0.0, value) / mean),
        lambda share: -mean * math.log(1 - share),
        f"mean {figure(mean)}",
    )


def _uniform(values: Sequence[float]) -> FittedDistribution | None:
    width = (values[-1] - values[0]) / (SHARES[-1] - SHARES[0])
    low = values[0] - SHARES[0] * width
    if not width > 0:
        return None
    return FittedDistribution(
        lambda value: min(1.0, max(0.0, (value - low) / width)),
        lambda share: low + share * width,
        f"from {figure(low)} to {figure(low + width)}",
    )


DISTRIBUTIONS: Sequence[DistributionFamily] = (
    DistributionFamily("uniform", _uniform),
    DistributionFamily("normal", _normal),
    DistributionFamily("exponential", _exponential),
    DistributionFamily("log-normal", _lognormal),
)


@of_column()
def fitted(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """Suggest that the numbers lie within the tails of a well-known distribution that they follow."""
    numbers = _continuous(column, part)
    best = _best(numbers, part) if numbers else None
    return _within_tails(numbers, *best) if numbers and best else None


def _within_tails(numbers: NumberColumn, kind: str, distribution: FittedDistribution) -> SuggestionCandidate | None:
    low, high = _tails(distribution)
    words = f"{numbers.subject} is {kind}ly distributed ({distribution.words}) and between {low:g} and {high:g}"
    entry = bounds_check(numbers, f"{numbers.name}-distribution", words, (low, high), 1)
    if entry is None:
        return None
    return SuggestionCandidate(
        kind="fitted",
        sentence=words,
        expression=f"{low:g} <= {numbers.name} <= {high:g}",
        patch={"quality": entry},
        measure=share_between(numbers.column, low, high),
        assertion=Assertion("mustBeGreaterOrEqualTo", 1),
        severity="warning",
        limits=(1, None),
        details={"distribution": kind, "lower": low, "upper": high, **numbers.details},
        drops=True,
    )


def _continuous(column: ColumnProfile, part: HistorySlice) -> NumberColumn | None:
    """Return a column of fractional numbers; None for whole numbers and typed decimals."""
    numbers = number_column(column, part)
    return numbers if numbers and not numbers.is_whole and column.column.base_type in FRACTIONAL | TEXT else None


def _tails(distribution: FittedDistribution) -> tuple[float, float]:
    """Return the bounds of expected values, widened by a tenth of their distance."""
    low, high = distribution.at(TAIL), distribution.at(1 - TAIL)
    width = high - low
    return round_outwards(low - width / 10, width, up=False), round_outwards(high + width / 10, width, up=True)


def _best(numbers: NumberColumn, part: HistorySlice) -> tuple[str, FittedDistribution] | None:
    """Return the closest distribution of the newest partition; None if it is not close or the numbers drift."""
    values = _quantiles(numbers.column, part)
    if values is None or drifts([float(value) for value in part.series(numbers.column, "median")]):
        return None
    fits = [(each.name, each.fit(values)) for each in DISTRIBUTIONS]
    near = [
        (_distance(distribution, values), name, distribution) for name, distribution in fits if distribution is not None
    ]
    nearest = min(near, key=lambda each: each[0], default=None)
    return (nearest[1], nearest[2]) if nearest is not None and nearest[0] <= FAR else None


def _distance(distribution: FittedDistribution, values: Sequence[float]) -> float:
    return max(abs(distribution.below(value) - share) for value, share in zip(values, SHARES, strict=True))


def _quantiles(column: ColumnProfile, part: HistorySlice) -> list[float] | None:
    """Return distinct quantiles of the newest partition; None for few rows."""
    if not len(part) or part.rows[-1] < LEAST_ROWS:
        return None
    ranks = column.ranks(part.history.partitions[part.end - 1][1])
    if ranks is None:
        return None
    values = ranks.quantiles(SHARES)
    usable = all(map(math.isfinite, values)) and len(set(values)) == len(values)
    return values if usable else None
