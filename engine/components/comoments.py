"""Mergeable joint moments of two numeric columns."""

from typing import Any

from treaty.engine.components.base import Component, Retention
from treaty.engine.components.operands import NUMERIC, Operand

Six = tuple[int, float, float, float, float, float]


class CoMoments(Component):
    """Joint moments of two columns: (n, mean x, mean y, m2x, m2y, cxy).

    `m2x`, `m2y`: sums of squared deviations; `cxy`: sum of the products of deviations. Only rows in which neither
    value is null count. Merged by Chan et al. (1979) and Pébay (2008), equation 3.1."""

    kind = "co_moments"
    accepts = NUMERIC
    retention = Retention.NOTHING
    zero = (0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        """Return Spark's regression aggregates, which skip rows in which either value is null."""
        x, y = (operand.real() for operand in operands)
        names = ("regr_count", "regr_avgx", "regr_avgy", "regr_sxx", "regr_syy", "regr_sxy")
        return tuple(f"{name}({y}, {x})" for name in names)

    def read(self, row: tuple[Any, ...], operands: tuple[Operand, ...]) -> Six:
        count, x, y, m2x, m2y, cxy = row
        return (count, x, y, m2x, m2y, cxy) if count else self.zero

    def merge(self, left: Six, right: Six) -> Six:
        if not (left[0] and right[0]):
            return left if left[0] else right
        # The larger state first makes the merge symmetric. Equal means stay unchanged, so that a constant column keeps
        # deviations of exactly 0.
        (n1, x1, y1, *one), (n2, x2, y2, *two) = sorted((left, right), reverse=True)
        n, dx, dy = n1 + n2, x2 - x1, y2 - y1
        weight = n1 * n2 / n
        between = (dx * dx * weight, dy * dy * weight, dx * dy * weight)
        m2x, m2y, cxy = (a + b + c for a, b, c in zip(one, two, between, strict=True))
        return n, x1 + dx * (n2 / n), y1 + dy * (n2 / n), m2x, m2y, cxy
