"""Compute exact confidence intervals of an observed share (Clopper and Pearson 1934).

They keep their coverage for few rows. Wald's interval, which Deequ uses, has zero width for a share of 0 or 1."""


def binomial(successes: int, of: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return the lower and upper bound of the share behind `successes` of `of` observations.

    Each bound is missed with a probability of (1 - `confidence`) / 2. (0, 1) without observations."""
    from scipy.special import betaincinv

    if not of:
        return 0.0, 1.0
    tail = (1 - confidence) / 2
    low = float(betaincinv(successes, of - successes + 1, tail)) if successes else 0.0
    high = float(betaincinv(successes + 1, of - successes, 1 - tail)) if successes < of else 1.0
    return low, high


def at_least(successes: int, of: int, *, confidence: float = 0.95) -> float:
    """Return the lower bound of the share, missed with a probability of 1 - `confidence`; 0 without observations."""
    return binomial(successes, of, confidence=2 * confidence - 1)[0]
