"""Profiles: what each column looked like in each partition, from one scan's states, and the table's history of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any

from contracts.logical_types import Column, Schema
from engine import states as bags
from engine.analyzers.base import Analyzer, Unbindable
from engine.analyzers.bound import BoundAnalyzer, BoundComponent
from engine.analyzers.distinct import ApproxCountDistinct, Uniqueness
from engine.analyzers.nulls import Completeness
from engine.analyzers.numbers import Maximum, Mean, Minimum, StandardDeviation
from engine.analyzers.quantiles import ApproxQuantile
from engine.analyzers.quoting import TEXT, Operand
from engine.analyzers.sketches import HeavyHitters
from engine.plan import Plan, plan
from engine.results import Value
from engine.states import States

METRICS: Mapping[str, Callable[[str], Analyzer]] = {
    "completeness": lambda column: Completeness(column=column),
    "approx_count_distinct": lambda column: ApproxCountDistinct(column=column),
    "minimum": lambda column: Minimum(column=column),
    "maximum": lambda column: Maximum(column=column),
    "mean": lambda column: Mean(column=column),
    "standard_deviation": lambda column: StandardDeviation(column=column),
    "q01": lambda column: ApproxQuantile(column=column, quantile=0.01),
    "median": lambda column: ApproxQuantile(column=column, quantile=0.5),
    "q99": lambda column: ApproxQuantile(column=column, quantile=0.99),
}


@dataclass(frozen=True)
class ColumnProfile:
    """What is measured of one column: its metrics by name, and the frequent values where it is text."""

    column: Column
    metrics: Mapping[str, BoundAnalyzer]
    frequent: BoundComponent | None
    unique: BoundAnalyzer | None

    def value(self, metric: str, bag: States) -> Value:
        """The metric in these states; None where this column has no such metric or no value."""
        bound = self.metrics.get(metric)
        try:
            return bound.value(bag.values) if bound else None
        except KeyError:
            return None

    def values(self, bag: States) -> tuple[Mapping[str, int], int]:
        """(frequent value -> count, greatest error of a count); empty for columns that are not text."""
        state = bag.entries.get(self.frequent.key) if self.frequent else None
        return HeavyHitters.values(state.value) if state else ({}, 0)


def profile_of(column: Column, schema: Schema) -> ColumnProfile:
    """The metrics that fit the column's type; of one that is classified, only those that hold no value of it."""
    bound = {metric: _bound(make(column.name), schema) for metric, make in METRICS.items()}
    text = column.base_type in TEXT and (column.name,) not in schema.classified
    sql = next(
        (part.operands[0].sql for each in bound.values() if each for part in each.parts.values() if part.operands), ""
    )
    return ColumnProfile(
        column=column,
        metrics={metric: each for metric, each in bound.items() if each and not _shows_values(each)},
        frequent=BoundComponent(HeavyHitters(), (Operand(sql, column.type),)) if text and sql else None,
        unique=_bound(Uniqueness(columns=(column.name,)), schema),
    )


def _bound(analyzer: Analyzer, schema: Schema) -> BoundAnalyzer | None:
    try:
        return analyzer.bind(schema)
    except Unbindable:
        return None


def _shows_values(bound: BoundAnalyzer) -> bool:
    return any(part.passing for part in bound.parts.values())


def profile_plan(columns: Iterable[ColumnProfile]) -> Plan:
    """One scan for all columns; no grouping."""
    given = list(columns)
    return plan(
        (bound for each in given for bound in each.metrics.values()),
        beside=(each.frequent for each in given if each.frequent),
    )


@dataclass(frozen=True)
class History:
    """The profiled columns and the states of each partition, oldest first."""

    columns: tuple[ColumnProfile, ...]
    partitions: tuple[tuple[str, States], ...]

    def part(self, start: int, end: int | None = None) -> "History":
        """The history of some partitions, by position."""
        return History(self.columns, self.partitions[start:end])

    @cached_property
    def whole(self) -> States:
        """All partitions together."""
        return bags.merge(bag for _, bag in self.partitions) or States({})

    @property
    def rows(self) -> list[int]:
        """Rows of each partition."""
        return [bag.rows for _, bag in self.partitions]

    def series(self, column: ColumnProfile, metric: str) -> list[Any]:
        """The metric in each partition that has a value of it."""
        values = (column.value(metric, bag) for _, bag in self.partitions)
        return [value for value in values if value is not None]


def summary(history: History) -> dict[str, Any]:
    """The profile of the whole table as plain data: rows, partitions, and the metrics of each column."""
    return {
        "rows": sum(history.rows),
        "partitions": [name for name, _ in history.partitions],
        "columns": [_column_summary(each, history.whole) for each in history.columns],
    }


def _column_summary(profile: ColumnProfile, whole: States) -> dict[str, Any]:
    metrics = {name: plain(profile.value(name, whole)) for name in profile.metrics}
    counts, _ = profile.values(whole)
    frequent = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:10]
    return {"name": profile.column.name, "type": profile.column.type, "metrics": metrics, "frequent": frequent}


def plain(value: Value) -> int | float | str | None:
    """The value as JSON has it: decimals as floats, None for NaN and infinities."""
    if value is None or isinstance(value, int | str):
        return value
    return float(value) if isfinite(value) else None


def ordered(bags_by_name: Mapping[str, States], names: Sequence[str] = ()) -> tuple[tuple[str, States], ...]:
    """Partitions in the order of their names, oldest first for dates; only `names` where given."""
    return tuple((name, bags_by_name[name]) for name in sorted(bags_by_name) if not names or name in names)
