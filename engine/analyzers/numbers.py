"""Metrics of ordered and numeric values. All ignore nulls; all have no value where no non-null value was seen."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

from engine.analyzers.arguments import ColumnName
from engine.analyzers.base import Analyzer
from engine.analyzers.components import Count, Max, Min, Sum
from engine.analyzers.moments import Moments
from engine.results import Value


class Minimum(Analyzer):
    """The smallest value of numbers, text (by code point), dates and timestamps; exact on longs and decimals.

    Dates and timestamps come as ISO 8601 text. NaN counts as larger than every number."""

    name = "minimum"
    unit = "value"
    column: ColumnName
    smallest = Min("{column}")

    def value(self, state: Any) -> Value:
        return _plain(state.smallest)


class Maximum(Analyzer):
    """The largest value of numbers, text (by code point), dates and timestamps; exact on longs and decimals.

    Dates and timestamps come as ISO 8601 text. NaN counts as larger than every number."""

    name = "maximum"
    unit = "value"
    column: ColumnName
    largest = Max("{column}")

    def value(self, state: Any) -> Value:
        return _plain(state.largest)


def _plain(value: Any) -> Value:
    return value if value is None or isinstance(value, int | float | Decimal | str) else str(value.isoformat())


class Mean(Analyzer):
    """Arithmetic mean of the numbers: the exact sum divided once, as a double."""

    name = "mean"
    unit = "value"
    column: ColumnName
    total = Sum("{column}")
    count = Count("{column}")

    def value(self, state: Any) -> float | None:
        if not state.count:
            return None
        return (
            state.total / state.count if isinstance(state.total, float) else float(Fraction(state.total) / state.count)
        )


class StandardDeviation(Analyzer):
    """Population standard deviation of the numbers, sqrt(m2 / n): 0 for one value. Merged by Chan et al. (1979)."""

    name = "standard_deviation"
    unit = "value"
    column: ColumnName
    moments = Moments("{column}")

    def value(self, state: Any) -> float | None:
        count, _, squares = state.moments
        return float((squares / count) ** 0.5) if count else None
