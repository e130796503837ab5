"""The pasts of a table's metrics: what each was on earlier partitions, or in earlier runs, of the same segment."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from typing import Any, NamedTuple

from treaty.contracts.assertions import Assertion
from treaty.contracts.document.model import Anomalies
from treaty.engine.anomaly.detector import Detector, DetectorBand, InsufficientHistory
from treaty.engine.anomaly.partition_order import PartitionOrder, place
from treaty.engine.anomaly.series import DetectionRequest, PartitionKey, Series, SeriesPoint, finite
from treaty.engine.core.results import RunResult

# By the identity of a metric, what was measured of it, in the order in which that was done.
Histories = Mapping[str, Sequence[SeriesPoint]]


class StateValue(NamedTuple):
    """What a metric is by stored states: the value, else why there is none, and the distribution behind it."""

    value: float | None
    reason: str | None = None
    details: Mapping[str, Any] | None = None


# What a metric is on these partitions, as their stored states tell it.
StateLookup = Callable[[Iterable[str]], Mapping[str, StateValue]]


def of_runs(runs: Iterable[RunResult]) -> dict[str, list[SeriesPoint]]:
    """What earlier runs measured, given oldest first: the history that `verify` and `judge` take."""
    found: dict[str, list[SeriesPoint]] = {}
    for run in runs:
        for each in run.measurements:
            time = place(each.partition).time or run.finished_at
            point = SeriesPoint(
                time=time, value=finite(each.value), partition=each.partition, reason=each.reason, details=each.details
            )
            found.setdefault(each.identity, []).append(point)
    return found


@dataclass(frozen=True)
class DetectionResult:
    """What a detector says of a metric's next point."""

    detector: Detector
    request: DetectionRequest

    @cached_property
    def band(self) -> DetectorBand | InsufficientHistory:
        """What it admits, or why there is none yet."""
        return self.detector.judge(self.request)

    @property
    def promise(self) -> Assertion | InsufficientHistory:
        """What a value must keep not to be an anomaly."""
        return self.band if isinstance(self.band, InsufficientHistory) else self.detector.promise(self.band)

    @property
    def elsewhere(self) -> str:
        """What is held against the band, in words, where that is not the metric's value."""
        return self.detector.observed_quantity

    def observed(self, value: Any) -> Any:
        """What is held against the band where the metric has that value."""
        return self.detector.observed(self.request, value)


@dataclass(kw_only=True)
class MetricBaselines:
    """What is known of the past of a table's metrics: `measured` earlier, and by the states of the partitions that the
    `succession` has.

    `now`: the time of data that no partition dates. `metrics`: how many share the false alarms. `excluded_partitions`:
    partitions that belong to an incident, as far as nothing that was measured says so."""

    measured: Histories
    succession: PartitionOrder
    now: datetime
    terms: Anomalies = field(default_factory=Anomalies)
    metrics: int = 1
    excluded_partitions: frozenset[str] = frozenset()

    def before(self, partition: str | None) -> Iterator[str]:
        """The earlier partitions of that one's segment, newest first, without those that belong to an incident.

        None of what no time dates, nor of all partitions together."""
        return (name for name in self.succession.before(partition) if name not in self._spoilt)

    @cached_property
    def _spoilt(self) -> frozenset[str | None]:
        """The partitions that belonged to an incident when they were last measured."""
        newest = {each.partition: each.excluded for points in self.measured.values() for each in points}
        return self.excluded_partitions.union(name for name, excluded in newest.items() if excluded)

    @property
    def segments(self) -> int:
        """How many segments the table has, each with a past of its own."""
        return max(1, len(self.succession.segments))

    def detect(
        self,
        detector: Detector,
        identity: str,
        partition: str | None,
        told: StateLookup,
        share: bool,  # noqa: FBT001
    ) -> DetectionResult:
        """What the detector says of the metric on that partition; None: on all of them together."""
        here = place(partition)
        at = here.time or self.now
        points = list(self._measured(identity, partition, here))
        if partition is not None and here.time is not None:
            points = [*self._stated(here, {each.partition for each in points}, told), *points]
        past = Series.of(each for each in points if each.partition != partition or here.time is None)
        return self.after(past, at, detector, partition, share)

    def after(
        self,
        past: Series,
        at: datetime,
        detector: Detector,
        partition: str | None,
        share: bool,  # noqa: FBT001
    ) -> DetectionResult:
        """What the detector says of the metric at that time, after what of that past came before it."""
        asked = DetectionRequest(
            past=past.before(at),
            at=at,
            false_alarms=self._alarms(detector, partition),
            holidays=self._holidays,
            share=share,
        )
        return DetectionResult(detector, asked)

    def _measured(self, identity: str, partition: str | None, here: PartitionKey) -> Iterable[SeriesPoint]:
        """What was measured of the same segment; of what no time dates, of the same partition."""
        for point in self.measured.get(identity, ()):
            its = place(point.partition)
            if (its.time is None) is not (here.time is None):
                continue
            if its.segment == here.segment if here.time else (point.partition or None) == (partition or None):
                yield point

    def _stated(self, here: PartitionKey, known: set[str | None], told: StateLookup) -> Iterable[SeriesPoint]:
        """What the states of other partitions of the segment say, where nothing was measured of them."""
        times = self.succession.times(here.segment)
        for name, found in told([name for name in times if name not in known]).items():
            yield SeriesPoint(
                time=times[name],
                value=found.value,
                partition=name,
                reason=found.reason,
                excluded=name in self.excluded_partitions,
                details=found.details,
            )

    def _alarms(self, detector: Detector, partition: str | None) -> float:
        """The detector's share of the false alarms that the contract admits of the table."""
        return self.terms.false_alarms / max(1, self.metrics * (self.segments if partition else 1))

    @cached_property
    def _holidays(self) -> frozenset[date]:
        return frozenset(map(date.fromisoformat, self.terms.holidays))
