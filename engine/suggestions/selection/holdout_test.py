"""Hold-out: what is learned on the older partitions must hold on the newer ones; then it is learned on all of them."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile, TableProfile
from treaty.engine.suggestions.candidates import SuggestionCandidate, SuggestionKind
from treaty.engine.suggestions.declared import candidates
from treaty.engine.suggestions.selection.regimes import LEAST_BEFORE, since

LEARNED_SHARE = 0.7
# Of fewer rows nothing is said of a column: what all of nine keep, one of three may still break (by hand).
LEAST_ROWS = 10
# Where there are so many partitions, what is suggested held as well when less of them was known.
LEAST_FOR_MORE_CUTS = 4
CUTS = (0.5, 0.6, 0.8)
# So many partitions at least were otherwise, where those before a step are left out. What says how partitions differ is
# spoilt by a single one, such as a first load; of what all values are, one that breaks it says enough.
UNLIKE = {True: 1, False: LEAST_BEFORE}


@dataclass(frozen=True)
class HoldoutCandidate:
    """A candidate learned on all partitions of `part`, the present regime, of a kind that held on the newer ones.

    `margin`: the one with which it did."""

    candidate: SuggestionCandidate
    column: ColumnProfile | None
    margin: float
    part: HistorySlice

    @property
    def column_name(self) -> str | None:
        """The column that it is about; None for the table."""
        return self.column.column.name if self.column else None


def holdout_candidates(history: TableProfile, *, over_time: bool = True) -> list[HoldoutCandidate]:
    """Every candidate that held, in the columns' order. `over_time`: the partitions follow each other in time."""
    whole = HistorySlice.of(history)
    regimes: dict[Any, HistorySlice] = {}
    found = []
    for kind, column, propose in candidates(whole):
        if (column is not None and sum(whole.rows) < LEAST_ROWS) or (kind.over_time and not over_time):
            continue
        key = id(column), kind.over_time
        if key not in regimes:
            regimes[key] = whole.part(since(column, whole, least=UNLIKE[kind.over_time]) if over_time else 0)
        found.append(_holdout_candidate(kind, column, propose, regimes[key]))
    return [each for each in found if each is not None]


def learned(history: TableProfile) -> int:
    """How many of the partitions, from the oldest, are learned on; all where there are fewer than three."""
    return learned_of(len(history.partitions))


def learned_of(count: int) -> int:
    """How many of so many partitions are learned on."""
    return count if count < 3 else max(1, round(count * LEARNED_SHARE))


def cuts_of(count: int) -> tuple[int, ...]:
    """After how many partitions, from the oldest, it is judged what was learned on those; the usual cut first."""
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
