"""Represent the history of one column: its partitions in order of arrival, with their statistics."""

from calendar import monthrange
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, reduce
from math import sqrt
from typing import Any

import numpy
from numpy.typing import NDArray

from treaty.engine.analyzers.bound import BoundAnalyzer
from treaty.engine.anomaly.cadence import DAILY, Cadence, LagUnit, cadence, positions
from treaty.engine.anomaly.series import finite
from treaty.engine.core.results import Value
from treaty.engine.programs.stationarity import Positions
from treaty.engine.statistics.statistics import DISTANCES, STATISTICS, compute_statistics
from treaty.engine.statistics.stored_summaries import distance_parts
from treaty.engine.statistics.summaries import NumberSummary, Summary

Array = NDArray[Any]

# Distance that sets a batch aside, as wide as the guard of completeness, and when a change is accepted; chosen by hand.
FAR, FAR_ROWS, LEAST_KEPT, LASTING = 10.0, 2.0, 5, 2
# A mean this far away belongs to other numbers: beyond the widest clause and the spread of the numbers. Chosen by hand.
FAR_MEAN = 80.0


@dataclass(frozen=True, eq=False)
class Batch:
    """A partition of a column: its name, its summary, and the time of its data if known.

    `excluded`: belongs to an incident that was not marked as expected; nothing is learned from it or compared with
    it."""

    name: str
    summary: Summary
    time: datetime | None = None
    excluded: bool = False


@dataclass(frozen=True, eq=False)
class ColumnHistory:
    """Batches ordered by time if all have one, else in the given order.

    `cache`: statistics of all batches, if already computed. `arrival`: time of the batch that follows; None means one
    step after the last."""

    batches: tuple[Batch, ...] = ()
    cache: dict[str, Array] = field(default_factory=dict)
    arrival: datetime | None = None

    @staticmethod
    def of(batches: Iterable[Batch]) -> "ColumnHistory":
        """Build the history of these batches; the last one of each name is used."""
        unique = tuple({batch.name: batch for batch in batches}.values())
        positions_by_time = [(batch.time, at) for at, batch in enumerate(unique) if batch.time is not None]
        return ColumnHistory(
            tuple(unique[at] for _, at in sorted(positions_by_time))
            if len(positions_by_time) == len(unique)
            else unique
        )

    @staticmethod
    def with_rows(batches: tuple[Batch, ...], rows: Iterable[dict[str, float | None]]) -> "ColumnHistory":
        """Build the history of batches whose statistics are known, one row per batch."""
        return ColumnHistory(batches, _columns(rows))

    @cached_property
    def training_positions(self) -> list[int]:
        """Return the positions of the batches to learn from.

        Excluded batches, outliers, and batches of another type than the newest non-empty one are left out."""
        included = [at for at, batch in enumerate(self.batches) if not batch.excluded]
        newest = max(included, key=lambda at: (self.batches[at].summary.present > 0, at), default=0)
        same_type = [at for at in included if self.batches[at].summary.is_text is self.batches[newest].summary.is_text]
        summaries = [self.batches[at].summary for at in same_type]
        outliers = set_aside(_each(_complete, summaries), FAR, FAR_ROWS * self._row)
        spread = float(numpy.median(_each(_deviation, summaries))) if summaries else 0.0
        outliers |= set_aside(_each(_mean, summaries), FAR_MEAN, spread)
        if self.cadence == DAILY:
            outliers -= recurring(outliers, [self.batches[at].time for at in same_type])
        return [at for place, at in enumerate(same_type) if place not in outliers]

    @property
    def _row(self) -> float:
        """Return the weight of one row in the smallest batch."""
        return 1.0 / max(1, min((batch.summary.rows for batch in self.batches), default=1))

    @cached_property
    def learned(self) -> tuple[Batch, ...]:
        """Return the batches to learn from."""
        return tuple(self.batches[at] for at in self.training_positions)

    @cached_property
    def aside(self) -> tuple[str, ...]:
        """Return the names of the batches not learned from."""
        used = set(self.training_positions)
        return tuple(batch.name for at, batch in enumerate(self.batches) if at not in used)

    @property
    def newest(self) -> Summary | None:
        """Return the newest summary to learn from; None without one."""
        return self.learned[-1].summary if self.learned else None

    @cached_property
    def compared(self) -> Summary | None:
        """Return the newest non-empty summary to learn from, the base of distances; None without one."""
        return next((each.summary for each in reversed(self.learned) if each.summary.present), None)

    @cached_property
    def series(self) -> dict[str, Array]:
        """Return every statistic of the batches learned from, by name; NaN if missing, infinite if values are."""
        return {name: values[self.training_positions] for name, values in self.cache.items()} or _columns(self.rows)

    @cached_property
    def rows(self) -> tuple[dict[str, float | None], ...]:
        """Return the statistics of each batch learned from, with distances to the previous non-empty one."""
        return tuple(compute_statistics(now, before) for now, before in self._pairs())

    def distances(self) -> dict[str, Array]:
        """Return the distances of all batches to the previous non-empty one, by name.

        Only batches learned from are compared with; batches that are not learned from get NaN."""
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
        """Return the number of batches learned from."""
        return len(self.learned)

    @cached_property
    def cadence(self) -> Cadence:
        """Return the cadence of the batches."""
        return cadence([batch.time for batch in self.batches])

    def positions(self, unit: LagUnit | None) -> Positions:
        """Return the positions in time of the batches learned from, and of the next batch.

        `unit`: length of a step; None counts all batches in order."""
        if unit not in self._positions:
            times = [batch.time for batch in self.batches]
            every = positions([*times, self.arrival] if self.arrival else times, unit)
            following = every[-1] if self.arrival else every[-1] + 1.0 if every else 0.0
            self._positions[unit] = Positions(tuple(every[at] for at in self.training_positions), following)
        return self._positions[unit]

    @cached_property
    def _positions(self) -> dict[LagUnit | None, Positions]:
        return {}

    def before(self, arrival: datetime | None) -> "ColumnHistory":
        """Return the history as that before a batch of this time; None means one step after the last batch."""
        following = copy(self)
        # What has been computed from the batches remains valid.
        vars(following).update(arrival=arrival, _positions={})
        return following

    def first(self, many: int) -> "ColumnHistory":
        """Return the history after the first `many` batches."""
        following = self.batches[many].time if many < len(self.batches) else self.arrival
        columns = {name: values[:many] for name, values in self.cache.items()}
        return ColumnHistory(self.batches[:many], columns, following)

    def row(self, at: int) -> dict[str, float | None]:
        """Return the statistics of a batch learned from, by its position among all."""
        place = self.training_positions.index(at)
        statistics = {name: values[place] for name, values in self.series.items()}
        return {name: None if numpy.isnan(value) else float(value) for name, value in statistics.items()}

    def arriving(self, summary: Summary) -> dict[str, float | None]:
        """Compute the statistics of the next batch."""
        return compute_statistics(summary, self.compared)

    def floor(self, statistic: str) -> float:
        """Return the change of the statistic caused by a negligible change in the newest batch."""
        return 0.0 if self.newest is None else STATISTICS[statistic].floor(self.newest)


def _columns(rows: Iterable[dict[str, float | None]]) -> dict[str, Array]:
    statistics = list(rows)
    names = dict.fromkeys(name for row in statistics for name in row)  # a column may have changed its type
    return {name: numpy.array([_number(row.get(name)) for row in statistics], dtype=float) for name in names}


def statistic_value(metric: Value) -> float | None:
    """Return the metric as a statistic: infinite if it is NaN, infinite or too large; None without a number."""
    if metric is None or isinstance(metric, bool | str):
        return None
    number = finite(metric)
    return numpy.inf if number is None else number


def _number(value: float | None) -> float:
    return numpy.nan if value is None else value


def _complete(summary: Summary) -> float:
    return summary.present / summary.rows if summary.rows else numpy.nan


def _mean(summary: Summary) -> float:
    return summary.moments[1] if isinstance(summary, NumberSummary) and summary.present else numpy.nan


def _deviation(summary: Summary) -> float:
    deviation = summary.deviation if isinstance(summary, NumberSummary) else 0.0
    return deviation if numpy.isfinite(deviation) else 0.0


def _each(statistic: Callable[[Summary], float], summaries: Iterable[Summary]) -> Array:
    return numpy.array([statistic(summary) for summary in summaries])


def set_aside(values: Array, far: float, least: float) -> set[int]:
    """Return the positions of outliers, which should not be learned from.

    An outlier is more than `far` deviations away from the batches used before, and at least `least`. If the next
    batch is far too, the change is lasting: both are learned from, and later batches are compared with them alone.
    Non-finite values are ignored."""
    accepted = RunningMoments()
    outliers: set[int] = set()
    pending: list[int] = []
    for at in numpy.flatnonzero(numpy.isfinite(values)).tolist():
        value = float(values[at])
        if not accepted.is_far(value, far, least):
            accepted, pending = accepted.with_value(value), []
        elif len(pending) + 1 < LASTING:
            outliers.add(at)
            pending.append(at)
        else:
            outliers -= set(pending)
            accepted, pending = reduce(RunningMoments.with_value, values[[*pending, at]].tolist(), RunningMoments()), []
    return outliers


@dataclass(frozen=True)
class RunningMoments:
    """Count, mean and sum of squares, so that a long history takes linear time."""

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def with_value(self, value: float) -> "RunningMoments":
        """Return the moments with one more value."""
        count, away = self.count + 1, value - self.mean
        mean = self.mean + away / count
        return RunningMoments(count, mean, self.squares + away * (value - mean))

    def is_far(self, value: float, far: float, least: float) -> bool:
        """Return whether the value is more than `far` deviations and `least` away; False for few values."""
        if self.count < LEAST_KEPT:
            return False
        return abs(value - self.mean) > max(far * sqrt(self.squares / (self.count - 1)), least)


def recurring(odd: Iterable[int], times: Sequence[datetime | None]) -> set[int]:
    """Return the positions that share their day of the month with another position.

    Days are counted from the start or the end of the month. Values that recur at month end are not accidental and
    are learned from."""
    days: dict[tuple[str, int], set[int]] = defaultdict(set)
    for at in odd:
        if (time := times[at]) is not None:
            days["from the beginning", time.day].add(at)
            days["from the end", monthrange(time.year, time.month)[1] - time.day].add(at)
    return {at for positions in days.values() if len(positions) > 1 for at in positions}


def distance_inputs(analyzers: Iterable[BoundAnalyzer], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs for a column's distances from the states' values; missing ones are left out."""
    parts = [part for bound in analyzers if bound.analyzer.needs_previous for part in bound.parts.values()]
    return distance_parts({each.component.kind: values[each.key] for each in parts if each.key in values})
