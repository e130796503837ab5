"""Store checkpoints of a table scan after each portion.

A failed worker loses none of them. They belong to the task: the next worker resumes from them as long as the files are
unchanged."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol
from uuid import UUID

from sqlalchemy import Engine as Database
from sqlalchemy import delete
from sqlmodel import Session, col, select

from treaty.registry.core.database import read_session, transaction
from treaty.registry.queue import task_queue
from treaty.registry.tables import ReadCheckpointRow


class CheckpointedPartition(NamedTuple):
    """The packed states of a partition, with its fingerprint at the time of the scan."""

    fingerprint: str
    states: bytes


class CheckpointStore(Protocol):
    """Store of checkpoints until the scan is complete."""

    def load(self) -> dict[str, CheckpointedPartition]:
        """Return the stored checkpoints by partition."""

    def keep(self, parts: Mapping[str, CheckpointedPartition], progress: str) -> None:
        """Store checkpoints, replacing older ones of the same partitions, and report the progress."""


@dataclass(frozen=True, kw_only=True)
class TaskCheckpoints:
    """The checkpoints of a task, fenced: a worker whose lease expired cannot write."""

    database: Database
    task_id: UUID
    fence: int
    clock: Callable[[], datetime]
    lease: timedelta

    def load(self) -> dict[str, CheckpointedPartition]:
        """Return the stored checkpoints by partition."""
        with read_session(self.database) as session:
            rows = session.exec(select(ReadCheckpointRow).where(ReadCheckpointRow.task_id == self.task_id))
            return {row.partition: CheckpointedPartition(row.fingerprint, row.states) for row in rows}

    def keep(self, parts: Mapping[str, CheckpointedPartition], progress: str) -> None:
        """Store checkpoints and extend the lease. Raises LeaseLost if another worker holds the task."""
        with transaction(self.database) as tx:
            task_queue.heartbeat(tx, self.task_id, self.fence, until=self.clock() + self.lease, progress=progress)
            drop(tx, self.task_id, parts)
            tx.add_all(
                ReadCheckpointRow(task_id=self.task_id, partition=name, **part._asdict())
                for name, part in parts.items()
            )
            tx.commit()


def drop(session: Session, task_id: UUID, partitions: Collection[str] | None = None) -> None:
    """Delete the checkpoints of a task. `partitions`: only these; None means all."""
    statement = delete(ReadCheckpointRow).where(col(ReadCheckpointRow.task_id) == task_id)
    if partitions is not None:
        statement = statement.where(col(ReadCheckpointRow.partition).in_(partitions))
    session.exec(statement)
