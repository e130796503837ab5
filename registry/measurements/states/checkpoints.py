"""A table is read in portions, and what a portion brought is kept at once: a worker that ends takes none of it along.

What is kept belongs to the task: whoever does it next goes on from there, as long as the files are the same."""

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
    """The packed states of a partition, and the fingerprint that it was read at."""

    fingerprint: str
    states: bytes


class CheckpointStore(Protocol):
    """Where parts are kept until all is read."""

    def load(self) -> dict[str, CheckpointedPartition]:
        """The kept parts by partition."""

    def keep(self, parts: Mapping[str, CheckpointedPartition], progress: str) -> None:
        """Keeps the parts, each in the place of an older one of its partition, and tells the progress."""


@dataclass(frozen=True, kw_only=True)
class TaskCheckpoints:
    """The parts of a task, kept under its fence: who lost the task cannot write."""

    database: Database
    task_id: UUID
    fence: int
    clock: Callable[[], datetime]
    lease: timedelta

    def load(self) -> dict[str, CheckpointedPartition]:
        """The kept parts by partition."""
        with read_session(self.database) as session:
            found = session.exec(select(ReadCheckpointRow).where(ReadCheckpointRow.task_id == self.task_id))
            return {row.partition: CheckpointedPartition(row.fingerprint, row.states) for row in found}

    def keep(self, parts: Mapping[str, CheckpointedPartition], progress: str) -> None:
        """Keeps the parts. Raises Fenced where the task is another worker's by now."""
        with transaction(self.database) as tx:
            task_queue.heartbeat(tx, self.task_id, self.fence, until=self.clock() + self.lease, progress=progress)
            drop(tx, self.task_id, parts)
            tx.add_all(
                ReadCheckpointRow(task_id=self.task_id, partition=name, **part._asdict())
                for name, part in parts.items()
            )
            tx.commit()


def drop(session: Session, task_id: UUID, partitions: Collection[str] | None = None) -> None:
    """Deletes the kept parts of a task; with `partitions` only theirs."""
    deleting = delete(ReadCheckpointRow).where(col(ReadCheckpointRow.task_id) == task_id)
    if partitions is not None:
        deleting = deleting.where(col(ReadCheckpointRow.partition).in_(partitions))
    session.exec(deleting)
