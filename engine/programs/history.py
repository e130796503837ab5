"""Represent the history of one column: its partitions in order of arrival, with their statistics."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

import numpy
from numpy.typing import NDArray

from treaty.engine.analyzers.bound import BoundAnalyzer
from treaty.engine.anomaly.cadence import DAILY, Cadence, LagUnit, cadence, positions
from treaty.engine.anomaly.series import finite, partition_key
from treaty.engine.core.results import Value
from treaty.engine.programs.stationarity import Positions
from treaty.engine.statistics.outliers import outliers, recurring
from treaty.engine.statistics.statistics import DISTANCES, STATISTICS, compute_statistics
from treaty.engine.statistics.stored_summaries import distance_parts
from treaty.engine.statistics.summaries import Summary

Array = NDArray[Any]

# Steps between the positions of two segments: more than any lag or history.
SEGMENT_GAP = 1e9


@dataclass(frozen=True, eq=False)
class Batch:
    """A partition of a column: its name, its summary, and the time of its data if known.

    `excluded`: belongs to an incident that was not marked as expected; nothing is learned from it or compared with
    it."""

    name: str
    summary: Summary
    time: datetime | None = None
    excluded: bool = False

    @cached_property
    def segment(self) -> str | None:
        """Return the segment in its name; it is compared with others of its segment only."""
        key = partition_key(self.name)
        return key.segment if key.time else None

    @property
    def arrival(self) -> "Arrival | None":
        """Return its time and segment; None without a time."""
        return Arrival(self.time, self.segment) if self.time else None


class Arrival(NamedTuple):
    """Time and segment of a batch that follows a history."""

    time: datetime
    segment: str | None = None


@dataclass(frozen=True, eq=False)
class ColumnHistory:
    """Batches ordered by time if all have one, else in the given order; those of a segment are contiguous.

    Limits are learned from all segments, changes and outliers within each. `cache`: statistics of all batches, if
    already computed. `arrival`: time and segment of the batch that follows; None means one step after the last."""

    batches: tuple[Batch, ...] = ()
    cache: dict[str, Array] = field(default_factory=dict)
    arrival: Arrival | None = None

    @staticmethod
    def of(batches: Iterable[Batch]) -> "ColumnHistory":
        """Build the history of these batches; the last one of each name is used."""
        unique = tuple({batch.name: batch for batch in batches}.values())
        segments = {batch.segment: None for batch in unique}
        places = {segment: place for place, segment in enumerate(segments)}
        dated = [(places[batch.segment], batch.time, at) for at, batch in enumerate(unique) if batch.time is not None]
        return ColumnHistory(tuple(unique[at] for *_, at in sorted(dated)) if len(dated) == len(unique) else unique)

    @staticmethod
    def with_rows(batches: tuple[Batch, ...], rows: Iterable[dict[str, float | None]]) -> "ColumnHistory":
        """Build the history of batches whose statistics are known, one row per batch."""
        return ColumnHistory(batches, _columns(rows))

    @cached_property
    def training_positions(self) -> list[int]:
        """Return the positions of the batches to learn from.

        Outliers are left out, and what `sound_positions` leaves out."""
        odd = set[int]().union(*map(self._outliers, self._by_segment(self.sound_positions).values()))
        return [at for at in self.sound_positions if at not in odd]

    @cached_property
    def sound_positions(self) -> list[int]:
        """Return the positions of batches that are not excluded and of the newest one's type."""
        included = [at for at, batch in enumerate(self.batches) if not batch.excluded]
        newest = max(included, key=lambda at: (self.batches[at].summary.present > 0, at), default=0)
        return [at for at in included if self.batches[at].summary.is_text is self.batches[newest].summary.is_text]

    def _by_segment(self, at: Iterable[int]) -> dict[str | None, list[int]]:
        """Return the positions by segment, in order."""
        positions_by_segment: dict[str | None, list[int]] = {}
        for each in at:
            positions_by_segment.setdefault(self.batches[each].segment, []).append(each)
        return positions_by_segment

    def _outliers(self, series: Sequence[int]) -> set[int]:
        """Return the outliers of a segment by position."""
        whole = self.segments[self.batches[series[0]].segment]
        least_rows = min(self.batches[at].summary.rows for at in whole)
        odd = outliers([self.batches[at].summary for at in series], least_rows)
        recurs = recurring(odd, self._times(series)) if self.cadence.name == DAILY.name else set()
        return {series[place] for place in odd - recurs}

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
        """Return the newest non-empty summary of the next batch's segment, the base of distances."""
        series = (each for each in reversed(self.learned) if each.segment == self._next_segment)
        return next((each.summary for each in series if each.summary.present), None)

    @property
    def _next_segment(self) -> str | None:
        last = self.batches[-1].segment if self.batches else None
        return self.arrival.segment if self.arrival else last

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
        before: dict[str | None, Summary] = {}
        for batch in self.learned:
            yield batch.summary, before.get(batch.segment)
            if batch.summary.present:
                before[batch.segment] = batch.summary

    @property
    def points(self) -> int:
        """Return the number of batches learned from."""
        return len(self.learned)

    @cached_property
    def length(self) -> int:
        """Return the number of batches learned from in the longest segment."""
        return max(map(len, self._by_segment(self.training_positions).values()), default=0)

    @cached_property
    def segments(self) -> dict[str | None, list[int]]:
        """Return the positions of all batches by segment."""
        return self._by_segment(range(len(self.batches)))

    @cached_property
    def cadence(self) -> Cadence:
        """Return the cadence of the longest segment, with the batches of all segments per year."""
        longest = max(self.segments.values(), key=len, default=[])
        of_longest = cadence(self._times(longest))
        return replace(of_longest, yearly=of_longest.yearly * max(1, len(self.segments)))

    def _times(self, at: Iterable[int]) -> list[datetime | None]:
        return [self.batches[each].time for each in at]

    def positions(self, unit: LagUnit | None) -> Positions:
        """Return the positions in time of the batches learned from, and of the next batch.

        `unit`: length of a step; None counts the batches of a segment in order. Segments are farther apart than any
        lag."""
        if unit not in self._learned_positions:
            every = [at + place * SEGMENT_GAP for place, series in enumerate(self.segments.values())
                     for at in positions(self._times(series), unit)]  # fmt: skip
            self._learned_positions[unit] = Positions(tuple(every[at] for at in self.training_positions), 0.0)
        return replace(self._learned_positions[unit], next=self._next_position(unit))

    def _next_position(self, unit: LagUnit | None) -> float:
        key = self.arrival, unit
        if key not in self._next_positions:
            self._next_positions[key] = self._position_of_next(unit)
        return self._next_positions[key]

    def _position_of_next(self, unit: LagUnit | None) -> float:
        segment = self._next_segment
        times = self._times(self.segments.get(segment, ()))
        place = list(self.segments).index(segment) if segment in self.segments else len(self.segments)
        if self.arrival:
            return positions([*times, self.arrival.time], unit)[-1] + place * SEGMENT_GAP
        return positions(times, unit)[-1] + 1.0 + place * SEGMENT_GAP if times else 0.0

    @cached_property
    def _next_positions(self) -> dict[tuple[Arrival | None, LagUnit | None], float]:
        return {}

    @cached_property
    def _learned_positions(self) -> dict[LagUnit | None, Positions]:
        return {}

    def before(self, arrival: Arrival | None) -> "ColumnHistory":
        """Return the history as that before this batch; None means one step after the last batch."""
        following = copy(self)
        # What has been computed from the batches remains valid.
        vars(following).update(arrival=arrival)
        vars(following).pop("compared", None)
        return following

    def steps(self, most: int, positions: Sequence[int]) -> Iterator[tuple["ColumnHistory", list[int]]]:
        """Yield the history before each of the newest times, and that time's batches by position.

        `most`: number of times. `positions`: of the batches to include."""
        positions_by_step: dict[Any, list[int]] = {}
        for at in positions:
            positions_by_step.setdefault(self.batches[at].time if len(self.segments) > 1 else at, []).append(at)
        for step in sorted(positions_by_step)[-most:]:
            yield self._earlier(positions_by_step[step][0]), positions_by_step[step]

    def _earlier(self, many: int) -> "ColumnHistory":
        """Return the history before the batch at that position; in other segments, before its time."""
        batch = self.batches[many]
        earlier = [at for at in range(len(self.batches)) if self._precedes(at, many)]
        columns = {name: values[earlier] for name, values in self.cache.items()}
        return ColumnHistory(tuple(self.batches[at] for at in earlier), columns, batch.arrival)

    def _precedes(self, one: int, other: int) -> bool:
        first, second = self.batches[one], self.batches[other]
        if first.segment == second.segment or first.time is None or second.time is None:
            return one < other
        return first.time < second.time

    def row(self, at: int) -> dict[str, float | None]:
        """Return the statistics of a batch, by its position among all."""
        if at in self.training_positions:
            place = self.training_positions.index(at)
            return _row({name: values[place] for name, values in self.series.items()})
        # Distances of other batches are not stored.
        computed = self._earlier(at).arriving(self.batches[at].summary)
        stored = _row({name: values[at] for name, values in self.cache.items()})
        return computed | {name: value for name, value in stored.items() if not STATISTICS[name].is_distance}

    def arriving(self, summary: Summary) -> dict[str, float | None]:
        """Compute the statistics of the next batch."""
        return compute_statistics(summary, self.compared)

    def floor(self, statistic: str) -> float:
        """Return the statistic's change caused by a negligible change in any segment's newest batch."""
        newest = {each.segment: each.summary for each in self.learned}.values()
        return max(map(STATISTICS[statistic].floor, newest), default=0.0)


def _row(values: Mapping[str, float]) -> dict[str, float | None]:
    return {name: None if numpy.isnan(value) else float(value) for name, value in values.items()}


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


def distance_inputs(analyzers: Iterable[BoundAnalyzer], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs for a column's distances from the states' values; missing ones are left out."""
    parts = [part for bound in analyzers if bound.analyzer.needs_previous for part in bound.parts.values()]
    return distance_parts({each.component.kind: values[each.key] for each in parts if each.key in values})
