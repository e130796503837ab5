"""Import and list all kinds of suggestions, the functions in `treaty.engine.suggestions.kinds`."""

from collections.abc import Iterator
from functools import partial

from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.suggestions.candidates import (
    COLUMN_SUGGESTIONS,
    TABLE_SUGGESTIONS,
    SuggestionCandidate,
    SuggestionKind,
)
from treaty.engine.suggestions.kinds import (
    check_digits,
    column_groups,
    completeness,
    known_distributions,
    metric_bands,
    row_counts,
    text_formats,
    text_traits,
    text_types,
    timestamps,
    uniqueness,
    units_by_name,
    value_sets,
)
from treaty.engine.suggestions.kinds.uniqueness import worth_counting

__all__ = [
    "COLUMN_SUGGESTIONS",
    "TABLE_SUGGESTIONS",
    "HistorySlice",
    "SuggestionCandidate",
    "candidates",
    "worth_counting",
]

FAMILIES = (
    metric_bands,
    known_distributions,
    timestamps,
    completeness,
    row_counts,
    text_formats,
    check_digits,
    column_groups,
    text_traits,
    text_types,
    uniqueness,
    units_by_name,
    value_sets,
)


def candidates(
    part: HistorySlice,
) -> Iterator[tuple[SuggestionKind, ColumnProfile | None, partial[SuggestionCandidate | None]]]:
    """Yield (kind, column, function of partitions and margin) of every possible suggestion."""
    for kind in TABLE_SUGGESTIONS.values():
        yield kind, None, partial(kind.propose)
    for column in part.history.columns:
        for kind in COLUMN_SUGGESTIONS.values():
            yield kind, column, partial(kind.propose, column)
