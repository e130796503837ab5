"""Test whether more values violate a pattern than when it was learned.

Section 4 of the paper (Auto-Validate, SIGMOD 2021), one-sided. The values that the pattern was learned from and the
values under evaluation are two binomial samples. Fisher's exact test and Pearson's chi-squared with Yates's
correction test whether the second sample has a larger share of non-conforming values. The tests are one-sided,
because fewer non-conforming values are no alarm (a two-sided test would flag an improvement). A significant
difference is a warning. It is an error if the share of non-conforming values also grew by more than `floor`, because
rows come in clusters and are not independent draws.

Fisher's test is scipy's, which is imported at the first comparison. Yates's closed form is implemented here: scipy's
test is two-sided, and this one must be valid for counts of any size."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import erfc, sqrt

ALPHA = 0.01
# For this many values scipy's exact probability has three digits left; for 10^15 values it takes seconds.
MOST_VALUES = 10**12
# One scipy call costs as much as forty more numbers in it.
TRIED_AT_ONCE = 32


class ConformitySeverity(StrEnum):
    """The severity of a difference between learned and observed values."""

    NONE = "none"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class ConformityCounts:
    """Number of values (`of`) and how many of them do not conform (`bad`). Counts can be added."""

    bad: int = 0
    of: int = 0

    def __add__(self, other: "ConformityCounts") -> "ConformityCounts":
        return ConformityCounts(self.bad + other.bad, self.of + other.of)

    @property
    def share(self) -> float:
        """Return the share of values that do not conform; 0 for no values."""
        return self.bad / self.of if self.of else 0.0


@dataclass(frozen=True, kw_only=True)
class ConformityComparison:
    """Comparison of the learned counts with the observed counts, with p-values under "nothing changed".

    `trained`, `newer`: the learned and the observed counts. `fisher`: p-value of Fisher's test. `chi_squared`:
    p-value by Yates's approximation; None if all values conform or none does. `detectable`: smallest share of
    non-conforming values that would be significant; None means that none would be."""

    trained: ConformityCounts
    newer: ConformityCounts
    fisher: float
    chi_squared: float | None
    detectable: float | None
    severity: ConformitySeverity

    @property
    def reason(self) -> str:
        """Return a sentence that states the difference and its significance."""
        learned = f"{self.trained.bad:,} of {self.trained.of:,} when the pattern was learned"
        counts = f"{self.newer.bad:,} of {self.newer.of:,} values do not conform, {learned}"
        if self.severity is ConformitySeverity.NONE:
            return f"{counts}: no significant difference (p = {self.fisher:.3g})"
        return f"{counts}: a significant increase (p = {self.fisher:.3g})"


def compare(
    trained: ConformityCounts, counts: ConformityCounts, *, alpha: float = ALPHA, floor: float = 0.0
) -> ConformityComparison:
    """Compare the counts; an empty sample on either side is no difference.

    `alpha`: significance level. `floor`: growth of the share above which a significant difference is an error."""
    fisher = fisher_greater(trained, counts)
    significant = fisher <= alpha
    grown = counts.share - trained.share
    severity = (
        ConformitySeverity.NONE
        if not significant
        else ConformitySeverity.ERROR
        if grown > floor
        else ConformitySeverity.WARNING
    )
    return ConformityComparison(
        trained=trained,
        newer=counts,
        fisher=fisher,
        chi_squared=chi_squared(trained, counts),
        detectable=detectable(trained, counts.of, alpha),
        severity=severity,
    )


def fisher_greater(trained: ConformityCounts, counts: ConformityCounts) -> float:
    """Return the probability of at least this many non-conforming values, given all margins; 1 without values.

    For more than 10^12 values Yates's chi-squared approximates it."""
    return _chances(trained, [counts.bad], counts.of)[0]


@lru_cache(maxsize=1 << 14)
def critical(trained: ConformityCounts, of: int, alpha: float = ALPHA) -> int | None:
    """Return the smallest significant number of non-conforming values among `of`.

    None means that even `of` non-conforming values would not be significant."""
    if not of or fisher_greater(trained, ConformityCounts(of, of)) > alpha:
        return None
    low, high = -1, of
    while high - low > 1:
        candidates = _spread(low + 1, high)
        index = next(at for at, chance in enumerate(_chances(trained, candidates, of)) if chance <= alpha)
        low, high = candidates[index - 1] if index else low, candidates[index]
    return high


def detectable(trained: ConformityCounts, of: int, alpha: float = ALPHA) -> float | None:
    """Return the smallest significant share of non-conforming values among `of`; None if none is."""
    least = critical(trained, of, alpha)
    return None if least is None else least / of


def chi_squared(trained: ConformityCounts, counts: ConformityCounts) -> float | None:
    """Return the one-sided p-value of Pearson's chi-squared with Yates's correction; None if a margin is empty."""
    bad, total = trained.bad + counts.bad, trained.of + counts.of
    if not trained.of or not counts.of or bad in {0, total}:
        return None
    signed = counts.bad * trained.of - trained.bad * counts.of
    corrected = max(0.0, abs(signed) - total / 2)
    variance = bad * (total - bad) / total * trained.of * counts.of
    root = corrected / variance**0.5
    return erfc((root if signed > 0 else -root) / sqrt(2)) / 2


def _spread(low: int, high: int) -> list[int]:
    """Return at most TRIED_AT_ONCE numbers, evenly spaced from `low` to `high`."""
    steps = TRIED_AT_ONCE - 1
    return sorted({low + (high - low) * step // steps for step in range(TRIED_AT_ONCE)})


def _chances(trained: ConformityCounts, bad: Sequence[int], of: int) -> list[float]:
    """Return the probability of at least this many non-conforming values among `of`, for each number."""
    if not trained.of or not of:
        return [1.0] * len(bad)
    if trained.of + of > MOST_VALUES:
        approximate = (chi_squared(trained, ConformityCounts(each, of)) for each in bad)
        return [1.0 if each is None else each for each in approximate]
    from scipy.stats import hypergeom

    every = [trained.bad + each for each in bad]
    chances: list[float] = hypergeom.sf([each - 1 for each in bad], trained.of + of, every, of).tolist()
    return chances
