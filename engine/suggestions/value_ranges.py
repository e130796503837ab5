"""Derive a column's value range and the share of values that must lie within it."""

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from treaty.engine.components.operands import INTEGRAL, NUMERIC
from treaty.engine.core.results import Value
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.states.bag import StateBag
from treaty.engine.suggestions.candidates import SuggestionMetric
from treaty.engine.suggestions.column_samples import ColumnSample
from treaty.engine.suggestions.tolerances import drifts


def bounds(column: ColumnProfile, part: HistorySlice) -> tuple[float, float] | None:
    """Return the range; None for keys, drifting values, constants and columns with infinities or NaN."""
    low, high = part.series(column, "q01"), part.series(column, "q99")
    if not low or column.column.base_type not in NUMERIC or _is_key(column, part):
        return None
    extremes = [*part.series(column, "minimum"), *part.series(column, "maximum")]
    if not all(math.isfinite(value) for value in extremes) or any(
        drifts([float(value) for value in part.series(column, name)]) for name in ("q01", "median", "q99")
    ):
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
    """Return the required share: 99 %, or less if two rows of a partition are more than 1 %."""
    return math.floor(100 * (1 - max(0.01, 2 / rows))) / 100 if rows > 2 else 0.0


def share_between(column: ColumnProfile, lower: float, upper: float) -> SuggestionMetric:
    """Return the share of numbers between two bounds, inclusive; None without numbers."""
    return SuggestionMetric(
        lambda part: part.read(
            (column.column.name, "within", (lower, upper)), lambda bag: _share_within(column, bag, lower, upper)
        ),
        lambda sample: _share_of_sample(sample, lower, upper),
    )


def _share_within(column: ColumnProfile, bag: StateBag, lower: float, upper: float) -> Value:
    ranks = column.ranks(bag)
    return ranks.rank(upper, inclusive=True) - ranks.rank(lower, inclusive=False) if ranks else None


def _share_of_sample(sample: ColumnSample, lower: float, upper: float) -> Value:
    """Return the share of all rows; a missing value counts as within."""
    rows = len(sample.values)
    return float(1 - ((sample.present < lower) | (sample.present > upper)).sum() / rows) if rows else None


def _is_key(column: ColumnProfile, part: HistorySlice) -> bool:
    """Return True if a column of whole numbers numbers the rows: nearly all its values are distinct."""
    distinct, rows = part.series(column, "approx_count_distinct"), sum(part.rows)
    if column.column.base_type not in INTEGRAL or rows < 100:
        return False
    # The whole table is merged once, and only if every partition looks like a key.
    own = all(float(count) >= 0.9 * each for count, each in zip(distinct, filter(None, part.rows), strict=False))
    return own and float(column.value("approx_count_distinct", part.history.whole) or 0) >= 0.9 * rows
