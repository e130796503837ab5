"""Tables of a catalog or of a table format, looked at and changed for a gate."""

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
    """The tables that a Spark session knows."""

    session: Any

    def look(self, request: TableStatusRequest) -> TableStatus:
        """How the table stands. Raises EngineError."""
        return look(self.session, request)

    def commit(self, request: CommitRequest) -> None:
        """One commit to a Delta table. Raises Overtaken, EngineError."""
        delta.commit(self.session, request)

    def fence(self, request: FenceRequest) -> None:
        """Shuts a publication out of a Delta table. Raises EngineError."""
        delta.fence(self.session, request)

    def place(self, request: LocationRequest) -> None:
        """One change of a partition's folder. Raises EngineError."""
        place(self.session, request)


def look(session: Any, request: TableStatusRequest) -> TableStatus:
    """How the table stands: one that is not there has no fingerprints and no version.

    Raises Unreadable where the catalog does not know it, EngineError where a gate cannot publish to it."""
    if is_path(request.table):
        return delta.table_status(session, request.table, request)
    known = details(session, request.table)
    location = known.get("Location", "")
    if known.get("Provider", "").lower() == TableKind.DELTA:
        return delta.table_status(session, location, request)
    lies = changes.of_catalog(session, request.table, location, _refused(session, request, known))
    return TableStatus(
        kind=TableKind.CATALOG, location=location, fingerprints=lies.fingerprints,
        folders=frozenset(folder for folders in lies.folders.values() for folder in folders),
        places={name: folder for name in request.partitions if (folder := folder_of(session, request.table, name))},
    )  # fmt: skip


def _refused(session: Any, request: TableStatusRequest, known: Mapping[str, str]) -> tuple[str, ...]:
    """The partition columns, in the order asked for. Raises EngineError for what a gate cannot publish to."""
    table, kind = request.table, f"{known.get('Provider', '')} {known.get('Serde Library', '')}".lower()
    if PARQUET not in kind or not known.get("Location"):
        raise EngineError(f"{table} is neither a Parquet nor a Delta table: the gate cannot publish to it", retry=False)
    by = tuple(each.name for each in session.catalog.listColumns(table) if each.isPartition)
    if not by:
        raise EngineError(
            f"{table} has no partitions: what changes in one step is the place of a partition. Make it a Delta table,"
            " or name the folder that holds it",
            retry=False,
        )
    return partitioned(table, by, request.partition_by)


def place(session: Any, request: LocationRequest) -> None:
    """Has the partition lie in that folder, whether or not it did; None: has the table be without it."""
    table, which = quote_path(request.table), f"partition ({spec(request.name)})"
    if request.folder is None:
        _run(session, f"alter table {table} drop if exists {which}")
        return
    where = f"location {literal(request.folder)}"
    _run(session, f"alter table {table} add if not exists {which} {where}")
    _run(session, f"alter table {table} {which} set {where}")


def _run(session: Any, statement: str) -> None:
    try:
        session.sql(statement).collect()
    except Exception as error:
        raise EngineError(f"the catalog did not change the partition: {safe_message(error)}") from error
