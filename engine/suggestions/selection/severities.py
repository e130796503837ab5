"""Decide whether a history bears an error: how many new trials of a check it had.

Rows that every partition repeats are one trial, not one in each. If one more violation among the past trials would
explain a few violating rows of a partition, a check of all rows allows that many."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor, inf

from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.new_rows import arrivals, is_nearly_unique, new_rows, new_shares
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.suggestions.candidates import SuggestionCandidate
from treaty.engine.suggestions.selection.holdout_test import HoldoutCandidate

# Set by hand: with fewer distinct texts, what they have in common is no evidence about the next one.
LEAST_VALUES = 30
# Set by hand: if fewer violations than this are expected in a partition, none is allowed; at least four partitions of
# new rows. Otherwise as many as come with a chance of one in a hundred.
EXPECTED, CHANCE = 0.25, 0.01
# A larger share of tolerated rows makes a check useless.
MOST_TOLERATED = 0.05
# A required column whose evidence is thin must still have half of its values.
MOST_MISSING = 0.5


@dataclass(frozen=True)
class Trials:
    """Past trials of a check, all passed, and the number in one partition.

    `surprises`: trials that brought a value for the only time. `cap`: largest share of rows to tolerate; None means
    that the check only warns if it would have to tolerate too many."""

    past: float
    partition: float
    surprises: int = 0
    cap: float | None = None

    @property
    def are_open(self) -> bool:
        """Return whether values keep coming that were never there before."""
        return self.surprises > MOST_TOLERATED * self.past

    @property
    def expected(self) -> float:
        """Return the expected violations in a partition, had one more trial failed (Good-Turing)."""
        return self.partition * (self.surprises + 1) / (self.past + 1)

    @property
    def tolerated(self) -> float:
        """Return the share of a partition that may violate the check without evidence against it."""
        if self.expected <= EXPECTED:
            return 0.0
        return min(1.0 if self.cap is None else self.cap, _poisson(self.expected) / max(1.0, self.partition))

    @property
    def bear_share(self) -> bool:
        """Return whether a check that tolerates this share is still worth an error."""
        return self.cap is not None or self.tolerated <= MOST_TOLERATED


def _poisson(mean: float) -> int:
    """Return the number that a Poisson variable exceeds with the chance `CHANCE`."""
    from scipy.stats import poisson

    return int(poisson.isf(CHANCE, mean))


def borne(each: HoldoutCandidate) -> HoldoutCandidate | None:
    """Return the candidate as severe as its evidence bears: an error, an error about a share, or a warning.

    None for a set of values that is still open."""
    count = TRIALS.get(each.candidate.kind)
    if count is None or each.column is None or each.candidate.severity != "error":
        return each
    trials = count(each.column, each.part)
    return None if trials.are_open else replace(each, candidate=_borne(each.candidate, trials))


def _borne(candidate: SuggestionCandidate, trials: Trials) -> SuggestionCandidate:
    least = candidate.limits[0]
    if not trials.tolerated:
        return candidate
    if candidate.relaxed is None or least is None or not trials.bear_share:
        return replace(candidate, severity="warning")
    return candidate.relaxed(floor(1000 * (least - trials.tolerated)) / 1000)


def of_texts(column: ColumnProfile, part: HistorySlice) -> Trials:
    """Return the distinct texts: what they have in common was tried once for each."""
    counts, error = part.all_values(column)
    distinct = column.value("approx_count_distinct", part.history.whole) if error or not counts else len(counts)
    newest = part.series(column, "approx_count_distinct")
    past = float(distinct or 0)
    return Trials(past, float(newest[-1]) if newest else 0.0) if past >= LEAST_VALUES else Trials(0, 1)


def of_value_sets(column: ColumnProfile, part: HistorySlice) -> Trials:
    """Return the rows that brought a value; a value that came once is a surprise.

    No trials if each partition repeats one value: the next one may repeat another."""
    counted = [counts for counts, _ in part.values(column)]
    if _is_repeated(counted):
        return Trials(0, 1)
    counts = arrivals(counted).values()
    return Trials(max(sum(counts), sum(new_rows(part))), part.rows[-1], sum(count == 1 for count in counts))


def _is_repeated(counted: Sequence[Mapping[str, int]]) -> bool:
    """Return whether each partition repeats one value in all of its rows."""
    return all(len(counts) == 1 for counts in counted if counts)


def of_numbers(column: ColumnProfile, part: HistorySlice) -> Trials:
    """Return the new rows, or the distinct numbers of a partition if there are more."""
    distinct = map(float, part.series(column, "approx_count_distinct"))
    return Trials(max(sum(new_rows(part)), max(distinct, default=0.0)), part.rows[-1])


def of_rows(column: ColumnProfile, part: HistorySlice) -> Trials:
    """Return the rows of the first partition, and those with a new value later; keys need no trials."""
    if is_nearly_unique(column, part):
        return Trials(inf, 1)
    rows = part.rows
    later = zip(new_shares(column, part)[1:], rows[1:], new_rows(part)[1:], strict=True)
    return Trials(rows[0] + sum(max(share * many, new) for share, many, new in later), rows[-1], cap=MOST_MISSING)


# By kind of suggestion, what its past trials are; other kinds keep their severity.
TRIALS: Mapping[str, Callable[[ColumnProfile, HistorySlice], Trials]] = {
    **dict.fromkeys(
        ("trimmed", "upper_case", "lower_case", "fixed_length", "shape", "pattern", "not_empty", "reads_as"), of_texts
    ),
    **dict.fromkeys(("check_digit", "has_small_letter", "has_capital"), of_texts),
    **dict.fromkeys(("categorical", "mostly_categorical"), of_value_sets),
    **dict.fromkeys(("non_negative", "positive"), of_numbers),
    "complete": of_rows,
}
