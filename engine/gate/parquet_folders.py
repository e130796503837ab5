"""Publish to a folder of Parquet files by renaming partition folders: the old out, the new in.

All files of a table's gate are in `.NAME.gate` next to the table, hidden from Spark and safe when the table is
overwritten."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from treaty.engine.core.disk import Disk
from treaty.engine.core.errors import EngineError, UnreadableTable
from treaty.engine.gate.publication_intent import PublicationIntent, StateChange
from treaty.engine.gate.publication_steps import PublicationSteps
from treaty.engine.protocol.requests import TableSource
from treaty.engine.states.generations import GenerationConflict, GenerationStore

NEW, OLD = "new", "old"


class PublicationMethod(Protocol):
    """A method to publish staged files to one kind of table."""

    def fingerprints(self) -> dict[str, str]:
        """Return the fingerprint of every partition that readers see now; empty without a table."""

    def staged(self) -> dict[str, str]:
        """Return the fingerprint of every staged, unpublished partition."""

    def noted(self, names: Iterable[str], expected: Mapping[str, str]) -> dict[str, str]:
        """Return the notes on the current table that recovery needs to replace these partitions.

        Raises GenerationConflict if the table's fingerprints are not the expected ones."""

    def carry_out(self, intent: PublicationIntent, store: GenerationStore) -> None:
        """Publish the staged files and swap to their states. Raises GenerationConflict if nothing was changed."""

    def settle(self, intent: PublicationIntent, store: GenerationStore) -> str:
        """Complete an interrupted publication (FORWARD) or undo it (BACK), from any point of a crash.

        Raises PublicationOpen, with nothing changed, if neither is possible."""

    def sweep(self) -> None:
        """Remove unused leftovers of earlier publications from the table's own folder."""


def local_folder(table: str) -> str:
    """Return the table's folder on this machine. Raises EngineError if its folders cannot be renamed."""
    scheme, separator, rest = table.partition(":")
    folder = "/" + rest.lstrip("/") if separator and scheme == "file" else table
    is_remote = separator and scheme != "file" and not os.path.isabs(table)
    if is_remote or os.path.isfile(folder):
        raise EngineError(
            f"{table} is not a folder on this machine: the gate publishes by renaming folders", retry=False
        )
    return os.path.realpath(folder)


def gate_of(table: str) -> str:
    """Return the folder next to the table for the files of its gate."""
    return os.path.join(os.path.dirname(table), f".{os.path.basename(table)}.gate")


@dataclass(frozen=True)
class FolderPublication(PublicationSteps):
    """A publication to the folder `table`: new files in `NEW` below `stage`, old ones moved to `OLD`."""

    table: str
    partition_by: tuple[str, ...]
    stage: str
    disk: Disk = field(default_factory=Disk, compare=False)

    def fingerprints(self) -> dict[str, str]:
        """Return the fingerprint of every partition that readers see.

        Raises EngineError for other layouts, in which partitions cannot be renamed as folders."""
        return self._at(self.table)

    def staged(self) -> dict[str, str]:
        """Return the fingerprint of every staged partition."""
        return self._at(os.path.join(self.stage, NEW))

    def noted(self, names: Iterable[str], expected: Mapping[str, str]) -> dict[str, str]:
        """Return no notes, because old files are moved aside. Raises GenerationConflict if the table is not as
        expected."""
        refuse_other(self.table, self.fingerprints(), expected)
        return {}

    def publish(self, changes: Mapping[str, StateChange]) -> None:
        """Move the old folder of each partition aside and the new one in."""
        current = self.fingerprints()
        for name, change in changes.items():
            if current.get(name) != change.after.fingerprint:
                self._move(self.table, os.path.join(self.stage, OLD), name)
                self._move(os.path.join(self.stage, NEW), self.table, name)
            else:
                self.disk.anchor(_below(self.table, name))

    def aside(self, names: Iterable[str]) -> dict[str, str]:
        """Return the fingerprint of every partition that was moved out of the table."""
        return self._at(os.path.join(self.stage, OLD))

    def restore(self, changes: Mapping[str, StateChange]) -> None:
        """Move the new folder of each partition out and the old one back."""
        current = self.fingerprints()
        for name, change in changes.items():
            if current.get(name) != change.old:
                self._move(self.table, os.path.join(self.stage, NEW), name)
                self._move(os.path.join(self.stage, OLD), self.table, name)
            else:
                self.disk.anchor(_below(self.table, name))

    def _move(self, origin: str, target: str, name: str) -> None:
        """Move a partition's folder if it exists. A table without partitions is one folder."""
        if os.path.isdir(os.path.join(origin, name)):
            self.disk.rename(_below(origin, name), _below(target, name))

    def _at(self, location: str) -> dict[str, str]:
        return fingerprints_at(location, self.partition_by)


def fingerprints_at(location: str, partition_by: tuple[str, ...], *, within: str = "") -> dict[str, str]:
    """Return the fingerprint of every Parquet partition in a folder; empty if it does not exist.

    `within`: the folder below the table where the files must be. Raises EngineError for other layouts, in which
    partitions cannot be renamed as folders."""
    from treaty.engine.spark.sources.changes import layout

    try:
        table_layout = layout(None, TableSource(location, "parquet", partition_by), within=within)
    except UnreadableTable:
        if os.path.isdir(location) and not os.access(location, os.R_OK | os.X_OK):
            raise
        return {}
    misplaced = [name for name, folders in table_layout.folders.items() if folders != (os.path.join(within, name),)]
    if misplaced or not table_layout.files:
        raise EngineError(
            f"the folders of {location} are not partitioned by {', '.join(partition_by) or 'no column'} alone,"
            " as Spark writes Parquet: the gate cannot publish to it",
            retry=False,
        )
    return dict(table_layout.fingerprints)


def refuse_other(table: str, files: Mapping[str, str], expected: Mapping[str, str]) -> None:
    """Raise GenerationConflict if the table has other files than the states describe."""
    if files != expected:
        raise GenerationConflict(
            f"a writer that bypassed the gate changed {table} in the meantime: nothing was changed"
        )


def _below(folder: str, name: str) -> str:
    return os.path.join(folder, name) if name else folder
