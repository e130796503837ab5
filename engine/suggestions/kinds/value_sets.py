"""Suggest checks on the values of a column."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

from treaty.contracts.assertions import Assertion
from treaty.contracts.editing.check_entry import check
from treaty.contracts.predicates.parser import literal, quote
from treaty.engine.components.operands import INTEGRAL, TEXT
from treaty.engine.core.number_format import figure, percentage
from treaty.engine.core.results import Value
from treaty.engine.profile.facts import is_valid_predicate
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.profile.value_masks import mask_of
from treaty.engine.suggestions import value_ranges
from treaty.engine.suggestions.candidates import (
    SuggestionCandidate,
    SuggestionMetric,
    compliance,
    metric,
    number,
    of_column,
    of_rows,
)
from treaty.engine.suggestions.column_samples import ColumnSample
from treaty.engine.suggestions.number_columns import NumberColumn, number_column
from treaty.engine.suggestions.parsed_texts import parsed_type
from treaty.engine.suggestions.tolerances import drifts

MOST_CATEGORIES = 200
LEAST_ROWS_FOR_CATEGORIES = 100
# Set by hand: categories occur this often on average, and this share of them more than once (Deequ: nine in ten).
TIMES_SEEN, SEEN_AGAIN = 10, 0.9
# This many partitions with the same values make the set complete.
LEAST_ALIKE = 5
LEAST_SHARE = 0.5
# Set by hand: whole numbers that reach over this many times as many numbers as there are values are codes.
SPARSE = 2


@dataclass(frozen=True, kw_only=True)
class Sign:
    """A sign that all numbers of a column have.

    `operator`: compares the minimum with 0. `bound`: argument of `in_range` for texts. `lower`: least such number."""

    kind: str
    words: str
    slug: str
    limit: str
    operator: str
    bound: str
    lower: float

    def candidate(self, numbers: NumberColumn) -> SuggestionCandidate:
        """Return the check of the minimum, or of the numbers that texts parse as."""
        implementation, measure, assertion = self._of_texts(numbers) if numbers.is_text else self._of_minimum(numbers)
        words = f"{numbers.subject} {self.words}"
        subject = numbers.subject if numbers.is_text else f"minimum of {numbers.name}"
        limits = {**implementation, assertion.operator: assertion.limit}
        return SuggestionCandidate(
            kind=self.kind,
            sentence=words,
            expression=f"{subject} is {self.limit}",
            patch={"quality": check(f"{numbers.name}-{self.slug}", words, "conformity", limits)},
            measure=measure,
            assertion=assertion,
            limits=(assertion.limit, None),
            details=numbers.details,
        )

    def _of_minimum(self, numbers: NumberColumn) -> tuple[dict[str, Any], SuggestionMetric, Assertion]:
        return {"analyzer": "minimum"}, metric(numbers.column, "minimum"), Assertion(self.operator, 0)

    def _of_texts(self, numbers: NumberColumn) -> tuple[dict[str, Any], SuggestionMetric, Assertion]:
        implementation = {"analyzer": "in_range", "column": numbers.name, self.bound: 0}
        measure = value_ranges.share_between(numbers.column, self.lower, math.inf)
        return implementation, measure, Assertion("mustBeGreaterOrEqualTo", 1)


NOT_NEGATIVE = Sign(
    kind="non_negative",
    words="is never negative",
    slug="not-negative",
    limit="at least 0",
    operator="mustBeGreaterOrEqualTo",
    bound="minimum",
    lower=0.0,
)
POSITIVE = Sign(
    kind="positive",
    words="is always positive",
    slug="positive",
    limit="above 0",
    operator="mustBeGreaterThan",
    bound="exclusive_minimum",
    lower=math.ulp(0.0),
)


@of_column()
def non_negative(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """Suggest that no number is below zero."""
    numbers, lowest = number_column(column, part), part.series(column, "minimum")
    if numbers is None or not lowest or not all(value >= 0 for value in lowest):
        return None
    return NOT_NEGATIVE.candidate(numbers)


@of_column()
def positive(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """Suggest that every number is above zero.

    Whole numbers must stay so even if they fall again by as much as ever before."""
    numbers, lowest = number_column(column, part), part.series(column, "minimum")
    if numbers is None or not lowest or not all(value > 0 for value in lowest):
        return None
    if numbers.is_whole and min(lowest) <= max((a - b for a, b in pairwise(lowest)), default=0):
        return None
    return POSITIVE.candidate(numbers)


@of_column()
def value_range(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """Suggest that nearly all numbers lie within the widened extreme percentiles of all partitions.

    They are widened by their distance."""
    numbers = number_column(column, part)
    bounds = value_ranges.bounds(numbers, part) if numbers else None
    share = value_ranges.share(numbers, part) if numbers else 0
    return _within(numbers, bounds, share) if numbers and bounds and share >= LEAST_SHARE else None


def _within(numbers: NumberColumn, bounds: value_ranges.Bounds, share: float) -> SuggestionCandidate | None:
    name, (lower, upper) = numbers.name, bounds
    values = "values" if numbers.is_text else "rows"
    limits = f"between {figure(lower)} and {figure(upper)} in at least {percentage(share)} of the {values}"
    words = f"{numbers.subject} is {limits}"
    entry = value_ranges.bounds_check(numbers, f"{name}-range", words, bounds, share)
    if entry is None:
        return None
    return SuggestionCandidate(
        kind="value_range",
        sentence=words,
        expression=f"{number(lower)} <= {name} <= {number(upper)} for {percentage(share)}",
        patch={"quality": entry},
        measure=value_ranges.share_between(numbers.column, lower, upper),
        assertion=Assertion("mustBeGreaterOrEqualTo", share),
        severity="warning",
        limits=(share, None),
        details={"lower": lower, "upper": upper, **numbers.details},
        drops=True,
    )


@of_column()
def categorical(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """Suggest that a column of texts, flags or codes has only its past few values."""
    counts = categories(column, part)
    return _among(column, counts, 1) if counts and _is_closed(column, part, len(counts)) else None


def _is_closed(column: ColumnProfile, part: HistorySlice, size: int) -> bool:
    """Return True if a new value is unlikely: all have many rows, or all partitions have the same values."""
    counts_by_partition = [counts for counts, _ in part.values(column) if counts]
    plenty = all(sum(counts.values()) >= TIMES_SEEN * size for counts in counts_by_partition)
    return plenty or (
        len(counts_by_partition) >= LEAST_ALIKE and all(len(counts) == size for counts in counts_by_partition)
    )


@of_column(margins=(0.005, 0.01, 0.02, 0.05), safety=2.0)
def mostly_categorical(column: ColumnProfile, part: HistorySlice, margin: float) -> SuggestionCandidate | None:
    """Suggest that all but a margin of the texts have past values.

    This is Deequ's fractional categorical range."""
    counts = categories(column, part)
    return _among(column, counts, 1 - margin) if counts and not _goes_on(column, part) else None


def _goes_on(column: ColumnProfile, part: HistorySlice) -> bool:
    """Return True if new values keep appearing: the newer partitions contain fewer and fewer of the older half's
    values."""
    half = len(part) // 2
    older_values = frozenset(part.part(0, half).all_values(column)[0])
    shares = (_share_known(counts, older_values) for counts, _ in part.part(half).values(column))
    return drifts([share for share in shares if share is not None]) < 0


def categories(column: ColumnProfile, part: HistorySlice) -> Mapping[str, int] | None:
    """Return the values of a column of texts, flags or codes with counts; None if too many or not recurring."""
    counts, error = part.all_values(column, MOST_CATEGORIES)
    if error or not 0 < len(counts) <= MOST_CATEGORIES or not _names_categories(column, part, counts):
        return None
    recurring = sum(count > 1 for count in counts.values())
    if sum(counts.values()) < max(LEAST_ROWS_FOR_CATEGORIES, TIMES_SEEN * len(counts)):
        return None
    if not is_valid_predicate(_is_among(column, _in_order(column, counts))):
        return None
    return counts if recurring >= SEEN_AGAIN * len(counts) else None


def _names_categories(column: ColumnProfile, part: HistorySlice, values: Collection[str]) -> bool:
    """Return whether values name categories: texts, and whole numbers that are flags or codes, not amounts."""
    is_text = column.column.base_type in TEXT
    if (parsed_type(column, part) == "integer") if is_text else (column.column.base_type in INTEGRAL):
        return _are_codes(values)
    return is_text


def _are_codes(values: Collection[str]) -> bool:
    numbers = sorted(map(int, values))
    return numbers == [0, 1] or numbers[-1] - numbers[0] >= SPARSE * len(numbers) > SPARSE


def _in_order(column: ColumnProfile, values: Collection[str]) -> list[str]:
    return sorted(values, key=None if column.column.base_type in TEXT else int)


def _is_among(column: ColumnProfile, values: Sequence[str]) -> str:
    """Return SQL that a value is missing or one of these."""
    name, is_text = quote(column.column.name), column.column.base_type in TEXT
    return f"{name} IS NULL OR {name} IN ({', '.join(literal(value) if is_text else value for value in values)})"


def _among(column: ColumnProfile, counts: Mapping[str, int], share: float) -> SuggestionCandidate:
    name, exact, is_text = column.column.name, share == 1, column.column.base_type in TEXT
    values = _in_order(column, counts)
    predicate, among = _is_among(column, values), frozenset(values)
    least = math.floor(round(share * 1000, 6)) / 1000
    words = of_rows(f"{name} is one of {len(values)} known values", least)
    kind, slug = ("categorical", "values") if exact else ("mostly_categorical", "known-values")
    return SuggestionCandidate(
        kind=kind,
        sentence=words,
        expression=f"{name} in ({', '.join(values)})" + ("" if exact else f" for {percentage(least)}"),
        patch={"quality": check(f"{name}-{slug}", words, "conformity", compliance(predicate, at_least=least))},
        measure=SuggestionMetric(
            lambda part: [_share_known(value_counts, among) for value_counts, _ in part.values(column)],
            lambda sample: _share_of_sample(sample, among if is_text else frozenset(map(float, among))),
        ),
        assertion=Assertion("mustBeGreaterOrEqualTo", least),
        limits=(least, None),
        details={"values": values, "counts": [counts[value] for value in values]},
        counter=lambda part: _unknown(column, part, among),
        relaxed=partial(_among, column, counts),
    )


def _share_known(counts: Mapping[str, int], values: frozenset[str]) -> float | None:
    total = sum(counts.values())
    return sum(count for value, count in counts.items() if value in values) / total if total else None


def _share_of_sample(sample: ColumnSample, values: frozenset[str] | frozenset[float]) -> Value:
    """Return the share of all rows; a missing value counts as known."""
    rows = len(sample.values)
    return 1 - sum(each not in values for each in sample.present.tolist()) / rows if rows else None


def _unknown(column: ColumnProfile, part: HistorySlice, values: frozenset[str]) -> list[str]:
    counts, _ = part.all_values(column)
    return sorted({mask_of(value) for value in counts if value not in values})
