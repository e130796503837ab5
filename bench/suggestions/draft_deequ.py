"""Implement Deequ's static suggestion rules (2.0.21) from its source, as a baseline for drafts."""

from collections import Counter
from collections.abc import Callable
from math import floor, sqrt
from typing import Any

import numpy

from bench.suggestions.draft_tables import Table
from treaty.engine.suggestions.column_samples import ColumnSample

StaticCheck = tuple[str, str | None, Callable[[ColumnSample], bool]]
Z = 1.96


def static_checks(table: Table, *, extended: bool) -> list[StaticCheck]:
    """Return its suggestions for the newest training snapshot: its six default rules, or all of them.

    RetainType is left out: it applies to texts that parse as numbers, which are numbers already here."""
    newest = table.snapshots[table.split - 1]
    rules = (*DEFAULT, *EXTENDED) if extended else DEFAULT
    return [
        (rule.__name__, name, breaks)
        for name in table.types
        for rule in rules
        if (breaks := rule(ColumnSample(newest[name]))) is not None
    ]


def complete_if_complete(sample: ColumnSample) -> Callable[[ColumnSample], bool] | None:
    """Require completeness if the column was complete."""
    return _less_complete(1.0) if _completeness(sample) == 1 else None


def retain_completeness(sample: ColumnSample) -> Callable[[ColumnSample], bool] | None:
    """Require the lower bound of Wald's interval for completeness, rounded down to two digits."""
    share = _completeness(sample)
    return _less_complete(_wald(share, len(sample.values))) if 0.2 < share < 1 else None


def categorical_range(sample: ColumnSample) -> Callable[[ColumnSample], bool] | None:
    """Require past values if few of them occurred once."""
    counts = _histogram(sample)
    if not counts or sum(count == 1 for count in counts.values()) / len(counts) > 0.1:
        return None
    return _share_below(frozenset(counts), 1.0)


def fractional_categorical_range(sample: ColumnSample) -> Callable[[ColumnSample], bool] | None:
    """Require the most frequent values, with the lower bound of Wald's interval for their share."""
    counts = _histogram(sample)
    if not counts or sum(count == 1 for count in counts.values()) / len(counts) > 0.4:
        return None
    total, covered, frequent = len(sample.values), 0.0, set()
    for value, count in counts.most_common():
        if covered >= 0.9:
            break
        frequent.add(value)
        covered += count / total
    return _share_below(frozenset(frequent), _wald(covered, total)) if covered < 1 else None


def non_negative_numbers(column_sample: ColumnSample) -> Callable[[ColumnSample], bool] | None:
    """Require non-negative numbers if none was negative."""
    if not _is_number(column_sample) or column_sample.present.min() < 0:
        return None
    return lambda sample: _is_number(sample) and bool(sample.present.min() < 0)


def unique_if_approximately_unique(column_sample: ColumnSample) -> Callable[[ColumnSample], bool] | None:
    """Require uniqueness if the number of values was within 8 % of the rows."""
    if (
        _completeness(column_sample) < 1
        or abs(1 - len(set(column_sample.present.tolist())) / len(column_sample.values)) > 0.08
    ):
        return None
    return lambda sample: len(set(sample.present.tolist())) < len(sample.present)


def _equality(
    statistic: Callable[[ColumnSample], Any],
) -> Callable[[ColumnSample], Callable[[ColumnSample], bool] | None]:
    def rule(column_sample: ColumnSample) -> Callable[[ColumnSample], bool] | None:
        if not _is_number(column_sample):
            return None
        limit = statistic(column_sample)
        return lambda sample: _is_number(sample) and bool(statistic(sample) != limit)

    return rule


def has_min_length(column_sample: ColumnSample) -> Callable[[ColumnSample], bool] | None:
    """Require the past minimum length; a missing text has length 0."""
    lengths = _lengths(column_sample)
    return (lambda sample: min(_lengths(sample) or [0]) < min(lengths)) if lengths else None


def has_max_length(column_sample: ColumnSample) -> Callable[[ColumnSample], bool] | None:
    """Require the past maximum length."""
    lengths = _lengths(column_sample)
    return (lambda sample: max(_lengths(sample) or [0]) > max(lengths)) if lengths else None


def _named(name: str, rule: Any) -> Any:
    rule.__name__ = name
    return rule


DEFAULT = (
    complete_if_complete, retain_completeness, categorical_range, fractional_categorical_range, non_negative_numbers,
    unique_if_approximately_unique,
)  # fmt: skip
EXTENDED = (
    _named("has_min", _equality(lambda sample: sample.present.min())),
    _named("has_max", _equality(lambda sample: sample.present.max())),
    # Deequ 2.0.21 uses the maximum here, and compares its mean analyzer with it.
    _named("has_mean", _equality(lambda sample: sample.present.mean())),
    _named("has_standard_deviation", _equality(lambda sample: sample.present.std())),
    has_min_length,
    has_max_length,
)


def _completeness(sample: ColumnSample) -> float:
    return len(sample.present) / len(sample.values) if len(sample.values) else 0.0


def _less_complete(least: float) -> Callable[[ColumnSample], bool]:
    return lambda sample: len(sample.values) > 0 and _completeness(sample) < least


def _wald(share: float, rows: int) -> float:
    return floor(100 * (share - Z * sqrt(share * (1 - share) / rows))) / 100


def _is_number(sample: ColumnSample) -> bool:
    return sample.values.dtype != object and len(sample.present) > 0


def _histogram(sample: ColumnSample) -> Counter[Any]:
    """Return the counts of texts or whole numbers with at most 120 values, else nothing."""
    whole = sample.values.dtype == object or bool((sample.present == numpy.round(sample.present)).all())
    counts = Counter(sample.present.tolist())
    return counts if whole and len(counts) <= 120 else Counter()


def _share_below(tokens: frozenset[Any], least: float) -> Callable[[ColumnSample], bool]:
    def breaks(sample: ColumnSample) -> bool:
        rows = len(sample.values)
        unknown = sum(value not in tokens for value in sample.present.tolist())
        satisfied = (rows - unknown) if least == 1 else len(sample.present) - unknown
        return rows > 0 and satisfied / rows < least

    return breaks


def _lengths(sample: ColumnSample) -> list[int]:
    if sample.values.dtype != object:
        return []
    return [len(text or "") for text in sample.values.tolist()]
