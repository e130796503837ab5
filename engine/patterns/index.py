"""The index of a lake, which inference uses instead of reading the lake again.

It contains the sums over patterns, the calibration of candidates, the masks of other columns, and the optimism of
the selection. All of it adds up over tables."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import sqrt

from treaty.engine.patterns.calibration import (
    FLOORS,
    Background,
    Calibration,
    ReplayedColumn,
    background,
    merge_backgrounds,
    merge_calibrations,
    replay_column,
)
from treaty.engine.patterns.choice import ChoicePolicy, best, candidate_choices
from treaty.engine.patterns.enumeration import TOKENS
from treaty.engine.patterns.lake_sums import PatternSums, merge_sums, nothing, sample_evenly, sums_of

MOST_REPLAYED = 1000
LEAST_EVIDENCE, MOST_EVIDENCE = 2, 100
# Columns with fewer rows rarely raise an alarm and say nothing about whole batches.
LEAST_JUDGED = 100
PRIOR = 10.0


@dataclass(frozen=True)
class SelectionOptimism:
    """Expected and observed false alarms of checks on columns they were not chosen from.

    Checks are chosen from one half of the lake and evaluated on the other. `promises`: number of these checks."""

    expected: float = 0.0
    observed: float = 0.0
    promises: float = 0.0

    def __add__(self, other: "SelectionOptimism") -> "SelectionOptimism":
        return SelectionOptimism(
            self.expected + other.expected, self.observed + other.observed, self.promises + other.promises
        )

    @property
    def excess(self) -> float:
        """Return the amount to add to a false-alarm probability, at least 0.

        The best of several candidates looks better than it is. The prior is ten checks without excess."""
        return max(0.0, (self.observed - self.expected) / (self.promises + PRIOR))


@dataclass(frozen=True, eq=False)
class PatternIndex:
    """Pattern statistics of a lake's text columns."""

    sums: PatternSums
    calibration: Calibration = field(default_factory=Calibration)
    background: Background = field(default_factory=Background)
    optimism: SelectionOptimism = field(default_factory=SelectionOptimism)

    @property
    def least_columns(self) -> int:
        """Return the paper's m: the number of columns that must have a pattern.

        It grows with the square root of the lake: 3 for two thousand columns, 5 for six thousand, 100 for millions,
        as the paper recommends."""
        return evidence(self.sums.size)


def evidence(size: int) -> int:
    """Return the number of columns that must have a pattern, by the lake's size.

    `size`: number of columns of the lake."""
    return max(LEAST_EVIDENCE, min(MOST_EVIDENCE, round(sqrt(size) / 16)))


def indexed(columns: Sequence[Sequence[str]], *, tokens: int = TOKENS, sources: Sequence[object] = ()) -> PatternIndex:
    """Build the index of columns, each given by its values in their order.

    `tokens`: maximum number of tokens of a pattern. `sources`: origin of each column; patterns learned from one half
    of the origins are replayed on the other half. Without them the columns alternate."""
    halves = _halves(len(columns), sources)
    sums = [sums_of((columns[place] for place in half), tokens=tokens) for half in halves]
    replays = [
        _replays([columns[place] for place in half], other.frequent(LEAST_EVIDENCE))
        for half, other in zip(halves, reversed(sums), strict=True)
    ]
    masks = background(columns)
    counts = [merge_calibrations(each.counts for each in half) for half in replays]
    optimism = [optimism_of(half, other, masks) for half, other in zip(replays, reversed(counts), strict=True)]
    return PatternIndex(merge_sums(sums), merge_calibrations(counts), masks, sum(optimism, SelectionOptimism()))


def merge_indexes(parts: Iterable[PatternIndex]) -> PatternIndex:
    """Merge the indexes of several sets of columns."""
    indexes = list(parts)
    return PatternIndex(
        merge_sums([each.sums for each in indexes]) if indexes else nothing(),
        merge_calibrations(each.calibration for each in indexes),
        merge_backgrounds(each.background for each in indexes),
        sum((each.optimism for each in indexes), SelectionOptimism()),
    )


def _halves(count: int, sources: Sequence[object]) -> tuple[list[int], list[int]]:
    order = {source: place for place, source in enumerate(dict.fromkeys(sources))}
    number = [order[source] for source in sources] if sources else list(range(count))
    return [at for at in range(count) if number[at] % 2], [at for at in range(count) if not number[at] % 2]


def _replays(columns: Sequence[Sequence[str]], sums: PatternSums) -> list[ReplayedColumn]:
    replays = (replay_column(values, sums) for values in sample_evenly(columns, MOST_REPLAYED // 2))
    return [each for each in replays if each is not None]


def optimism_of(columns: Iterable[ReplayedColumn], counts: Calibration, background: Background) -> SelectionOptimism:
    """Return the expected and observed false alarms of checks chosen by counts of other columns.

    Zero while there are no counts, because the expectation would be a guess."""
    if not counts.cells:
        return SelectionOptimism()
    return sum((_chosen(each, counts, background) for each in columns if each.of >= LEAST_JUDGED), SelectionOptimism())


def _chosen(column: ReplayedColumn, counts: Calibration, background: Background) -> SelectionOptimism:
    exceeded = dict(column.promises)
    chosen = best(candidate_choices(exceeded, counts, background), ChoicePolicy())
    if chosen is None:
        return SelectionOptimism()
    return SelectionOptimism(chosen.alarms, exceeded[chosen.candidate][1 + FLOORS.index(chosen.floor)], 1.0)
