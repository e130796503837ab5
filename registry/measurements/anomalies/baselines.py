"""Load metric baselines for detectors, with data of incidents excluded."""

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

# Number of points to learn from; older ones are from another time (treaty.engine.anomaly.auto_detector).
MOST = 600
# Runs with the partition that was bad; None means all partitions together.
Spoilt = frozenset[tuple[UUID, str | None]]


def pasts(
    session: Session, series_key: RunSeriesKey, checks: BoundChecks, *, before: datetime | None = None
) -> Histories:
    """Return the histories of metrics that have detectors or compare partitions, by metric identity.

    `before`: include only what was measured and reported before this time; None means everything. Empty if no check
    needs a history."""
    identities = {each.identity for each in checks.checks if (each.detector or compares(each)) and each.identity}
    if not identities:
        return {}
    points_by_metric = history.earlier(session, series_key, identities, limit=MOST, before=before, each_run=True)
    bad = spoilt(session, series_key, before=before)
    return {identity: [_point(each, bad) for each in points] for identity, points in points_by_metric.items()}


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
    session: Session, series_key: RunSeriesKey, *, before: datetime | None = None, also: Sequence[PointFeedbackRow] = ()
) -> Spoilt:
    """Return the runs and partitions to exclude: failures in incidents, adjusted by user feedback.

    Incidents that were resolved as no fault are ignored. Data marked as expected is removed and data marked as incident
    is added. `before`: use feedback before this time. `also`: additional feedback, as if it were stored."""
    contract_object = ContractObject(series_key.contract_id, series_key.object)
    parts = session.exec(
        select(IncidentObjectRow, IncidentRow)
        .join(IncidentRow, col(IncidentRow.id) == col(IncidentObjectRow.incident_id))
        .where(IncidentObjectRow.contract_id == series_key.contract_id, IncidentObjectRow.object == series_key.object)
    ).all()
    bad = failed_in(session, [part for part, each in parts if each.resolution not in NO_FAULT])
    marked = feedback.data_feedback(session, contract_object, before=before, also=also)
    return (bad | marked.incident) - marked.expected


def failed_in(session: Session, parts: Sequence[IncidentObjectRow]) -> Spoilt:
    """Return the failed runs and partitions of these incident objects.

    All must be of the same contract object."""
    if not parts:
        return frozenset()
    spans = [(part.first_run_id, part.last_run_id) for part in parts]
    series = RunSeriesKey(parts[0].contract_id, parts[0].object, "")
    failures = session.exec(
        select(CheckResultRow.run_id, CheckResultRow.partition).join(RunRow).where(*_failed(series))
    )
    return frozenset(
        (run_id, partition or None) for run_id, partition in failures if any(a <= run_id <= b for a, b in spans)
    )


def spoilt_arrivals(session: Session, series_key: RunSeriesKey) -> frozenset[tuple[int, str | None]]:
    """Return the result of `spoilt` with states versions in place of runs.

    Runs without a states version are omitted."""
    bad = spoilt(session, series_key)
    query = select(RunRow.id, RunRow.states_version).where(col(RunRow.id).in_({run_id for run_id, _ in bad}))
    versions = dict(session.exec(query).all()) if bad else {}
    return frozenset((version, name) for run_id, name in bad if (version := versions.get(run_id)) is not None)


def spoilt_partitions(
    session: Session, series_key: RunSeriesKey, *, also: Sequence[PointFeedbackRow] = ()
) -> tuple[str, ...]:
    """Return the names of partitions whose latest run is excluded.

    Partitions repaired and validated since are not included. `also`: see `spoilt`."""
    bad = spoilt(session, series_key, also=also)
    names = {name for _, name in bad if name}
    query = (
        select(CheckResultRow.partition, CheckResultRow.run_id)
        .distinct()
        .join(RunRow)
        .where(*_series_filter(series_key))
    )
    runs = session.exec(query.where(col(CheckResultRow.partition).in_(names))).all() if names else ()
    newest: dict[str | None, UUID] = dict(sorted(runs, key=lambda each: each[1]))
    return tuple(sorted(str(name) for name, run_id in newest.items() if (run_id, name) in bad))


def _series_filter(series_key: RunSeriesKey) -> Collection[ColumnElement[bool]]:
    return (
        col(RunRow.contract_id) == series_key.contract_id,
        col(RunRow.object) == series_key.object,
        col(RunRow.subscription_id).is_(None),
    )


def _failed(series_key: RunSeriesKey) -> Collection[ColumnElement[bool]]:
    return (
        *_series_filter(series_key),
        col(CheckResultRow.outcome) == Outcome.FAILED,
        col(CheckResultRow.severity) == "error",
    )
