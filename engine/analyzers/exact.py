"""Exact SQL aggregates of metrics that sketches estimate."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from typing import Any

from treaty.engine.components.operands import Operand
from treaty.engine.components.unions import frequent_union, rank_union
from treaty.engine.core.results import ExactValue

# Values of a state in place of a sketch: more than twice as many as a sketch of frequent values lists.
MOST_VALUES = 4096


@dataclass(frozen=True, kw_only=True)
class ExactMetric:
    """SQL of a metric's exact value, for one statement over the rows.

    - `aggregates`: SQL aggregates without a filter.
    - `value`: converts their results to the metric.
    - `groups`: SQL of values to count first, without nulls; the aggregates are then over each `value`, its count `n`,
      the `running` count of values up to it, its `place` from the most frequent one, the number of `distinct` values
      and their `total`. None means over the rows.
    - `second`: converts the results to the metric of a second statement, None without a value. None means that one
      statement suffices.
    - `constants`: arrays of numbers by their names in the SQL. They are joined to the rows: a plan would show literals,
      and these may be values of a classified column.
    - `component`: the component whose state the value is, as bytes, for metrics that compare two states. None means
      that it is the metric itself."""

    aggregates: tuple[str, ...]
    value: Callable[[Sequence[Any]], ExactValue] = lambda _: None
    groups: str | None = None
    second: Callable[[Sequence[Any]], "ExactMetric | None"] | None = None
    constants: Mapping[str, Sequence[float]] = field(default_factory=dict)
    component: str | None = None

    def within(self, condition: str) -> "ExactMetric":
        """Return the metric of the rows for which a condition is true."""
        second = self.second and partial(_second_within, self.second, condition)
        if self.groups is not None:
            return replace(self, groups=f"CASE WHEN {condition} THEN {self.groups} END", second=second)
        filtered = tuple(f"{sql} FILTER (WHERE {condition})" for sql in self.aggregates)
        return replace(self, aggregates=filtered, second=second)

    @property
    def described(self) -> str:
        """Return the SQL for people."""
        sql = ", ".join(self.aggregates)
        counted = sql if self.groups is None else f"{sql} of the counted values of {self.groups}"
        return f"{counted}, then a second statement" if self.second else counted


def _second_within(
    second: Callable[[Sequence[Any]], ExactMetric | None], condition: str, row: Sequence[Any]
) -> ExactMetric | None:
    metric = second(row)
    return metric.within(condition) if metric else None


def distinct_count(*operands: Operand) -> ExactMetric:
    """Return the number of distinct values or combinations.

    A combination of nulls alone does not count."""
    columns = [each.uncovered() for each in operands]
    present = " OR ".join(f"{sql} IS NOT NULL" for sql in columns)
    counted = columns[0] if len(columns) == 1 else f"CASE WHEN {present} THEN struct({', '.join(columns)}) END"
    return ExactMetric(aggregates=(f"count(DISTINCT {counted})",), value=lambda row: int(row[0]))


def distinct_ratio(operand: Operand) -> ExactMetric:
    """Return the number of distinct values per non-null value."""
    column = operand.uncovered()
    return ExactMetric(
        aggregates=(f"count(DISTINCT {column})", f"count({column})"),
        value=lambda row: row[0] / row[1] if row[1] else None,
    )


def quantiles(operand: Operand, shares: Sequence[float], value: Callable[[Sequence[float]], float]) -> ExactMetric:
    """Return a metric of quantiles: nearest rank, inclusive, without nulls and NaN."""
    # A sort that may spill: percentile_disc would hold the distinct values in memory, and takes ten times as long.
    sqls = (f"min(value) FILTER (WHERE running >= {Decimal(repr(share)):f}BD * total)" for share in shares)
    return ExactMetric(
        aggregates=tuple(sqls), value=lambda row: None if row[0] is None else value(row), groups=_numbers(operand)
    )


def _numbers(operand: Operand) -> str:
    """Return SQL of the numbers without NaN."""
    return f"nullif({operand.real()}, double('NaN'))"


def fullest_share(text: str) -> ExactMetric:
    """Return the share of the most frequent of the non-null values of a SQL expression."""
    return ExactMetric(
        aggregates=("max(n)", "sum(n)"), value=lambda row: row[0] / row[1] if row[1] else None, groups=text
    )


def fullest_bucket_share(operand: Operand, edges: Callable[[float, float], Sequence[float] | None]) -> ExactMetric:
    """Return the share of the numbers in the fullest bucket.

    `edges`: returns the edges of the buckets between the extremes, None if there is no value. The extremes are read
    first, because SQL cannot compute the edges exactly."""
    numbers = _numbers(operand)

    def second(row: Sequence[Any]) -> ExactMetric | None:
        bucket_edges = None if row[0] is None else edges(*row)
        return _fullest_between(numbers, bucket_edges[1:-1]) if bucket_edges else None

    return ExactMetric(aggregates=(f"min({numbers})", f"max({numbers})"), second=second)


def _fullest_between(number: str, inner: Sequence[float]) -> ExactMetric:
    name = f"treaty_edges_{len(inner)}"
    constants = {name: [float(edge) for edge in inner]} if inner else {}
    return replace(fullest_share(_bucket(number, name, len(inner))), constants=constants)


def _bucket(number: str, edges: str, count: int) -> str:
    """Return SQL of a number's bucket: how many inner edges it reaches; null for null."""
    if not count:
        return f"CASE WHEN {number} IS NOT NULL THEN 0 END"
    steps = ", ".join(str(1 << power) for power in reversed(range(count.bit_length())))
    # A binary search; `get` counts from 0 and is null beyond the last edge.
    reached = f"get({edges}, treaty_at + treaty_step - 1) <= {number}"
    step = f"(treaty_at, treaty_step) -> CASE WHEN {reached} THEN treaty_at + treaty_step ELSE treaty_at END"
    return f"CASE WHEN {number} IS NOT NULL THEN aggregate(array({steps}), 0, {step}) END"


def ranks(operand: Operand, component: str) -> ExactMetric:
    """Return a state of the numbers at equally spaced ranks.

    Complete up to 4,096 distinct numbers; beyond that, ranks of other numbers are off by less than 1 in 4,096. It
    depends on the numbers only, not on their order or division."""
    step = f"running * {MOST_VALUES} div total > (running - n) * {MOST_VALUES} div total"
    condition = f"distinct <= {MOST_VALUES} OR running = n OR {step}"
    collected = f"collect_list(struct(value, running)) FILTER (WHERE {condition})"
    return ExactMetric(aggregates=(collected,), value=_rank_state, groups=_numbers(operand), component=component)


def _rank_state(row: Sequence[Any]) -> bytes | None:
    pairs = sorted(map(tuple, row[0]))
    return rank_union.of_running_counts(*zip(*pairs, strict=True)).dump() if pairs else None


def frequent_values(text: str, component: str) -> ExactMetric:
    """Return a state of the 4,096 most frequent values with exact counts.

    Of equally frequent values the first in order are listed."""
    listed = f"collect_list(struct(value, n)) FILTER (WHERE place <= {MOST_VALUES})"
    unlisted = f"coalesce(max(n) FILTER (WHERE place > {MOST_VALUES}), 0)"
    return ExactMetric(aggregates=(listed, "sum(n)", unlisted), value=_frequent_state, groups=text, component=component)


def _frequent_state(row: Sequence[Any]) -> bytes | None:
    listed, rows, unlisted = row
    return frequent_union.of_counts(dict(map(tuple, listed)), rows, unlisted).dump() if listed else None
