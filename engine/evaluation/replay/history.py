"""The past of a replay's metrics: what it has judged so far, which detectors then learn from as in validations."""

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
    """What was seen of the metrics that detectors look at, in the order in which it came.

    `measured`: by the metric's identity. `succession`: the partitions so far, `excluded_partitions` those of an
    incident."""

    measured: dict[str, list[SeriesPoint]] = field(default_factory=dict)
    succession: PartitionOrder = field(default_factory=PartitionOrder)
    excluded_partitions: Collection[str | None] = ()

    def add_partitions(self, names: Iterable[str], spoilt: Collection[str | None]) -> None:
        """Adds partitions that came at once; nothing is learned from those of them that are `spoilt`, and none is
        compared with them. None among them: all together."""
        names = list(names)
        for name in names:
            self.succession.add(name)
        self.excluded_partitions = {each for each in self.excluded_partitions if each and each not in names} | set(
            spoilt
        )

    def see(self, cases: Iterable[ReplayCase], partition: str | None, read: Read, moment: datetime) -> None:
        """Adds what these checks' metrics are, as they are `read` on the partition; None: on all of them together. Days
        whose states were merged are no point."""
        if len(members(partition or "")) > 1:
            return
        # Both versions may have detectors of one metric: it is one point.
        alike = {each.check.identity or "": each for each in cases if each.budget and each.refused is None}
        for identity, case in alike.items():
            point = _point(read(case), partition, moment)
            self.measured.setdefault(identity, []).append(
                replace(point, excluded=partition in self.excluded_partitions)
            )

    def before(self, partition: str | None) -> Iterator[str]:
        """The partitions that one is compared with, newest first (as `MetricBaselines.before`)."""
        return (name for name in self.succession.before(partition) if name not in self.excluded_partitions)

    def with_detection(
        self, check: BoundCheck, case: ReplayCase, partition: str | None, moment: datetime
    ) -> BoundCheck:
        """The check with what its detector says of that point by what was seen before; as it is without a detector."""
        if check.detector is None or check.analyzer is None or case.budget is None:
            return check
        pasts = MetricBaselines(
            measured=self.measured,
            succession=self.succession,
            now=moment,
            terms=case.budget.terms,
            metrics=case.budget.metrics,
        )
        share = check.analyzer.unit == "share"
        return replace(check, detection=pasts.detect(check.detector, check.identity or "", partition, _nothing, share))


def _point(found: MetricValue | str, partition: str | None, moment: datetime) -> SeriesPoint:
    told = metric_values.state_value(found)
    return SeriesPoint(
        time=place(partition).time or moment,
        value=told.value,
        partition=partition,
        reason=told.reason,
        details=told.details,
    )


def _nothing(_: Iterable[str]) -> Mapping[str, StateValue]:
    """What states say beyond what was seen: whatever came was seen."""
    return {}
