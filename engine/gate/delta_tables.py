"""Publish to a Delta table with one atomic commit.

The intent is written, then the commit is made with the intent's name in it, then the states are swapped, bound to
the committed version. Recovery searches the history for the name. If found, the states are swapped (forward). If
not, nothing was changed (back), and the name is reserved so that a commit still in progress fails."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from treaty.engine.core.disk import Disk
from treaty.engine.gate.parquet_folders import NEW, FolderPublication, refuse_other
from treaty.engine.gate.publication_intent import PublicationIntent
from treaty.engine.gate.publication_steps import BACK, FORWARD, are_kept
from treaty.engine.protocol.gate_requests import (
    CommitRequest,
    FenceRequest,
    GateTables,
    TableStatus,
    TableStatusRequest,
)
from treaty.engine.states.generations import GenerationStore, PartitionEntry

VERSION = "version"
NONE = -1


@dataclass(frozen=True, kw_only=True)
class DeltaPublication:
    """A publication to the Delta table in the folder `table`, staged in `NEW` below `stage`.

    `types`: types of the partition columns of a new table."""

    table: str
    partition_by: tuple[str, ...]
    stage: str
    tables: GateTables
    disk: Disk = field(default_factory=Disk, compare=False)
    types: Mapping[str, str] = field(default_factory=dict)

    @property
    def ident(self) -> str:
        """Return the unique name of the publication."""
        return os.path.basename(self.stage)

    def fingerprints(self) -> dict[str, str]:
        """Return the fingerprint of every partition at the newest version; empty without a table."""
        return dict(self._look().fingerprints)

    def staged(self) -> dict[str, str]:
        """Return the fingerprint of every staged partition, which differs from the published one."""
        return FolderPublication(self.table, self.partition_by, self.stage, self.disk).staged()

    def noted(self, names: Iterable[str], expected: Mapping[str, str]) -> dict[str, str]:
        """Return the evaluated version. Raises GenerationConflict if the table is not as expected."""
        status = self._look()
        refuse_other(self.table, status.fingerprints, expected)
        return {VERSION: str(NONE if status.version is None else status.version)}

    def carry_out(self, intent: PublicationIntent, store: GenerationStore) -> None:
        """Commit and swap the states. Raises GenerationConflict, with nothing changed, after a concurrent write."""
        version, staged = int(intent.notes[VERSION]), os.path.join(self.stage, NEW)
        names, types = (
            tuple(sorted(intent.changes)),
            {each: self.types.get(each, "string") for each in self.partition_by},
        )
        base_version = None if version == NONE else version
        self.tables.commit(
            CommitRequest(
                table=self.table,
                staged=staged,
                partition_by=self.partition_by,
                names=names,
                ident=self.ident,
                version=base_version,
                types=types,
            )
        )
        _swapped(intent, store, self._look(intent))

    def settle(self, intent: PublicationIntent, store: GenerationStore) -> str:
        """Swap the states and return FORWARD if the commit exists; else block the commit and return BACK."""
        status = self._look(intent)
        if status.committed is None:
            self.tables.fence(FenceRequest(self.table, self.ident))
            # The commit may have succeeded just before its name was reserved.
            status = self._look(intent)
        if status.committed is None:
            return BACK
        store.last()
        if store.current().number == intent.number:
            _swapped(intent, store, status)
        return FORWARD

    def sweep(self) -> None:
        """Do nothing: Delta removes unused files itself (VACUUM)."""
        return

    def _look(self, intent: PublicationIntent | None = None) -> TableStatus:
        request = TableStatusRequest(table=self.table, partition_by=self.partition_by)
        if intent is not None:
            request = replace(request, ident=self.ident, since_version=int(intent.notes[VERSION]))
        return self.tables.look(request)


def _swapped(intent: PublicationIntent, store: GenerationStore, status: TableStatus) -> None:
    """Swap to the states of the committed table; partitions whose bag was lost are measured again.

    The run's verdict is stored only if no other commit came between, because it was reached for the table with this
    commit alone."""
    current, stored = store.current(), are_kept(intent, store)
    unchanged = {name: entry for name, entry in current.entries.items() if name not in intent.changes}
    fingerprints = {name: status.fingerprints[name] for name in intent.changes if name in status.fingerprints}
    changed = {
        name: PartitionEntry(mark, intent.changes[name].after.bag) for name, mark in fingerprints.items() if stored
    }
    is_next_version = status.committed == int(intent.notes[VERSION]) + 1
    store.swap(intent.number, {**unchanged, **changed}, intent.judged if is_next_version and stored else None)
