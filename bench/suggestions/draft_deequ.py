"""Deequ's static suggestion rules (2.0.21), as its source has them: what drafts are held against."""

from collections import Counter
from collections.abc import Callable
from math import floor, sqrt
from typing import Any

import numpy

from bench.suggestions.draft_tables import Table
from treaty.engine.suggestions.column_samples import ColumnSample

Found = tuple[str, str | None, Callable[[ColumnSample], bool]]
Z = 1.96


def static_checks(table: Table, *, extended: bool) -> list[Found]:
    """What it suggests for the newest snapshot that is learned on: its six default rules, or all of them.

    RetainType is left out: it is of texts that read as numbers, which have become numbers here."""
    newest = table.snapshots[table.split - 1]
    rules = (*DEFAULT, *EXTENDED) if extended else DEFAULT
    return [
        (rule.__name__, name, breaks)
        for name in table.types
        for rule in rules
        if (breaks := rule(ColumnSample(newest[name]))) is not None
    ]


def complete_if_complete(seen: ColumnSample) -> Callable[[ColumnSample], bool] | None:
    """Complete where it was."""
    return _less_complete(1.0) if _completeness(seen) == 1 else None


def retain_completeness(seen: ColumnSample) -> Callable[[ColumnSample], bool] | None:
    """As complete as Wald's interval lets believe, two digits downwards."""
    share = _completeness(seen)
    return _less_complete(_wald(share, len(seen.values))) if 0.2 < share < 1 else None


def categorical_range(seen: ColumnSample) -> Callable[[ColumnSample], bool] | None:
    """One of the values that were seen, where few occurred once."""
    counts = _histogram(seen)
    if not counts or sum(count == 1 for count in counts.values()) / len(counts) > 0.1:
        return None
    return _share_below(frozenset(counts), 1.0)


def fractional_categorical_range(seen: ColumnSample) -> Callable[[ColumnSample], bool] | None:
    """One of the most frequent values, as often as Wald's interval lets believe."""
    counts = _histogram(seen)
    if not counts or sum(count == 1 for count in counts.values()) / len(counts) > 0.4:
        return None
    total, covered, known = len(seen.values), 0.0, set()
    for value, count in counts.most_common():
        if covered >= 0.9:
            break
        known.add(value)
        covered += count / total
    return _share_below(frozenset(known), _wald(covered, total)) if covered < 1 else None


def non_negative_numbers(seen: ColumnSample) -> Callable[[ColumnSample], bool] | None:
    """Never negative where it was not."""
    if not _is_number(seen) or seen.present.min() < 0:
        return None
    return lambda sample: _is_number(sample) and bool(sample.present.min() < 0)


def unique_if_approximately_unique(seen: ColumnSample) -> Callable[[ColumnSample], bool] | None:
    """Unique where about as many values as rows were seen: 8 % more or fewer."""
    if _completeness(seen) < 1 or abs(1 - len(set(seen.present.tolist())) / len(seen.values)) > 0.08:
        return None
    return lambda sample: len(set(sample.present.tolist())) < len(sample.present)


def _equality(told: Callable[[ColumnSample], Any]) -> Callable[[ColumnSample], Callable[[ColumnSample], bool] | None]:
    def rule(seen: ColumnSample) -> Callable[[ColumnSample], bool] | None:
        if not _is_number(seen):
            return None
        limit = told(seen)
        return lambda sample: _is_number(sample) and bool(told(sample) != limit)

    return rule


def has_min_length(seen: ColumnSample) -> Callable[[ColumnSample], bool] | None:
    """As long as the shortest, a missing text being of length 0."""
    lengths = _lengths(seen)
    return (lambda sample: min(_lengths(sample) or [0]) < min(lengths)) if lengths else None


def has_max_length(seen: ColumnSample) -> Callable[[ColumnSample], bool] | None:
    """As short as the longest."""
    lengths = _lengths(seen)
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
    # Deequ 2.0.21 has the maximum here: its analyzer of the mean is held against it.
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


def _histogram(seen: ColumnSample) -> Counter[Any]:
    """How often each value occurs, of texts and whole numbers with at most 120 values."""
    whole = seen.values.dtype == object or bool((seen.present == numpy.round(seen.present)).all())
    counts = Counter(seen.present.tolist())
    return counts if whole and len(counts) <= 120 else Counter()


def _share_below(known: frozenset[Any], least: float) -> Callable[[ColumnSample], bool]:
    def breaks(sample: ColumnSample) -> bool:
        rows = len(sample.values)
        unknown = sum(value not in known for value in sample.present.tolist())
        kept = (rows - unknown) if least == 1 else len(sample.present) - unknown
        return rows > 0 and kept / rows < least

    return breaks


def _lengths(sample: ColumnSample) -> list[int]:
    if sample.values.dtype != object:
        return []
    return [len(text or "") for text in sample.values.tolist()]
