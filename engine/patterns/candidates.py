"""What a column could be promised: patterns that the lake knows and shapes of its own values, before one is chosen.

Beside each pattern stands what is known of it without seeing tomorrow (`traits`), coarse before fine: patterns with
equal traits are taken to be equally likely to raise a false alarm, and `calibration` counts how often they did."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from treaty.engine.analyzers.conformity_test import ConformityCounts
from treaty.engine.patterns.fmdv import InferredPattern, NoPatternReason, Objective, PatternLimits, domain_of, laid_out
from treaty.engine.patterns.lake_sums import PatternSums
from treaty.engine.patterns.language.pattern import Pattern, compiled
from treaty.engine.patterns.value_shapes import SHAPES

Match = Callable[[str], object]
# Patterns of the lake: of least impurity (the paper's), of least replayed false alarms, and the narrowest that raises
# few of them.
LAKE = {
    "least_impure": PatternLimits(r=0.1, objective=Objective.IMPURITY),
    "least_alarming": PatternLimits(r=0.1),
    "narrowest": PatternLimits(r=0.03, objective=Objective.COLUMNS),
}
_RARE, _FEW, _HALF, _MANY = 0.0, 0.2, 0.5, 0.8


@dataclass(frozen=True, kw_only=True)
class PatternCandidate:
    """A pattern that could be promised: of which family, how its values fared, what is known of it."""

    family: str
    pattern: Pattern
    trained: ConformityCounts
    traits: tuple[str, ...]
    inferred: InferredPattern | None = field(default=None, compare=False)

    @property
    def keys(self) -> tuple[str, ...]:
        """The cells that it is counted in, coarse before fine."""
        return tuple("/".join((self.family, *self.traits[:depth])) for depth in range(len(self.traits) + 1))


def known_to(
    sums: PatternSums, values: Sequence[str], least: int = 3
) -> Mapping[str, InferredPattern | NoPatternReason]:
    """What the lake knows of these values, by family, or why it knows nothing. `least`: as many columns of the lake
    must have a pattern (the paper's m)."""
    column = laid_out(values)
    return {family: domain_of(column, sums, replace(limits, m=least)) for family, limits in LAKE.items()}


def candidates(
    values: Sequence[str], known: Mapping[str, InferredPattern | NoPatternReason]
) -> Iterator[PatternCandidate]:
    """Every pattern that these values could be promised, at most one of a family; none for no values. `known`: what the
    lake knows of them."""
    if not values:
        return
    order = (order_of(values), distinct_of(values))
    yield from _of_lake(Counter(values), known, order)
    yield from _of_shapes(values, order)


def _of_lake(
    counted: Counter[str], known: Mapping[str, InferredPattern | NoPatternReason], order: tuple[str, ...]
) -> Iterator[PatternCandidate]:
    for family, found in known.items():
        if isinstance(found, InferredPattern):
            evidence = _bucket(found.alarms, (0.01, 0.02, 0.04))
            trained = nonconforming(matcher(found.pattern), counted)
            yield PatternCandidate(
                family=family, pattern=found.pattern, trained=trained, traits=(evidence, *order), inferred=found
            )


def _of_shapes(values: Sequence[str], order: tuple[str, ...]) -> Iterator[PatternCandidate]:
    older, newer = values[: len(values) // 2], Counter(values[len(values) // 2 :])
    distinct, before = list(dict.fromkeys(values)), list(dict.fromkeys(older))
    for family, shape in SHAPES.items():
        pattern = shape(distinct)
        if pattern is not None and pattern.is_safe:
            held = _held_out(shape(before) if before else None, newer)
            yield PatternCandidate(
                family=family, pattern=pattern, trained=ConformityCounts(0, len(values)), traits=(held, *order)
            )


def _held_out(earlier: Pattern | None, newer: Counter[str]) -> str:
    """How the second half of the values fares by a pattern of the first."""
    if earlier is None:
        return "none"
    return _bucket(nonconforming(matcher(earlier), newer).share, (_RARE, _FEW, _HALF, _MANY))


def _bucket(number: float, bounds: Sequence[float]) -> str:
    return str(sum(number > bound for bound in bounds))


def order_of(values: Sequence[str]) -> str:
    """Whether values come sorted, in runs of equal ones, all equal, or mixed: what comes next tells itself from mixed
    values alone."""
    distinct = len(set(values))
    if distinct == 1:
        return "constant"
    pairs = list(pairwise(values))
    if all(one <= other for one, other in pairs) or all(one >= other for one, other in pairs):
        return "sorted"
    runs = 1 + sum(one != other for one, other in pairs)
    return "runs" if runs <= 1.5 * distinct and distinct < 0.7 * len(values) else "mixed"


def distinct_of(values: Sequence[str]) -> str:
    """How many distinct values there are, coarsely."""
    distinct = len(set(values))
    return "all" if distinct == len(values) > 1 else _bucket(distinct, (1, 3, 8))


def matcher(pattern: Pattern) -> Match:
    """A function that is true of texts that the pattern matches."""
    texts = pattern.texts
    return compiled(pattern).fullmatch if texts is None else texts.__contains__


def nonconforming(match: Match, counted: Counter[str]) -> ConformityCounts:
    """How many values a pattern does not match, of values with how often each occurs."""
    return ConformityCounts(sum(count for value, count in counted.items() if not match(value)), counted.total())
