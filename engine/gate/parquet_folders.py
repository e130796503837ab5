"""Publication to a table that is a folder of Parquet files: partition folders are renamed, the old out and the new in.

Everything of a table's gate lies in `.NAME.gate` beside the table, hidden from Spark and from whoever overwrites it."""

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
    """How one kind of table takes what is staged in."""

    def fingerprints(self) -> dict[str, str]:
        """The fingerprint of every partition that readers see now; empty for a table that is not there."""

    def staged(self) -> dict[str, str]:
        """The fingerprint of every partition that is staged and not published."""

    def noted(self, names: Iterable[str], expected: Mapping[str, str]) -> dict[str, str]:
        """What the intent to replace these partitions has to say of the table as it is, for who recovers it.

        Raises Overtaken where its fingerprints are not the expected ones."""

    def carry_out(self, intent: PublicationIntent, store: GenerationStore) -> None:
        """Publishes the staged files and swaps to their states. Raises Overtaken where nothing was changed."""

    def settle(self, intent: PublicationIntent, store: GenerationStore) -> str:
        """Does what is left of a publication, FORWARD, or undoes it, BACK, from whatever point a crash has left it at.

        Raises Unsettled, with nothing changed, where neither can be done."""

    def sweep(self) -> None:
        """Clears away what earlier publications have left in the table's own folder, as no reader needs it."""


def local_folder(table: str) -> str:
    """The table's folder on this machine. Raises EngineError for a place where folders cannot be renamed."""
    scheme, separator, rest = table.partition(":")
    folder = "/" + rest.lstrip("/") if separator and scheme == "file" else table
    elsewhere = separator and scheme != "file" and not os.path.isabs(table)
    if elsewhere or os.path.isfile(folder):
        raise EngineError(f"{table} is no folder of this machine: the gate publishes by renaming folders", retry=False)
    return os.path.realpath(folder)


def gate_of(table: str) -> str:
    """The folder beside the table in which its gate keeps what it needs."""
    return os.path.join(os.path.dirname(table), f".{os.path.basename(table)}.gate")


@dataclass(frozen=True)
class FolderPublication(PublicationSteps):
    """The folder `table`, and what a publication has staged in `NEW` and put aside in `OLD` below `stage`."""

    table: str
    partition_by: tuple[str, ...]
    stage: str
    disk: Disk = field(default_factory=Disk, compare=False)

    def fingerprints(self) -> dict[str, str]:
        """The fingerprint of every partition that readers see. Raises EngineError for tables that are laid out in
        another way: what folders do not tell cannot be renamed."""
        return self._at(self.table)

    def staged(self) -> dict[str, str]:
        """The fingerprint of every staged partition."""
        return self._at(os.path.join(self.stage, NEW))

    def noted(self, names: Iterable[str], expected: Mapping[str, str]) -> dict[str, str]:
        """Nothing: what was there is moved aside. Raises Overtaken where the table is not as expected."""
        refuse_other(self.table, self.fingerprints(), expected)
        return {}

    def publish(self, changes: Mapping[str, StateChange]) -> None:
        """Moves, partition by partition, the old folder aside and the new one in."""
        here = self.fingerprints()
        for name, change in changes.items():
            if here.get(name) != change.after.fingerprint:
                self._move(self.table, os.path.join(self.stage, OLD), name)
                self._move(os.path.join(self.stage, NEW), self.table, name)
            else:
                self.disk.anchor(_below(self.table, name))

    def aside(self, names: Iterable[str]) -> dict[str, str]:
        """The fingerprint of every partition that was moved out of the table."""
        return self._at(os.path.join(self.stage, OLD))

    def restore(self, changes: Mapping[str, StateChange]) -> None:
        """Moves, partition by partition, the new folder out and the old one back."""
        here = self.fingerprints()
        for name, change in changes.items():
            if here.get(name) != change.old:
                self._move(self.table, os.path.join(self.stage, NEW), name)
                self._move(os.path.join(self.stage, OLD), self.table, name)
            else:
                self.disk.anchor(_below(self.table, name))

    def _move(self, origin: str, target: str, name: str) -> None:
        """Moves a partition's folder, where there is one. A table without partitions is one folder itself."""
        if os.path.isdir(os.path.join(origin, name)):
            self.disk.rename(_below(origin, name), _below(target, name))

    def _at(self, location: str) -> dict[str, str]:
        return fingerprints_at(location, self.partition_by)


def fingerprints_at(location: str, partition_by: tuple[str, ...], *, within: str = "") -> dict[str, str]:
    """The fingerprint of every partition of Parquet files in a folder, {} where it is not there.

    `within`: the folder below the table that the files shall lie in. Raises EngineError for files that are laid out in
    another way: what folders do not tell cannot be renamed."""
    from treaty.engine.spark.sources.changes import layout

    try:
        found = layout(None, TableSource(location, "parquet", partition_by), within=within)
    except UnreadableTable:
        if os.path.isdir(location) and not os.access(location, os.R_OK | os.X_OK):
            raise
        return {}
    odd = [name for name, folders in found.folders.items() if folders != (os.path.join(within, name),)]
    if odd or not found.files:
        raise EngineError(
            f"{location} is not laid out by {', '.join(partition_by) or 'no column'} alone, as Spark writes"
            " Parquet: the gate cannot publish to it",
            retry=False,
        )
    return dict(found.fingerprints)


def refuse_other(table: str, found: Mapping[str, str], expected: Mapping[str, str]) -> None:
    """Raises Overtaken where a table has other files than the states speak of."""
    if found != expected:
        raise GenerationConflict(f"{table} was written to past its gate since this one began: nothing was changed")


def _below(folder: str, name: str) -> str:
    return os.path.join(folder, name) if name else folder
