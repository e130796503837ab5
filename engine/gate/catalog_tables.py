"""Publish to a partitioned table of a catalog by changing the locations of its partitions.

The staged files are moved to a new folder within the table's folder, hidden from readers by path. Then the catalog's
partition locations are updated one after the other. Readers of the table see either the old or the new files of a
partition; of several changed partitions they may see some old and some new. The old folders stay for readers that
have already started; the next publication removes folders made by a gate that no partition uses any more."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from treaty.engine.core.disk import Disk
from treaty.engine.gate.parquet_folders import NEW, fingerprints_at, refuse_other
from treaty.engine.gate.publication_intent import StateChange
from treaty.engine.gate.publication_steps import PublicationSteps
from treaty.engine.protocol.gate_requests import GateTables, LocationRequest, TableStatus, TableStatusRequest

PUBLISHED = "_published-"


@dataclass(frozen=True, kw_only=True)
class CatalogPublication(PublicationSteps):
    """A publication to the catalog table `name` with folder `table`, staged in `NEW` below `stage`.

    `origins`: previous locations of the changed partitions."""

    table: str
    partition_by: tuple[str, ...]
    stage: str
    tables: GateTables
    name: str
    origins: Mapping[str, str] = field(default_factory=dict)
    disk: Disk = field(default_factory=Disk, compare=False)

    @property
    def own(self) -> str:
        """Return the folder below the table for this publication's partitions."""
        return PUBLISHED + os.path.basename(self.stage).rpartition("-")[2]

    def fingerprints(self) -> dict[str, str]:
        """Return the fingerprint of every partition that has files."""
        return dict(self._look().fingerprints)

    def staged(self) -> dict[str, str]:
        """Return the fingerprint of every staged partition at its final location, moved already or not."""
        places = (os.path.join(self.stage, NEW), os.path.join(self.table, self.own))
        fingerprints = (fingerprints_at(place, self.partition_by, within=self.own) for place in places)
        return {name: mark for each in fingerprints for name, mark in each.items()}

    def noted(self, names: Iterable[str], expected: Mapping[str, str]) -> dict[str, str]:
        """Return the partitions' locations. Raises GenerationConflict if the table is not as expected."""
        status = self._look(*names)
        refuse_other(self.name, status.fingerprints, expected)
        return dict(status.places)

    def publish(self, changes: Mapping[str, StateChange]) -> None:
        """Move the staged files into the table's folder and update the partition locations."""
        current, staged = self.fingerprints(), os.path.join(self.stage, NEW)
        if os.path.isdir(staged):
            self.disk.rename(staged, os.path.join(self.table, self.own))
        for name, change in changes.items():
            if current.get(name) != change.after.fingerprint:
                self._placed(name, os.path.join(self.table, self.own, name))

    def aside(self, names: Iterable[str]) -> dict[str, str]:
        """Return the fingerprints of the files at the partitions' previous locations."""
        origins = ((name, self._origin(name)) for name in names)
        return {name: mark for name, mark in origins if mark is not None}

    def restore(self, changes: Mapping[str, StateChange]) -> None:
        """Reset the partition locations to the previous ones."""
        current = self.fingerprints()
        for name, change in changes.items():
            if current.get(name) != change.old:
                self._placed(name, self.origins.get(name))

    def sweep(self) -> None:
        """Remove published folders that no partition uses any more."""
        if not os.path.isdir(self.table):
            return
        used = self._look().folders
        for own in (each for each in os.listdir(self.table) if each.startswith(PUBLISHED)):
            for place, _, files in os.walk(os.path.join(self.table, own)):
                if "=" in os.path.basename(place) and files and os.path.relpath(place, self.table) not in used:
                    self.disk.clear(place)

    def _origin(self, name: str) -> str | None:
        origin = self.origins.get(name)
        if origin is None:
            return None
        return fingerprints_at(origin, (), within=os.path.relpath(origin, self.table)).get("")

    def _placed(self, name: str, folder: str | None) -> None:
        self.tables.place(LocationRequest(self.name, name, folder))

    def _look(self, *names: str) -> TableStatus:
        return self.tables.look(TableStatusRequest(table=self.name, partition_by=self.partition_by, partitions=names))
