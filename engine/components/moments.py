"""Mergeable moments of numbers. Merging is exact: each number of a merged state is rounded once."""

from collections.abc import Sequence
from math import sqrt
from typing import Any, ClassVar

from treaty.engine.components.base import Component, Retention
from treaty.engine.components.exact_sums import merged_moments
from treaty.engine.components.operands import NUMERIC, Operand

Three = tuple[int, float, float]
Five = tuple[int, float, float, float, float]


class CentralMoments(Component):
    """Base class of counts with means and sums of powers of deviations. Equal values keep deviations of exactly 0."""

    accepts = NUMERIC
    retention = Retention.NOTHING
    zero: ClassVar[Any]

    def merge(self, left: Any, right: Any) -> Any:
        return self.merge_all((left, right))

    def merge_all(self, states: Sequence[Any]) -> Any:
        return merged_moments(states, self.zero)


class Moments(CentralMoments):
    """Count, mean and sum of squared deviations of the non-null values: (n, mean, m2)."""

    kind = "moments"
    zero = (0, 0.0, 0.0)

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        value = operands[0].real()
        return f"count({value})", f"avg({value})", f"var_pop({value})"

    def read(self, row: tuple[Any, ...], operands: tuple[Operand, ...]) -> Three:
        count, mean, variance = row
        return (count, mean, variance * count) if count else self.zero


class HigherMoments(CentralMoments):
    """Count, mean and sums of deviations to the powers 2 to 4: (n, mean, m2, m3, m4) of the non-null values."""

    kind = "higher_moments"
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
