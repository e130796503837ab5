"""Suggestions from well-known distributions: where a column's numbers follow one, its tails bound them.

Adding a distribution is one row of `DISTRIBUTIONS`."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from treaty.contracts.assertions import Assertion
from treaty.contracts.editing.check_entry import check
from treaty.contracts.predicates.parser import quote
from treaty.engine.components.operands import FRACTIONAL
from treaty.engine.profile.facts import is_valid_predicate
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.suggestions.candidates import SuggestionCandidate, compliance, number, of_column
from treaty.engine.suggestions.tolerances import drifts, round_outwards
from treaty.engine.suggestions.value_ranges import share_between

# The shares of the values that are looked at; the largest distance at any of them says how well a distribution fits.
SHARES = tuple((at + 0.5) / 40 for at in range(40))
# By hand: about what a KLL sketch's own error and the rounding of data may do.
FAR = 0.03
LEAST_ROWS = 1000
# Beyond this share on either side no value is expected in the lifetime of a table.
TAIL = 1e-9

Quantile = Callable[[float], float]


@dataclass(frozen=True)
class DistributionFamily:
    """A distribution: its name, and the one of its kind that has these quantiles (None: none has)."""

    name: str
    fit: Callable[[Sequence[float]], "FittedDistribution | None"]


@dataclass(frozen=True)
class FittedDistribution:
    """A distribution with its parameters: the share of values up to one, the value at a share, parameters in words."""

    below: Callable[[float], float]
    at: Quantile
    words: str


def _normal(values: Sequence[float]) -> FittedDistribution | None:
    spread = (values[-7] - values[6]) / (NormalDist().inv_cdf(SHARES[-7]) - NormalDist().inv_cdf(SHARES[6]))
    if not spread > 0:
        return None
    fitted = NormalDist((values[19] + values[20]) / 2, spread)
    return FittedDistribution(fitted.cdf, fitted.inv_cdf, f"mean {fitted.mean:.4g}, standard deviation {spread:.4g}")


def _lognormal(values: Sequence[float]) -> FittedDistribution | None:
    inner = _normal([math.log(value) for value in values]) if values[0] > 0 else None
    if inner is None:
        return None
    return FittedDistribution(
        lambda value: inner.below(math.log(value)) if value > 0 else 0.0,
        lambda share: math.exp(inner.at(share)),
        f"of the logarithm: {inner.words}",
    )


def _exponential(values: Sequence[float]) -> FittedDistribution | None:
    mean = (values[19] + values[20]) / 2 / math.log(2)
    if not mean > 0 or values[0] < 0:
        return None
    return FittedDistribution(
        lambda value: 1 - math.exp(-max(0.0, value) / mean),
        lambda share: -mean * math.log(1 - share),
        f"mean {mean:.4g}",
    )


def _uniform(values: Sequence[float]) -> FittedDistribution | None:
    width = (values[-1] - values[0]) / (SHARES[-1] - SHARES[0])
    low = values[0] - SHARES[0] * width
    if not width > 0:
        return None
    return FittedDistribution(
        lambda value: min(1.0, max(0.0, (value - low) / width)),
        lambda share: low + share * width,
        f"from {low:.4g} to {low + width:.4g}",
    )


DISTRIBUTIONS: Sequence[DistributionFamily] = (
    DistributionFamily("uniform", _uniform),
    DistributionFamily("normal", _normal),
    DistributionFamily("exponential", _exponential),
    DistributionFamily("log-normal", _lognormal),
)


@of_column()
def fitted(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """The numbers follow a well-known distribution, and lie within what it makes possible."""
    found = _best(column, part)
    if found is None:
        return None
    kind, told = found
    name, (low, high) = column.column.name, _tails(told)
    predicate = f"{quote(name)} IS NULL OR {quote(name)} BETWEEN {number(low)} AND {number(high)}"
    words = f"{name} is {kind} ({told.words}): between {low:g} and {high:g}"
    return (
        SuggestionCandidate(
            kind="fitted",
            sentence=words,
            expression=f"{low:g} <= {name} <= {high:g}",
            patch={"quality": check(f"{name}-distribution", words, "conformity", compliance(predicate, at_least=1))},
            measure=share_between(column, low, high),
            assertion=Assertion("mustBeGreaterOrEqualTo", 1),
            severity="warning",
            limits=(1, None),
            details={"distribution": kind, "lower": low, "upper": high},
            drops=True,
        )
        if is_valid_predicate(predicate)
        else None
    )


def _tails(told: FittedDistribution) -> tuple[float, float]:
    """The values beyond which none is expected, a tenth of their distance outwards."""
    low, high = told.at(TAIL), told.at(1 - TAIL)
    width = high - low
    return round_outwards(low - width / 10, width, up=False), round_outwards(high + width / 10, width, up=True)


def _best(column: ColumnProfile, part: HistorySlice) -> tuple[str, FittedDistribution] | None:
    """The distribution that is nearest in the newest partition, where it is near, and the numbers do not drift."""
    values = _quantiles(column, part)
    if values is None or drifts([float(value) for value in part.series(column, "median")]):
        return None
    tried = [(each.name, each.fit(values)) for each in DISTRIBUTIONS]
    near = [(_distance(made, values), name, made) for name, made in tried if made is not None]
    nearest = min(near, key=lambda each: each[0], default=None)
    return (nearest[1], nearest[2]) if nearest is not None and nearest[0] <= FAR else None


def _distance(made: FittedDistribution, values: Sequence[float]) -> float:
    return max(abs(made.below(value) - share) for value, share in zip(values, SHARES, strict=True))


def _quantiles(column: ColumnProfile, part: HistorySlice) -> list[float] | None:
    """Quantiles of the newest partition, all unlike; None for few rows, and for other columns than of fractions."""
    if column.column.base_type not in FRACTIONAL or not len(part) or part.rows[-1] < LEAST_ROWS:
        return None
    sketch = column.sketch(part.history.partitions[part.end - 1][1])
    if sketch is None or sketch.is_empty():
        return None
    values = [float(value) for value in sketch.get_quantiles(list(SHARES))]
    usable = all(map(math.isfinite, values)) and len(set(values)) == len(values)
    return values if usable else None
