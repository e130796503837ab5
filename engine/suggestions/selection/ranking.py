"""Rank the candidates that held by their worth, and propose few of them.

Worth is the probability to hold times the probability to catch an issue. Of near duplicates the stronger stays. What
adds little to the proposed checks of its column is optional."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from treaty.contracts.comparison.directions import Direction
from treaty.contracts.comparison.predicate_implication import implies
from treaty.contracts.comparison.threshold_order import compare_thresholds
from treaty.contracts.predicates.parser import quote
from treaty.engine.profile.confidence_intervals import at_least
from treaty.engine.suggestions.selection.holdout_test import HoldoutCandidate, cuts_of
from treaty.engine.suggestions.selection.issue_detection import UNKNOWN, DetectedIssues, IssueSample, caught

# Set by hand: a warning that catches a smaller share of all issues is not worth reviewing.
LEAST_CAUGHT = 0.01
# Set by hand: what a proposed check must add to the issues caught by the others of its column, and the most of them.
LEAST_ADDED, MOST_PROPOSED = 0.02, 6
# Rules about the meaning of a column, which injected issues hardly break.
PLAIN = frozenset({"complete", "positive", "non_negative", "categorical", "check_digit", "refers"})
SEVERITIES = ("warning", "error")
SIGNS = {"minimum": ">=", "exclusive_minimum": ">", "maximum": "<=", "exclusive_maximum": "<"}


@dataclass(frozen=True, eq=False)
class RankedCandidate:
    """A candidate with its worth.

    `holds`: lower confidence bound of the probability to hold on the next partition (exact, 95 %). If its names
    suggest a higher probability than few partitions can show, that one counts. `caught`: None if unknown. `optional`:
    it adds little to the proposed candidates of its column."""

    holdout: HoldoutCandidate
    holds: float
    caught: DetectedIssues | None
    optional: bool = False

    @property
    def worth(self) -> float:
        """Return the probability to hold times the probability to catch an issue."""
        return self.added(frozenset())

    def added(self, covered: frozenset[int]) -> float:
        """Return the worth beyond the issues at these positions, which other checks catch."""
        return max(self.holds, self.holdout.candidate.likely or 0.0) * self.gain(covered)

    def gain(self, covered: frozenset[int]) -> float:
        """Return the share of issues caught beyond those at these positions."""
        return self.caught.of(self.caught.positions - covered) if self.caught else UNKNOWN

    @property
    def is_plain(self) -> bool:
        """Return whether owners expect it: about the table, a property of the column, or a plain rule."""
        candidate = self.holdout.candidate
        is_rule = candidate.kind in PLAIN and candidate.severity == "error"
        return self.holdout.column is None or "quality" not in candidate.patch or is_rule


def rank_candidates(candidates: Sequence[HoldoutCandidate], trials: Mapping[str, IssueSample]) -> list[RankedCandidate]:
    """Return the candidates worth suggesting, best first; ties in column order."""
    weighed = [_weighed(each, trials) for each in candidates]
    best = sorted(_merged(weighed), key=lambda each: -each.worth)
    by_column = _by_column(best)
    useful = [each for each in best if not _adds_nothing(each, by_column[each.holdout.column_name])]
    proposed = {each for same in _by_column(useful).values() for each in _proposed(same)}
    return [each if each in proposed else replace(each, optional=True) for each in useful]


def _proposed(same: Sequence[RankedCandidate]) -> Iterator[RankedCandidate]:
    """Yield the candidates of a column to propose: each adds the most to those before.

    Keys, required columns and plain rules are always proposed."""
    picked = [each for each in same if each.is_plain]
    yield from picked
    left = [each for each in same if not each.is_plain]
    while left and len(picked) < MOST_PROPOSED:
        covered = frozenset().union(*(each.caught.positions for each in picked if each.caught))
        best = max(left, key=lambda each: each.added(covered))
        if best.gain(covered) < LEAST_ADDED:
            return
        yield best
        picked.append(best)
        left.remove(best)


def _weighed(each: HoldoutCandidate, trials: Mapping[str, IssueSample]) -> RankedCandidate:
    part = each.part
    outcomes = each.candidate.failed(part)[cuts_of(len(part))[0] :] if len(part) else []
    measured = [failed for failed in outcomes if failed is not None]
    trial = trials.get(each.column_name) if each.column_name else next(iter(trials.values()), None)
    return RankedCandidate(each, at_least(measured.count(False), len(measured)), caught(each.candidate, trial))


def _merged(weighed: Sequence[RankedCandidate]) -> list[RankedCandidate]:
    """Drop candidates that another one of the same column implies."""
    return [each for same in _by_column(weighed).values() for each in same if not _is_said(each, same)]


def _by_column(candidates: Sequence[RankedCandidate]) -> Mapping[str | None, list[RankedCandidate]]:
    by_column: dict[str | None, list[RankedCandidate]] = {}
    for each in candidates:
        by_column.setdefault(each.holdout.column_name, []).append(each)
    return by_column


def _is_said(each: RankedCandidate, same: Sequence[RankedCandidate]) -> bool:
    at = same.index(each)
    alternatives = ((place, other) for place, other in enumerate(same) if place != at)
    return any(_says_all(other, each, first=place < at) for place, other in alternatives)


def _says_all(other: RankedCandidate, each: RankedCandidate, *, first: bool) -> bool:
    if _severity(other) < _severity(each):
        return False
    direction = _direction(other, each)
    return direction is Direction.TIGHTENS or (direction is Direction.UNTESTED and first)


def _severity(each: RankedCandidate) -> int:
    return SEVERITIES.index(each.holdout.candidate.severity)


def _direction(other: RankedCandidate, each: RankedCandidate) -> Direction:
    """Compare the check of `other` with that of `each`; UNDETERMINED if their subjects differ."""
    other_subject, subject = _subject(other), _subject(each)
    if other_subject is None or subject is None:
        return Direction.UNDETERMINED
    limits = compare_thresholds([each.holdout.candidate.assertion], [other.holdout.candidate.assertion])
    if other_subject == subject:
        return limits
    if limits not in (Direction.UNTESTED, Direction.TIGHTENS):
        return Direction.UNDETERMINED
    implied = other.holdout.candidate.kind in each.holdout.candidate.implied_by
    return Direction.TIGHTENS if implied or _implies(other_subject, subject) else Direction.UNDETERMINED


def _implies(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Return whether each row that satisfies the first check satisfies the second; False if unknown."""
    premise, conclusion = _predicate(first), _predicate(second)
    return None not in (premise, conclusion) and implies(premise, conclusion)


def _predicate(subject: Mapping[str, Any]) -> str | None:
    """Return the condition on a row whose share a check limits; None for another metric."""
    if subject["analyzer"] != "in_range":
        return subject.get("predicate")
    limits = [f"{quote(subject['column'])} {sign} {subject[name]}" for name, sign in SIGNS.items() if name in subject]
    return " AND ".join(limits)


def _subject(each: RankedCandidate) -> dict[str, Any] | None:
    """Return the measured part of the check, without thresholds; None if a column property expresses it."""
    entry = each.holdout.candidate.patch.get("quality")
    if entry is None:
        return None
    return {word: value for word, value in entry["implementation"].items() if not word.startswith("must")}


def _adds_nothing(each: RankedCandidate, same: Sequence[RankedCandidate]) -> bool:
    """Return True if the candidate catches nothing that better ones do not.

    Only warnings and candidates with `drops` are affected. `same`: candidates of the column, best first."""
    if each.caught is None:
        return False
    if each.caught.share < LEAST_CAUGHT and each.holdout.candidate.severity == "warning":
        return True
    if not each.holdout.candidate.drops:
        return False
    place = same.index(each)
    alternatives = [
        one for at, one in enumerate(same) if at < place or (at > place and not one.holdout.candidate.drops)
    ]
    covered = frozenset().union(*(one.caught.positions for one in alternatives if one.caught))
    return each.caught.of(each.caught.positions - covered) < LEAST_CAUGHT
