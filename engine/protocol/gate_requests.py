"""Define a gate's requests to Spark about catalog and Delta tables: light values sent between processes.

A folder of Parquet files needs no such request; the gate reads and changes its files directly."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

LOG = "_delta_log"


class TableKind(StrEnum):
    """The kind of a gated table."""

    FOLDER = "folder"
    CATALOG = "catalog"
    DELTA = "delta"


@dataclass(frozen=True, kw_only=True)
class TableStatusRequest:
    """Request the status of a table.

    `ident`: publication to search for in the history after version `since_version`; None means no search.
    `partitions`: those whose folders are returned."""

    table: str
    partition_by: tuple[str, ...] = ()
    ident: str | None = None
    since_version: int = -1
    partitions: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class TableStatus:
    """The status of a table.

    - `location`: its folder.
    - `fingerprints`: those of its partitions.
    - `version`: version of a table format; None without one.
    - `committed`: version created by the publication in question; None if it was not committed.
    - `folders`: those that contain files of the table, relative to `location`.
    - `places`: folders of the requested partitions."""

    kind: TableKind
    location: str
    fingerprints: Mapping[str, str]
    version: int | None = None
    committed: int | None = None
    folders: frozenset[str] = frozenset()
    places: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class CommitRequest:
    """Replace partitions of a Delta table by staged files in one commit.

    `names`: partitions to replace by the files in the folder `staged`. The commit is based on `version` and carries
    `ident`. `version` None creates the table, with partition columns of `types`."""

    table: str
    staged: str
    partition_by: tuple[str, ...]
    names: tuple[str, ...]
    ident: str
    version: int | None
    types: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class FenceRequest:
    """Ensure that the publication `ident` can no longer be committed to a Delta table."""

    table: str
    ident: str


@dataclass(frozen=True)
class LocationRequest:
    """Set the folder of a catalog table's partition; None drops the partition from the table."""

    table: str
    name: str
    folder: str | None


class GateTables(Protocol):
    """Access to catalog and Delta tables: a Spark session, or the process that has one."""

    def look(self, request: TableStatusRequest) -> TableStatus: ...

    def commit(self, request: CommitRequest) -> None: ...

    def fence(self, request: FenceRequest) -> None: ...

    def place(self, request: LocationRequest) -> None: ...
