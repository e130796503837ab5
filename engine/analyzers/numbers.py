"""Metrics of ordered and numeric values. All ignore nulls; most have no value without a non-null value."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from math import sqrt
from typing import Any

from treaty.contracts.assertions import Assertion
from treaty.engine.analyzers import violation_bounds
from treaty.engine.analyzers.arguments import ColumnName
from treaty.engine.analyzers.base import Analyzer, NotApplicableToTable
from treaty.engine.analyzers.bound import Operands
from treaty.engine.analyzers.shares import InvalidRowCount
from treaty.engine.analyzers.violating_rows import ViolatingRows
from treaty.engine.components import base
from treaty.engine.components.base import EXACT, CountComponent, MaxComponent, MinComponent
from treaty.engine.components.moments import HigherMoments, Moments
from treaty.engine.components.operands import NUMERIC, TEMPORAL, Operand
from treaty.engine.core.results import Value


class Minimum(Analyzer):
    """Smallest value of numbers, texts (by code point), booleans, dates and timestamps.

    Exact on integers and decimals. Dates and timestamps are given as ISO 8601 text. NaN is larger than every number.
    No value for an empty table, if all values are null, or if no row matches `where`."""

    name = "minimum"
    unit = "value"
    violation_phrase = "rows have a smaller value"
    column: ColumnName
    smallest = MinComponent("{column}")

    def value(self, state: Any) -> Value:
        return _plain(state.smallest)

    def breaking(self, operands: Operands, assertion: Assertion) -> ViolatingRows | None:
        return violation_bounds.too_small(operands["column"][0], assertion)


class Maximum(Analyzer):
    """Largest value of numbers, texts (by code point), booleans, dates and timestamps.

    Exact on integers and decimals. Dates and timestamps are given as ISO 8601 text. NaN is larger than every number
    and satisfies no assertion. No value for an empty table, if all values are null, or if no row matches `where`."""

    name = "maximum"
    unit = "value"
    violation_phrase = "rows have a larger value"
    column: ColumnName
    largest = MaxComponent("{column}")

    def value(self, state: Any) -> Value:
        return _plain(state.largest)

    def breaking(self, operands: Operands, assertion: Assertion) -> ViolatingRows | None:
        return violation_bounds.too_large(operands["column"][0], assertion)


def _plain(value: Any) -> Value:
    return value if value is None or isinstance(value, int | float | Decimal | str) else str(value.isoformat())


class Range(Analyzer):
    """Largest value minus smallest value.

    Exact on integers and decimals, whole days for dates, seconds for times. NaN if any value is NaN, because NaN is
    the largest. No value for an empty table, if all values are null, or if no row matches `where`."""

    name = "range"
    unit = "value"
    column: ColumnName
    smallest = MinComponent("{column}", takes=NUMERIC | TEMPORAL)
    largest = MaxComponent("{column}", takes=NUMERIC | TEMPORAL)

    def value(self, state: Any) -> Value:
        return None if state.largest is None else _distance(state.smallest, state.largest)


def _distance(low: Any, high: Any) -> Value:
    if isinstance(low, datetime):
        return (high - low) / timedelta(seconds=1)  # type: ignore[no-any-return]
    if isinstance(low, date):
        return int((high - low).days)
    return EXACT.subtract(high, low) if isinstance(low, Decimal) else high - low


class Sum(Analyzer):
    """Sum of the numbers: exact on integers (of any size) and decimals, a double on floats.

    No value (not 0) for an empty table, if all values are null, or if no row matches `where`."""

    name = "sum"
    unit = "value"
    column: ColumnName
    total = base.SumComponent("{column}")

    def value(self, state: Any) -> Value:
        return float(state.total) if isinstance(state.total, float) else state.total


class Mean(Analyzer):
    """Arithmetic mean of the numbers: the exact sum divided once, as a double.

    No value for an empty table, if all values are null, or if no row matches `where`."""

    name = "mean"
    unit = "value"
    column: ColumnName
    total = base.SumComponent("{column}")
    count = CountComponent("{column}")

    def value(self, state: Any) -> float | None:
        return _divided(state.total, state.count) if state.count else None

    def counted(self, state: Any) -> int:
        return int(state.count)


class RatioOfSums(Analyzer):
    """Sum of `numerator` divided by the sum of `denominator`.

    Both sums are exact on integers and decimals, and divided once. Each sum ignores its own nulls. No value if
    either sum has no values, or if the denominator's sum is 0."""

    name = "ratio_of_sums"
    unit = "ratio"
    numerator: ColumnName
    denominator: ColumnName
    above = base.SumComponent("{numerator}")
    below = base.SumComponent("{denominator}")

    def value(self, state: Any) -> float | None:
        return _divided(state.above, state.below) if state.above is not None and state.below else None


def _divided(above: Any, below: Any) -> float:
    if isinstance(above, float) or isinstance(below, float):
        return float(above) / float(below)
    return float(Fraction(above) / Fraction(below))


class Zeros(InvalidRowCount):
    """Number of rows with the number 0 (or -0.0); 0 for an empty table. Nulls and NaN are not 0.

    `count_in: percent` gives the share of all rows times 100, with no value for an empty table. No value if no row
    matches `where`."""

    name = "zeros"
    value_template = "{value} {count_in} of {counted} rows have 0 in {column}"
    violation_phrase = "rows have 0"
    column: ColumnName

    def condition(self, named: Operands) -> Operand:
        column = named["column"][0]
        if column.base_type not in NUMERIC:
            raise NotApplicableToTable(f"{self.name} cannot be computed on {column.sql}: its type is {column.type}")
        return Operand(sql=f"{column.sql} = 0", type="boolean")


class Variance(Analyzer):
    """Population variance of the numbers, m2 / n; 0 for one value.

    States are merged by Chan et al. (1979). NaN if any value is NaN. No value for an empty table, if all values are
    null, or if no row matches `where`."""

    name = "variance"
    unit = "value"
    column: ColumnName
    moments = Moments("{column}")

    def value(self, state: Any) -> float | None:
        count, _, squares = state.moments
        return float(squares / count) if count else None

    def counted(self, state: Any) -> int:
        return int(state.moments[0])


class StandardDeviation(Variance):
    """Population standard deviation of the numbers, sqrt(m2 / n); 0 for one value.

    States are merged by Chan et al. (1979). NaN if any value is NaN. No value for an empty table, if all values are
    null, or if no row matches `where`."""

    name = "standard_deviation"

    def value(self, state: Any) -> float | None:
        variance = super().value(state)
        return None if variance is None else sqrt(variance)


class Skewness(Analyzer):
    """Population skewness of the numbers, sqrt(n) m3 / m2^1.5.

    States are merged by Pébay (2008). NaN if any value is NaN. No value for an empty table, if all values are null,
    if no row matches `where`, or for a constant column, whose skewness is 0 / 0 (Deequ: 0)."""

    name = "skewness"
    unit = "coefficient"
    column: ColumnName
    moments = HigherMoments("{column}")

    def value(self, state: Any) -> float | None:
        count, _, m2, m3, _ = state.moments
        return float(sqrt(count) * m3 / m2 / sqrt(m2)) if m2 else None

    def counted(self, state: Any) -> int:
        return int(state.moments[0])


class Kurtosis(Skewness):
    """Population excess kurtosis of the numbers, n m4 / m2^2 - 3; 0 for a normal distribution.

    States are merged by Pébay (2008). NaN if any value is NaN. No value for an empty table, if all values are null,
    if no row matches `where`, or for a constant column, whose kurtosis is 0 / 0 (Deequ: 0)."""

    name = "kurtosis"

    def value(self, state: Any) -> float | None:
        count, _, m2, _, m4 = state.moments
        return float(count * m4 / m2 / m2 - 3) if m2 else None
