"""Mergeable moments of numbers, with as little loss of digits as possible."""

from math import sqrt
from typing import Any

from treaty.engine.components.base import Component, Retention
from treaty.engine.components.operands import NUMERIC, Operand

Three = tuple[int, float, float]
Five = tuple[int, float, float, float, float]


class Moments(Component):
    """Count, mean and sum of squared deviations of the non-null values: (n, mean, m2).

    Merged by Chan et al. (1979)."""

    kind = "moments"
    accepts = NUMERIC
    retention = Retention.NOTHING
    zero = (0, 0.0, 0.0)

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        value = operands[0].real()
        return f"count({value})", f"avg({value})", f"var_pop({value})"

    def read(self, row: tuple[Any, ...], operands: tuple[Operand, ...]) -> Three:
        count, mean, variance = row
        return (count, mean, variance * count) if count else self.zero

    def merge(self, left: Three, right: Three) -> Three:
        (n1, mean1, m1), (n2, mean2, m2) = left, right
        if not (n1 and n2):
            return left if n1 else right
        count, delta = n1 + n2, mean2 - mean1
        return count, _mean(n1, mean1, n2, mean2), m1 + m2 + delta * delta * (n1 * n2 / count)


class HigherMoments(Component):
    """Count, mean and sums of deviations to the powers 2 to 4.

    Of the non-null values: (n, mean, m2, m3, m4). Merged by Pébay (2008), Formulas for robust, one-pass parallel
    computation of covariances and arbitrary-order statistical moments, equations 1.5, 1.6 and 2.1."""

    kind = "higher_moments"
    accepts = NUMERIC
    retention = Retention.NOTHING
    zero = (0, 0.0, 0.0, 0.0, 0.0)

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        value = operands[0].real()
        return *Moments().aggregates(operands), f"skewness({value})", f"kurtosis({value})"

    def read(self, row: tuple[Any, ...], operands: tuple[Operand, ...]) -> Five:
        count, mean, variance, skewness, kurtosis = row
        if not count:
            return self.zero
        m2 = variance * count
        if skewness is None:
            return count, mean, m2, 0.0, 0.0
        return count, mean, m2, skewness * m2 * sqrt(m2 / count), (kurtosis + 3) * m2 * (m2 / count)

    def merge(self, left: Five, right: Five) -> Five:
        (n1, mean1, *a), (n2, mean2, *b) = left, right
        if not (n1 and n2):
            return left if n1 else right
        n, d = n1 + n2, mean2 - mean1
        m2 = a[0] + b[0] + d * d * (n1 * n2 / n)
        m3 = a[1] + b[1] + d * d * d * (n1 * n2 * (n1 - n2) / n**2) + 3 * d * (n1 * b[0] - n2 * a[0]) / n
        own = d * d * d * d * (n1 * n2 * (n1 * n1 - n1 * n2 + n2 * n2) / n**3)
        mixed = 6 * d * d * (n1 * n1 * b[0] + n2 * n2 * a[0]) / n**2 + 4 * d * (n1 * b[1] - n2 * a[1]) / n
        return n, _mean(n1, mean1, n2, mean2), m2, m3, a[2] + b[2] + own + mixed


def _mean(n1: int, mean1: float, n2: int, mean2: float) -> float:
    """Return the weighted mean of two means.

    This form is symmetric, unlike mean1 + delta * n2 / n, so the order of merging does not matter. Equal means stay
    unchanged: the deviations of a constant column are exactly 0."""
    return mean1 if mean1 == mean2 else (mean1 * n1 + mean2 * n2) / (n1 + n2)
