"""Checks of a contract that are bound to a schema: what each measures and how it is told."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from treaty.contracts.assertions import Assertion
from treaty.contracts.document.classification import classified_schema
from treaty.contracts.document.model import ContractCheck, DataObject, View
from treaty.contracts.fingerprint import short_fingerprint
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.bound import BoundAnalyzer, MetricValue
from treaty.engine.analyzers.violating_rows import ViolatingRows
from treaty.engine.anomaly.baselines import DetectionResult
from treaty.engine.anomaly.detector import Detector, DetectorBand, InsufficientHistory
from treaty.engine.anomaly.segments import SegmentDetections
from treaty.engine.checks.dataset_limits import ReferenceValue, bound_of, promise, sources
from treaty.engine.states.planning.scan_plan import Plan, plan

NO_PAST = "learning: no past of the metric is at hand"


@dataclass(frozen=True, kw_only=True)
class BoundCheck:
    """A check that can be judged: `bound` is its analyzer on the table; None: it cannot be, for the `reason`.

    `view` is the one that its scope names, `view_condition` its condition in SQL on the table's rows. `detector` tells
    its limits from the metric's past; `detection` is what it said of the point to be judged, None: it was not asked."""

    check: ContractCheck
    analyzer: Analyzer | None
    bound: BoundAnalyzer | None = None
    reason: str | None = None
    referents: Mapping[str, ReferenceValue] = field(default_factory=dict)
    view: View | None = None
    view_condition: str | None = None
    detector: Detector | None = None
    detection: DetectionResult | SegmentDetections | None = None

    @property
    def identity(self) -> str | None:
        """What its measurement is called: as its analyzer, but over a view as nothing else; None without analyzer."""
        if self.analyzer is None or self.view is None:
            return self.analyzer.identity if self.analyzer else None
        return short_fingerprint([self.analyzer.name, self.analyzer.arguments(), self.view.where])

    @cached_property
    def promise(self) -> Assertion | str:
        """The assertion with the value of every limit that refers to another dataset; else in words why it has none."""
        if self.detector is not None:
            return self._detected()
        found = promise(self.check.assertion, self.referents) if self.check.assertion else "the check promises nothing"
        try:
            return self.bound.comparable(found) if self.bound and isinstance(found, Assertion) else found
        except ValueError:
            return "the limit is no date or time as ISO 8601, which the column holds"

    def _detected(self) -> Assertion | str:
        return InsufficientHistory(NO_PAST) if self.detection is None else self.detection.promise

    @property
    def band(self) -> DetectorBand | None:
        """What the detector admits of the point to be judged; None where there is none, or while it learns."""
        found = self.detection.band if self.detection else None
        return found if isinstance(found, DetectorBand) else None

    def observed(self, reading: MetricValue) -> MetricValue:
        """The reading with the value that is held against the limits: that of the metric, unless the detector looks at
        something else, such as when data came."""
        if self.detection is None or not self.detection.elsewhere:
            return reading
        return replace(reading, value=self.detection.observed(reading.value))

    def with_segment_baselines(self, reading: MetricValue) -> "BoundCheck":
        """The check as it judges that reading: of a metric with segments each of these beside its own past."""
        most = self.analyzer.judged_segments if self.analyzer else 0
        if self.detection is None or self.analyzer is None or not most:
            return self
        asked, details, absent = self.detection.request, reading.details or {}, self.analyzer.of_absent
        return replace(
            self,
            detection=SegmentDetections(
                detector=self.detection.detector, request=asked, details=details, most=most, absent=absent
            ),
        )

    @property
    def shares_alarms(self) -> bool:
        """Whether it raises false alarms out of the table's budget."""
        return self.detector is not None and self.detector.shares_alarms

    @property
    def threshold(self) -> Any:
        """What the value is held against, as plain data; None if there is nothing, or if it is not known."""
        return None if isinstance(self.promise, str) else bound_of(self.promise)

    @property
    def sources(self) -> Mapping[str, Any] | None:
        """Where limits that refer to other datasets have their values from; None where none refers."""
        return sources(self.check.assertion, self.referents) if self.check.assertion else None

    @property
    def scope(self) -> str:
        """The scope that the check names, else its analyzer's own."""
        return self.check.scope or (self.analyzer.scope if self.analyzer else "delta")

    @property
    def column(self) -> str | None:
        """The columns that the analyzer reads, else the property that the check stands on; None for the whole table."""
        read = self.analyzer.columns_read if self.analyzer else ()
        return ", ".join(read) or self.check.column

    @property
    def breaking(self) -> ViolatingRows | None:
        """Which single rows break the check; None where none does, or where it cannot be judged."""
        if self.bound is None or self.check.assertion is None or self.check.assertion.references or self.detector:
            return None
        found = self.bound.breaking(self.check.assertion)
        return found.within(self.view_condition) if found and self.view_condition else found

    @property
    def sentence(self) -> str:
        """The promise in words: 'completeness of status must be at least 0.95'."""
        if self.analyzer is None or self.check.assertion is None:
            return self.check.name
        where = f" over the view {self.view.name}" if self.view else ""
        return f"{self.analyzer.phrase}{where} must {self.check.assertion.sentence()}"


@dataclass(frozen=True)
class BoundChecks:
    """All checks of a schema object on a table of that schema."""

    object: DataObject
    schema: Schema
    checks: tuple[BoundCheck, ...]

    @cached_property
    def marked(self) -> Schema:
        """The schema that knows what of it the contract classifies."""
        return classified_schema(self.object, self.schema)

    @cached_property
    def plan(self) -> Plan:
        """The plan that computes all of them."""
        scoped = [(each.scope, each.bound) for each in self.checks if each.bound]
        return plan(
            (bound for scope, bound in scoped if scope != "dataset"),
            of_all=(bound for scope, bound in scoped if scope == "dataset"),
        )
