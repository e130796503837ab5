"""Ranks and quantiles of a union of KLL sketches, with their errors."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil, floor, hypot, sqrt
from typing import Any

from treaty.engine.components.unions.rank_union import RankEntries

# Quantile of the normal distribution for bounds that hold 99 % of the time.
DEVIATIONS = 2.576
# Bounds are this many errors wide on either side: five standard deviations, all but one in a million. Two sketches of
# the same rows then agree whether a threshold lies within them or on which side it is.
ERRORS = 2


@dataclass(frozen=True, eq=False)
class Ranks:
    """The ranks of the values of a union. `rows`: number of values. `low`, `high`: extremes, exact."""

    entries: RankEntries

    @property
    def rows(self) -> int:
        return self.entries.rows

    @property
    def low(self) -> float:
        return self.entries.low

    @property
    def high(self) -> float:
        return self.entries.high

    @cached_property
    def _steps(self) -> tuple[Any, Any]:
        """Return the distinct retained values and the weight of all values up to each."""
        import numpy

        entries = self.entries
        values, weights = entries.values, entries.copies << entries.levels.astype("i8")
        starts = numpy.flatnonzero(numpy.concatenate([[True], values[1:] != values[:-1]]))
        return values[starts], numpy.cumsum(numpy.add.reduceat(weights, starts))

    @property
    def values(self) -> Any:
        """Return the distinct retained values, ascending."""
        return self._steps[0]

    @property
    def shares(self) -> Any:
        """Return the share of all values up to each retained value."""
        upto = self._steps[1]
        return upto / upto[-1]

    def rank(self, value: float, *, inclusive: bool) -> float:
        """Return the share of values below a value, or up to it if `inclusive`."""
        values, upto = self._steps
        if (value >= self.high and inclusive) or value > self.high:
            return 1.0
        if value < self.low or (value == self.low and not inclusive):
            return 0.0
        at = int(values.searchsorted(value, "right" if inclusive else "left"))
        return float(upto[at - 1] / upto[-1]) if at else 0.0

    def quantile(self, share: float, *, inclusive: bool = True) -> float | None:
        """Return the smallest value whose inclusive rank is at least (not `inclusive`: more than) a share.

        None for no values."""
        if not self.rows:
            return None
        values, upto = self._steps
        weight = share * int(upto[-1])
        least = max(1, ceil(weight) if inclusive else floor(weight) + 1)
        if share >= 1 or least > upto[-1]:
            return self.high
        return self.low if share <= 0 else float(values[int(upto.searchsorted(least))])

    def quantiles(self, shares: Iterable[float]) -> list[float]:
        """Return the quantiles of shares, for a summary with values."""
        return [value for share in shares if (value := self.quantile(share, inclusive=False)) is not None]

    def between(self, edges: Sequence[float]) -> list[int]:
        """Return the approximate number of values in each bin of enclosing edges.

        A bin includes its lower edge; the last bin also includes its upper edge."""
        below = [0, *(round(self.rank(edge, inclusive=False) * self.rows) for edge in edges[1:-1]), self.rows]
        return [high - low for low, high in pairwise(below)]

    def error(self, *, between: bool = False) -> float:
        """Return the maximum error of a rank, or of the share `between` two values.

        0 if ranks are exact; otherwise the error holds 99 % of the time.
        The error of KLL sketches is the one that their authors fitted for each k; that of a union is at most theirs,
        as if all sketches erred in the same direction. The error of sampling is independent of it."""
        size, power = (2.446, 0.9433) if between else (2.296, 0.9723)
        of_sketches = size / self.entries.k**power * self.entries.estimated / max(1, self.rows)
        return hypot(of_sketches, self._sampling_error)

    @property
    def _sampling_error(self) -> float:
        entries, threshold = self.entries, self.entries.threshold
        if not threshold:
            return 0.0
        sampled = entries.copies[entries.levels == threshold].astype(float)
        # A share of 1/2 has the largest variance: a quarter of the sum of the squared weights.
        weight: int = 1 << threshold
        return DEVIATIONS * sqrt(float((sampled**2).sum()) / 4) * weight / self.rows

    def bounds(self, share: float) -> tuple[float, float] | None:
        """Return bounds of the exact quantile of a share: twice its error; None if it is exact.

        They are wrong about once in a million times."""
        error = ERRORS * self.error()
        if not error:
            return None
        low, high = self.quantile(share - error), self.quantile(share + error)
        return (self.low if low is None else low), (self.high if high is None else high)
