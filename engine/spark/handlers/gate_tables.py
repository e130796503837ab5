"""Inspect and change tables of a catalog or table format for a gate."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from treaty.contracts.predicates.parser import literal, quote_path
from treaty.engine.core.errors import EngineError
from treaty.engine.core.filesystems import is_path
from treaty.engine.protocol.gate_requests import (
    CommitRequest,
    FenceRequest,
    LocationRequest,
    TableKind,
    TableStatus,
    TableStatusRequest,
)
from treaty.engine.spark.process.errors import safe_message
from treaty.engine.spark.sources import changes, delta
from treaty.engine.spark.sources.delta import partitioned
from treaty.engine.spark.sources.partition_locations import folder_of, spec
from treaty.engine.spark.sources.readers import details

PARQUET = "parquet"


@dataclass(frozen=True)
class SessionTables:
    """The tables of a Spark session."""

    session: Any

    def look(self, request: TableStatusRequest) -> TableStatus:
        """Return the status of the table. Raises EngineError."""
        return look(self.session, request)

    def commit(self, request: CommitRequest) -> None:
        """Make one commit to a Delta table. Raises GenerationConflict, EngineError."""
        delta.commit(self.session, request)

    def fence(self, request: FenceRequest) -> None:
        """Block a pending publication to a Delta table. Raises EngineError."""
        delta.fence(self.session, request)

    def place(self, request: LocationRequest) -> None:
        """Change the folder of one partition. Raises EngineError."""
        place(self.session, request)


def look(session: Any, request: TableStatusRequest) -> TableStatus:
    """Return the status of the table; a table that does not exist has no fingerprints and no version.

    Raises UnreadableTable if the catalog does not have it, EngineError if a gate cannot publish to it."""
    if is_path(request.table):
        return delta.table_status(session, request.table, request)
    description = details(session, request.table)
    location = description.get("Location", "")
    if description.get("Provider", "").lower() == TableKind.DELTA:
        return delta.table_status(session, location, request)
    storage = changes.of_catalog(session, request.table, location, _refused(session, request, description))
    return TableStatus(
        kind=TableKind.CATALOG, location=location, fingerprints=storage.fingerprints,
        folders=frozenset(folder for folders in storage.folders.values() for folder in folders),
        places={name: folder for name in request.partitions if (folder := folder_of(session, request.table, name))},
    )  # fmt: skip


def _refused(session: Any, request: TableStatusRequest, types: Mapping[str, str]) -> tuple[str, ...]:
    """Return the partition columns in the requested order. Raises EngineError if a gate cannot publish to the table."""
    table, kind = request.table, f"{types.get('Provider', '')} {types.get('Serde Library', '')}".lower()
    if PARQUET not in kind or not types.get("Location"):
        raise EngineError(f"{table} is neither a Parquet nor a Delta table: the gate cannot publish to it", retry=False)
    by = tuple(each.name for each in session.catalog.listColumns(table) if each.isPartition)
    if not by:
        raise EngineError(
            f"{table} has no partitions, so the gate cannot publish to it in one step: convert it to a Delta table,"
            " or use the path of its folder instead",
            retry=False,
        )
    return partitioned(table, by, request.partition_by)


def place(session: Any, request: LocationRequest) -> None:
    """Set the folder of the partition, adding the partition if needed; a folder of None drops the partition."""
    table, partition = quote_path(request.table), f"partition ({spec(request.name)})"
    if request.folder is None:
        _run(session, f"alter table {table} drop if exists {partition}")
        return
    location = f"location {literal(request.folder)}"
    _run(session, f"alter table {table} add if not exists {partition} {location}")
    _run(session, f"alter table {table} {partition} set {location}")


def _run(session: Any, statement: str) -> None:
    try:
        session.sql(statement).collect()
    except Exception as error:
        raise EngineError(f"the catalog could not change the partition: {safe_message(error)}") from error
