"""The pasts of metrics as detectors learn from them: what was measured, without what incidents spoiled."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select

from treaty.engine.anomaly.baselines import Histories
from treaty.engine.anomaly.series import SeriesPoint, partition_key
from treaty.engine.checks.bound_check import BoundChecks
from treaty.engine.core.results import Outcome
from treaty.engine.evaluation.metric_values import compares
from treaty.registry.core.enums import NO_FAULT
from treaty.registry.core.metric_point import MetricPoint
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.measurements.anomalies import feedback
from treaty.registry.measurements.runs import history
from treaty.registry.measurements.runs.recording import RunSeriesKey
from treaty.registry.tables import CheckResultRow, IncidentObjectRow, IncidentRow, PointFeedbackRow, RunRow

# Points of a metric that are learned from; older ones are another time (treaty.engine.anomaly.auto_detector).
MOST = 600
# What failed in a run on a partition; None: on all together.
Spoilt = frozenset[tuple[UUID, str | None]]


def pasts(session: Session, whose: RunSeriesKey, checks: BoundChecks, *, before: datetime | None = None) -> Histories:
    """What was measured of the metrics that detectors look at, or that compare partitions, by identity; {} where none
    does.

    `before`: as it was known then."""
    wanted = {each.identity for each in checks.checks if (each.detector or compares(each)) and each.identity}
    if not wanted:
        return {}
    found = history.earlier(session, whose, wanted, limit=MOST, before=before, each_run=True)
    bad = spoilt(session, whose, before=before)
    return {identity: [_point(each, bad) for each in points] for identity, points in found.items()}


def _point(measured: MetricPoint, bad: Spoilt) -> SeriesPoint:
    time = partition_key(measured.partition).time or measured.measured_at
    excluded = (measured.run_id, measured.partition or None) in bad
    return SeriesPoint(
        time=time,
        value=measured.value,
        partition=measured.partition,
        reason=measured.reason,
        excluded=excluded,
        details=measured.details,
    )


def spoilt(
    session: Session, whose: RunSeriesKey, *, before: datetime | None = None, also: Sequence[PointFeedbackRow] = ()
) -> Spoilt:
    """Which partitions failed in which runs, where that was an incident; not where somebody said that it was none, and
    all of which somebody said that something was wrong with them.

    `before`: as people had said by then; `also`: as if that were said, too."""
    about = ContractObject(whose.contract_id, whose.object)
    parts = session.exec(
        select(IncidentObjectRow, IncidentRow)
        .join(IncidentRow, col(IncidentRow.id) == col(IncidentObjectRow.incident_id))
        .where(IncidentObjectRow.contract_id == whose.contract_id, IncidentObjectRow.object == whose.object)
    ).all()
    bad = failed_in(session, [part for part, each in parts if each.resolution not in NO_FAULT])
    said = feedback.data_feedback(session, about, before=before, also=also)
    return (bad | said.incident) - said.expected


def failed_in(session: Session, parts: Sequence[IncidentObjectRow]) -> Spoilt:
    """What failed in these parts of incidents, all of one object: in which runs, of which partitions."""
    if not parts:
        return frozenset()
    spans = [(part.first_run_id, part.last_run_id) for part in parts]
    whose = RunSeriesKey(parts[0].contract_id, parts[0].object, "")
    found = session.exec(select(CheckResultRow.run_id, CheckResultRow.partition).join(RunRow).where(*_failed(whose)))
    return frozenset(
        (run_id, partition or None) for run_id, partition in found if any(a <= run_id <= b for a, b in spans)
    )


def spoilt_arrivals(session: Session, whose: RunSeriesKey) -> frozenset[tuple[int, str | None]]:
    """As `spoilt`, by the version of the dataset's states that each run judged; runs that judged none are left out."""
    bad = spoilt(session, whose)
    query = select(RunRow.id, RunRow.states_version).where(col(RunRow.id).in_({run_id for run_id, _ in bad}))
    judged = dict(session.exec(query).all()) if bad else {}
    return frozenset((version, name) for run_id, name in bad if (version := judged.get(run_id)) is not None)


def spoilt_partitions(
    session: Session, whose: RunSeriesKey, *, also: Sequence[PointFeedbackRow] = ()
) -> tuple[str, ...]:
    """The partitions whose newest run failed in an incident, by name: what was mended since, and judged, is not among
    them. `also`: as of `spoilt`."""
    bad = spoilt(session, whose, also=also)
    names = {name for _, name in bad if name}
    judged = (
        select(CheckResultRow.partition, CheckResultRow.run_id).distinct().join(RunRow).where(*_series_filter(whose))
    )
    runs = session.exec(judged.where(col(CheckResultRow.partition).in_(names))).all() if names else ()
    newest: dict[str | None, UUID] = dict(sorted(runs, key=lambda each: each[1]))
    return tuple(sorted(str(name) for name, run_id in newest.items() if (run_id, name) in bad))


def _series_filter(whose: RunSeriesKey) -> Collection[ColumnElement[bool]]:
    return (
        col(RunRow.contract_id) == whose.contract_id,
        col(RunRow.object) == whose.object,
        col(RunRow.subscription_id).is_(None),
    )


def _failed(whose: RunSeriesKey) -> Collection[ColumnElement[bool]]:
    return (
        *_series_filter(whose),
        col(CheckResultRow.outcome) == Outcome.FAILED,
        col(CheckResultRow.severity) == "error",
    )
