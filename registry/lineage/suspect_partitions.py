"""What runs that failed left behind: partitions are suspect until somebody judged them, verdicts are superseded."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, update
from sqlmodel import Session, col, select

from treaty.engine.core.partitions.partition_names import escape_name
from treaty.registry.lineage.events.triggers import Partition
from treaty.registry.tables import LineageRunRow, RunRow, SuspectPartitionRow

WHY = "a run of {} {} that wrote to it failed, and it was not judged since"
SUPERSEDED = "the run that wrote what was judged failed in the end"
# More are not told apart.
MOST = 64


def mark(
    session: Session, dataset_id: UUID, run: LineageRunRow, partitions: Iterable[Partition], *, now: datetime
) -> None:
    """Makes these partitions of the dataset suspect; all of it where none is named. Doing it again changes nothing."""
    named = sorted({_name(each) for each in partitions})
    for each in named if 0 < len(named) <= MOST else [""]:
        if session.get(SuspectPartitionRow, (dataset_id, each, run.id)) is None:
            why = WHY.format(run.job_namespace, run.job_name)
            session.add(
                SuspectPartitionRow(
                    dataset_id=dataset_id, partition=each, lineage_run_id=run.id, suspected_at=now, reason=why
                )
            )
    session.flush()


def marks(session: Session, dataset_id: UUID, partition: str | None = None) -> list[SuspectPartitionRow]:
    """What of the dataset is suspect, oldest first; of one partition what is said of it or of all."""
    query = select(SuspectPartitionRow).where(SuspectPartitionRow.dataset_id == dataset_id)
    if partition is not None:
        query = query.where(col(SuspectPartitionRow.partition).in_(["", partition]))
    return list(session.exec(query.order_by(col(SuspectPartitionRow.suspected_at), col(SuspectPartitionRow.partition))))


def clear(session: Session, dataset_id: UUID, *, before: datetime) -> None:
    """Takes away what was suspect when a reading began that saw all of the dataset's files."""
    mine = col(SuspectPartitionRow.dataset_id) == dataset_id, col(SuspectPartitionRow.suspected_at) < before
    session.exec(delete(SuspectPartitionRow).where(*mine))


def supersede(session: Session, run: LineageRunRow) -> None:
    """Says of every verdict that the run asked for that the run failed in the end."""
    mine = col(RunRow.lineage_run_id) == run.id, col(RunRow.superseded_reason).is_(None)
    session.exec(update(RunRow).where(*mine).values(superseded_reason=SUPERSEDED))


def superseded(session: Session, lineage_run_id: UUID | None) -> str | None:
    """What is to be said of a verdict that this run asked for; None where it did not fail."""
    run = session.get(LineageRunRow, lineage_run_id, populate_existing=True) if lineage_run_id else None
    return SUPERSEDED if run is not None and run.is_failed else None


def _name(partition: Partition) -> str:
    return "/".join(f"{escape_name(column)}={escape_name(value)}" for column, value in partition)
