"""Publication to a partitioned table of a catalog: each changed partition lies in a new folder from one change on.

The staged files are moved into a folder of their own within the table's, hidden from who reads that by its path. The
catalog is then told, one partition after the other, where it lies now. Readers of the table see a partition's old files
or its new ones; of several changed partitions they may see some old and some new. The old folders stay for those who
began before: of those that a gate made, the next publication clears away what no partition lies in any more."""

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
    """The catalog's table `name`, whose folder is `table`, and what a publication has staged in `NEW` below `stage`.

    `origins`: where changed partitions lay before."""

    table: str
    partition_by: tuple[str, ...]
    stage: str
    tables: GateTables
    name: str
    origins: Mapping[str, str] = field(default_factory=dict)
    disk: Disk = field(default_factory=Disk, compare=False)

    @property
    def own(self) -> str:
        """The folder below the table in which this publication's partitions will lie."""
        return PUBLISHED + os.path.basename(self.stage).rpartition("-")[2]

    def fingerprints(self) -> dict[str, str]:
        """The fingerprint of every partition that has files."""
        return dict(self._look().fingerprints)

    def staged(self) -> dict[str, str]:
        """The fingerprint that every staged partition will have in its place, to which it may be moved already."""
        places = (os.path.join(self.stage, NEW), os.path.join(self.table, self.own))
        found = (fingerprints_at(place, self.partition_by, within=self.own) for place in places)
        return {name: mark for each in found for name, mark in each.items()}

    def noted(self, names: Iterable[str], expected: Mapping[str, str]) -> dict[str, str]:
        """Where the partitions lie. Raises Overtaken where the table is not as expected."""
        seen = self._look(*names)
        refuse_other(self.name, seen.fingerprints, expected)
        return dict(seen.places)

    def publish(self, changes: Mapping[str, StateChange]) -> None:
        """Moves the staged files into the table's folder, and has partition by partition lie there."""
        here, staged = self.fingerprints(), os.path.join(self.stage, NEW)
        if os.path.isdir(staged):
            self.disk.rename(staged, os.path.join(self.table, self.own))
        for name, change in changes.items():
            if here.get(name) != change.after.fingerprint:
                self._placed(name, os.path.join(self.table, self.own, name))

    def aside(self, names: Iterable[str]) -> dict[str, str]:
        """The fingerprints of what lies where the partitions lay before."""
        origins = ((name, self._origin(name)) for name in names)
        return {name: mark for name, mark in origins if mark is not None}

    def restore(self, changes: Mapping[str, StateChange]) -> None:
        """Has partition by partition lie where it lay."""
        here = self.fingerprints()
        for name, change in changes.items():
            if here.get(name) != change.old:
                self._placed(name, self.origins.get(name))

    def sweep(self) -> None:
        """Clears away published folders that no partition lies in any more."""
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
