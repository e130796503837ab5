"""Test candidates by hold-out: learned on older partitions, they must hold on newer ones.

Those that hold are learned again on all partitions."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile, TableProfile
from treaty.engine.suggestions.candidates import SuggestionCandidate, SuggestionKind
from treaty.engine.suggestions.declared import candidates
from treaty.engine.suggestions.selection.regimes import LEAST_BEFORE, since

LEARNED_SHARE = 0.7
# Minimum number of rows for column suggestions: what nine rows satisfy may still fail for one in three (set by hand).
LEAST_ROWS = 10
# From this number of partitions on, suggestions must also hold if learned on other shares of them.
LEAST_FOR_MORE_CUTS = 4
CUTS = (0.5, 0.6, 0.8)
# Minimum number of older, different partitions before a step that is left out. Kinds that compare partitions are
# distorted by a single one, such as a first load; other kinds are refuted by a single violating partition.
UNLIKE = {True: 1, False: LEAST_BEFORE}


@dataclass(frozen=True)
class HoldoutCandidate:
    """A candidate that held on newer partitions, learned again on all partitions of `part`.

    `part`: the column's current regime. `margin`: the margin with which it held. `column`: None for the table."""

    candidate: SuggestionCandidate
    column: ColumnProfile | None
    margin: float
    part: HistorySlice

    @property
    def column_name(self) -> str | None:
        """Return the name of the column; None for the table."""
        return self.column.column.name if self.column else None


def holdout_candidates(history: TableProfile, *, over_time: bool = True) -> list[HoldoutCandidate]:
    """Return every candidate that held, in column order. `over_time`: partitions are ordered in time."""
    whole = HistorySlice.of(history)
    regimes: dict[Any, HistorySlice] = {}
    results = []
    for kind, column, propose in candidates(whole):
        if (column is not None and sum(whole.rows) < LEAST_ROWS) or (kind.over_time and not over_time):
            continue
        key = id(column), kind.over_time
        if key not in regimes:
            regimes[key] = whole.part(since(column, whole, least=UNLIKE[kind.over_time]) if over_time else 0)
        results.append(_holdout_candidate(kind, column, propose, regimes[key]))
    return [each for each in results if each is not None]


def learned(history: TableProfile) -> int:
    """Return how many partitions, from the oldest, are used for learning; all if fewer than three."""
    return learned_of(len(history.partitions))


def learned_of(count: int) -> int:
    """Return how many of `count` partitions are used for learning."""
    return count if count < 3 else max(1, round(count * LEARNED_SHARE))


def cuts_of(count: int) -> tuple[int, ...]:
    """Return the numbers of oldest partitions to learn on, each tested on the rest; the default first."""
    more = [round(count * share) for share in CUTS] if count >= LEAST_FOR_MORE_CUTS else []
    return tuple(dict.fromkeys([learned_of(count), *more]))


def _holdout_candidate(
    kind: SuggestionKind,
    column: ColumnProfile | None,
    propose: "partial[SuggestionCandidate | None]",
    whole: HistorySlice,
) -> HoldoutCandidate | None:
    cuts = cuts_of(len(whole))
    for margin in kind.margins:
        if all(_keeps(propose(whole.part(0, cut), margin), whole.part(cut)) for cut in cuts):
            final = propose(whole, margin * kind.safety)
            return HoldoutCandidate(final, column, margin, whole) if final and final.holds(whole) else None
    return None


def _keeps(candidate: SuggestionCandidate | None, newer: HistorySlice) -> bool:
    return candidate is not None and candidate.holds(newer)
