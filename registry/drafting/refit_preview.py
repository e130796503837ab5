"""What a word about a point would change, before it is said: what its check admits now, and what it would then.

Nothing is stored."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from uuid import UUID

from sqlmodel import Session

from treaty.engine.anomaly.baselines import MetricBaselines
from treaty.engine.anomaly.detector import Detector, DetectorBand, Limits, between
from treaty.engine.anomaly.learned_programs import ProgramClause
from treaty.engine.anomaly.partition_order import PartitionOrder
from treaty.engine.anomaly.series import Series, SeriesPoint, finite, partition_key
from treaty.engine.checks.binding import bind
from treaty.engine.checks.bound_check import BoundCheck, BoundChecks
from treaty.engine.programs.refitting import Refit, refits, watched_clauses
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

# So many points are shown, and bands are told of the newest for so long: models of time series take their time.
SHOWN, SECONDS = 60, 3.0
Both = tuple[Limits | None, Limits | None]
UNKNOWN = "no version in force has a check {} of {}: name one by its id"
NOWHERE: Both = (None, None)


@dataclass(frozen=True, kw_only=True)
class PreviewPoint:
    """A point; whether it is learned from, and what was admitted of it: as it is, and as it would be.

    `bands` None: nothing is said of it. `run_id` None: it is the next one, which is still to come."""

    partition: str | None
    time: datetime
    value: float | None
    run_id: UUID | None
    is_training: tuple[bool, bool]
    bands: Both = NOWHERE

    def alarms(self, side: int) -> bool:
        """Whether it lies outside what is admitted, as it is (0), or as it would be (1)."""
        band = self.bands[side]
        return band is not None and self.value is not None and not between(band, self.value)


@dataclass(frozen=True)
class FeedbackPreview:
    """What a word about a point would change. `points`: the newest ones, oldest first, then the next one. `limits`: of
    a program's clause. `back_test`: of limits learned so, how many alarmed and how many were judged."""

    outlook: RefitOutlook
    points: tuple[PreviewPoint, ...]
    limits: Both = NOWHERE
    back_test: tuple[int, int] | None = None

    @property
    def comparable_points(self) -> tuple[PreviewPoint, ...]:
        """The points that would count as clean, and of which both sides say something."""
        return tuple(each for each in self.points if each.is_training[1] and None not in (each.value, *each.bands))

    @property
    def alarms(self) -> tuple[int, int]:
        """How many of those lie outside, as it is, and as it would be."""
        return sum(each.alarms(0) for each in self.comparable_points), sum(
            each.alarms(1) for each in self.comparable_points
        )


@dataclass(frozen=True, kw_only=True)
class PreviewRequest:
    """What is asked about: a check of the version in force, as it was approved and as it is judged now."""

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
        """Whose runs it is about."""
        return RunSeriesKey(self.run.contract_id, self.run.object, "")


def foresee(
    session: Session, settings: RegistrySettings, said: NewFeedback, check_id: str, *, by: Principal
) -> FeedbackPreview:
    """What the word would change of the check of that id in the version in force.

    Raises NotFound for no such run, Invalid for no such check and for data that the run did not judge."""
    run = feedback.run_for_feedback(session, said, by=by)
    asked = _preview_request(session, settings, run, feedback.word(session, run, said, by=by), check_id)
    known = _known_points(asked, said.partition)
    detector = asked.current.detector
    if detector is None or (asked.approved.analyzer and asked.approved.analyzer.judged_segments):
        return FeedbackPreview(RefitOutlook.FIXED, tuple(known.preview_point(NOWHERE) for known in known[-SHOWN:]))
    approved = asked.approved.detector
    if not isinstance(approved, ProgramClause) or not isinstance(detector, ProgramClause):
        return FeedbackPreview(RefitOutlook.ADAPTIVE, tuple(_preview_points(asked, known, (detector, detector))))
    refit = _refit(asked)
    then = approved.fitted(refit.limits, refit.points, approved.named) if refit else detector
    limits = detector.limits, then.limits
    back_test = (len(refit.alarms), refit.evaluated) if refit else None
    return FeedbackPreview(
        _outlook(approved, refit), tuple(_preview_points(asked, known, (detector, then))), limits, back_test
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
            if found := _of(approved, check_id):
                return PreviewRequest(
                    session=session,
                    settings=settings,
                    run=run,
                    dataset=dataset,
                    checks=approved,
                    approved=found,
                    current=_of(now, check_id) or found,
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


def _refit(asked: PreviewRequest) -> Refit | None:
    """The clause as it would be refitted; None where there is too little to learn from, or its width is not known."""
    wanted = [each for each in watched_clauses(asked.checks) if each.check_id == asked.approved.check.id]
    stored = drafting_refits.stored(asked.session, asked.dataset)
    if not stored or not wanted or not wanted[0].clause.has_width:
        return None
    spoilt = baselines.spoilt_partitions(asked.session, asked.series_key, also=[asked.feedback])
    found = refits(wanted, stored.table_history(wanted, asked.settings, spoilt))[wanted[0].check_id]
    return found if isinstance(found, Refit) else None


@dataclass(frozen=True, kw_only=True)
class KnownPoint:
    """A point that was measured, or the next one; whether it is left out, as it is and as it would be."""

    time: datetime
    partition: str | None
    value: float | None
    run_id: UUID | None
    excluded: tuple[bool, bool]

    def point(self, side: int) -> SeriesPoint:
        """The point as detectors learn from it."""
        return SeriesPoint(time=self.time, value=self.value, partition=self.partition, excluded=self.excluded[side])

    def preview_point(self, bands: Both) -> PreviewPoint:
        """The point with what is admitted of it."""
        without = self.excluded
        return PreviewPoint(
            partition=self.partition,
            time=self.time,
            value=self.value,
            run_id=self.run_id,
            is_training=(not without[0], not without[1]),
            bands=bands,
        )


def _known_points(asked: PreviewRequest, partition: str | None) -> list[KnownPoint]:
    """The check's metric on the data of the same segment, in the order of their time."""
    identity = asked.approved.identity or ""
    found = history.earlier(asked.session, asked.series_key, {identity}, limit=baselines.MOST, each_run=True)[identity]
    sides = (
        baselines.spoilt(asked.session, asked.series_key),
        baselines.spoilt(asked.session, asked.series_key, also=[asked.feedback]),
    )
    here = partition_key(partition)
    alike = [each for each in found if _is_alike(each, partition, here.time, here.segment)]
    return sorted((_point(each, sides) for each in alike), key=lambda each: each.time)


def _is_alike(of: MetricPoint, partition: str | None, time: datetime | None, segment: str | None) -> bool:
    its = partition_key(of.partition)
    if time is None:
        return (of.partition or None) == (partition or None)
    return its.time is not None and its.segment == segment


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
    asked: PreviewRequest, known: Sequence[KnownPoint], detectors: tuple[Detector, Detector]
) -> Iterator[PreviewPoint]:
    """The newest points and the next one, with what both sides admit of them, as far as there is time to tell it."""
    past = tuple(Series.of(each.point(side) for each in known) for side in (0, 1))
    shown = [*known[-SHOWN:], *_next(known, past[0])]
    tell = _teller(asked, known, past, detectors)
    until, bands = monotonic() + SECONDS, list[Both]()
    for each in reversed(shown):
        bands.append(tell(each) if monotonic() < until else NOWHERE)
    return (each.preview_point(both) for each, both in zip(shown, reversed(bands), strict=True))


def _next(known: Sequence[KnownPoint], past: Series) -> list[KnownPoint]:
    last = known[-1:]
    return [
        KnownPoint(time=each.time + past.step, partition=None, value=None, run_id=None, excluded=(False, False))
        for each in last
    ]


def _teller(
    asked: PreviewRequest, known: Sequence[KnownPoint], past: tuple[Series, ...], detectors: tuple[Detector, Detector]
) -> Callable[[KnownPoint], Both]:
    """What both sides admit of a point; what came before anything changes is told once."""
    changed = min((each.time for each in known if each.excluded[0] is not each.excluded[1]), default=None)
    alike = detectors[0] == detectors[1]
    sharing = sum(each.shares_alarms for each in asked.checks.checks)
    partitions = sorted({each.partition for each in known if each.partition})
    succession = PartitionOrder.of(partitions)
    terms = asked.checks.object.anomalies
    share = asked.approved.analyzer is not None and asked.approved.analyzer.unit == "share"

    def band_limits(side: int, of: KnownPoint) -> Limits | None:
        everything = MetricBaselines(measured={}, succession=succession, now=of.time, terms=terms, metrics=sharing)
        # The next partition has no name yet: it shares the false alarms as its forerunners do.
        name = of.partition or (partitions[-1] if partitions else None)
        found = everything.after(past[side], of.time, detectors[side], name, share).band
        return (found.lower, found.upper) if isinstance(found, DetectorBand) else None

    def both(of: KnownPoint) -> Both:
        first = band_limits(0, of)
        same = alike and (changed is None or of.time <= changed)
        return first, first if same else band_limits(1, of)

    return both
