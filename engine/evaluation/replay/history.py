"""Collect the metric history of a replay, from which detectors learn as in validations."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from treaty.engine.analyzers.bound import MetricValue
from treaty.engine.anomaly.baselines import MetricBaselines, StateValue
from treaty.engine.anomaly.partition_order import PartitionOrder, place
from treaty.engine.anomaly.series import SeriesPoint
from treaty.engine.checks.bound_check import BoundCheck
from treaty.engine.core.partitions.months import members
from treaty.engine.evaluation import metric_values
from treaty.engine.evaluation.replay.versions import ReplayCase

Read = Callable[[ReplayCase], MetricValue | str]


@dataclass
class ReplayHistory:
    """The metric history of a replay so far, in the order of arrival.

    `measured`: points by metric identity. `succession`: order of the partitions so far. `excluded_partitions`:
    partitions of an incident."""

    measured: dict[str, list[SeriesPoint]] = field(default_factory=dict)
    succession: PartitionOrder = field(default_factory=PartitionOrder)
    excluded_partitions: Collection[str | None] = ()

    def add_partitions(self, names: Iterable[str], excluded_partitions: Collection[str | None]) -> None:
        """Add partitions that arrived in one step.

        `excluded_partitions`: those from which nothing is learned and with which nothing is compared; None in it
        means all partitions together."""
        names = list(names)
        for name in names:
            self.succession.add(name)
        self.excluded_partitions = {each for each in self.excluded_partitions if each and each not in names} | set(
            excluded_partitions
        )

    def see(self, cases: Iterable[ReplayCase], partition: str | None, read: Read, moment: datetime) -> None:
        """Add the metrics of these checks on a partition; None means all partitions together.

        Days whose states were merged give no point."""
        if len(members(partition or "")) > 1:
            return
        # Detectors of both versions may share a metric; it gives one point.
        cases_by_identity = {each.check.identity or "": each for each in cases if each.budget and each.refused is None}
        for identity, case in cases_by_identity.items():
            point = _point(read(case), partition, moment)
            self.measured.setdefault(identity, []).append(
                replace(point, excluded=partition in self.excluded_partitions)
            )

    def before(self, partition: str | None) -> Iterator[str]:
        """Return the partitions to compare one with, newest first, as `MetricBaselines.before` does."""
        return (name for name in self.succession.before(partition) if name not in self.excluded_partitions)

    def with_detection(
        self, check: BoundCheck, case: ReplayCase, partition: str | None, moment: datetime
    ) -> BoundCheck:
        """Run the check's detector on that point with the history so far; unchanged without a detector."""
        if check.detector is None or check.analyzer is None or case.budget is None:
            return check
        baselines = MetricBaselines(
            measured=self.measured,
            succession=self.succession,
            now=moment,
            terms=case.budget.terms,
            metrics=case.budget.metrics,
        )
        domain = check.analyzer.detected_domain
        return replace(
            check, detection=baselines.detect(check.detector, check.identity or "", partition, _nothing, domain)
        )


def _point(reading: MetricValue | str, partition: str | None, moment: datetime) -> SeriesPoint:
    stated = metric_values.state_value(reading)
    return SeriesPoint(
        time=place(partition).time or moment,
        value=stated.value,
        partition=partition,
        reason=stated.reason,
        details=stated.details,
    )


def _nothing(_: Iterable[str]) -> Mapping[str, StateValue]:
    """Return no further values, because a replay has already added every partition to its history."""
    return {}
