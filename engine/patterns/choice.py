"""Which of the candidates is promised: the one that catches most, of those that are believed to alarm falsely rarely.

A promise catches what a foreign column would be; what it fears is a false alarm, which costs
`false_alarm_cost` times as much as a column that is let pass. With each candidate goes the floor that is best for it:
narrow patterns with a high one, wide patterns with a low one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from treaty.engine.patterns.calibration import FLOORS, Background, Calibration
from treaty.engine.patterns.candidates import PatternCandidate, matcher


@dataclass(frozen=True)
class PatternChoice:
    """A candidate with its floor, the chance of a false alarm, and the share of foreign columns it would let pass."""

    candidate: PatternCandidate
    floor: float
    alarms: float
    passes: float


@dataclass(frozen=True, kw_only=True)
class ChoicePolicy:
    """What is preferred: how dear a false alarm is, the most that is borne, the most foreign columns that may pass, the
    floors that are admitted, and of which families (None: of any)."""

    false_alarm_cost: float = 8.0
    most_alarms: float = 0.1
    most_passes: float = 1.0
    most_floor: float = 0.9
    families: frozenset[str] | None = None

    def bears(self, choice: PatternChoice) -> bool:
        """Whether a choice is admitted."""
        few = choice.alarms <= self.most_alarms and choice.passes <= self.most_passes
        of_these = self.families is None or choice.candidate.family in self.families
        return few and of_these and choice.floor <= self.most_floor


def candidate_choices(
    found: Iterable[PatternCandidate], calibration: Calibration, seen: Background
) -> list[PatternChoice]:
    """Each candidate with each floor."""
    return [
        PatternChoice(candidate, floor, alarms, passes)
        for candidate in found
        for floor, alarms, passes in zip(
            FLOORS, calibration.alarms(candidate), seen.passes(matcher(candidate.pattern)), strict=True
        )
    ]


def best(choices: Sequence[PatternChoice], taste: ChoicePolicy) -> PatternChoice | None:
    """The choice that is worth most; None where all alarm too often or catch nothing."""
    borne = [each for each in choices if taste.bears(each)]
    chosen = max(borne, key=lambda each: worth(each, taste), default=None)
    return chosen if chosen and worth(chosen, taste) > 0 else None


def worth(choice: PatternChoice, taste: ChoicePolicy) -> float:
    """What a choice catches, less what it is feared to cost."""
    return (1 - taste.false_alarm_cost * choice.alarms) * (1 - choice.passes)
