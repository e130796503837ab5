"""Determine whether the last run still applies to a dataset's data."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select

from treaty.contracts.fingerprint import fingerprint
from treaty.registry.lineage import suspect_partitions
from treaty.registry.measurements.runs.recording import RunSeriesKey
from treaty.registry.measurements.states import state_store
from treaty.registry.tables import DatasetRow, PartitionStateRow, PendingValidationRow, RunRow

UNJUDGED = "this data has not been validated"
SUPERSEDED = "this data has not been validated with the version in force"
OTHER_DATA = "the requested data differs from the validated data"
OPEN = "a publication to the dataset is in progress"
WRITTEN = "the dataset was written and is not validated yet"
GONE = "a job dropped or renamed the dataset"
SINCE = "the data changed since its last validation"
UNREAD = "the last validation could not evaluate the data: {}"
LATER = "the data was last scanned at {:%Y-%m-%d %H:%M:%S} UTC"
NOWHERE = "there is no partition {} (list the partition names with `treaty states`)"


@dataclass(frozen=True)
class ReadinessQuery:
    """The data that a query is about.

    `partition`: None means all data. `dataset_fingerprint`: fingerprint of the data as the caller sees it; None
    means the stored data. `as_of`: time at which the data must have been scanned or later; None means any."""

    partition: str | None = None
    dataset_fingerprint: str | None = None
    as_of: datetime | None = None


def doubt(
    session: Session, dataset: DatasetRow, series_key: RunSeriesKey, run: RunRow | None, look: ReadinessQuery
) -> str | None:
    """Return why nothing is known about the data; None if its newest `run` applies."""
    if run is None:
        reason = OPEN if dataset.publishing_version is not None else GONE if _is_gone(dataset) else None
        return reason or _unjudged(session, dataset, series_key)
    requested = look.dataset_fingerprint
    if requested is not None and run.dataset_fingerprint == requested and run.read_version is not None:
        # An evaluated version of a table does not change afterwards.
        return None
    return next(_doubts(session, dataset, series_key, run, look), None)


def newest(session: Session, dataset: DatasetRow, series_key: RunSeriesKey, marker: str | None = None) -> RunRow | None:
    """Return the newest run of the series that applies to the data.

    If the data was rolled back, the newest run on the restored data is returned. With a marker, the run that read
    that table version is preferred. The run may be one that could not evaluate anything."""
    query = select(RunRow).where(*runs_of(dataset.id, series_key)).order_by(col(RunRow.id).desc()).limit(1)
    pinned = query.where(RunRow.dataset_fingerprint == marker, col(RunRow.read_version).is_not(None))
    if marker is not None and (run := session.exec(pinned).first()):
        return run
    run = session.exec(query).first()
    if run is None or run.dataset_fingerprint is None or run.states_version == dataset.states_version:
        return run
    current = _marker(session, dataset)
    if run.dataset_fingerprint == current:
        return run
    return session.exec(query.where(RunRow.dataset_fingerprint == current)).first() or run


def runs_of(dataset_id: UUID | None, series_key: RunSeriesKey) -> tuple[ColumnElement[bool], ...]:
    """Return the SQL conditions for the runs of the series."""
    return (
        col(RunRow.dataset_id) == dataset_id,
        col(RunRow.contract_id) == series_key.contract_id,
        col(RunRow.object) == series_key.object,
        col(RunRow.fingerprint) == series_key.fingerprint,
        col(RunRow.subscription_id).is_not_distinct_from(series_key.subscription_id),
    )


def _doubts(
    session: Session, dataset: DatasetRow, series_key: RunSeriesKey, run: RunRow, look: ReadinessQuery
) -> Iterator[str]:
    yield from _closed(dataset, run)
    current = run.dataset_fingerprint if run.states_version == dataset.states_version else _marker(session, dataset)
    if look.dataset_fingerprint not in (None, current):
        yield OTHER_DATA
    if run.dataset_fingerprint is None:
        yield UNREAD.format(run.reason or "see the run")
    if run.dataset_fingerprint != current:
        yield SINCE
    pending = session.get(PendingValidationRow, (series_key.contract_id, series_key.object))
    if pending is not None and pending.trigger_sequence > pending.validated_sequence:
        yield WRITTEN
    yield from (each.reason for each in suspect_partitions.marks(session, dataset.id, look.partition))
    if look.as_of is not None and look.as_of > (dataset.last_scanned_at or run.started_at):
        yield LATER.format(dataset.last_scanned_at or run.started_at)
    if look.partition is not None and not _is_there(session, dataset, look.partition):
        yield NOWHERE.format(look.partition)


def _closed(dataset: DatasetRow, run: RunRow) -> Iterator[str]:
    if dataset.publishing_version is not None:
        yield OPEN
    if _is_gone(dataset, run.started_at):
        yield GONE


def _is_gone(dataset: DatasetRow, judged_at: datetime | None = None) -> bool:
    """Return whether the dataset was dropped or renamed after its last write or evaluation."""
    last = dataset.last_written_at or judged_at
    return dataset.dropped_at is not None and (last is None or dataset.dropped_at > last)


def _unjudged(session: Session, dataset: DatasetRow, series_key: RunSeriesKey) -> str:
    conditions = (
        RunRow.dataset_id == dataset.id,
        RunRow.contract_id == series_key.contract_id,
        RunRow.object == series_key.object,
    )
    evaluated = select(RunRow.id).where(
        *conditions, col(RunRow.dataset_fingerprint).is_not(None), col(RunRow.subscription_id).is_(None)
    )
    return SUPERSEDED if session.exec(evaluated.limit(1)).first() else UNJUDGED


def _marker(session: Session, dataset: DatasetRow) -> str | None:
    fingerprints = state_store.stored_fingerprints(session, dataset.id, version=dataset.states_version)
    return fingerprint(fingerprints) if fingerprints else None


def _is_there(session: Session, dataset: DatasetRow, partition: str) -> bool:
    row = PartitionStateRow
    current = row.dataset_id == dataset.id, col(row.until_version).is_(None)
    alone = select(row.id).where(*current, row.partition == partition)
    return session.exec(alone.limit(1)).first() is not None or partition in state_store.stored_fingerprints(
        session, dataset.id
    )
