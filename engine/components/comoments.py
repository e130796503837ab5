"""Mergeable joint moments of two numeric columns. Merging is exact: each number of a merged state is rounded once."""

from collections.abc import Sequence
from math import isfinite, nan
from typing import Any

from treaty.engine.components.base import Component, Retention
from treaty.engine.components.exact_sums import Exact, RoundedSums, added, central, power_sums, quotient, ratio
from treaty.engine.components.operands import NUMERIC, Operand

Six = tuple[int, float, float, float, float, float]


class CoMoments(Component):
    """Joint moments of two columns: (n, mean x, mean y, m2x, m2y, cxy).

    `m2x`, `m2y`: sums of squared deviations; `cxy`: sum of the products of deviations. Only rows in which neither
    value is null count. A constant column keeps deviations of exactly 0."""

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

    def merge(self, left: Any, right: Any) -> Any:
        return self.merge_all((left, right))

    def merge_all(self, states: Sequence[Any]) -> Any:
        present = [state for state in states if state[0]]
        if len(present) < 2:
            return present[0] if present else self.zero
        count = sum(state[0] for state in present)
        sums = [added(column) for column in zip(*map(_sums, present), strict=True)]
        (x, m2x), (y, m2y) = central(count, sums[:2]), central(count, sums[2:4])
        return RoundedSums.of((count, x, y, m2x, m2y, _joint(count, sums[0], sums[2], sums[4])), sums)


def _sums(state: Any) -> Sequence[Exact]:
    """Return the exact sums of x, x squared, y, y squared and x y."""
    if isinstance(state, RoundedSums):
        return state.exact
    count, x, y, m2x, m2y, cxy = state
    return *power_sums((count, x, m2x)), *power_sums((count, y, m2y)), _products(count, x, y, cxy)


def _products(count: int, x: float, y: float, cxy: float) -> Exact:
    if not (isfinite(x) and isfinite(y) and isfinite(cxy)):
        return cxy if isfinite(x) and isfinite(y) else nan
    (x_numerator, x_shift), (y_numerator, y_shift) = ratio(x), ratio(y)
    return added([ratio(cxy), (count * x_numerator * y_numerator, x_shift + y_shift)])


def _joint(count: int, x: Exact, y: Exact, products: Exact) -> float:
    """Return the sum of the products of deviations, rounded once."""
    if isinstance(x, float) or isinstance(y, float):
        return nan
    if isinstance(products, float):
        return products
    numerator, shift = added([(count * products[0], products[1]), (-x[0] * y[0], x[1] + y[1])])  # type: ignore[misc]
    return quotient(numerator, count << shift)
