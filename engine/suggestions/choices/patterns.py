"""Compare the options of learned patterns: each option is changed alone, the others stay as chosen."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from treaty.engine.core.learning_options import PatternMethod, PatternOptions
from treaty.engine.states.bag import StateBag
from treaty.engine.suggestions.choices.outcomes import ChoiceOutcome
from treaty.engine.suggestions.selection.learned_patterns import PatternCheck

# Values to compare with the defaults.
IMPURITIES, TOKENS, DISCARDED = (0.02, 0.3), (4,), (0.0, 0.2)


@dataclass(frozen=True, eq=False, kw_only=True)
class PatternTrial:
    """The pattern checks that an option learns. `columns`: number of text columns."""

    option: str
    value: Any
    chosen: bool
    checks: Sequence[PatternCheck]
    columns: int

    def outcome(self, later: Sequence[tuple[str, StateBag]]) -> ChoiceOutcome:
        """Evaluate the checks of severity error on later partitions.

        `catches`: mean share of the lake's other columns that a column's check would reject."""
        errors = [each for each in self.checks if each.entry["severity"] == "error"]
        return ChoiceOutcome(
            option=self.option,
            value=self.value,
            chosen=self.chosen,
            checks=len(errors),
            evaluated=len(later),
            alarmed_on=tuple(name for name, bag in later if any(each.is_violated(bag) for each in errors)),
            catches=round(sum(1 - each.passes for each in errors) / self.columns, 4),
        )


def trials(
    checks_of: Callable[[PatternOptions], Sequence[PatternCheck]], chosen: PatternOptions, *, least: int, columns: int
) -> list[PatternTrial]:
    """Learn patterns with each option; the chosen value of an option comes first.

    `checks_of`: learns with options; called with the chosen ones once for each option. `least`: number of columns
    that must have a pattern by default. `columns`: number of text columns."""
    return [
        PatternTrial(option=option, value=value, chosen=options == chosen, checks=checks_of(options), columns=columns)
        for option, value, options in _options(chosen, least)
    ]


def _options(chosen: PatternOptions, least: int) -> Iterator[tuple[str, Any, PatternOptions]]:
    for option, values in _values(least).items():
        current = getattr(chosen, option)
        for value in dict.fromkeys((current, *values)):
            yield option, value, chosen.model_copy(update={option: value})


def _values(least: int) -> dict[str, tuple[Any, ...]]:
    return {
        "method": tuple(PatternMethod),
        "max_impurity": (None, *IMPURITIES),
        "min_columns": (None, max(1, least // 2), 2 * least),
        "max_tokens": (None, *TOKENS),
        "max_discarded": (None, *DISCARDED),
    }
