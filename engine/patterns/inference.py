"""Infer the pattern of a text column from its values and the lake: the entry point.

Values should be a uniform sample of whole past batches, in their original order: nearly all false alarms come from
learning from the first rows of a sorted table."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from treaty.engine.analyzers.conformity_test import ALPHA, ConformityComparison, ConformityCounts, compare, detectable
from treaty.engine.core.learning_options import PATTERNS, PatternOptions
from treaty.engine.patterns.candidates import LAKE, PatternCandidate, candidates, known_to, matcher, nonconforming
from treaty.engine.patterns.choice import ChoicePolicy, PatternChoice, best, candidate_choices
from treaty.engine.patterns.fmdv import METHODS, InferredPattern, NoPatternReason, infer_domain
from treaty.engine.patterns.index import PatternIndex
from treaty.engine.patterns.language.pattern import Pattern
from treaty.engine.patterns.language.tokenizer import LONGEST
from treaty.engine.patterns.value_shapes import SHAPES
from treaty.engine.statistics.column_values import column

LEAST_VALUES = 5
DETECTED_OF = 1000
# Families without a structure, for values without a pattern: their characters or the values themselves.
FALLBACKS = frozenset(("characters", "characters_sized", "framed", "vocabulary"))
# Only patterns with a structure, hardly any false alarms, and few other columns that match.
STRICT = ChoicePolicy(
    false_alarm_cost=10.0, most_alarms=0.01, most_passes=0.1, families=(frozenset(LAKE) | frozenset(SHAPES)) - FALLBACKS
)


@dataclass(frozen=True, kw_only=True)
class LearnedPattern:
    """A learned pattern: texts match it, except for as many as did not when it was learned.

    A significant increase of that share is a warning; an increase by more than `floor` as well is an error. `alpha`:
    significance level."""

    family: str
    pattern: Pattern
    trained: ConformityCounts
    floor: float
    inferred: InferredPattern | None = None
    alpha: float = ALPHA

    @property
    def is_pattern(self) -> bool:
        """Return whether it describes a structure, not only characters or a vocabulary."""
        return self.family not in FALLBACKS

    def count(self, values: Iterable[str | None]) -> ConformityCounts:
        """Count the non-null values and those that do not match."""
        match, bad, of = matcher(self.pattern), 0, 0
        for value in values:
            if value is not None:
                bad, of = bad + (not match(value)), of + 1
        return ConformityCounts(bad, of)

    def judge(self, counts: ConformityCounts) -> ConformityComparison:
        """Compare observed counts with the learned counts."""
        return compare(self.trained, counts, alpha=self.alpha, floor=self.floor)


@dataclass(frozen=True, kw_only=True)
class PatternResult:
    """The learned pattern of a column, or the reason why there is none.

    `alarms`: estimated probability of a false alarm. `passes`: share of other columns that would be accepted in this
    one's place. `detectable`: smallest share of bad values among 1,000 that would be detected; None means that not
    even all would. `lake`: the lake's pattern of the values, or the reason why it has none, whichever pattern was
    learned."""

    learned: LearnedPattern | None
    reason: str
    lake: InferredPattern | NoPatternReason
    alarms: float | None = None
    passes: float | None = None
    detectable: float | None = None


def infer(
    values: Iterable[Any],
    index: PatternIndex,
    policy: ChoicePolicy | None = None,
    options: PatternOptions = PATTERNS,
) -> PatternResult:
    """Infer a pattern from a text column's values in their original order; nulls are ignored.

    `values`: a list, an array, or a column of pandas, Arrow or polars; numbers are read as their texts. `policy`:
    preferences; None means the defaults; not used by methods of the paper, which make one choice."""
    # No pattern reads beyond LONGEST characters, so cutting here changes nothing and bounds the work.
    present = (value for value in column(values, is_text=True).values if value is not None)
    texts = [value[: LONGEST + 1] for value in present]
    if options.method in METHODS and len(texts) >= LEAST_VALUES:
        return _of_method(texts, index, options)
    families = known_to(index.sums, texts, index.least_columns, options)
    lake = families["least_alarming"]
    if len(texts) < LEAST_VALUES:
        return PatternResult(learned=None, reason=_too_few(len(texts)), lake=lake)
    column_candidates = list(candidates(texts, families))
    chosen = best(candidate_choices(column_candidates, index.calibration, index.background), policy or ChoicePolicy())
    if chosen is None:
        return PatternResult(learned=None, reason=_nothing(column_candidates), lake=lake)
    return _promised(chosen, index, lake)


def _of_method(texts: Sequence[str], index: PatternIndex, options: PatternOptions) -> PatternResult:
    """Infer the pattern by a method of the paper; any significant growth of the values without it is an error."""
    lake = infer_domain(texts, index.sums, METHODS[options.method].adjusted(options, index.least_columns))
    if isinstance(lake, NoPatternReason):
        return PatternResult(learned=None, reason=lake, lake=lake)
    match = matcher(lake.pattern)
    trained = nonconforming(match, Counter(texts))
    learned = LearnedPattern(family=options.method, pattern=lake.pattern, trained=trained, floor=0.0, inferred=lake)
    return PatternResult(
        learned=learned,
        reason=_why(learned, lake),
        lake=lake,
        alarms=min(1.0, lake.alarms),
        passes=index.background.passes(match, (0.0,))[0],
        detectable=detectable(trained, DETECTED_OF),
    )


def _promised(chosen: PatternChoice, index: PatternIndex, lake: InferredPattern | NoPatternReason) -> PatternResult:
    one = chosen.candidate
    learned = LearnedPattern(
        family=one.family, pattern=one.pattern, trained=one.trained, floor=chosen.floor, inferred=one.inferred
    )
    return PatternResult(
        learned=learned,
        reason=_why(learned, lake),
        lake=lake,
        alarms=min(1.0, chosen.alarms + index.optimism.excess),
        passes=chosen.passes,
        detectable=detectable(one.trained, DETECTED_OF),
    )


def _too_few(count: int) -> str:
    return (
        str(NoPatternReason.NO_VALUES)
        if not count
        else f"{count} values are too few to learn from; at least {LEAST_VALUES} are needed"
    )


def _nothing(candidates: Sequence[PatternCandidate]) -> str:
    if not candidates:
        return "the values are too long or too varied to be described"
    return "every pattern of these values raised too many false alarms in similar columns"


def _why(learned: LearnedPattern, lake: InferredPattern | NoPatternReason) -> str:
    if learned.inferred is not None:
        columns = learned.inferred.columns
        return f"{columns} columns of this lake have such values"
    shape = learned.family.replace("_", " ")
    return f"learned from the column's own {shape}" + (f"; {lake}" if isinstance(lake, NoPatternReason) else "")
