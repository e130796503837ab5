"""Compare the options of learned patterns: each option is changed alone, the others stay as chosen."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treaty.contracts.schema import Schema
from treaty.engine.core.learning_options import PatternMethod, PatternOptions
from treaty.engine.patterns.index import PatternIndex
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.states.bag import StateBag
from treaty.engine.suggestions.choices.outcomes import ChoiceOutcome
from treaty.engine.suggestions.selection.learned_patterns import PatternCheck, pattern_checks

# Values to compare with the defaults.
IMPURITIES, TOKENS, DISCARDED = (0.02, 0.3), (4,), (0.0, 0.2)
Texts = Mapping[str, Sequence[str | None]]


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
            alarmed_on=tuple(name for name, bag in later if any(_violated(each, bag) for each in errors)),
            catches=round(sum(1 - each.details["passes"] for each in errors) / self.columns, 4),
        )


def trials(
    columns: Sequence[ColumnProfile], texts: Texts, index: PatternIndex, schema: Schema, chosen: PatternOptions
) -> list[PatternTrial]:
    """Learn patterns with each option; the chosen value of an option comes first. Empty without texts."""
    return [
        PatternTrial(
            option=option,
            value=value,
            chosen=options == chosen,
            checks=pattern_checks(columns, texts, index, schema, options),
            columns=len(texts),
        )
        for option, value, options in _options(chosen, index.least_columns)
        if texts
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


def _violated(check: PatternCheck, bag: StateBag) -> bool:
    value = check.measured.value(bag.values)
    return isinstance(value, float) and value <= check.entry["implementation"]["mustBeGreaterThan"]
