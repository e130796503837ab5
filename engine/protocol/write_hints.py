"""Represent hints about a write, and how changed partitions are determined."""

from dataclasses import dataclass, field
from enum import StrEnum


class DetectionMethod(StrEnum):
    """Method that determined which partitions to read."""

    SUBSET = "subset facet"
    PATH = "path"
    VERSIONS = "versions"
    FINGERPRINTS = "fingerprints"
    SQL = "sql"
    NOMINAL = "nominal time"
    POLICY = "policy"


@dataclass(frozen=True)
class WriteHint:
    """A producer's information about its write.

    `partitions`: names of those written, determined by `method`; None means unknown. `version`: version created by
    the write, for formats with versions; None means unknown. For several writes it is the largest, and
    `other_versions` are the others."""

    partitions: tuple[str, ...] | None = None
    method: DetectionMethod | None = None
    version: int | None = None
    other_versions: tuple[int, ...] = ()

    @property
    def versions(self) -> tuple[int, ...]:
        """Return all versions known to have been created."""
        return self.other_versions if self.version is None else (self.version, *self.other_versions)


# Prefix of `TableVersion.table` if version numbers are not ordered.
UNORDERED = "iceberg:"


@dataclass(frozen=True)
class TableVersion:
    """A version of a table; a table recreated at the same location has another `table` id."""

    table: str
    version: int

    def __str__(self) -> str:
        return f"{self.table}@{self.version}"

    def holds(self, version: int) -> bool:
        """Return whether this version includes that one, as far as their numbers show.

        Delta numbers versions in order; Iceberg's snapshot ids are random."""
        return self.version == version if self.table.startswith(UNORDERED) else self.version >= version

    @classmethod
    def of(cls, text: str | None) -> "TableVersion | None":
        """Parse a version from text; None for None or for text without a version."""
        table, _, version = (text or "").rpartition("@")
        return cls(table, int(version)) if table and version.isdecimal() else None


@dataclass(frozen=True)
class ChangeHints:
    """Starting point for detecting changes, in addition to the known fingerprints.

    `since_version`: version of these fingerprints. `newest_count`: number of newest partitions to read if neither
    the table nor the hint shows what changed; None means all. `reading`: identifies this scan, for tables without
    any fingerprint."""

    hint: WriteHint = field(default_factory=WriteHint)
    since_version: TableVersion | None = None
    newest_count: int | None = None
    reading: str = ""
