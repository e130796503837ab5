"""Decide whether a history bears an error: how many values or rows it tried, each only when it came or changed.

Rows that every partition repeats are one trial, not one in each. If one more violation among the past trials would
explain a few violating rows of a partition, a check of all rows allows that many."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import floor, inf

from treaty.contracts.assertions import Assertion
from treaty.contracts.editing.check_entry import check
from treaty.engine.components.sketches import DistinctSketch
from treaty.engine.core.number_format import percentage
from treaty.engine.profile.measurements import HistorySlice, sum_counts
from treaty.engine.profile.table_profile import ColumnProfile, state_of
from treaty.engine.states.bag import StateBag
from treaty.engine.suggestions.candidates import SuggestionCandidate
from treaty.engine.suggestions.selection.holdout_test import HoldoutCandidate

# Set by hand: with fewer distinct texts, what they have in common is no evidence about the next one.
LEAST_VALUES = 30
# Set by hand: if fewer violations than this are expected in a partition, none is allowed; at least four partitions of
# new rows. Otherwise as many as come with a chance of one in a hundred.
EXPECTED, CHANCE = 0.25, 0.01
# Set by hand: the share of distinct values of a nearly unique column; standard errors of sketches that are no news.
NEARLY_UNIQUE, ERRORS = 0.9, 3.0
# A larger share of tolerated rows makes a check useless.
MOST_TOLERATED = 0.05
# A required column whose evidence is thin must still have half of its values.
MOST_MISSING = 0.5
AT_LEAST = "mustBeGreaterOrEqualTo"
# Analyzers whose metric is a share of the rows.
SHARES = frozenset({"compliance", "data_type", "pattern_match"})


@dataclass(frozen=True)
class Trials:
    """Past trials of a check, all passed, and the number in one partition."""

    past: float
    partition: float
    surprises: int = 0

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
        return 0.0 if self.expected <= EXPECTED else min(1.0, _poisson(self.expected) / max(1.0, self.partition))


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
    return None if trials.are_open else replace(each, candidate=_borne(each.candidate, trials.tolerated))


def _borne(candidate: SuggestionCandidate, tolerated: float) -> SuggestionCandidate:
    least = candidate.limits[0]
    if not tolerated:
        return candidate
    if "quality" not in candidate.patch:
        return _of_completeness(candidate, floor(1000 * (1 - min(tolerated, MOST_MISSING))) / 1000)
    if (
        tolerated > MOST_TOLERATED
        or least is None
        or candidate.patch["quality"]["implementation"]["analyzer"] not in SHARES
    ):
        return replace(candidate, severity="warning")
    return _of_share(candidate, floor(1000 * (least - tolerated)) / 1000)


def _of_completeness(candidate: SuggestionCandidate, least: float) -> SuggestionCandidate:
    """Return a required column's candidate about a share of the rows."""
    name = candidate.sentence.removesuffix(" is required")
    sentence = f"{name} is present in at least {percentage(least)} of the rows"
    implementation = {"analyzer": "completeness", "column": name, AT_LEAST: least}
    return replace(
        candidate,
        sentence=sentence,
        expression=f"completeness of {name} is at least {least}",
        patch={"quality": check(f"{name}-completeness", sentence, "completeness", implementation)},
        assertion=Assertion(AT_LEAST, least),
        limits=(least, None),
    )


def _of_share(candidate: SuggestionCandidate, least: float) -> SuggestionCandidate:
    """Return the candidate about a share of the rows."""
    entry = candidate.patch["quality"]
    sentence = f"{candidate.sentence}, in at least {percentage(least)} of the rows"
    implementation = {**entry["implementation"], AT_LEAST: least}
    return replace(
        candidate,
        sentence=sentence,
        expression=f"{candidate.expression} for {percentage(least)}",
        patch={"quality": {**entry, "name": sentence, "implementation": implementation}},
        assertion=Assertion(AT_LEAST, least),
        limits=(least, None),
    )


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
    arrivals = _arrivals(counted)
    if _repeated(counted):
        return Trials(0, 1)
    rows = max(sum(arrivals.values()), sum(new_rows(part)))
    return Trials(rows, float(part.rows[-1]), sum(count == 1 for count in arrivals.values()))


def of_numbers(column: ColumnProfile, part: HistorySlice) -> Trials:
    """Return the new rows, or the distinct numbers of a partition if there are more."""
    distinct = map(float, part.series(column, "approx_count_distinct"))
    return Trials(max(sum(new_rows(part)), max(distinct, default=0.0)), float(part.rows[-1]))


def of_rows(column: ColumnProfile, part: HistorySlice) -> Trials:
    """Return the rows of the first partition, and those with a new value later; no keys."""
    whole = HistorySlice(part.history, 0, len(part.history.partitions), part.cache)
    if _is_nearly_unique(column, whole):
        return Trials(inf, 1)
    gains, rows = _gains(column, whole)[part.start : part.end - 1], part.rows
    later = zip(gains, rows[1:], new_rows(part)[1:], strict=True)
    return Trials(sum(rows[:1]) + sum(max(gain * many, new) for gain, many, new in later), float(rows[-1]))


def _arrivals(counted: Sequence[Mapping[str, int]]) -> Mapping[str, int]:
    """Return how often each value came: its rows at first, later its additional ones."""
    gains = [
        {value: count - before.get(value, 0) for value, count in now.items() if count > before.get(value, 0)}
        for before, now in pairwise(counted)
    ]
    return sum_counts([(counts, 0) for counts in [*counted[:1], *gains]])[0]


def _repeated(counted: Sequence[Mapping[str, int]]) -> bool:
    """Return whether each partition repeats one value in all of its rows."""
    return all(len(counts) == 1 for counts in counted if counts)


def new_rows(part: HistorySlice) -> Sequence[float]:
    """Return the estimated number of rows that each partition adds to the one before.

    Rows stay the same while the values of some nearly unique column stay. Without one, the column with the most new
    values decides. The first partition has as many as the others in the mean."""
    return part.read(("new rows",), _new_rows(part)) if len(part) else []


def _new_rows(part: HistorySlice) -> Callable[[StateBag], float]:
    whole = HistorySlice(part.history, 0, len(part.history.partitions), part.cache)
    keys: list[list[float]] = []
    others: list[list[float]] = []
    for each in part.history.columns:
        (keys if _is_nearly_unique(each, whole) else others).append(_gains(each, whole))
    later = [*map(min, zip(*keys, strict=True))] if keys else [*map(max, zip(*others, strict=True))]
    shares = [sum(later) / len(later) if later else 0.0, *later]
    by_bag = {id(bag): share * bag.rows for (_, bag), share in zip(part.history.partitions, shares, strict=True)}
    return lambda bag: by_bag[id(bag)]


def _is_nearly_unique(column: ColumnProfile, whole: HistorySlice) -> bool:
    counts = whole.each(column, "approx_count_distinct")
    return all(float(count or 0) >= NEARLY_UNIQUE * rows for count, rows in zip(counts, whole.rows, strict=True))


def _gains(column: ColumnProfile, whole: HistorySlice) -> list[float]:
    """Return the share of new values of each partition but the first."""
    counted = whole.values(column)
    if any(counts for counts, _ in counted) and not any(error for _, error in counted):
        return [_gain(before, now) for (before, _), (now, _) in pairwise(counted)]
    measured = column.metrics.get("approx_count_distinct")
    parts = measured.parts.values() if measured else ()
    part = next((each for each in parts if isinstance(each.component, DistinctSketch)), None)
    states = [state_of(part, bag) for _, bag in whole.history.partitions]
    return [_sketched_gain(*pair, rows) for pair, rows in zip(pairwise(states), whole.rows[1:], strict=True)]


def _gain(before: Mapping[str, int], now: Mapping[str, int]) -> float:
    rows = sum(now.values())
    return sum(max(0, count - before.get(value, 0)) for value, count in now.items()) / rows if rows else 0.0


def _sketched_gain(before: bytes | None, now: bytes | None, rows: int) -> float:
    if not rows or before is None or now is None:
        return 0.0
    both = DistinctSketch.estimate(DistinctSketch().union(before, now))
    gain = both - DistinctSketch.estimate(before) - ERRORS * DistinctSketch.deviation(both)
    return min(1.0, max(0.0, gain / rows))


# By kind of suggestion, what its past trials are; other kinds keep their severity.
TRIALS: Mapping[str, Callable[[ColumnProfile, HistorySlice], Trials]] = {
    **dict.fromkeys(
        ("trimmed", "upper_case", "lower_case", "fixed_length", "shape", "pattern", "not_empty", "reads_as"), of_texts
    ),
    **dict.fromkeys(("categorical", "mostly_categorical"), of_value_sets),
    **dict.fromkeys(("non_negative", "positive"), of_numbers),
    "complete": of_rows,
}
