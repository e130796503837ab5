"""What a table is to its gate, and how such a table is published to."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from treaty.contracts.document.model import DataObject
from treaty.engine.checks.physical_types import spark_type
from treaty.engine.core.disk import Disk
from treaty.engine.core.errors import EngineError
from treaty.engine.core.filesystems import is_path
from treaty.engine.gate.catalog_tables import CatalogPublication
from treaty.engine.gate.delta_tables import DeltaPublication
from treaty.engine.gate.parquet_folders import FolderPublication, PublicationMethod, local_folder
from treaty.engine.gate.publication_intent import PublicationIntent
from treaty.engine.protocol.gate_requests import LOG, GateTables, TableKind, TableStatusRequest
from treaty.engine.protocol.requests import TableSource

_NAMED = re.compile(r"\w+(\.\w+)+")
# What partition columns are in a new table, where their contract says no more.
TYPES = {"boolean": "boolean", "date": "date", "integer": "bigint", "timestamp": "timestamp"}
# What lies in the folder of an Iceberg table.
ICEBERG = "metadata/*.metadata.json"
FORMATS = {TableKind.FOLDER: "parquet", TableKind.DELTA: "delta", TableKind.CATALOG: None}


@dataclass(frozen=True)
class GatedTable:
    """A gated table: what it is, what Spark calls it, and its folder on this machine, beside which its gate lies.

    `types` are those that partition columns get in a Delta table that is new."""

    kind: TableKind
    name: str
    location: str
    types: Mapping[str, str] = field(default_factory=dict)

    def source(self, partition_by: tuple[str, ...]) -> TableSource:
        """The table as what is measured."""
        return TableSource(self.name, FORMATS[self.kind], partition_by)

    def like(self, partition_by: tuple[str, ...]) -> TableSource | None:
        """The table whose types a candidate gets; None for files, which have no types of their own beside them."""
        there = self.kind is TableKind.CATALOG or os.path.isdir(os.path.join(self.location, LOG))
        return self.source(partition_by) if there else None


def is_named(table: str) -> bool:
    """Whether a table is one of a catalog: named with its database, as db.orders, and no file or folder."""
    return not is_path(table) and _NAMED.fullmatch(table) is not None


def types_of(chosen: DataObject) -> dict[str, str]:
    """Spark's types of the columns whose contract names one, for columns that are read back from folders' names."""
    told = {
        each.name: spark_type(each.physical_type or "") or TYPES.get(each.logical_type or "")
        for each in chosen.properties
    }
    return {name: each for name, each in told.items() if each}


def site_of(table: str, tables: GateTables | None = None, *, new: TableKind = TableKind.FOLDER) -> GatedTable:
    """What a table is; one that is not there yet is `new`. Raises EngineError where it is none that a gate can publish
    to, and for catalog tables without `tables`."""
    if is_named(table):
        found = require_tables(tables, table).look(TableStatusRequest(table=table))
        location = local_folder(found.location)
        # A Delta table is its folder, whoever else knows it by a name.
        return GatedTable(found.kind, table if found.kind is TableKind.CATALOG else location, location)
    location = local_folder(table)
    if os.path.isdir(os.path.join(location, LOG)):
        return GatedTable(TableKind.DELTA, location, location)
    if any(Path(location).glob(ICEBERG)):
        raise EngineError(
            f"{table} is an Iceberg table: a gate publishes to folders of Parquet files and to Delta tables",
            retry=False,
        )
    return GatedTable(TableKind.FOLDER if os.path.isdir(location) else new, location, location)


def require_tables(tables: GateTables | None, table: str) -> GateTables:
    """What looks at the table. Raises EngineError where nothing was handed in that can."""
    if tables is None:
        raise EngineError(
            f"{table} is no plain folder of Parquet: hand in the Spark session that reads it", retry=False
        )
    return tables


def publication(
    site: GatedTable,
    partition_by: tuple[str, ...],
    stage: str,
    disk: Disk,
    tables: GateTables | None,
    notes: Mapping[str, str],
) -> PublicationMethod:
    """How the table takes what is staged in that folder. `notes` are those of the intent, where there is one."""
    if site.kind is TableKind.FOLDER:
        return FolderPublication(site.location, partition_by, stage, disk)
    known = require_tables(tables, site.name)
    if site.kind is TableKind.DELTA:
        return DeltaPublication(
            table=site.location, partition_by=partition_by, stage=stage, tables=known, disk=disk, types=site.types
        )
    return CatalogPublication(
        table=site.location,
        partition_by=partition_by,
        stage=stage,
        tables=known,
        name=site.name,
        origins=notes,
        disk=disk,
    )


def intended(intent: PublicationIntent, disk: Disk, tables: GateTables | None) -> PublicationMethod:
    """The publication that an intent speaks of. Raises EngineError where it needs `tables`."""
    site = GatedTable(intent.kind, intent.name or intent.table, intent.table)
    return publication(site, intent.partition_by, intent.staged, disk, tables, intent.notes)
