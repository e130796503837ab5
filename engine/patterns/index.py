"""The index of a lake: what inference asks instead of reading the lake again.

It holds the sums over patterns, the calibration of promises, looks of other columns, and how much better the chosen
promises looked than they then were. All of it adds up over tables."""

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
# Few rows alarm rarely, whatever they are: what is to be feared of whole batches, columns of fewer do not tell.
LEAST_JUDGED = 100
PRIOR = 10.0


@dataclass(frozen=True)
class SelectionOptimism:
    """Of promises chosen from one half of the lake and judged on the other: how many there were, and how many false
    alarms were expected and seen."""

    expected: float = 0.0
    observed: float = 0.0
    promises: float = 0.0

    def __add__(self, other: "SelectionOptimism") -> "SelectionOptimism":
        return SelectionOptimism(
            self.expected + other.expected, self.observed + other.observed, self.promises + other.promises
        )

    @property
    def excess(self) -> float:
        """What is added to the chance of a false alarm: the best of several looks better than it is. At least 0; ten
        promises are taken to have been as good as they looked."""
        return max(0.0, (self.observed - self.expected) / (self.promises + PRIOR))


@dataclass(frozen=True, eq=False)
class PatternIndex:
    """What a lake says of text columns."""

    sums: PatternSums
    calibration: Calibration = field(default_factory=Calibration)
    background: Background = field(default_factory=Background)
    optimism: SelectionOptimism = field(default_factory=SelectionOptimism)

    @property
    def least_columns(self) -> int:
        """The paper's m: as many columns must have a pattern. It grows with the root of the lake: 3 of two thousand
        columns, 5 of six thousand, 100 of millions, as the paper recommends."""
        return evidence(self.sums.size)


def evidence(size: int) -> int:
    """How many columns of a lake of `size` columns must have a pattern."""
    return max(LEAST_EVIDENCE, min(MOST_EVIDENCE, round(sqrt(size) / 16)))


def indexed(columns: Sequence[Sequence[str]], *, tokens: int = TOKENS, sources: Sequence[object] = ()) -> PatternIndex:
    """The index of columns, each given by its values in their order.

    `sources`: for each column where it comes from, so that what is learned from one half of the sources is replayed on
    the other; without them columns are halved as they come."""
    halves = _halves(len(columns), sources)
    sums = [sums_of((columns[place] for place in half), tokens=tokens) for half in halves]
    replays = [
        _replays([columns[place] for place in half], other.frequent(LEAST_EVIDENCE))
        for half, other in zip(halves, reversed(sums), strict=True)
    ]
    seen = background(columns)
    counts = [merge_calibrations(each.counts for each in half) for half in replays]
    optimism = [optimism_of(half, other, seen) for half, other in zip(replays, reversed(counts), strict=True)]
    return PatternIndex(merge_sums(sums), merge_calibrations(counts), seen, sum(optimism, SelectionOptimism()))


def merge_indexes(parts: Iterable[PatternIndex]) -> PatternIndex:
    """The index of all columns of these."""
    listed = list(parts)
    return PatternIndex(
        merge_sums([each.sums for each in listed]) if listed else nothing(),
        merge_calibrations(each.calibration for each in listed),
        merge_backgrounds(each.background for each in listed),
        sum((each.optimism for each in listed), SelectionOptimism()),
    )


def _halves(count: int, sources: Sequence[object]) -> tuple[list[int], list[int]]:
    order = {source: place for place, source in enumerate(dict.fromkeys(sources))}
    number = [order[source] for source in sources] if sources else list(range(count))
    return [at for at in range(count) if number[at] % 2], [at for at in range(count) if not number[at] % 2]


def _replays(columns: Sequence[Sequence[str]], sums: PatternSums) -> list[ReplayedColumn]:
    found = (replay_column(values, sums) for values in sample_evenly(columns, MOST_REPLAYED // 2))
    return [each for each in found if each is not None]


def optimism_of(columns: Iterable[ReplayedColumn], counts: Calibration, seen: Background) -> SelectionOptimism:
    """What is expected of the promises chosen by these counts for columns that are not among them, and what was seen.

    Nothing where there are no counts yet: what is expected then is a guess."""
    if not counts.cells:
        return SelectionOptimism()
    return sum((_chosen(each, counts, seen) for each in columns if each.of >= LEAST_JUDGED), SelectionOptimism())


def _chosen(column: ReplayedColumn, counts: Calibration, seen: Background) -> SelectionOptimism:
    exceeded = dict(column.promises)
    chosen = best(candidate_choices(exceeded, counts, seen), ChoicePolicy())
    if chosen is None:
        return SelectionOptimism()
    return SelectionOptimism(chosen.alarms, exceeded[chosen.candidate][1 + FLOORS.index(chosen.floor)], 1.0)
