"""Exact SQL aggregates of the metrics that sketches estimate."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from treaty.engine.components.operands import Operand
from treaty.engine.core.results import Value


@dataclass(frozen=True)
class ExactMetric:
    """SQL of a metric's exact value, for one statement over the rows.

    `aggregates`: SQL aggregates without a filter. `value`: converts their results to the metric. `groups`: SQL of
    values to count first, without nulls; the aggregates are then over each `value`, its count `n`, the `running` count
    of values up to it, and their `total`. None means over the rows."""

    aggregates: tuple[str, ...]
    value: Callable[[Sequence[Any]], Value]
    groups: str | None = None

    def within(self, condition: str) -> "ExactMetric":
        """Return the metric of the rows for which a condition is true."""
        if self.groups is not None:
            return replace(self, groups=f"CASE WHEN {condition} THEN {self.groups} END")
        return replace(self, aggregates=tuple(f"{sql} FILTER (WHERE {condition})" for sql in self.aggregates))

    @property
    def described(self) -> str:
        """Return the SQL for people."""
        sql = ", ".join(self.aggregates)
        return sql if self.groups is None else f"{sql} of the counted values of {self.groups}"


def distinct_count(*operands: Operand) -> ExactMetric:
    """Return the number of distinct values or combinations.

    A combination of nulls alone does not count."""
    columns = [each.uncovered() for each in operands]
    present = " OR ".join(f"{sql} IS NOT NULL" for sql in columns)
    counted = columns[0] if len(columns) == 1 else f"CASE WHEN {present} THEN struct({', '.join(columns)}) END"
    return ExactMetric((f"count(DISTINCT {counted})",), lambda row: int(row[0]))


def quantiles(operand: Operand, shares: Sequence[float], value: Callable[[Sequence[float]], float]) -> ExactMetric:
    """Return a metric of quantiles: nearest rank, inclusive, without nulls and NaN."""
    # A sort that may spill: percentile_disc would hold the distinct values in memory, and takes ten times as long.
    sqls = (f"min(value) FILTER (WHERE running >= {Decimal(repr(share)):f}BD * total)" for share in shares)
    numbers = f"nullif({operand.real()}, double('NaN'))"
    return ExactMetric(tuple(sqls), lambda row: None if row[0] is None else value(row), groups=numbers)


def fullest_share(text: str) -> ExactMetric:
    """Return the share of the most frequent of the non-null values of a SQL expression."""
    return ExactMetric(("max(n)", "sum(n)"), lambda row: row[0] / row[1] if row[1] else None, groups=text)
