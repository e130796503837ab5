"""What is known of a write before its table is looked at, and by what it was told which partitions changed."""

from dataclasses import dataclass, field
from enum import StrEnum


class DetectionMethod(StrEnum):
    """By what it was told which partitions were looked at."""

    SUBSET = "subset facet"
    PATH = "path"
    VERSIONS = "versions"
    FINGERPRINTS = "fingerprints"
    SQL = "sql"
    NOMINAL = "nominal time"
    POLICY = "policy"


@dataclass(frozen=True)
class WriteHint:
    """What a producer says of its write. `partitions`: those that it wrote, by name, told by `method`; None: it does
    not say. `version`: the one that the write made, of a table format that has them; None: it does not say. Of several
    writes it is the greatest, and `other_versions` are the other ones."""

    partitions: tuple[str, ...] | None = None
    method: DetectionMethod | None = None
    version: int | None = None
    other_versions: tuple[int, ...] = ()

    @property
    def versions(self) -> tuple[int, ...]:
        """All versions that are known to have been made."""
        return self.other_versions if self.version is None else (self.version, *self.other_versions)


# What the `table` of a version begins with whose number is one of no order.
UNORDERED = "iceberg:"


@dataclass(frozen=True)
class TableVersion:
    """A version of a table: a table that is made anew in the same place is another `table`."""

    table: str
    version: int

    def __str__(self) -> str:
        return f"{self.table}@{self.version}"

    def holds(self, version: int) -> bool:
        """Whether what that version held is in this one, as far as their numbers tell: Delta counts versions, and
        Iceberg's snapshots are numbered at random."""
        return self.version == version if self.table.startswith(UNORDERED) else self.version >= version

    @classmethod
    def of(cls, text: str | None) -> "TableVersion | None":
        """What that text names; None for None, and for what names no version."""
        table, _, version = (text or "").rpartition("@")
        return cls(table, int(version)) if table and version.isdecimal() else None


@dataclass(frozen=True)
class ChangeHints:
    """What a look at a table begins with, beside the fingerprints that are known.

    `since_version`: the version that these are of. `newest_count`: where neither the table nor the hint tells what
    changed, so many of its newest partitions are read; None: all. `reading` names this reading, for tables that nothing
    else marks."""

    hint: WriteHint = field(default_factory=WriteHint)
    since_version: TableVersion | None = None
    newest_count: int | None = None
    reading: str = ""
