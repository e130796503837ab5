"""Baselines: the history of a table's metrics on earlier partitions or runs of the same segment."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from typing import Any, NamedTuple

from treaty.contracts.assertions import Assertion
from treaty.contracts.comparison.threshold_order import NumericDomain
from treaty.contracts.document.model import Anomalies
from treaty.engine.anomaly.detector import Detector, DetectorBand, InsufficientHistory
from treaty.engine.anomaly.partition_order import PartitionOrder, place
from treaty.engine.anomaly.series import DetectionRequest, PartitionKey, Series, SeriesPoint, finite
from treaty.engine.core.results import RunResult

# Measured points of each metric by its identity, in the order of measurement.
Histories = Mapping[str, Sequence[SeriesPoint]]


class StateValue(NamedTuple):
    """A metric computed from stored states: the value, or the reason why there is none, and its distribution."""

    value: float | None
    reason: str | None = None
    details: Mapping[str, Any] | None = None


# Computes a metric on partitions from their stored states; partitions may be missing in the result.
StateLookup = Callable[[Iterable[str]], Mapping[str, StateValue]]


def of_runs(runs: Iterable[RunResult]) -> dict[str, list[SeriesPoint]]:
    """Return the history of each metric from earlier runs, given oldest first.

    This is the history that `verify` and `judge` take."""
    histories: dict[str, list[SeriesPoint]] = {}
    for run in runs:
        for each in run.measurements:
            time = place(each.partition).time or run.finished_at
            point = SeriesPoint(
                time=time, value=finite(each.value), partition=each.partition, reason=each.reason, details=each.details
            )
            histories.setdefault(each.identity, []).append(point)
    return histories


@dataclass(frozen=True)
class DetectionResult:
    """A detector's answer for a metric's next point."""

    detector: Detector
    request: DetectionRequest

    @cached_property
    def band(self) -> DetectorBand | InsufficientHistory:
        """Return the band of normal values, or the reason why there is none yet."""
        return self.detector.judge(self.request)

    @property
    def promise(self) -> Assertion | InsufficientHistory:
        """Return the assertion that a normal value satisfies, or why there is none yet."""
        return self.band if isinstance(self.band, InsufficientHistory) else self.detector.promise(self.band)

    @property
    def elsewhere(self) -> str:
        """Return the name of the quantity that is compared with the band; empty for the metric's value."""
        return self.detector.observed_quantity

    def observed(self, value: Any) -> Any:
        """Return the quantity that is compared with the band, if the metric has that value."""
        return self.detector.observed(self.request, value)


@dataclass(kw_only=True)
class MetricBaselines:
    """History of a table's metrics, from measurements and from the stored states of partitions.

    `measured`: earlier measurements by metric. `succession`: partitions with stored states, in order. `now`: time of
    data whose partition name has no time. `terms`: the contract's terms for anomalies. `metrics`: number of metrics
    that share the false-alarm budget. `excluded_partitions`: partitions that belong to an incident, in addition to
    those that a measurement marks."""

    measured: Histories
    succession: PartitionOrder
    now: datetime
    terms: Anomalies = field(default_factory=Anomalies)
    metrics: int = 1
    excluded_partitions: frozenset[str] = frozenset()

    def before(self, partition: str | None) -> Iterator[str]:
        """Yield the earlier partitions of the same segment, newest first, without those of an incident.

        Yields nothing for a partition without a time, or for None (all partitions together)."""
        return (name for name in self.succession.before(partition) if name not in self._spoilt)

    @cached_property
    def _spoilt(self) -> frozenset[str | None]:
        """Return the partitions that belonged to an incident when they were last measured."""
        newest = {each.partition: each.excluded for points in self.measured.values() for each in points}
        return self.excluded_partitions.union(name for name, excluded in newest.items() if excluded)

    @property
    def segments(self) -> int:
        """Return the number of segments of the table, at least 1. Each has its own history."""
        return max(1, len(self.succession.segments))

    def detect(
        self,
        detector: Detector,
        identity: str,
        partition: str | None,
        lookup: StateLookup,
        domain: NumericDomain,
    ) -> DetectionResult:
        """Run the detector for a metric on one partition; None means all partitions together.

        `identity`: the metric. The fourth argument computes the metric from stored states. `domain`: values
        that the metric can have."""
        here = place(partition)
        at = here.time or self.now
        points = list(self._measured(identity, partition, here))
        if partition is not None and here.time is not None:
            points = [*self._stated(here, {each.partition for each in points}, lookup), *points]
        past = Series.of(each for each in points if each.partition != partition or here.time is None)
        return self.after(past, at, detector, partition, domain)

    def after(
        self,
        past: Series,
        at: datetime,
        detector: Detector,
        partition: str | None,
        domain: NumericDomain,
    ) -> DetectionResult:
        """Run the detector for a metric at a time, with the history before that time."""
        request = DetectionRequest(
            past=past.before(at),
            at=at,
            false_alarms=self._alarms(detector, partition),
            holidays=self._holidays,
            domain=domain,
        )
        return DetectionResult(detector, request)

    def _measured(self, identity: str, partition: str | None, here: PartitionKey) -> Iterable[SeriesPoint]:
        """Yield the measurements of the same segment; without a time, those of the same partition."""
        for point in self.measured.get(identity, ()):
            key = place(point.partition)
            if (key.time is None) is not (here.time is None):
                continue
            if key.segment == here.segment if here.time else (point.partition or None) == (partition or None):
                yield point

    def _stated(
        self, here: PartitionKey, measured_partitions: set[str | None], lookup: StateLookup
    ) -> Iterable[SeriesPoint]:
        """Yield points from the stored states of the segment's partitions that were not measured."""
        times = self.succession.times(here.segment)
        for name, state_value in lookup([name for name in times if name not in measured_partitions]).items():
            yield SeriesPoint(
                time=times[name],
                value=state_value.value,
                partition=name,
                reason=state_value.reason,
                excluded=name in self.excluded_partitions,
                details=state_value.details,
            )

    def _alarms(self, detector: Detector, partition: str | None) -> float:
        """Return the detector's share of the contract's false-alarm budget for the table."""
        return self.terms.false_alarms / max(1, self.metrics * (self.segments if partition else 1))

    @cached_property
    def _holidays(self) -> frozenset[date]:
        return frozenset(map(date.fromisoformat, self.terms.holidays))
