"""Files of states that nothing names any more: found and removed, while others write.

A file is written before the row that names it, at most `grace` before. So whatever is older than the grace and is not
named will not be named either, unless it is written anew, which makes its time new: that is looked at once more right
before the file is removed. Between that look and the removal a writer may still come; a state whose file is gone is
refused by name, and its partition is measured again."""

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

# Judging, writing, clocks that differ: no limit is set to these.
PATIENCE = timedelta(days=1)
# A damaged state has a table read twice, and then rows of failed checks.
READINGS = 3
AT_A_TIME = 100


class CollectedFiles(Protocol):
    """Where files of states lie."""

    def list_files(self) -> Iterable[StoredFile]: ...

    def remove(self, name: str, *, before: datetime) -> int | None: ...


@dataclass(frozen=True)
class RemovedFiles:
    """What was removed: so many files of so many bytes together."""

    files: int = 0
    bytes: int = 0


def grace(settings: RegistrySettings) -> timedelta:
    """How long a file may lie there before a row names it: longer than a task can take from reading to its end."""
    return PATIENCE + READINGS * timedelta(seconds=settings.engine_timeout_seconds + settings.lease_seconds)


def collect(database: Database, shelf: CollectedFiles, *, before: datetime) -> RemovedFiles:
    """Removes the files written before that moment that no generation of any partition's states names,
    and no part that a task has read.

    Several may do so at once, and each may end at any moment: what is left, the next one finds."""
    return sweep(shelf, lambda: referenced_files(database), before=before)


def sweep(shelf: CollectedFiles, named: Callable[[], Collection[str]], *, before: datetime) -> RemovedFiles:
    """Removes the files written before that moment, the grace before now, that are not `named`."""
    old = [each.name for each in shelf.list_files() if each.written_at < before]
    kept = frozenset(named()) if old else frozenset()
    sizes = [shelf.remove(name, before=before) for name in old if name not in kept]
    removed = [size for size in sizes if size is not None]
    return RemovedFiles(len(removed), sum(removed))


def referenced_files(database: Database) -> frozenset[str]:
    """The files that a generation of any partition's states names, or a part that a task has read."""
    with read_session(database) as session:
        known = {name for names in session.exec(select(PartitionStateRow.files)) for name in names or ()}
        # Rows that were written before files were named in them.
        others = session.exec(select(PartitionStateRow.states).where(col(PartitionStateRow.files).is_(None)))
        known.update(*map(state_store.files_of, others.yield_per(AT_A_TIME)))
        # What a task has read of a table, however long ago.
        return frozenset(
            known.union(*map(state_store.files_of, session.exec(select(ReadCheckpointRow.states)).yield_per(AT_A_TIME)))
        )
