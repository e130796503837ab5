"""Choose the pattern that rejects most foreign columns among those with rare false alarms.

The benefit of a check is the share of foreign columns that it rejects; a false alarm costs `false_alarm_cost` times
as much as an accepted foreign column. Each candidate is combined with each floor: narrow patterns suit a high one,
wide patterns a low one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from treaty.engine.patterns.calibration import FLOORS, Background, Calibration
from treaty.engine.patterns.candidates import PatternCandidate, matcher


@dataclass(frozen=True)
class PatternChoice:
    """A candidate with a floor.

    `alarms`: probability of a false alarm. `passes`: share of foreign columns that it accepts."""

    candidate: PatternCandidate
    floor: float
    alarms: float
    passes: float


@dataclass(frozen=True, kw_only=True)
class ChoicePolicy:
    """Preferences for the choice of a pattern.

    `false_alarm_cost`: cost of a false alarm relative to an accepted foreign column. `most_alarms`: maximum
    probability of a false alarm. `most_passes`: maximum share of accepted foreign columns. `most_floor`: maximum
    floor. `families`: permitted families; None means all."""

    false_alarm_cost: float = 8.0
    most_alarms: float = 0.1
    most_passes: float = 1.0
    most_floor: float = 0.9
    families: frozenset[str] | None = None

    def bears(self, choice: PatternChoice) -> bool:
        """Return whether a choice satisfies the limits."""
        few = choice.alarms <= self.most_alarms and choice.passes <= self.most_passes
        of_these = self.families is None or choice.candidate.family in self.families
        return few and of_these and choice.floor <= self.most_floor


def candidate_choices(
    candidates: Iterable[PatternCandidate], calibration: Calibration, background: Background
) -> list[PatternChoice]:
    """Combine each candidate with each floor."""
    return [
        PatternChoice(candidate, floor, alarms, passes)
        for candidate in candidates
        for floor, alarms, passes in zip(
            FLOORS, calibration.alarms(candidate), background.passes(matcher(candidate.pattern)), strict=True
        )
    ]


def best(choices: Sequence[PatternChoice], policy: ChoicePolicy) -> PatternChoice | None:
    """Return the choice with the greatest utility; None if none is admissible or useful."""
    admissible = [each for each in choices if policy.bears(each)]
    chosen = max(admissible, key=lambda each: worth(each, policy), default=None)
    return chosen if chosen and worth(chosen, policy) > 0 else None


def worth(choice: PatternChoice, policy: ChoicePolicy) -> float:
    """Return the utility of a choice: rejected foreign columns minus the cost of false alarms."""
    return (1 - policy.false_alarm_cost * choice.alarms) * (1 - choice.passes)
