"""FMDV and its variants: infer the pattern of a column with the fewest false alarms in the lake.

Basic (section 2.3 of the paper): of all patterns that every value matches, with FPR at most `r` and in at least `m`
columns of the lake, the one with the least FPR. Vertical (section 3): a structure is cut into segments that the lake
has, with the least sum of FPRs (equation 11). Horizontal (section 4): if the values have several structures, those
with few rows are discarded, at most the share `theta`; and beyond the paper, each of up to three structures with
many rows gets a pattern. `objective` defines FPR: the mean impurity (the paper's) or the replayed share of false
alarms; `columns` makes it CMDV (section 2.3: least coverage)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from treaty.engine.core.learning_options import PatternMethod, PatternOptions
from treaty.engine.patterns.enumeration import TOKENS, Array, StructureGroup, groups, rows_of
from treaty.engine.patterns.lake_sums import PatternSums, sample_evenly
from treaty.engine.patterns.language.parser import parse
from treaty.engine.patterns.language.pattern import LiteralToken, Pattern, joined, union
from treaty.engine.patterns.language.pattern_ids import TextSlice
from treaty.engine.patterns.language.tokenizer import by_numbers, by_runs, by_words, has_numbers

VALUES = 256
MOST_STRUCTURES = 3
MOST_TOKENS = 48
LEAST_OF_STRUCTURE = 0.05


class Objective(StrEnum):
    """The quantity to minimize."""

    IMPURITY = "impurity"
    ALARMS = "alarms"
    COLUMNS = "columns"


@dataclass(frozen=True, kw_only=True)
class PatternLimits:
    """Limits of an inferred pattern.

    `r`: maximum FPR. `m`: minimum number of columns. `tokens`: the paper's tau. `theta`: maximum discarded share.
    `vertical`, `horizontal`: permitted cuts. `structures`: maximum number of structures. `objective`: quantity to
    minimize."""

    r: float = 0.1
    m: int = 3
    tokens: int = 8
    theta: float = 0.05
    vertical: bool = True
    horizontal: bool = True
    structures: int = MOST_STRUCTURES
    objective: Objective = Objective.ALARMS

    def adjusted(self, options: PatternOptions, least: int) -> "PatternLimits":
        """Return the limits with the options that are set.

        `least`: number of columns that must have a pattern where the options do not set it."""
        limits = {"r": options.max_impurity, "tokens": options.max_tokens, "theta": options.max_discarded}
        chosen: dict[str, Any] = {name: value for name, value in limits.items() if value is not None}
        return replace(self, m=options.min_columns or least, **chosen)


VARIANTS = {
    "FMDV": PatternLimits(vertical=False, horizontal=False, structures=1),
    "FMDV-V": PatternLimits(horizontal=False, structures=1),
    "FMDV-H": PatternLimits(vertical=False, structures=1),
    "FMDV-VH": PatternLimits(structures=1),
    "union": PatternLimits(),
}

# The paper's methods, which minimize the mean impurity; CMDV the number of columns.
METHODS = {
    PatternMethod.FMDV: replace(VARIANTS["FMDV"], objective=Objective.IMPURITY),
    PatternMethod.FMDV_V: replace(VARIANTS["FMDV-V"], objective=Objective.IMPURITY),
    PatternMethod.FMDV_H: replace(VARIANTS["FMDV-H"], objective=Objective.IMPURITY),
    PatternMethod.FMDV_VH: replace(VARIANTS["FMDV-VH"], objective=Objective.IMPURITY),
    PatternMethod.CMDV: replace(VARIANTS["FMDV"], objective=Objective.COLUMNS),
}


@dataclass(frozen=True)
class PatternSegment:
    """A segment of a pattern with its statistics over the lake.

    `columns`: number of columns with it. `fpr`: their mean impurity. `alarms`: share of them with a false alarm in
    the replay."""

    text: str
    columns: int
    fpr: float
    alarms: float


@dataclass(frozen=True)
class InferredPattern:
    """A pattern with its segments. `discarded`: share of the values cut off as not of the domain."""

    pattern: Pattern
    segments: tuple[PatternSegment, ...]
    discarded: float = 0.0

    @property
    def fpr(self) -> float:
        """Return the sum of the segments' impurities (equation 8)."""
        return sum(each.fpr for each in self.segments)

    @property
    def alarms(self) -> float:
        """Return the sum of the segments' shares of false alarms."""
        return sum(each.alarms for each in self.segments)

    @property
    def columns(self) -> int:
        """Return the smallest number of columns of a segment."""
        return min((each.columns for each in self.segments), default=0)


class NoPatternReason(StrEnum):
    """The reason why there is no pattern."""

    NO_VALUES = "there are no values"
    TOO_LONG = "values are too long or have too many tokens"
    NATURAL_LANGUAGE = "the values look like natural language, with too many different words"
    HETEROGENEOUS = "the values have too many structures"
    NO_EVIDENCE = "too few columns of this lake have such values"
    FALSE_ALARMS = "such patterns raise too many false alarms in this lake"
    UNSAFE = "no pattern of the supported subset of regular expressions describes the values"


def infer_domain(
    values: Sequence[str], sums: PatternSums, limits: PatternLimits = VARIANTS["union"]
) -> InferredPattern | NoPatternReason:
    """Return the lake's pattern of these values, or the reason why there is none."""
    return domain_of(laid_out(values), sums, limits)


def domain_of(
    column: "StructuredColumn", sums: PatternSums, limits: PatternLimits
) -> InferredPattern | NoPatternReason:
    """Return the same as `infer_domain` for a prepared column, which several limits can share."""
    if not column.total:
        return NoPatternReason.NO_VALUES
    whole = _whole(column, sums, limits)
    if isinstance(whole, InferredPattern) or not limits.horizontal:
        return whole
    by_structure = _cut_horizontally(column, sums, limits)
    return by_structure if isinstance(by_structure, InferredPattern) else whole


@dataclass(frozen=True, eq=False)
class StructuredColumn:
    """Values with their rows, grouped by structure."""

    rows: dict[str, int]
    total: int

    @cached_property
    def structures(self) -> list[StructureGroup]:
        """Return the structures by words, those with the most rows first."""
        return sorted(groups(self.rows, by_words).values(), key=lambda group: -group.rows.bit_count())

    @cached_property
    def of_all(self) -> list[StructureGroup]:
        """Return the structures that every row has: by words, by runs (narrower) and by numbers."""
        numbers = groups(self.rows, by_numbers).values() if any(map(has_numbers, self.rows)) else ()
        cuts = [self.structures, list(groups(self.rows, by_runs).values()), list(numbers)]
        common = [cut[0] for cut in cuts if len(cut) == 1]
        return [group for group in common if group.rows.bit_count() == self.total]


def laid_out(values: Sequence[str]) -> StructuredColumn:
    """Prepare a column of at most 256 of the values, evenly spread."""
    chosen = sample_evenly(values, VALUES)
    return StructuredColumn(rows_of(chosen), len(chosen))


def familiar_share(column: StructuredColumn, sums: PatternSums, least: int) -> float:
    """Return the share of values with a shape that enough columns have.

    0 without values. `least`: number of columns. A shape is a structure whose values match a pattern together."""
    if not column.total or not len(sums):
        return 0.0
    rows = sum(each.rows.bit_count() for each in column.structures if _most_columns(each, sums) >= least)
    return rows / column.total


def _most_columns(group: StructureGroup, sums: PatternSums) -> int:
    """Return the largest number of columns of the lake with a pattern of the group."""
    if len(group.structure) > TOKENS:
        return 0
    places, in_lake = sums.places(group.hypotheses[1])
    return int((sums.columns[places] * in_lake).max(initial=0))


def _whole(column: StructuredColumn, sums: PatternSums, limits: PatternLimits) -> InferredPattern | NoPatternReason:
    reasons: list[NoPatternReason] = []
    for group in column.of_all:
        outcome = _of_group(group, sums, limits)
        if isinstance(outcome, InferredPattern):
            return outcome
        reasons.append(outcome)
    return reasons[0] if reasons else _shapeless(column)


def _shapeless(column: StructuredColumn) -> NoPatternReason:
    if not column.structures:
        return NoPatternReason.TOO_LONG
    words = {word for group in column.structures for position in group.words for word in position}
    wordy = 2 * sum(" " in value for value in column.rows) > len(column.rows) and len(words) > len(column.rows)
    return NoPatternReason.NATURAL_LANGUAGE if wordy else NoPatternReason.HETEROGENEOUS


def _cut_horizontally(
    column: StructuredColumn, sums: PatternSums, limits: PatternLimits
) -> InferredPattern | NoPatternReason:
    """Infer patterns of the most frequent structures; the others must be few.

    At most the share `theta` is discarded. Whole structures are cut off, but no values of a remaining structure,
    because more such values may follow."""
    all_structures, total = column.structures, column.total
    remaining = [
        each for each in all_structures[: limits.structures] if each.rows.bit_count() >= LEAST_OF_STRUCTURE * total
    ]
    covered = sum(each.rows.bit_count() for each in remaining)
    if covered < (1 - limits.theta) * total or len(all_structures) == 1:
        return NoPatternReason.HETEROGENEOUS
    each_inferred = [_of_group(group, sums, limits) for group in remaining]
    inferred = [each for each in each_inferred if isinstance(each, InferredPattern)]
    if len(inferred) < len(remaining):
        return next(each for each in each_inferred if isinstance(each, NoPatternReason))
    shares = [group.rows.bit_count() / covered for group in remaining]
    segments = tuple(
        replace(segment, fpr=segment.fpr * share, alarms=segment.alarms * share)
        for each, share in zip(inferred, shares, strict=True)
        for segment in each.segments
    )
    return InferredPattern(union([each.pattern for each in inferred]), segments, 1 - covered / total)


def _of_group(group: StructureGroup, sums: PatternSums, limits: PatternLimits) -> InferredPattern | NoPatternReason:
    if len(group.structure) > MOST_TOKENS:
        return NoPatternReason.TOO_LONG
    whole = _best(group, sums, limits) if len(group.structure) <= limits.tokens else NoPatternReason.NO_EVIDENCE
    if isinstance(whole, PatternSegment):
        return _admitted(parse(whole.text), (whole,), limits)
    cut = _cut_vertically(group, sums, limits) if limits.vertical else None
    return cut or whole


def _admitted(
    pattern: Pattern, segments: tuple[PatternSegment, ...], limits: PatternLimits
) -> InferredPattern | NoPatternReason:
    inferred = InferredPattern(pattern, segments)
    if not pattern.is_safe:
        return NoPatternReason.UNSAFE
    cost = inferred.fpr if limits.objective is Objective.IMPURITY else inferred.alarms
    return inferred if cost <= limits.r else NoPatternReason.FALSE_ALARMS


def _best(group: StructureGroup, sums: PatternSums, limits: PatternLimits) -> PatternSegment | NoPatternReason:
    patterns, ids = group.hypotheses
    places, in_lake = sums.places(ids)
    frequent = in_lake & (sums.columns[places] >= limits.m) if len(sums) else in_lake
    if not frequent.any():
        return NoPatternReason.NO_EVIDENCE
    chosen = np.flatnonzero(frequent & (_cost(sums, places, limits) <= limits.r))
    if not len(chosen):
        return NoPatternReason.FALSE_ALARMS
    order = np.lexsort((sums.columns[places[chosen]], _first(sums, places[chosen], limits)))
    at = chosen[order[0]]
    return _segment(patterns[at].pieces, sums, int(places[at]))


def _cost(sums: PatternSums, places: Array, limits: PatternLimits) -> Array:
    array: Array = (sums.fpr if limits.objective is Objective.IMPURITY else sums.alarms)[places]
    return array


def _first(sums: PatternSums, places: Array, limits: PatternLimits) -> Array:
    return sums.columns[places] if limits.objective is Objective.COLUMNS else _cost(sums, places, limits)


def _segment(pieces: Sequence[TextSlice], sums: PatternSums, place: int) -> PatternSegment:
    text = "".join(each.text for each in pieces)
    return PatternSegment(text, int(sums.columns[place]), float(sums.fpr[place]), float(sums.alarms[place]))


def _cut_vertically(group: StructureGroup, sums: PatternSums, limits: PatternLimits) -> InferredPattern | None:
    """Return the cheapest cut into segments of the lake (equation 11); None if there is none.

    Segments begin and end with a word. The text between them is constant and costs nothing, because no column
    consists of a separator."""
    marks = group.marks
    best: list[tuple[float, tuple[PatternSegment | LiteralToken, ...]] | None] = [(0.0, ()), *[None] * len(marks)]
    for end in range(1, len(marks) + 1):
        best[end] = min(_cuts(group, best, end, sums, limits), key=lambda each: each[0], default=None)
    if not marks or best[-1] is None:
        return None
    parts = (*best[-1][1], LiteralToken(group.structure[marks[-1] + 1 :]))
    segments = tuple(each for each in parts if isinstance(each, PatternSegment))
    outcome = _admitted(joined([_pattern(each) for each in parts]), segments, limits)
    return outcome if isinstance(outcome, InferredPattern) else None


def _cuts(
    group: StructureGroup,
    best: Sequence[tuple[float, tuple[PatternSegment | LiteralToken, ...]] | None],
    end: int,
    sums: PatternSums,
    limits: PatternLimits,
) -> list[tuple[float, tuple[PatternSegment | LiteralToken, ...]]]:
    candidates, marks = [], group.marks
    for start in range(end - 1, -1, -1):
        if marks[end - 1] - marks[start] >= limits.tokens:
            break
        before = best[start]
        segment = _best(group.part(start, end), sums, limits) if before else None
        if before and isinstance(segment, PatternSegment):
            gap = LiteralToken(group.structure[marks[start - 1] + 1 if start else 0 : marks[start]])
            cost = segment.fpr if limits.objective is Objective.IMPURITY else segment.alarms
            candidates.append((before[0] + cost, (*before[1], gap, segment)))
    return candidates


def _pattern(part: PatternSegment | LiteralToken) -> Pattern:
    if isinstance(part, PatternSegment):
        return parse(part.text)
    return Pattern(((part,),)) if part.characters else Pattern(((),))
