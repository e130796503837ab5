"""Derive a column's value range and the share of values that must lie within it."""

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from treaty.contracts.editing.check_entry import check
from treaty.contracts.predicates.parser import quote
from treaty.engine.components.operands import TEXT
from treaty.engine.core.results import Value
from treaty.engine.profile.facts import is_valid_predicate
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.states.bag import StateBag
from treaty.engine.suggestions.candidates import SuggestionMetric, compliance, number, plainly
from treaty.engine.suggestions.column_samples import ColumnSample
from treaty.engine.suggestions.number_columns import NumberColumn
from treaty.engine.suggestions.parsed_texts import numbers_of, parsed_share
from treaty.engine.suggestions.tolerances import drifts

# With fewer rows, distinct whole numbers are no sign of a key.
LEAST_ROWS_OF_KEY = 100
# Least share of distinct values of a key: sketches have an error of 5 %.
NEARLY_DISTINCT = 0.9
Bounds = tuple[float, float]


def bounds(numbers: NumberColumn, part: HistorySlice) -> Bounds | None:
    """Return the range; None for keys, drifting values, constants and columns with infinities or NaN."""
    column = numbers.column
    low, high = part.series(column, "q01"), part.series(column, "q99")
    if not low or (numbers.is_whole and _is_key(column, part)):
        return None
    extremes = [*part.series(column, "minimum"), *part.series(column, "maximum")]
    if not all(math.isfinite(value) for value in extremes) or any(
        drifts([float(value) for value in part.series(column, name)]) for name in ("q01", "median", "q99")
    ):
        return None
    lower, upper = _widened(min(low), max(high), floor=min(extremes))
    return (lower, upper) if math.isfinite(lower) and math.isfinite(upper) and lower < upper else None


def _widened(low: float, high: float, *, floor: Any) -> Bounds:
    width = high - low
    lower, upper = _rounded(low - width, math.floor), _rounded(high + width, math.ceil)
    return (max(lower, 0.0) if floor >= 0 else lower), upper


def _rounded(value: float, towards: Callable[[float], int]) -> float:
    if value == 0 or not math.isfinite(value):
        return value
    step = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    return float(Decimal(str(towards(value / step))) * Decimal(str(step)))


def share(numbers: NumberColumn, part: HistorySlice) -> float:
    """Return the required share: 99 %, or less if two values of a partition are more than 1 %."""
    least = min(filter(None, _evaluated(numbers, part)), default=0)
    return math.floor(100 * (1 - max(0.01, 2 / least))) / 100 if least > 2 else 0.0


def _evaluated(numbers: NumberColumn, part: HistorySlice) -> list[int]:
    """Return the number of values of each partition that a check evaluates: of texts, those that are present."""
    if not numbers.is_text:
        return part.rows
    completeness = part.each(numbers.column, "completeness")
    return [round(float(present or 0) * rows) for present, rows in zip(completeness, part.rows, strict=True)]


def bounds_check(numbers: NumberColumn, slug: str, words: str, within: Bounds, least: float) -> dict[str, Any] | None:
    """Return the check that a share of the numbers lies within the bounds, inclusive.

    Texts are parsed by `in_range`. None if a contract may not contain the predicate of other columns."""
    name, (lower, upper) = numbers.name, within
    predicate = f"{quote(name)} IS NULL OR {quote(name)} BETWEEN {number(lower)} AND {number(upper)}"
    if numbers.is_text:
        limits = {"minimum": plainly(lower), "maximum": plainly(upper), "mustBeGreaterOrEqualTo": least}
        return check(slug, words, "conformity", {"analyzer": "in_range", "column": name, **limits})
    return (
        check(slug, words, "conformity", compliance(predicate, at_least=least))
        if is_valid_predicate(predicate)
        else None
    )


def share_between(column: ColumnProfile, lower: float, upper: float) -> SuggestionMetric:
    """Return the share of numbers between two bounds, inclusive; None without numbers."""
    return SuggestionMetric(
        lambda part: part.read(
            (column.column.name, "within", (lower, upper)), lambda bag: _share_within(column, bag, lower, upper)
        ),
        lambda sample: _share_of_sample(sample, lower, upper),
    )


def _share_within(column: ColumnProfile, bag: StateBag, lower: float, upper: float) -> Value:
    parsed = parsed_share(column, bag, "number") if column.column.base_type in TEXT else 1.0
    if not parsed:
        return parsed
    ranks = column.ranks(bag)
    return parsed * (ranks.rank(upper, inclusive=True) - ranks.rank(lower, inclusive=False)) if ranks else None


def _share_of_sample(sample: ColumnSample, lower: float, upper: float) -> Value:
    """Return the share of all rows; a missing number counts as within, a missing text is not counted."""
    is_text = sample.values.dtype == object
    numbers = numbers_of(sample.present.tolist()) if is_text else sample.present
    rows = len(numbers) if is_text else len(sample.values)
    return float(1 - (~((numbers >= lower) & (numbers <= upper))).sum() / rows) if rows else None


def _is_key(column: ColumnProfile, part: HistorySlice) -> bool:
    """Return whether whole numbers number the rows: nearly all of them are distinct."""
    distinct, rows = part.series(column, "approx_count_distinct"), sum(part.rows)
    if rows < LEAST_ROWS_OF_KEY:
        return False
    # The whole table is merged once, and only if every partition looks like a key.
    pairs = zip(distinct, filter(None, part.rows), strict=False)
    own = all(float(count) >= NEARLY_DISTINCT * each for count, each in pairs)
    whole = part.history.whole
    return own and float(column.value("approx_count_distinct", whole) or 0) >= NEARLY_DISTINCT * rows
