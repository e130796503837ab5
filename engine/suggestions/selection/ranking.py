"""Which of the candidates that held are suggested, and in which order: by what they are worth to the owner.

Worth is the chance to hold times the chance to catch an issue. Near duplicates are one: the stronger is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treaty.contracts.comparison.directions import Direction
from treaty.contracts.comparison.predicate_implication import implies
from treaty.contracts.comparison.threshold_order import compare_thresholds
from treaty.engine.profile.confidence_intervals import at_least
from treaty.engine.suggestions.selection.holdout_test import HoldoutCandidate, cuts_of
from treaty.engine.suggestions.selection.issue_detection import UNKNOWN, DetectedIssues, IssueSample, caught

# A promise that catches less of all issues than this, by hand, is not worth an owner's time.
LEAST_CAUGHT = 0.01
SEVERITIES = ("warning", "error")


@dataclass(frozen=True, eq=False)
class RankedCandidate:
    """A candidate with what it is worth. `holds`: the least chance to hold on the next partition that the hold-out
    lets believe (exact, 95 %). Where names promise more than few partitions can, their chance counts."""

    holdout: HoldoutCandidate
    holds: float
    caught: DetectedIssues | None

    @property
    def worth(self) -> float:
        """The chance to hold times the chance to catch an issue."""
        return max(self.holds, self.holdout.candidate.likely or 0.0) * (self.caught.share if self.caught else UNKNOWN)


def rank_candidates(found: Sequence[HoldoutCandidate], trials: Mapping[str, IssueSample]) -> list[RankedCandidate]:
    """Those worth suggesting, the worthiest first; of equal ones in the columns' order."""
    weighed = [_weighed(each, trials) for each in found]
    best = sorted(_merged(weighed), key=lambda each: -each.worth)
    by_column = _by_column(best)
    return [each for each in best if not _adds_nothing(each, by_column[each.holdout.column_name])]


def _weighed(each: HoldoutCandidate, trials: Mapping[str, IssueSample]) -> RankedCandidate:
    part = each.part
    judged = each.candidate.failed(part)[cuts_of(len(part))[0] :] if len(part) else []
    measured = [failed for failed in judged if failed is not None]
    trial = trials.get(each.column_name) if each.column_name else next(iter(trials.values()), None)
    return RankedCandidate(each, at_least(measured.count(False), len(measured)), caught(each.candidate, trial))


def _merged(weighed: Sequence[RankedCandidate]) -> list[RankedCandidate]:
    """Without those of which another of the same column says all that they say."""
    return [each for same in _by_column(weighed).values() for each in same if not _is_said(each, same)]


def _by_column(found: Sequence[RankedCandidate]) -> Mapping[str | None, list[RankedCandidate]]:
    by_column: dict[str | None, list[RankedCandidate]] = {}
    for each in found:
        by_column.setdefault(each.holdout.column_name, []).append(each)
    return by_column


def _is_said(each: RankedCandidate, same: Sequence[RankedCandidate]) -> bool:
    at = same.index(each)
    others = ((place, other) for place, other in enumerate(same) if place != at)
    return any(_says_all(other, each, first=place < at) for place, other in others)


def _says_all(other: RankedCandidate, each: RankedCandidate, *, first: bool) -> bool:
    if _severity(other) < _severity(each):
        return False
    direction = _direction(other, each)
    return direction is Direction.TIGHTENS or (direction is Direction.UNTESTED and first)


def _severity(each: RankedCandidate) -> int:
    return SEVERITIES.index(each.holdout.candidate.severity)


def _direction(other: RankedCandidate, each: RankedCandidate) -> Direction:
    """How the promise of `other` differs from that of `each`; undetermined where they are about unlike things."""
    ours, theirs = _subject(other), _subject(each)
    if ours is None or theirs is None:
        return Direction.UNDETERMINED
    predicates = ours.get("predicate"), theirs.get("predicate")
    if ours != theirs and None in predicates:
        return Direction.UNDETERMINED
    limits = compare_thresholds([each.holdout.candidate.assertion], [other.holdout.candidate.assertion])
    if ours == theirs:
        return limits
    if limits not in (Direction.UNTESTED, Direction.TIGHTENS):
        return Direction.UNDETERMINED
    return Direction.TIGHTENS if implies(*predicates) else Direction.UNDETERMINED


def _subject(each: RankedCandidate) -> dict[str, Any] | None:
    """What is measured, without the limit; None where a word of the column says it."""
    entry = each.holdout.candidate.patch.get("quality")
    if entry is None:
        return None
    return {word: value for word, value in entry["implementation"].items() if not word.startswith("must")}


def _adds_nothing(each: RankedCandidate, same: Sequence[RankedCandidate]) -> bool:
    """Whether it catches nothing, or, where it may be dropped, nothing that better ones of its column (`same`, the best
    first) do not."""
    if each.caught is None:
        return False
    if each.caught.share < LEAST_CAUGHT and each.holdout.candidate.severity == "warning":
        return True
    if not each.holdout.candidate.drops:
        return False
    place = same.index(each)
    others = [one for at, one in enumerate(same) if at < place or (at > place and not one.holdout.candidate.drops)]
    known = frozenset().union(*(one.caught.positions for one in others if one.caught))
    return each.caught.of(each.caught.positions - known) < LEAST_CAUGHT
