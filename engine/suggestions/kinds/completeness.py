"""Suggest checks on missing values."""

from functools import partial

from treaty.contracts.assertions import Assertion
from treaty.contracts.editing.check_entry import check
from treaty.engine.core.number_format import percentage
from treaty.engine.profile.confidence_intervals import binomial
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.suggestions.candidates import SuggestionCandidate, metric, of_column
from treaty.engine.suggestions.tolerances import MARGINS, SAFETY

# As in Deequ: mostly empty columns get no suggestion.
LEAST_COMPLETENESS = 0.2


@of_column()
def complete(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """Suggest that no value is missing."""
    if not len(part) or min(part.series(column, "completeness"), default=0) < 1:
        return None
    return SuggestionCandidate(
        kind="complete",
        sentence=f"{column.column.name} is required",
        expression=f"completeness of {column.column.name} is 1",
        patch={"required": True},
        measure=metric(column, "completeness"),
        assertion=Assertion("mustBe", 1),
        limits=(1, None),
        relaxed=partial(_present, column, "complete", "error"),
    )


def _present(column: ColumnProfile, kind: str, severity: str, least: float) -> SuggestionCandidate:
    """Return the check that a share of the values is present."""
    name = column.column.name
    words = f"{name} is present in at least {percentage(least)} of the rows"
    implementation = {"analyzer": "completeness", "column": name, "mustBeGreaterOrEqualTo": least}
    return SuggestionCandidate(
        kind=kind,
        sentence=words,
        expression=f"completeness of {name} is at least {least}",
        patch={"quality": check(f"{name}-completeness", words, "completeness", implementation)},
        measure=metric(column, "completeness"),
        assertion=Assertion("mustBeGreaterOrEqualTo", least),
        severity=severity,
        limits=(least, None),
    )


@of_column()
def not_empty(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """Suggest that no text is empty."""
    name, shortest = column.column.name, part.series(column, "minimum_length")
    if min(shortest, default=0) < 1:
        return None
    words = f"{name} is never an empty string"
    implementation = {"analyzer": "minimum_length", "column": name, "mustBeGreaterOrEqualTo": 1}
    return SuggestionCandidate(
        kind="not_empty",
        sentence=words,
        expression=f"length of {name} is at least 1",
        patch={"quality": check(f"{name}-not-empty", words, "completeness", implementation)},
        measure=metric(column, "minimum_length"),
        assertion=Assertion("mustBeGreaterOrEqualTo", 1),
        limits=(1, None),
    )


@of_column(margins=MARGINS, safety=SAFETY)
def mostly_complete(column: ColumnProfile, part: HistorySlice, margin: float) -> SuggestionCandidate | None:
    """Suggest a minimum completeness, from the emptiest partition.

    This is Deequ's retained completeness, with an exact interval. The threshold is the exact lower confidence bound of
    that partition's share, minus `margin` times the range of all."""
    completeness_by_partition = zip(part.each(column, "completeness"), part.rows, strict=True)
    shares = [(float(share), rows) for share, rows in completeness_by_partition if rows and share is not None]
    if not shares or not LEAST_COMPLETENESS < min(shares)[0] < 1:
        return None
    worst, rows = min(shares)
    spread = max(shares)[0] - worst
    least = _floored(binomial(round(worst * rows), rows)[0] - margin * spread)
    return _present(column, "mostly_complete", "warning", least) if least >= LEAST_COMPLETENESS else None


def _floored(share: float) -> float:
    """Round down to two digits."""
    return int(share * 100) / 100 if share > 0 else 0.0
