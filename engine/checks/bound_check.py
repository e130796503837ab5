"""Represent checks of a contract that are bound to a schema."""

from collections.abc import Iterator, Mapping, Sequence
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
from treaty.engine.analyzers.exact import ExactMetric
from treaty.engine.analyzers.violating_rows import ViolatingRows
from treaty.engine.anomaly.baselines import DetectionResult
from treaty.engine.anomaly.detector import Detector, DetectorBand, InsufficientHistory
from treaty.engine.anomaly.segments import SegmentDetections
from treaty.engine.checks.dataset_limits import ReferenceValue, bound_of, promise, sources
from treaty.engine.checks.requirement_sentence import requirement_sentence
from treaty.engine.states.planning.scan_plan import Plan, plan

NO_PAST = "learning: the metric has no history yet"


@dataclass(frozen=True, kw_only=True)
class BoundCheck:
    """A check bound to a table.

    - `bound`: its analyzer on the table; None if the check cannot be evaluated, see `reason`.
    - `referents`: values of limits that refer to other datasets.
    - `view`: the view that its scope names; `view_condition`: that view's SQL condition on the table's rows.
    - `exact_distances`: distances too close to their learned limits are computed from all values.
    - `detector`: computes the bounds from the metric's history; `detection`: its result for the current point; None
      if the detector did not run."""

    check: ContractCheck
    analyzer: Analyzer | None
    bound: BoundAnalyzer | None = None
    reason: str | None = None
    referents: Mapping[str, ReferenceValue] = field(default_factory=dict)
    view: View | None = None
    view_condition: str | None = None
    exact_distances: bool = True
    detector: Detector | None = None
    detection: DetectionResult | SegmentDetections | None = None

    @property
    def identity(self) -> str | None:
        """Return the identity under which its measurement is stored; None without an analyzer.

        It is the analyzer's identity, except over a view, where it also depends on the view's condition."""
        if self.analyzer is None or self.view is None:
            return self.analyzer.identity if self.analyzer else None
        return short_fingerprint([self.analyzer.name, self.analyzer.arguments(), self.view.where])

    @cached_property
    def promise(self) -> Assertion | str:
        """Return the assertion with resolved references, or the reason why one cannot be resolved."""
        if self.detector is not None:
            return self._detected()
        assertion = (
            promise(self.check.assertion, self.referents) if self.check.assertion else "the check has no assertion"
        )
        try:
            return self.bound.comparable(assertion) if self.bound and isinstance(assertion, Assertion) else assertion
        except ValueError:
            return "the column contains dates or times, but the limit is not an ISO 8601 date or time"

    def _detected(self) -> Assertion | str:
        return InsufficientHistory(NO_PAST) if self.detection is None else self.detection.promise

    @property
    def band(self) -> DetectorBand | None:
        """Return the detector's band for the current point; None without a detector or while it learns."""
        detected = self.detection.band if self.detection else None
        return detected if isinstance(detected, DetectorBand) else None

    def observed(self, reading: MetricValue) -> MetricValue:
        """Return the metric value that is compared with the limits.

        This is the metric's own value, unless the detector evaluates something else, such as the arrival time."""
        if self.detection is None or not self.detection.elsewhere:
            return reading
        return replace(reading, value=self.detection.observed(reading.value), bounds=None)

    def with_segment_baselines(self, reading: MetricValue) -> "BoundCheck":
        """Return the check with one detection per segment, each based on that segment's own history.

        Returns the check itself if the detector did not run or the metric has no segments."""
        limit = self.analyzer.judged_segments if self.analyzer else 0
        if self.detection is None or self.analyzer is None or not limit:
            return self
        request, details, absent = self.detection.request, reading.details or {}, self.analyzer.of_absent
        return replace(
            self,
            detection=SegmentDetections(
                detector=self.detection.detector, request=request, details=details, most=limit, absent=absent
            ),
        )

    @property
    def shares_alarms(self) -> bool:
        """Return whether its false alarms count against the table's false-alarm budget."""
        return self.detector is not None and self.detector.shares_alarms

    @property
    def threshold(self) -> Any:
        """Return the limit as JSON-compatible data; None if there is none or it is unresolved."""
        return None if isinstance(self.promise, str) else bound_of(self.promise)

    @property
    def sources(self) -> Mapping[str, Any] | None:
        """Return the value and origin of each limit that refers to another dataset; None without such limits."""
        return sources(self.check.assertion, self.referents) if self.check.assertion else None

    @property
    def scope(self) -> str:
        """Return the check's scope; by default the analyzer's, or `delta` without one."""
        return self.check.scope or (self.analyzer.scope if self.analyzer else "delta")

    @property
    def column(self) -> str | None:
        """Return the columns that the analyzer reads, else the check's own; None for the whole table."""
        columns = self.analyzer.columns_read if self.analyzer else ()
        return ", ".join(columns) or self.check.column

    @property
    def exact(self) -> ExactMetric | None:
        """Return how one statement computes its metric exactly if the estimate cannot decide; None if none does.

        None with a learned limit if the contract lets estimated distances decide."""
        if self.bound is None or self.check.assertion is None or self._is_left_estimated:
            return None
        metric = self.bound.exact
        return metric.within(self.view_condition) if metric and self.view_condition else metric

    @property
    def _is_left_estimated(self) -> bool:
        is_distance = self.bound is not None and self.bound.analyzer.needs_previous
        return self.detector is not None and is_distance and not self.exact_distances

    @property
    def breaking(self) -> ViolatingRows | None:
        """Return the condition for violating rows; None if rows cannot violate it or it cannot be evaluated."""
        if self.bound is None or self.check.assertion is None or self.check.assertion.references or self.detector:
            return None
        rows = self.bound.breaking(self.check.assertion)
        return rows.within(self.view_condition) if rows and self.view_condition else rows

    @property
    def sentence(self) -> str:
        """Describe the check in a sentence: 'at least 95 % of rows have status'."""
        if self.analyzer is None or self.check.assertion is None:
            return self.check.name
        return requirement_sentence(self.analyzer, self.check.assertion, self.view.name if self.view else None)


@dataclass(frozen=True)
class BoundChecks:
    """All checks of a schema object, bound to a table with that schema."""

    object: DataObject
    schema: Schema
    checks: tuple[BoundCheck, ...]

    @cached_property
    def marked(self) -> Schema:
        """Return the schema with the contract's classifications on its columns."""
        return classified_schema(self.object, self.schema)

    @cached_property
    def plan(self) -> Plan:
        """Return the scan plan that computes all checks."""
        scoped = [(each.scope, each.bound) for each in self.checks if each.bound]
        return plan(
            (bound for scope, bound in scoped if scope != "dataset"),
            of_all=(bound for scope, bound in scoped if scope == "dataset"),
        )

    def explain(self, partition_by: tuple[str, ...] = ()) -> str:
        """Return the scan plan as text, and the statements that compute uncertain checks exactly."""
        return "\n".join([self.plan.explain(partition_by), *self._exact_lines(partition_by)])

    def _exact_lines(self, partition_by: tuple[str, ...]) -> Iterator[str]:
        by = f" by {', '.join(partition_by)}" if partition_by else ""
        exact = [each for each in self.checks if each.exact]
        yield from _exact_section(f"exactly{by}", [each for each in exact if each.scope == "delta"])
        yield from _exact_section("exactly, over all rows", [each for each in exact if each.scope != "delta"])


def _exact_section(title: str, checks: Sequence[BoundCheck]) -> Iterator[str]:
    """Yield the statement of these checks as text; nothing without checks."""
    if checks:
        yield f"{title}, only checks that are uncertain"
    metrics = {each.identity: each for each in checks}.values()
    for each in metrics:
        if each.exact and each.analyzer:
            yield f"  {each.exact.described}    -- {each.analyzer.phrase}"
