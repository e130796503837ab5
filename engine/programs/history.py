"""The partitions of one column that a program is learned from, in the order in which they came; their statistics."""

from calendar import monthrange
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy
from numpy.typing import NDArray

from treaty.engine.analyzers.bound import BoundAnalyzer
from treaty.engine.programs.stationarity import DAILY, Cadence, cadence
from treaty.engine.statistics.statistics import DISTANCES, STATISTICS, compute_statistics
from treaty.engine.statistics.stored_summaries import distance_parts
from treaty.engine.statistics.summaries import NumberSummary, Summary

Array = NDArray[Any]

# As wide as the guard of completeness, and so long until a change is believed: by hand.
FAR, FAR_ROWS, LEAST_KEPT, LASTING = 10.0, 2.0, 5, 2
# A mean that far is of other numbers: beyond the widest clause, and by more than the numbers differ. By hand.
FAR_MEAN = 80.0


@dataclass(frozen=True, eq=False)
class Batch:
    """A partition of a column: its name, what is kept of it, and the time of its data where that is known.

    `excluded`: it belongs to an incident that nobody has said to be expected; nothing is learned from it, and nothing
    compared with it."""

    name: str
    summary: Summary
    time: datetime | None = None
    excluded: bool = False


@dataclass(frozen=True, eq=False)
class ColumnHistory:
    """Batches in the order of their runs: in that of their times where all have one, else as given.

    `cache`: the statistics of all of them, where they are told already."""

    batches: tuple[Batch, ...] = ()
    cache: dict[str, Array] = field(default_factory=dict)

    @staticmethod
    def of(batches: Iterable[Batch]) -> "ColumnHistory":
        """The history of these batches: of several with one name the last one counts."""
        given = tuple({batch.name: batch for batch in batches}.values())
        timed = [(batch.time, at) for at, batch in enumerate(given) if batch.time is not None]
        return ColumnHistory(tuple(given[at] for _, at in sorted(timed)) if len(timed) == len(given) else given)

    @staticmethod
    def with_rows(batches: tuple[Batch, ...], rows: Iterable[dict[str, float | None]]) -> "ColumnHistory":
        """The history of these batches, whose statistics are known already, a row each."""
        return ColumnHistory(batches, _columns(rows))

    @cached_property
    def training_positions(self) -> list[int]:
        """Where the batches stand that are learned from: neither excluded, nor set aside, nor of another type than the
        newest of these that has values."""
        there = [at for at, batch in enumerate(self.batches) if not batch.excluded]
        newest = max(there, key=lambda at: (self.batches[at].summary.present > 0, at), default=0)
        alike = [at for at in there if self.batches[at].summary.is_text is self.batches[newest].summary.is_text]
        given = [self.batches[at].summary for at in alike]
        odd = set_aside(_each(_complete, given), FAR, FAR_ROWS * self._row)
        spread = float(numpy.median(_each(_deviation, given))) if given else 0.0
        odd |= set_aside(_each(_mean, given), FAR_MEAN, spread)
        if self.cadence == DAILY:
            odd -= recurring(odd, [self.batches[at].time for at in alike])
        return [at for place, at in enumerate(alike) if place not in odd]

    @property
    def _row(self) -> float:
        """What a row weighs among those of the smallest batch."""
        return 1.0 / max(1, min((batch.summary.rows for batch in self.batches), default=1))

    @cached_property
    def learned(self) -> tuple[Batch, ...]:
        """What is learned from."""
        return tuple(self.batches[at] for at in self.training_positions)

    @cached_property
    def aside(self) -> tuple[str, ...]:
        """The names of the batches that are not learned from."""
        kept = set(self.training_positions)
        return tuple(batch.name for at, batch in enumerate(self.batches) if at not in kept)

    @property
    def newest(self) -> Summary | None:
        """The last of what is learned from; None where there is nothing."""
        return self.learned[-1].summary if self.learned else None

    @cached_property
    def compared(self) -> Summary | None:
        """The last of what is learned from that has values: what distances are told from."""
        return next((each.summary for each in reversed(self.learned) if each.summary.present), None)

    @cached_property
    def series(self) -> dict[str, Array]:
        """Every statistic of what is learned from, by name; NaN where a batch has none, infinite where values are."""
        return {name: values[self.training_positions] for name, values in self.cache.items()} or _columns(self.rows)

    @cached_property
    def rows(self) -> tuple[dict[str, float | None], ...]:
        """The statistics of each batch that is learned from, distances from the last one before that has values."""
        return tuple(compute_statistics(now, before) for now, before in self._pairs())

    def distances(self) -> dict[str, Array]:
        """The distances of all batches by name, each from the last one before that is learned from and has values; NaN
        for what is not learned from."""
        rows = dict(
            zip(
                self.training_positions,
                (compute_statistics(*each, among=DISTANCES) for each in self._pairs()),
                strict=True,
            )
        )
        nothing = dict.fromkeys(next(iter(rows.values()), ()))
        return _columns(rows.get(at, nothing) for at in range(len(self.batches)))

    def _pairs(self) -> Iterator[tuple[Summary, Summary | None]]:
        before = None
        for batch in self.learned:
            yield batch.summary, before
            before = batch.summary if batch.summary.present else before

    @property
    def points(self) -> int:
        """How many batches are learned from."""
        return len(self.learned)

    @cached_property
    def cadence(self) -> Cadence:
        """How often the batches came."""
        return cadence([batch.time for batch in self.batches])

    def first(self, many: int) -> "ColumnHistory":
        """What was known after so many batches."""
        return ColumnHistory(self.batches[:many], {name: values[:many] for name, values in self.cache.items()})

    def row(self, at: int) -> dict[str, float | None]:
        """The statistics of a batch that is learned from, by its place among all."""
        place = self.training_positions.index(at)
        found = {name: values[place] for name, values in self.series.items()}
        return {name: None if numpy.isnan(value) else float(value) for name, value in found.items()}

    def arriving(self, summary: Summary) -> dict[str, float | None]:
        """The statistics of a batch that comes next."""
        return compute_statistics(summary, self.compared)

    def floor(self, statistic: str) -> float:
        """By how much the statistic moves when something changes in the newest batch that is nothing to speak of."""
        return 0.0 if self.newest is None else STATISTICS[statistic].floor(self.newest)


def _columns(rows: Iterable[dict[str, float | None]]) -> dict[str, Array]:
    listed = list(rows)
    names = dict.fromkeys(name for row in listed for name in row)  # a column may have changed its type
    return {name: numpy.array([_number(row.get(name)) for row in listed], dtype=float) for name in names}


def _number(value: float | None) -> float:
    return numpy.nan if value is None else value


def _complete(summary: Summary) -> float:
    return summary.present / summary.rows if summary.rows else numpy.nan


def _mean(summary: Summary) -> float:
    return summary.moments[1] if isinstance(summary, NumberSummary) and summary.present else numpy.nan


def _deviation(summary: Summary) -> float:
    found = summary.deviation if isinstance(summary, NumberSummary) else 0.0
    return found if numpy.isfinite(found) else 0.0


def _each(told: Callable[[Summary], float], given: Iterable[Summary]) -> Array:
    return numpy.array([told(summary) for summary in given])


def set_aside(values: Array, far: float, least: float) -> set[int]:
    """The batches whose value lies far from those before, by position: nobody should learn from them.

    Far is so many deviations of what was kept before, and at least `least`. Where the next batch is as far, too, it is
    a change that lasts: both are learned from, and what comes is compared with them alone. Of what is not finite
    nothing is told."""
    kept: list[float] = []
    odd: set[int] = set()
    waiting: list[int] = []
    for at in numpy.flatnonzero(numpy.isfinite(values)).tolist():
        if not _is_far(values[at], kept, far, least):
            kept, waiting = [*kept, values[at]], []
        elif len(waiting) + 1 < LASTING:
            odd.add(at)
            waiting.append(at)
        else:
            odd -= set(waiting)
            kept, waiting = [*values[waiting].tolist(), values[at]], []
    return odd


def recurring(odd: Iterable[int], times: Sequence[datetime | None]) -> set[int]:
    """Those that share their day of the month with another one, counted from its beginning or from its end.

    What comes again at the end of each month is no accident: it is learned from."""
    days: dict[tuple[str, int], set[int]] = defaultdict(set)
    for at in odd:
        if (time := times[at]) is not None:
            days["from the beginning", time.day].add(at)
            days["from the end", monthrange(time.year, time.month)[1] - time.day].add(at)
    return {at for alike in days.values() if len(alike) > 1 for at in alike}


def _is_far(value: float, kept: list[float], far: float, least: float) -> bool:
    if len(kept) < LEAST_KEPT:
        return False
    with numpy.errstate(over="ignore", invalid="ignore"):
        width = max(far * float(numpy.std(kept, ddof=1)), least)
        return bool(abs(value - float(numpy.mean(kept))) > width)


def distance_inputs(asked: Iterable[BoundAnalyzer], values: Mapping[str, Any]) -> dict[str, Any]:
    """What distances of a column are told from, of the states' values by key; of what is not among them nothing."""
    parts = [part for bound in asked if bound.analyzer.needs_previous for part in bound.parts.values()]
    return distance_parts({each.component.kind: values[each.key] for each in parts if each.key in values})
