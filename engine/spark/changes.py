"""What changed: fingerprints of a table's partitions from its files, without reading a row."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from engine.filesystems import is_path, opened
from engine.requests import Source, Unreadable
from engine.spark.scan import escaped
from engine.spark.sources import listing


@dataclass(frozen=True)
class Layout:
    """How a table lies in storage: `fingerprints` by partition folder, or one for all (key "") where partitions are columns."""

    fingerprints: Mapping[str, str]
    folders: bool

    def changed(self, known: Mapping[str, str]) -> list[str]:
        """Names of the partitions whose files are new or other than when they were last read."""
        return sorted(name for name, marker in self.fingerprints.items() if known.get(name) != marker)


def layout(session: Any, source: Source) -> Layout:
    """The layout of a table now. Raises Unreadable where it is gone."""
    location = source.location if is_path(source.location) else _location(session, source.location)
    found = [(_relative(each, location), each) for each in listing(location)]
    data = [(path, each) for path, each in found if not any(part[:1] in "._" for part in path.split("/"))]
    parted: dict[str, list[str]] = {}
    for path, each in data:
        parted.setdefault(partition_of(path, source.partition_by), []).append(f"{path} {each.size} {each.mtime_ns}")
    folders = bool(source.partition_by) and bool(parted) and "" not in parted
    marks = (
        parted if folders or not source.partition_by else {"": [line for lines in parted.values() for line in lines]}
    )
    return Layout({name: _hash(lines) for name, lines in marks.items()}, folders)


def partition_of(path: str, partition_by: tuple[str, ...]) -> str:
    """The partition of a file's path below the table: 'day=2026-11-20'; "" where the folders do not name all columns."""
    named = dict(_pairs(path))
    if not partition_by or any(column not in named for column in partition_by):
        return ""
    return "/".join(f"{escaped(column)}={escaped(named[column])}" for column in partition_by)


def _pairs(path: str) -> list[tuple[str, str]]:
    folders = [folder.partition("=") for folder in path.split("/")[:-1]]
    return [(unquote(name), unquote(value)) for name, equals, value in folders if equals]


def _relative(info: Any, location: str) -> str:
    _, root = opened(location)
    return str(info.path[len(root.rstrip("/")) + 1 :]) if info.path != root else str(info.base_name)


def _hash(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:32]


def _location(session: Any, table: str) -> str:
    try:
        rows = session.sql(f"describe table extended {table}").collect()
    except Exception as error:
        raise Unreadable(f"the catalog has no table {table}") from error
    return next((row["data_type"] for row in rows if row["col_name"] == "Location"), "")
