"""Determine the kind of a gated table and the method to publish to it."""

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
# Default types of partition columns in a new table, by logical type.
TYPES = {"boolean": "boolean", "date": "date", "integer": "bigint", "timestamp": "timestamp"}
# Files that identify the folder of an Iceberg table.
ICEBERG = "metadata/*.metadata.json"
FORMATS = {TableKind.FOLDER: "parquet", TableKind.DELTA: "delta", TableKind.CATALOG: None}


@dataclass(frozen=True)
class GatedTable:
    """A gated table: its kind, its name in Spark, and its folder on this machine, next to its gate.

    `types`: types of the partition columns if a new Delta table is created."""

    kind: TableKind
    name: str
    location: str
    types: Mapping[str, str] = field(default_factory=dict)

    def source(self, partition_by: tuple[str, ...]) -> TableSource:
        """Return the table as a source to measure."""
        return TableSource(self.name, FORMATS[self.kind], partition_by)

    def like(self, partition_by: tuple[str, ...]) -> TableSource | None:
        """Return the table whose column types a candidate takes over; None for files, which have no catalog types."""
        exists = self.kind is TableKind.CATALOG or os.path.isdir(os.path.join(self.location, LOG))
        return self.source(partition_by) if exists else None


def is_named(table: str) -> bool:
    """Return whether the table is a catalog table with its database (db.orders), not a path."""
    return not is_path(table) and _NAMED.fullmatch(table) is not None


def types_of(chosen: DataObject) -> dict[str, str]:
    """Return Spark types of columns with a declared type, for columns read from folder names."""
    types = {
        each.name: spark_type(each.physical_type or "") or TYPES.get(each.logical_type or "")
        for each in chosen.properties
    }
    return {name: each for name, each in types.items() if each}


def site_of(table: str, tables: GateTables | None = None, *, new: TableKind = TableKind.FOLDER) -> GatedTable:
    """Determine a table's kind and location; one that does not exist yet gets the kind `new`.

    Raises EngineError if a gate cannot publish to it, and for catalog tables without `tables`."""
    if is_named(table):
        status = require_tables(tables, table).look(TableStatusRequest(table=table))
        location = local_folder(status.location)
        # A Delta table is identified by its folder, even if the catalog also has a name for it.
        return GatedTable(status.kind, table if status.kind is TableKind.CATALOG else location, location)
    location = local_folder(table)
    if os.path.isdir(os.path.join(location, LOG)):
        return GatedTable(TableKind.DELTA, location, location)
    if any(Path(location).glob(ICEBERG)):
        raise EngineError(
            f"{table} is an Iceberg table: gates support folders of Parquet files and Delta tables",
            retry=False,
        )
    return GatedTable(TableKind.FOLDER if os.path.isdir(location) else new, location, location)


def require_tables(tables: GateTables | None, table: str) -> GateTables:
    """Return the table access. Raises EngineError if it is missing."""
    if tables is None:
        raise EngineError(
            f"{table} is not a plain folder of Parquet: pass the Spark session that reads it", retry=False
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
    """Return the publication method for files staged in that folder.

    `notes`: those of the intent; empty without one."""
    if site.kind is TableKind.FOLDER:
        return FolderPublication(site.location, partition_by, stage, disk)
    table_access = require_tables(tables, site.name)
    if site.kind is TableKind.DELTA:
        return DeltaPublication(
            table=site.location,
            partition_by=partition_by,
            stage=stage,
            tables=table_access,
            disk=disk,
            types=site.types,
        )
    return CatalogPublication(
        table=site.location,
        partition_by=partition_by,
        stage=stage,
        tables=table_access,
        name=site.name,
        origins=notes,
        disk=disk,
    )


def intended(intent: PublicationIntent, disk: Disk, tables: GateTables | None) -> PublicationMethod:
    """Return the publication method of an intent. Raises EngineError if it needs `tables`."""
    site = GatedTable(intent.kind, intent.name or intent.table, intent.table)
    return publication(site, intent.partition_by, intent.staged, disk, tables, intent.notes)
