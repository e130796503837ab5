"""Remove state files without references while other processes write.

A file is written before the row that references it, at most `grace` earlier. An older file without a reference gets
none later unless it is written again, which renews its time; the time is checked once more right before the removal. If
a writer still intervenes between that check and the removal, the state without a file is rejected by name and its
partition is measured again."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from sqlalchemy import Engine as Database
from sqlmodel import col, select

from treaty.engine.states.state_files import StoredFile
from treaty.registry.core.database import read_session
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.measurements.states import state_store
from treaty.registry.tables import PartitionStateRow, ReadCheckpointRow

# Covers evaluation, writing and clock skew, which have no limit of their own.
PATIENCE = timedelta(days=1)
# A damaged state causes a second scan of the table, followed by a scan for violating rows.
READINGS = 3
AT_A_TIME = 100


class CollectedFiles(Protocol):
    """Store of state files."""

    def list_files(self) -> Iterable[StoredFile]: ...

    def remove(self, name: str, *, before: datetime) -> int | None: ...


@dataclass(frozen=True)
class RemovedFiles:
    """The number of removed files and their size in bytes."""

    files: int = 0
    bytes: int = 0


def grace(settings: RegistrySettings) -> timedelta:
    """Return the longest time between a file and the row that references it: the longest task."""
    return PATIENCE + READINGS * timedelta(seconds=settings.engine_timeout_seconds + settings.lease_seconds)


def collect(database: Database, shelf: CollectedFiles, *, before: datetime) -> RemovedFiles:
    """Remove files older than `before` that no partition state and no checkpoint references.

    Safe to run concurrently and to interrupt: the next run removes the rest."""
    return sweep(shelf, lambda: referenced_files(database), before=before)


def sweep(shelf: CollectedFiles, named: Callable[[], Collection[str]], *, before: datetime) -> RemovedFiles:
    """Remove files older than `before` that are not among `named`.

    `before`: the grace period before now. `named`: called only if there are old files."""
    old_names = [each.name for each in shelf.list_files() if each.written_at < before]
    referenced = frozenset(named()) if old_names else frozenset()
    sizes = [shelf.remove(name, before=before) for name in old_names if name not in referenced]
    removed = [size for size in sizes if size is not None]
    return RemovedFiles(len(removed), sum(removed))


def referenced_files(database: Database) -> frozenset[str]:
    """Return the files referenced by partition states of all generations, or by checkpoints of tasks."""
    with read_session(database) as session:
        names_in_use = {name for names in session.exec(select(PartitionStateRow.files)) for name in names or ()}
        # Rows written before this column existed.
        unindexed = session.exec(select(PartitionStateRow.states).where(col(PartitionStateRow.files).is_(None)))
        names_in_use.update(*map(state_store.files_of, unindexed.yield_per(AT_A_TIME)))
        # Checkpoints of tasks, regardless of age.
        return frozenset(
            names_in_use.union(
                *map(state_store.files_of, session.exec(select(ReadCheckpointRow.states)).yield_per(AT_A_TIME))
            )
        )
