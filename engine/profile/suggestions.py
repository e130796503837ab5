"""Suggestions: what a table's history promises. Every kind is a function in `engine.profile.kinds`, imported here."""

from collections.abc import Iterator
from functools import partial

from engine.profile.candidates import COLUMN_SUGGESTIONS, TABLE_SUGGESTIONS, Candidate, Kind
from engine.profile.kinds import (
    bands,
    fitted,
    moments,
    presence,
    rows,
    texts,
    together,
    traits,
    uniqueness,
    units,
    values,
)
from engine.profile.kinds.uniqueness import worth_counting
from engine.profile.measured import Part
from engine.profile.profile import ColumnProfile

__all__ = ["COLUMN_SUGGESTIONS", "TABLE_SUGGESTIONS", "Candidate", "Part", "candidates", "worth_counting"]

FAMILIES = (bands, fitted, moments, presence, rows, texts, together, traits, uniqueness, units, values)


def candidates(part: Part) -> Iterator[tuple[Kind, ColumnProfile | None, partial[Candidate | None]]]:
    """(kind, column, what proposes from some partitions and a margin) of every suggestion that could be made."""
    for kind in TABLE_SUGGESTIONS.values():
        yield kind, None, partial(kind.propose)
    for column in part.history.columns:
        for kind in COLUMN_SUGGESTIONS.values():
            yield kind, column, partial(kind.propose, column)
