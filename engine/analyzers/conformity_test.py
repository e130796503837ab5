"""Whether more values break a pattern than did when it was learned: section 4 of the paper, one-sided.

The values learned from and the values judged are two binomial samples. Fisher's exact test and Pearson's chi-squared
with Yates's correction ask whether the second's share of non-conforming values is greater. One-sided, for fewer is no
alarm (a two-sided test flags an improvement). A significant difference is a warning; it is an error where the share of
non-conforming values besides grew by more than `floor`, for rows come in clusters and are not independent draws.

Fisher's test is scipy's, loaded at the first comparison. Yates's closed form stays here: scipy's is two-sided, and it
must hold for counts of any size."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import erfc, sqrt

ALPHA = 0.01
# Of so many values scipy's exact chance has three digits left, and of 10^15 it takes seconds.
MOST_VALUES = 10**12
# A call of scipy costs as much as forty more numbers in it.
TRIED_AT_ONCE = 32


class ConformitySeverity(StrEnum):
    """What a comparison says."""

    NONE = "none"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class ConformityCounts:
    """Values, and how many of them do not conform. Two of them add up."""

    bad: int = 0
    of: int = 0

    def __add__(self, other: "ConformityCounts") -> "ConformityCounts":
        return ConformityCounts(self.bad + other.bad, self.of + other.of)

    @property
    def share(self) -> float:
        """The share that does not conform; 0 of none."""
        return self.bad / self.of if self.of else 0.0


@dataclass(frozen=True, kw_only=True)
class ConformityComparison:
    """What was learned from beside what is judged, with the chances of such a difference if nothing had changed.

    `chi_squared` None where Yates's approximation says nothing: all conform, or none does."""

    trained: ConformityCounts
    newer: ConformityCounts
    fisher: float
    chi_squared: float | None
    detectable: float | None
    severity: ConformitySeverity

    @property
    def reason(self) -> str:
        """A sentence about the difference and what it means."""
        before = f"{self.trained.bad} of {self.trained.of} did not"
        told = f"{self.newer.bad} of {self.newer.of} values do not conform, {before}"
        if self.severity is ConformitySeverity.NONE:
            return f"{told}: no significant difference (p = {self.fisher:.3g})"
        return f"{told}: significantly more (p = {self.fisher:.3g})"


def compare(
    trained: ConformityCounts, judged: ConformityCounts, *, alpha: float = ALPHA, floor: float = 0.0
) -> ConformityComparison:
    """The comparison; nothing judged or nothing learned is no difference. `floor`: the growth in share of an error."""
    fisher = fisher_greater(trained, judged)
    significant = fisher <= alpha
    grown = judged.share - trained.share
    severity = (
        ConformitySeverity.NONE
        if not significant
        else ConformitySeverity.ERROR
        if grown > floor
        else ConformitySeverity.WARNING
    )
    return ConformityComparison(
        trained=trained,
        newer=judged,
        fisher=fisher,
        chi_squared=chi_squared(trained, judged),
        detectable=detectable(trained, judged.of, alpha),
        severity=severity,
    )


def fisher_greater(trained: ConformityCounts, judged: ConformityCounts) -> float:
    """The chance of at least so many non-conforming values among those judged, all margins given; 1 without values.

    Of more than 10^12 values it is what Yates's chi-squared says."""
    return _chances(trained, [judged.bad], judged.of)[0]


@lru_cache(maxsize=1 << 14)
def critical(trained: ConformityCounts, of: int, alpha: float = ALPHA) -> int | None:
    """The least number of non-conforming values among `of` that is significant; None where not even all would be."""
    if not of or fisher_greater(trained, ConformityCounts(of, of)) > alpha:
        return None
    low, high = -1, of
    while high - low > 1:
        tried = _spread(low + 1, high)
        found = next(at for at, chance in enumerate(_chances(trained, tried, of)) if chance <= alpha)
        low, high = tried[found - 1] if found else low, tried[found]
    return high


def detectable(trained: ConformityCounts, of: int, alpha: float = ALPHA) -> float | None:
    """The smallest share of non-conforming values among `of` that would be significant; None where none would be."""
    least = critical(trained, of, alpha)
    return None if least is None else least / of


def chi_squared(trained: ConformityCounts, judged: ConformityCounts) -> float | None:
    """The one-sided chance by Pearson's chi-squared with Yates's correction; None where a margin is empty."""
    bad, total = trained.bad + judged.bad, trained.of + judged.of
    if not trained.of or not judged.of or bad in {0, total}:
        return None
    signed = judged.bad * trained.of - trained.bad * judged.of
    corrected = max(0.0, abs(signed) - total / 2)
    variance = bad * (total - bad) / total * trained.of * judged.of
    root = corrected / variance**0.5
    return erfc((root if signed > 0 else -root) / sqrt(2)) / 2


def _spread(low: int, high: int) -> list[int]:
    """At most so many numbers, evenly spread from the one to the other."""
    steps = TRIED_AT_ONCE - 1
    return sorted({low + (high - low) * step // steps for step in range(TRIED_AT_ONCE)})


def _chances(trained: ConformityCounts, bad: Sequence[int], of: int) -> list[float]:
    """For each number of non-conforming values among `of` the chance of at least so many."""
    if not trained.of or not of:
        return [1.0] * len(bad)
    if trained.of + of > MOST_VALUES:
        approximate = (chi_squared(trained, ConformityCounts(each, of)) for each in bad)
        return [1.0 if each is None else each for each in approximate]
    from scipy.stats import hypergeom

    every = [trained.bad + each for each in bad]
    chances: list[float] = hypergeom.sf([each - 1 for each in bad], trained.of + of, every, of).tolist()
    return chances
