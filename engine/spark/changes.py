"""What changed: fingerprints of a table's partitions from its files, without reading a row."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from contracts.predicates import quote_path
from engine.filesystems import is_path, opened
from engine.requests import Source, Unreadable
from engine.spark import delta, partitions
from engine.spark.failures import is_cancelled
from engine.spark.sources import LAKES, details, listing, plain


@dataclass(frozen=True)
class Layout:
    """How a table lies in storage: `fingerprints` by partition, or one for all (key "") where its files do not tell.

    `folders` are those of each partition below the table; empty where partitions are columns, or where there are none.
    `files` are those of each partition, as paths in the table's filesystem; empty where the files do not tell.
    Without fingerprints nothing is known of the files: whatever is asked may have changed."""

    fingerprints: Mapping[str, str]
    folders: Mapping[str, tuple[str, ...]]
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def changed(self, known: Mapping[str, str]) -> list[str]:
        """Names of the partitions whose files are new or other than when they were last read."""
        return sorted(name for name, marker in self.fingerprints.items() if known.get(name) != marker)


def layout(session: Any, source: Source, *, within: str = "") -> Layout:
    """The layout of a table now. Raises Unreadable where it is gone.

    `within`: the folder that is put before every path, of files that shall lie there."""
    known = {} if is_path(source.location) else details(session, source.location)
    location = source.location if is_path(source.location) else known.get("Location", "")
    if not location:
        return Layout({}, {})
    lake = known.get("Provider", "").lower() in LAKES.values()
    placed = _placed(session, source.location, location) if known and source.partition_by and not lake else None
    found = placed or [(_relative(each, location), each) for each in listing(location)]
    data = placed or [(path, each) for path, each in found if not any(map(_is_hidden, path.split("/")))]
    if not data:
        raise Unreadable(f"{location} holds no data yet: write the table first")
    data = [(f"{within}/{path}", each) for path, each in data] if within else data
    parted: dict[str, list[tuple[str, Any]]] = {}
    for path, each in data:
        parted.setdefault(partitions.of_path(path, source.partition_by), []).append((path, each))
    files = {name: tuple(each.path for _, each in members) for name, members in parted.items()}
    # A table format keeps files that its log has left: folders do not tell what is in the table.
    lake = any(path.split("/")[0] in LAKES for path, _ in found)
    if lake and session and (marks := delta.layout(session, location, source.partition_by)):
        return Layout(marks, {name: () for name in marks if name})
    if lake or (source.partition_by and "" in parted):
        return Layout({"": _hash(data)}, {})
    if not source.partition_by:
        return Layout({"": _hash(data)}, {}, files)
    folders = {name: _folders(members, source.partition_by) for name, members in parted.items()}
    return Layout({name: _hash(members) for name, members in parted.items()}, folders, files)


def _is_hidden(part: str) -> bool:
    """As Spark sees it: '_SUCCESS' and '.crc' are no data; '_day=1' is a partition."""
    return part.startswith(".") or (part.startswith("_") and "=" not in part)


def _placed(session: Any, table: str, location: str) -> list[tuple[str, Any]]:
    """The files of a catalog's table, whose partitions may lie anywhere; none where Spark does not name them.

    Paths are those below the table's location, or whole ones."""
    try:
        session.catalog.refreshTable(quote_path(table))
        urls = session.table(table).inputFiles()
    except Exception as error:
        if is_cancelled(error):
            raise
        return []
    if not urls:
        return []
    filesystem, root = opened(plain(location))
    infos = filesystem.get_file_info([opened(plain(url))[1] for url in urls])
    files = sorted((each for each in infos if each.is_file), key=lambda each: each.path)
    return [(each.path.removeprefix(f"{root}/"), each) for each in files] if len(files) == len(urls) else []


def _folders(members: Iterable[tuple[str, Any]], partition_by: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({partitions.folder(path, partition_by) for path, _ in members}))


def _relative(info: Any, location: str) -> str:
    _, root = opened(location)
    return str(info.path[len(root.rstrip("/")) + 1 :]) if info.path != root else str(info.base_name)


def _hash(members: Iterable[tuple[str, Any]]) -> str:
    lines = sorted(f"{path} {each.size} {each.mtime_ns}" for path, each in members)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]
