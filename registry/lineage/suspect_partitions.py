"""Mark partitions that failed runs wrote as suspect, and their verdicts as superseded."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, update
from sqlmodel import Session, col, select

from treaty.engine.core.partitions.partition_names import escape_name
from treaty.registry.lineage.events.triggers import Partition
from treaty.registry.tables import LineageRunRow, RunRow, SuspectPartitionRow

WHY = "a failed run of {} {} wrote to it, and it has not been validated since"
SUPERSEDED = "the run that wrote the validated data failed in the end"
# Above this number the whole dataset is marked instead of its partitions.
MOST = 64


def mark(
    session: Session, dataset_id: UUID, run: LineageRunRow, partitions: Iterable[Partition], *, now: datetime
) -> None:
    """Mark these partitions of the dataset as suspect. Idempotent.

    If no partition is named, or more than 64, the whole dataset is marked."""
    names = sorted({_name(each) for each in partitions})
    for each in names if 0 < len(names) <= MOST else [""]:
        if session.get(SuspectPartitionRow, (dataset_id, each, run.id)) is None:
            why = WHY.format(run.job_namespace, run.job_name)
            session.add(
                SuspectPartitionRow(
                    dataset_id=dataset_id, partition=each, lineage_run_id=run.id, suspected_at=now, reason=why
                )
            )
    session.flush()


def marks(session: Session, dataset_id: UUID, partition: str | None = None) -> list[SuspectPartitionRow]:
    """Return the suspect partitions of the dataset, oldest first.

    `partition`: restrict to marks of this partition or of the whole dataset; None means all marks."""
    query = select(SuspectPartitionRow).where(SuspectPartitionRow.dataset_id == dataset_id)
    if partition is not None:
        query = query.where(col(SuspectPartitionRow.partition).in_(["", partition]))
    return list(session.exec(query.order_by(col(SuspectPartitionRow.suspected_at), col(SuspectPartitionRow.partition))))


def clear(session: Session, dataset_id: UUID, *, before: datetime) -> None:
    """Delete the dataset's marks older than `before`.

    `before`: start of a scan that read all of the dataset's files."""
    conditions = col(SuspectPartitionRow.dataset_id) == dataset_id, col(SuspectPartitionRow.suspected_at) < before
    session.exec(delete(SuspectPartitionRow).where(*conditions))


def supersede(session: Session, run: LineageRunRow) -> None:
    """Mark verdicts triggered by the run as superseded, because the run failed in the end."""
    conditions = col(RunRow.lineage_run_id) == run.id, col(RunRow.superseded_reason).is_(None)
    session.exec(update(RunRow).where(*conditions).values(superseded_reason=SUPERSEDED))


def superseded(session: Session, lineage_run_id: UUID | None) -> str | None:
    """Return the reason why a verdict triggered by this run is superseded; None if the run did not fail."""
    run = session.get(LineageRunRow, lineage_run_id, populate_existing=True) if lineage_run_id else None
    return SUPERSEDED if run is not None and run.is_failed else None


def _name(partition: Partition) -> str:
    return "/".join(f"{escape_name(column)}={escape_name(value)}" for column, value in partition)
