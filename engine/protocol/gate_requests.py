"""What a gate asks of Spark about tables of a catalog or of a table format: light values that travel between processes.

A folder of Parquet files needs none of this: it is looked at and changed by its files alone."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

LOG = "_delta_log"


class TableKind(StrEnum):
    """What a table is to its gate."""

    FOLDER = "folder"
    CATALOG = "catalog"
    DELTA = "delta"


@dataclass(frozen=True, kw_only=True)
class TableStatusRequest:
    """How does the table stand? `ident`: the publication that is looked for in its history, after version
    `since_version`.

    `partitions`: the partitions whose folders are to be told."""

    table: str
    partition_by: tuple[str, ...] = ()
    ident: str | None = None
    since_version: int = -1
    partitions: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class TableStatus:
    """How a table stands: `location` is its folder, `fingerprints` are those of its partitions.

    `version` is that of a table format, `committed` the version that the publication in question made, if it did.
    `folders` are those that hold files of the table, as paths below `location`; `places` by partition, where one of
    the partitions in question lies."""

    kind: TableKind
    location: str
    fingerprints: Mapping[str, str]
    version: int | None = None
    committed: int | None = None
    folders: frozenset[str] = frozenset()
    places: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class CommitRequest:
    """Replace the partitions `names` of a Delta table by what lies in the folder `staged`, in one commit.

    The commit is made onto `version` and carries `ident`. None: the table is new, its partition columns get `types`."""

    table: str
    staged: str
    partition_by: tuple[str, ...]
    names: tuple[str, ...]
    ident: str
    version: int | None
    types: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class FenceRequest:
    """Make sure that the publication `ident` can not be committed to a Delta table any more."""

    table: str
    ident: str


@dataclass(frozen=True)
class LocationRequest:
    """Let the partition of a catalog table lie in that folder; None: let it be none of the table."""

    table: str
    name: str
    folder: str | None


class GateTables(Protocol):
    """What looks at such tables and changes them: a Spark session, or the process that has one."""

    def look(self, request: TableStatusRequest) -> TableStatus: ...

    def commit(self, request: CommitRequest) -> None: ...

    def fence(self, request: FenceRequest) -> None: ...

    def place(self, request: LocationRequest) -> None: ...
