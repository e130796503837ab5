"""The past of a replay's metrics: what it has judged so far, which detectors then learn from as in validations."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from engine import judging
from engine.analyzers.bound import Reading
from engine.anomaly.pasts import Pasts, Stated, place
from engine.anomaly.series import Point
from engine.checks import BoundCheck
from engine.months import members
from engine.sides import Case

Read = Callable[[BoundCheck], Reading | str]


@dataclass
class Walked:
    """What was seen of the metrics that detectors look at, in the order in which it came.

    `measured`: by the metric's identity. `names`: the partitions so far, as keys."""

    measured: dict[str, list[Point]] = field(default_factory=dict)
    names: dict[str, None] = field(default_factory=dict)

    def see(
        self, cases: Iterable[Case], partition: str | None, read: Read, moment: datetime, *, spoilt: bool = False
    ) -> None:
        """Adds what these checks' metrics are, as they are `read` on the partition; None: on all of them together. Days
        whose states were merged are no point. Nothing is learned from what is `spoilt`."""
        if partition is not None:
            self.names[partition] = None
        if len(members(partition or "")) > 1:
            return
        # Both versions may have detectors of one metric: it is one point.
        checks = {each.check.identity or "": each.check for each in cases if each.budget and each.refused is None}
        for identity, check in checks.items():
            point = _point(read(check), partition, moment)
            self.measured.setdefault(identity, []).append(replace(point, excluded=spoilt))

    def before(self, partition: str | None, moment: datetime) -> list[str]:
        """The partitions that one is compared with, newest first (`Pasts.before`)."""
        return Pasts(self.measured, list(self.names), moment).before(partition)

    def beside(self, check: BoundCheck, case: Case, partition: str | None, moment: datetime) -> BoundCheck:
        """The check with what its detector says of that point by what was seen before; as it is without a detector."""
        if check.detector is None or check.analyzer is None or case.budget is None:
            return check
        pasts = Pasts(self.measured, list(self.names), moment, *case.budget)
        share = check.analyzer.unit == "share"
        return replace(check, judged=pasts.judged(check.detector, check.identity or "", partition, _nothing, share))


def _point(found: Reading | str, partition: str | None, moment: datetime) -> Point:
    told = judging.stated(found)
    return Point(place(partition).time or moment, told.value, partition, told.reason, details=told.details)


def _nothing(_: Iterable[str]) -> Mapping[str, Stated]:
    """What states say beyond what was seen: whatever came was seen."""
    return {}
