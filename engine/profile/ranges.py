"""The range that a column's numbers keep to: its bounds, and which share of the values must lie within it."""

import math
import statistics
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from engine.analyzers.quoting import INTEGRAL, NUMERIC
from engine.analyzers.sketches import Quantiles
from engine.profile.profile import ColumnProfile, History
from engine.states import States

LEAST_PARTITIONS_FOR_TREND = 8


def bounds(column: ColumnProfile, history: History) -> tuple[float, float] | None:
    """The range; None for keys, for what drifts, for constants, and where infinities or NaN leave no range."""
    low, high = history.series(column, "q01"), history.series(column, "q99")
    if not low or column.column.base_type not in NUMERIC or _is_key(column, history):
        return None
    extremes = [*history.series(column, "minimum"), *history.series(column, "maximum")]
    if not all(math.isfinite(value) for value in extremes) or _drifts(history.series(column, "median")):
        return None
    lower, upper = _widened(min(low), max(high), floor=min(extremes))
    return (lower, upper) if math.isfinite(lower) and math.isfinite(upper) and lower < upper else None


def _widened(low: float, high: float, *, floor: Any) -> tuple[float, float]:
    width = high - low
    lower, upper = _rounded(low - width, math.floor), _rounded(high + width, math.ceil)
    return (max(lower, 0.0) if floor >= 0 else lower), upper


def _rounded(value: float, towards: Callable[[float], int]) -> float:
    if value == 0 or not math.isfinite(value):
        return value
    step = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    return float(Decimal(str(towards(value / step))) * Decimal(str(step)))


def share(rows: int) -> float:
    """At least 99 %, and less where a partition is so small that two rows are more than one in a hundred."""
    return math.floor(100 * (1 - max(0.01, 2 / rows))) / 100 if rows > 2 else 0.0


def share_within(column: ColumnProfile, bag: States, lower: float, upper: float) -> float | None:
    """Which share of the numbers lies between the two, both of them included; None where there is no number."""
    part = column.metrics["median"].parts["ranks"]
    state = bag.values.get(part.key)
    if state is None or (sketch := Quantiles.sketch(state)).is_empty():
        return None
    return float(sketch.get_rank(upper, inclusive=True) - sketch.get_rank(lower, inclusive=False))


def _is_key(column: ColumnProfile, history: History) -> bool:
    """Whether a column of whole numbers counts rows: nearly as many distinct values as rows, over many rows."""
    distinct, rows = column.value("approx_count_distinct", history.whole), sum(history.rows)
    return column.column.base_type in INTEGRAL and rows >= 100 and float(distinct or 0) >= 0.9 * rows


def _drifts(values: Sequence[float]) -> bool:
    """Whether the values rise or fall steadily (rank correlation with time beyond 0.8): no fixed range will last."""
    if len(values) < LEAST_PARTITIONS_FOR_TREND or len(set(values)) < 2:
        return False
    return abs(statistics.correlation(range(len(values)), _ranks(values))) > 0.8


def _ranks(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    return [(ordered.index(value) + len(ordered) - 1 - ordered[::-1].index(value)) / 2 for value in values]
