"""Moments of numbers, merged without loss of digits where that is possible."""

from typing import Any

from engine.analyzers.components import Component
from engine.analyzers.quoting import NUMERIC, Operand


class Moments(Component):
    """Count, mean and sum of squared deviations of the non-null values: (n, mean, m2), merged by Chan et al. (1979)."""

    kind = "moments"
    accepts = NUMERIC
    zero = (0, 0.0, 0.0)

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        value = operands[0].real()
        return f"count({value})", f"avg({value})", f"var_pop({value})"

    def read(self, row: tuple[Any, ...], operands: tuple[Operand, ...]) -> tuple[int, float, float]:
        count, mean, variance = row
        return (count, mean, variance * count) if count else self.zero

    def merge(self, left: tuple[int, float, float], right: tuple[int, float, float]) -> tuple[int, float, float]:
        (n1, mean1, m1), (n2, mean2, m2) = left, right
        if not (n1 and n2):
            return left if n1 else right
        count, delta = n1 + n2, mean2 - mean1
        # Weighted, not mean1 + delta * n2 / count: this form is symmetric, so the order of merging does not matter.
        mean = (mean1 * n1 + mean2 * n2) / count
        return count, mean, m1 + m2 + delta * delta * (n1 * n2 / count)
