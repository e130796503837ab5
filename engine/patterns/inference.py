"""The pattern of a text column, learned from values of it and from the lake: the entry point.

Values should be a uniform sample of whole past batches, in the order in which they came: nearly all false alarms come
from learning from the first rows of a sorted table."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from treaty.engine.analyzers.conformity_test import ALPHA, ConformityComparison, ConformityCounts, compare, detectable
from treaty.engine.patterns.candidates import LAKE, PatternCandidate, candidates, known_to, matcher
from treaty.engine.patterns.choice import ChoicePolicy, PatternChoice, best, candidate_choices
from treaty.engine.patterns.fmdv import InferredPattern, NoPatternReason
from treaty.engine.patterns.index import PatternIndex
from treaty.engine.patterns.language.pattern import Pattern
from treaty.engine.patterns.language.tokenizer import LONGEST
from treaty.engine.patterns.value_shapes import SHAPES

LEAST_VALUES = 5
DETECTED_OF = 1000
# What is not a pattern but what is left where there is none: the characters of the values, and the values themselves.
FALLBACKS = frozenset(("characters", "characters_sized", "framed", "vocabulary"))
# Only patterns that tell a structure, that hardly ever alarmed, and that few other columns have.
STRICT = ChoicePolicy(
    false_alarm_cost=10.0, most_alarms=0.01, most_passes=0.1, families=(frozenset(LAKE) | frozenset(SHAPES)) - FALLBACKS
)


@dataclass(frozen=True, kw_only=True)
class LearnedPattern:
    """A promise about a text column: texts match the pattern, but for as many as did not when it was learned.

    More of them than chance allows is a warning; where their share besides grew by more than `floor`, an error."""

    family: str
    pattern: Pattern
    trained: ConformityCounts
    floor: float
    inferred: InferredPattern | None = None
    alpha: float = ALPHA

    @property
    def is_pattern(self) -> bool:
        """Whether it tells a structure, not only characters or a vocabulary."""
        return self.family not in FALLBACKS

    def count(self, values: Iterable[str | None]) -> ConformityCounts:
        """How many of the values do not match; nulls are none."""
        match, bad, of = matcher(self.pattern), 0, 0
        for value in values:
            if value is not None:
                bad, of = bad + (not match(value)), of + 1
        return ConformityCounts(bad, of)

    def judge(self, judged: ConformityCounts) -> ConformityComparison:
        """What so many non-conforming values mean."""
        return compare(self.trained, judged, alpha=self.alpha, floor=self.floor)


@dataclass(frozen=True, kw_only=True)
class PatternResult:
    """What is promised of a column, or why nothing is.

    `alarms`: the estimated chance of a false alarm; `passes`: the share of other columns that would pass in this one's
    place; `detectable`: the smallest share of bad values that would be told among 1,000 (None: not even all would);
    `lake`: what the lake knows of the values, or why it knows no pattern of them, whatever was promised in the end."""

    learned: LearnedPattern | None
    reason: str
    lake: InferredPattern | NoPatternReason
    alarms: float | None = None
    passes: float | None = None
    detectable: float | None = None


def infer(values: Sequence[str | None], index: PatternIndex, taste: ChoicePolicy | None = None) -> PatternResult:
    """What a text column may be promised, from values of it in the order in which they came; nulls count nothing."""
    # A longer text than patterns look at is as good cut just beyond that, and does not grow with what is given.
    texts = [value[: LONGEST + 1] for value in values if value is not None]
    known = known_to(index.sums, texts, index.least_columns)
    lake = known["least_alarming"]
    if len(texts) < LEAST_VALUES:
        return PatternResult(learned=None, reason=_too_few(len(texts)), lake=lake)
    found = list(candidates(texts, known))
    chosen = best(candidate_choices(found, index.calibration, index.background), taste or ChoicePolicy())
    if chosen is None:
        return PatternResult(learned=None, reason=_nothing(found), lake=lake)
    return _promised(chosen, index, lake)


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
        else f"{count} values are too few to learn from: {LEAST_VALUES} at least"
    )


def _nothing(found: Sequence[PatternCandidate]) -> str:
    if not found:
        return "the values are too long or too varied to be described"
    return "whatever describes these values raised too many false alarms in columns like this one"


def _why(learned: LearnedPattern, lake: InferredPattern | NoPatternReason) -> str:
    if learned.inferred is not None:
        columns = learned.inferred.columns
        return f"{columns} columns of this lake have such values"
    shape = learned.family.replace("_", " ")
    return f"told from the column's own {shape}" + (f"; {lake}" if isinstance(lake, NoPatternReason) else "")
