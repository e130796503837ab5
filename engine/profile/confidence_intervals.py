"""Intervals of a share that was seen: exact ones (Clopper and Pearson 1934), which keep what they promise for few rows.

Wald's, which Deequ ships, has no width for a share of 0 or 1."""


def binomial(kept: int, of: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """The lowest and the highest share that `kept` of so many let believe, each missed by half of 1 - `confidence`.

    (0, 1) for none."""
    from scipy.special import betaincinv

    if not of:
        return 0.0, 1.0
    tail = (1 - confidence) / 2
    low = float(betaincinv(kept, of - kept + 1, tail)) if kept else 0.0
    high = float(betaincinv(kept + 1, of - kept, 1 - tail)) if kept < of else 1.0
    return low, high


def at_least(kept: int, of: int, *, confidence: float = 0.95) -> float:
    """The lowest share that `kept` of so many let believe, missed by 1 - `confidence`: 0 for none."""
    return binomial(kept, of, confidence=2 * confidence - 1)[0]
