"""Candidate patterns for a column: patterns from the lake and shapes of the column's own values.

Each candidate has traits, known without later data, coarse to fine. Candidates with equal traits are assumed to
raise false alarms equally often; `calibration` counts how often they did."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from treaty.engine.analyzers.conformity_test import ConformityCounts
from treaty.engine.core.learning_options import PATTERNS, PatternOptions
from treaty.engine.patterns.fmdv import InferredPattern, NoPatternReason, Objective, PatternLimits, domain_of, laid_out
from treaty.engine.patterns.lake_sums import PatternSums
from treaty.engine.patterns.language.pattern import Pattern, compiled
from treaty.engine.patterns.value_shapes import SHAPES

Match = Callable[[str], object]
# Patterns from the lake: with the least impurity (the paper's), with the fewest replayed false alarms, and the
# narrowest with few false alarms.
LAKE = {
    "least_impure": PatternLimits(r=0.1, objective=Objective.IMPURITY),
    "least_alarming": PatternLimits(r=0.1),
    "narrowest": PatternLimits(r=0.03, objective=Objective.COLUMNS),
}
_RARE, _FEW, _HALF, _MANY = 0.0, 0.2, 0.5, 0.8


@dataclass(frozen=True, kw_only=True)
class PatternCandidate:
    """A pattern that a check could use.

    `family`: how it was found. `trained`: conforming and non-conforming values. `traits`: coarse to fine.
    `inferred`: its evidence in the lake; None for shapes."""

    family: str
    pattern: Pattern
    trained: ConformityCounts
    traits: tuple[str, ...]
    inferred: InferredPattern | None = field(default=None, compare=False)

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the cells of calibration that it belongs to, coarse to fine."""
        return tuple("/".join((self.family, *self.traits[:depth])) for depth in range(len(self.traits) + 1))


def known_to(
    sums: PatternSums, values: Sequence[str], least: int = 3, options: PatternOptions = PATTERNS
) -> Mapping[str, InferredPattern | NoPatternReason]:
    """Return the lake's pattern of these values for each family, or why there is none.

    `least`: number of columns of the lake that must have a pattern (the paper's m), unless the options set it."""
    column = laid_out(values)
    return {family: domain_of(column, sums, limits.adjusted(options, least)) for family, limits in LAKE.items()}


def candidates(
    values: Sequence[str], inferred: Mapping[str, InferredPattern | NoPatternReason]
) -> Iterator[PatternCandidate]:
    """Yield the candidate patterns for these values, at most one for each family; none without values.

    `inferred`: result of `known_to` for these values."""
    if not values:
        return
    order = (order_of(values), distinct_of(values))
    yield from _of_lake(Counter(values), inferred, order)
    yield from _of_shapes(values, order)


def _of_lake(
    counted: Counter[str], inferred: Mapping[str, InferredPattern | NoPatternReason], order: tuple[str, ...]
) -> Iterator[PatternCandidate]:
    for family, pattern in inferred.items():
        if isinstance(pattern, InferredPattern):
            evidence = _bucket(pattern.alarms, (0.01, 0.02, 0.04))
            trained = nonconforming(matcher(pattern.pattern), counted)
            yield PatternCandidate(
                family=family, pattern=pattern.pattern, trained=trained, traits=(evidence, *order), inferred=pattern
            )


def _of_shapes(values: Sequence[str], order: tuple[str, ...]) -> Iterator[PatternCandidate]:
    older, newer = values[: len(values) // 2], Counter(values[len(values) // 2 :])
    distinct, before = list(dict.fromkeys(values)), list(dict.fromkeys(older))
    for family, shape in SHAPES.items():
        pattern = shape(distinct)
        if pattern is not None and pattern.is_safe:
            outcome = _held_out(shape(before) if before else None, newer)
            yield PatternCandidate(
                family=family, pattern=pattern, trained=ConformityCounts(0, len(values)), traits=(outcome, *order)
            )


def _held_out(earlier: Pattern | None, newer: Counter[str]) -> str:
    """Return the bucket of the second half's conformity to the first half's pattern."""
    if earlier is None:
        return "none"
    return _bucket(nonconforming(matcher(earlier), newer).share, (_RARE, _FEW, _HALF, _MANY))


def _bucket(number: float, bounds: Sequence[float]) -> str:
    return str(sum(number > bound for bound in bounds))


def order_of(values: Sequence[str]) -> str:
    """Return the order of the values: "constant", "sorted", "runs" or "mixed".

    Only mixed values are representative of later ones."""
    distinct = len(set(values))
    if distinct == 1:
        return "constant"
    pairs = list(pairwise(values))
    if all(one <= other for one, other in pairs) or all(one >= other for one, other in pairs):
        return "sorted"
    runs = 1 + sum(one != other for one, other in pairs)
    return "runs" if runs <= 1.5 * distinct and distinct < 0.7 * len(values) else "mixed"


def distinct_of(values: Sequence[str]) -> str:
    """Return the bucket of the number of distinct values."""
    distinct = len(set(values))
    return "all" if distinct == len(values) > 1 else _bucket(distinct, (1, 3, 8))


def matcher(pattern: Pattern) -> Match:
    """Return a function that is true for texts that match the pattern."""
    texts = pattern.texts
    return compiled(pattern).fullmatch if texts is None else texts.__contains__


def nonconforming(match: Match, counted: Counter[str]) -> ConformityCounts:
    """Count the values and those that do not match; `counted` gives the frequency of each value."""
    return ConformityCounts(sum(count for value, count in counted.items() if not match(value)), counted.total())
