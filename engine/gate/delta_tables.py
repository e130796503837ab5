"""Publication to a Delta table: one commit, which is in the table's history or is not.

The intent is written, the commit made with the intent's name in it, then the states are swapped, bound to the version
that the commit made. Recovery looks for the name in the history. There: the states are swapped, forward. Not there:
nothing was changed, back; and the name is taken, so that a commit that is still under way fails."""

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
    """The Delta table in the folder `table`, and what a publication has staged in `NEW` below `stage`.

    `types` are those of the partition columns of a new table."""

    table: str
    partition_by: tuple[str, ...]
    stage: str
    tables: GateTables
    disk: Disk = field(default_factory=Disk, compare=False)
    types: Mapping[str, str] = field(default_factory=dict)

    @property
    def ident(self) -> str:
        """The publication's name, which no other has."""
        return os.path.basename(self.stage)

    def fingerprints(self) -> dict[str, str]:
        """The fingerprint of every partition at the newest version; empty for a table that is not there."""
        return dict(self._look().fingerprints)

    def staged(self) -> dict[str, str]:
        """The fingerprint of every staged partition: not the one that it will have in the table."""
        return FolderPublication(self.table, self.partition_by, self.stage, self.disk).staged()

    def noted(self, names: Iterable[str], expected: Mapping[str, str]) -> dict[str, str]:
        """The version that was judged. Raises Overtaken where the table is not as expected."""
        seen = self._look()
        refuse_other(self.table, seen.fingerprints, expected)
        return {VERSION: str(NONE if seen.version is None else seen.version)}

    def carry_out(self, intent: PublicationIntent, store: GenerationStore) -> None:
        """Commits and swaps the states. Raises Overtaken, with nothing changed, where another writer came first."""
        version, staged = int(intent.notes[VERSION]), os.path.join(self.stage, NEW)
        names, types = (
            tuple(sorted(intent.changes)),
            {each: self.types.get(each, "string") for each in self.partition_by},
        )
        onto = None if version == NONE else version
        self.tables.commit(
            CommitRequest(
                table=self.table,
                staged=staged,
                partition_by=self.partition_by,
                names=names,
                ident=self.ident,
                version=onto,
                types=types,
            )
        )
        _swapped(intent, store, self._look(intent))

    def settle(self, intent: PublicationIntent, store: GenerationStore) -> str:
        """FORWARD where the commit was made: its states are swapped to; else BACK, and it cannot be made any more."""
        seen = self._look(intent)
        if seen.committed is None:
            self.tables.fence(FenceRequest(self.table, self.ident))
            # It may have been made right before its name was taken.
            seen = self._look(intent)
        if seen.committed is None:
            return BACK
        store.last()
        if store.current().number == intent.number:
            _swapped(intent, store, seen)
        return FORWARD

    def sweep(self) -> None:
        """Nothing: files that the table has left are Delta's to remove (VACUUM)."""
        return

    def _look(self, intent: PublicationIntent | None = None) -> TableStatus:
        ours = TableStatusRequest(table=self.table, partition_by=self.partition_by)
        if intent is not None:
            ours = replace(ours, ident=self.ident, since_version=int(intent.notes[VERSION]))
        return self.tables.look(ours)


def _swapped(intent: PublicationIntent, store: GenerationStore, seen: TableStatus) -> None:
    """Swaps to the states of what the commit made of the table: partitions whose bag was lost are measured again.

    The run judged the table with the commit in place, unless other commits came between."""
    current, kept = store.current(), are_kept(intent, store)
    others = {name: entry for name, entry in current.entries.items() if name not in intent.changes}
    marks = {name: seen.fingerprints[name] for name in intent.changes if name in seen.fingerprints}
    news = {name: PartitionEntry(mark, intent.changes[name].after.bag) for name, mark in marks.items() if kept}
    alone = seen.committed == int(intent.notes[VERSION]) + 1
    store.swap(intent.number, {**others, **news}, intent.judged if alone and kept else None)
