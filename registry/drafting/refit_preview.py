"""Preview the effect of feedback on a point: the check's bands before and after.

Nothing is stored."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from uuid import UUID

from sqlmodel import Session

from treaty.contracts.comparison.threshold_order import ANY
from treaty.engine.anomaly.baselines import MetricBaselines
from treaty.engine.anomaly.detector import Detector, DetectorBand, Limits, between
from treaty.engine.anomaly.learned_programs import ProgramClause
from treaty.engine.anomaly.partition_order import PartitionOrder
from treaty.engine.anomaly.series import Series, SeriesPoint, finite, partition_key
from treaty.engine.checks.binding import bind
from treaty.engine.checks.bound_check import BoundCheck, BoundChecks
from treaty.engine.programs.refitting.refits import Refit, refits, watched_clauses
from treaty.registry.access.authentication import Principal
from treaty.registry.contracts import in_force
from treaty.registry.core.enums import RefitOutlook
from treaty.registry.core.errors import InvalidRequest
from treaty.registry.core.metric_point import MetricPoint
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.datasets import contract_datasets
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.drafting import refits as drafting_refits
from treaty.registry.measurements.anomalies import baselines, feedback, fits
from treaty.registry.measurements.anomalies.baselines import Spoilt
from treaty.registry.measurements.anomalies.feedback import NewFeedback
from treaty.registry.measurements.runs import history
from treaty.registry.measurements.runs.recording import RunSeriesKey
from treaty.registry.measurements.states import state_store
from treaty.registry.tables import DatasetRow, PointFeedbackRow, RunRow

# Number of points shown, and seconds spent on their bands, newest first: time series models are slow to evaluate.
SHOWN, SECONDS = 60, 3.0
Both = tuple[Limits | None, Limits | None]
UNKNOWN = "No version in force has a check {} of {}. Use the id of a check."
NOWHERE: Both = (None, None)


@dataclass(frozen=True, kw_only=True)
class PreviewPoint:
    """A point with its bands before and after the feedback.

    `run_id`: None for the next point, which has no value yet.
    `is_training`: whether the detector learns from the point, before and after.
    `bands`: lower and upper bound before and after; None if there is no band."""

    partition: str | None
    time: datetime
    value: float | None
    run_id: UUID | None
    is_training: tuple[bool, bool]
    bands: Both = NOWHERE

    def alarms(self, side: int) -> bool:
        """Return whether the value is outside its band.

        `side`: 0 before the feedback, 1 after it."""
        band = self.bands[side]
        return band is not None and self.value is not None and not between(band, self.value)


@dataclass(frozen=True)
class FeedbackPreview:
    """Effect of feedback on a check.

    `points`: the newest points, oldest first, and the next one.
    `limits`: bounds of a program's clause before and after.
    `back_test`: number of alarms and of evaluated points with the refitted bounds; None without a refit."""

    outlook: RefitOutlook
    points: tuple[PreviewPoint, ...]
    limits: Both = NOWHERE
    back_test: tuple[int, int] | None = None

    @property
    def comparable_points(self) -> tuple[PreviewPoint, ...]:
        """Return the points that would count as clean and have a band before and after."""
        return tuple(each for each in self.points if each.is_training[1] and None not in (each.value, *each.bands))

    @property
    def alarms(self) -> tuple[int, int]:
        """Return the number of comparable points outside their band, before and after."""
        return sum(each.alarms(0) for each in self.comparable_points), sum(
            each.alarms(1) for each in self.comparable_points
        )


@dataclass(frozen=True, kw_only=True)
class PreviewRequest:
    """A check to preview: as approved, with its current fit, and the feedback."""

    session: Session
    settings: RegistrySettings
    run: RunRow
    dataset: DatasetRow
    checks: BoundChecks
    approved: BoundCheck
    current: BoundCheck
    feedback: PointFeedbackRow

    @property
    def series_key(self) -> RunSeriesKey:
        """Return the key of the contract object's runs."""
        return RunSeriesKey(self.run.contract_id, self.run.object, "")


def foresee(
    session: Session, settings: RegistrySettings, new_feedback: NewFeedback, check_id: str, *, by: Principal
) -> FeedbackPreview:
    """Preview the effect of feedback on a check of the version in force.

    Raises NotFound if the run does not exist, and InvalidRequest if the check does not exist or the run did not
    validate that partition.

    `new_feedback`: the feedback."""
    run = feedback.run_for_feedback(session, new_feedback, by=by)
    request = _preview_request(session, settings, run, feedback.word(session, run, new_feedback, by=by), check_id)
    points = _known_points(request, new_feedback.partition)
    detector = request.current.detector
    if detector is None or (request.approved.analyzer and request.approved.analyzer.judged_segments):
        return FeedbackPreview(RefitOutlook.FIXED, tuple(each.preview_point(NOWHERE) for each in points[-SHOWN:]))
    approved = request.approved.detector
    if not isinstance(approved, ProgramClause) or not isinstance(detector, ProgramClause):
        return FeedbackPreview(RefitOutlook.ADAPTIVE, tuple(_preview_points(request, points, (detector, detector))))
    refit = _refit(request)
    refitted = approved.fitted(refit.limits, refit.points, approved.named) if refit else detector
    limits = detector.limits, refitted.limits
    back_test = (len(refit.alarms), refit.evaluated) if refit else None
    return FeedbackPreview(
        _outlook(approved, refit),
        tuple(_preview_points(request, points, (detector, refitted))),
        limits,
        back_test,
    )


def _preview_request(
    session: Session, settings: RegistrySettings, run: RunRow, word: PointFeedbackRow, check_id: str
) -> PreviewRequest:
    about = ContractObject(run.contract_id, run.object)
    dataset = contract_datasets.dataset_of(session, *about)
    for contract in in_force.versions(session, about.contract_id) if dataset else ():
        if dataset and any(each.name == about.object for each in contract.objects):
            shared = in_force.with_shared_classifications(session, dataset.id, contract, about.object)
            schema = state_store.schema(session, dataset.id)
            approved, now = (
                bind(each.object(about.object), schema)
                for each in (shared, fits.with_active_fits(session, shared, about.object))
            )
            if approved_check := _of(approved, check_id):
                return PreviewRequest(
                    session=session,
                    settings=settings,
                    run=run,
                    dataset=dataset,
                    checks=approved,
                    approved=approved_check,
                    current=_of(now, check_id) or approved_check,
                    feedback=word,
                )
    raise InvalidRequest(UNKNOWN.format(check_id, about))


def _of(checks: BoundChecks, check_id: str) -> BoundCheck | None:
    return next((each for each in checks.checks if each.check.id == check_id), None)


def _outlook(clause: ProgramClause, refit: Refit | None) -> RefitOutlook:
    if not clause.is_refitted:
        return RefitOutlook.PINNED
    if refit is None:
        return RefitOutlook.LEARNING
    return RefitOutlook.ACTIVE if clause.admits(refit.limits) else RefitOutlook.PROPOSED


def _refit(request: PreviewRequest) -> Refit | None:
    """Return the refitted clause; None if there is too little data or its width is unknown."""
    clauses = [each for each in watched_clauses(request.checks) if each.check_id == request.approved.check.id]
    stored = drafting_refits.stored(request.session, request.dataset)
    if not stored or not clauses or not clauses[0].clause.has_width:
        return None
    spoilt = baselines.spoilt_partitions(request.session, request.series_key, also=[request.feedback])
    result = refits(clauses, stored.table_history(clauses, request.settings, spoilt))[clauses[0].check_id]
    return result if isinstance(result, Refit) else None


@dataclass(frozen=True, kw_only=True)
class KnownPoint:
    """A measured point, or the next one.

    `excluded`: whether the detector ignores it, before and after the feedback."""

    time: datetime
    partition: str | None
    value: float | None
    run_id: UUID | None
    excluded: tuple[bool, bool]

    def point(self, side: int) -> SeriesPoint:
        """Return the point as input of a detector."""
        return SeriesPoint(time=self.time, value=self.value, partition=self.partition, excluded=self.excluded[side])

    def preview_point(self, bands: Both) -> PreviewPoint:
        """Return the point with its bands."""
        without = self.excluded
        return PreviewPoint(
            partition=self.partition,
            time=self.time,
            value=self.value,
            run_id=self.run_id,
            is_training=(not without[0], not without[1]),
            bands=bands,
        )


def _known_points(request: PreviewRequest, partition: str | None) -> list[KnownPoint]:
    """Return the metric's points of the same segment, in order of time."""
    identity = request.approved.identity or ""
    measured = history.earlier(request.session, request.series_key, {identity}, limit=baselines.MOST, each_run=True)[
        identity
    ]
    sides = (
        baselines.spoilt(request.session, request.series_key),
        baselines.spoilt(request.session, request.series_key, also=[request.feedback]),
    )
    key = partition_key(partition)
    same_segment = [each for each in measured if _is_alike(each, partition, key.time, key.segment)]
    return sorted((_point(each, sides) for each in same_segment), key=lambda each: each.time)


def _is_alike(of: MetricPoint, partition: str | None, time: datetime | None, segment: str | None) -> bool:
    key = partition_key(of.partition)
    if time is None:
        return (of.partition or None) == (partition or None)
    return key.time is not None and key.segment == segment


def _point(of: MetricPoint, sides: tuple[Spoilt, Spoilt]) -> KnownPoint:
    spot = of.run_id, of.partition or None
    time = partition_key(of.partition).time or of.measured_at
    return KnownPoint(
        time=time,
        partition=of.partition or None,
        value=finite(of.value),
        run_id=of.run_id,
        excluded=(spot in sides[0], spot in sides[1]),
    )


def _preview_points(
    request: PreviewRequest, points: Sequence[KnownPoint], detectors: tuple[Detector, Detector]
) -> Iterator[PreviewPoint]:
    """Return the newest points and the next one with their bands.

    Bands are computed newest first until the time limit; the remaining points have none."""
    past = tuple(Series.of(each.point(side) for each in points) for side in (0, 1))
    shown = [*points[-SHOWN:], *_next(points, past[0])]
    bands_of = _teller(request, points, past, detectors)
    deadline, bands = monotonic() + SECONDS, list[Both]()
    for each in reversed(shown):
        bands.append(bands_of(each) if monotonic() < deadline else NOWHERE)
    return (each.preview_point(both) for each, both in zip(shown, reversed(bands), strict=True))


def _next(points: Sequence[KnownPoint], past: Series) -> list[KnownPoint]:
    last = points[-1:]
    return [
        KnownPoint(time=each.time + past.step, partition=None, value=None, run_id=None, excluded=(False, False))
        for each in last
    ]


def _teller(
    request: PreviewRequest,
    points: Sequence[KnownPoint],
    past: tuple[Series, ...],
    detectors: tuple[Detector, Detector],
) -> Callable[[KnownPoint], Both]:
    """Return a function that computes a point's bands before and after the feedback.

    Up to the first changed point both bands are equal and computed once."""
    changed = min((each.time for each in points if each.excluded[0] is not each.excluded[1]), default=None)
    same_detector = detectors[0] == detectors[1]
    sharing = sum(each.shares_alarms for each in request.checks.checks)
    partitions = sorted({each.partition for each in points if each.partition})
    succession = PartitionOrder.of(partitions)
    terms = request.checks.object.anomalies
    domain = request.approved.analyzer.detected_domain if request.approved.analyzer else ANY

    def band_limits(side: int, of: KnownPoint) -> Limits | None:
        baseline = MetricBaselines(measured={}, succession=succession, now=of.time, terms=terms, metrics=sharing)
        # The next partition has no name yet; it takes the false-alarm share of the last one.
        name = of.partition or (partitions[-1] if partitions else None)
        band = baseline.after(past[side], of.time, detectors[side], name, domain).band
        return (band.lower, band.upper) if isinstance(band, DetectorBand) else None

    def both(of: KnownPoint) -> Both:
        first = band_limits(0, of)
        same = same_detector and (changed is None or of.time <= changed)
        return first, first if same else band_limits(1, of)

    return both
