"""Detect changed partitions by fingerprints of their files, without reading a row."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from treaty.contracts.predicates.parser import quote_path
from treaty.engine.core.errors import EngineError, RefusedTable, UnreadableTable
from treaty.engine.core.filesystems import is_path, open_filesystem, plain
from treaty.engine.core.partitions import partition_names
from treaty.engine.protocol.requests import TableSource
from treaty.engine.protocol.write_hints import ChangeHints, DetectionMethod, TableVersion
from treaty.engine.spark.process.errors import is_cancelled, safe_message
from treaty.engine.spark.sources import allowed_files, changes_delta, changes_iceberg, partition_locations
from treaty.engine.spark.sources.readers import LAKES, details, lake_of, listing, relative
from treaty.engine.spark.sources.versioned import VersionedLayout

NO_HINTS = ChangeHints()
HIVE, ICEBERG = "hive", "iceberg"
# Readers of a table's layout, by table format.
LAYOUTS_BY_FORMAT = {"delta": changes_delta.versioned_layout, ICEBERG: changes_iceberg.versioned_layout}
NOTHING: Mapping[str, str] = MappingProxyType({})
# A file's path below its table and pyarrow's information about it.
FileEntry = tuple[str, Any]


@dataclass(frozen=True, kw_only=True)
class StorageLayout:
    """The storage of a table: fingerprints, folders and files by partition.

    `fingerprints`: by partition, or one for all under the key "" if the files do not show partitions. Empty means
    nothing is known of the files: every partition may have changed. `folders`: those of each partition below the
    table; empty if partitions are columns or do not exist. `files`: paths in the table's filesystem, by partition;
    empty if unknown. `read_one_by_one`: no column distinguishes the partitions, so each is read separately.
    `method`: how changes are detected. `at`: the table version of this layout; None without a table format.
    `pinned`: that version is read, otherwise the current table. `is_outdated`: the table has newer versions."""

    fingerprints: Mapping[str, str]
    folders: Mapping[str, tuple[str, ...]]
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    read_one_by_one: bool = False
    method: DetectionMethod = DetectionMethod.FINGERPRINTS
    at: TableVersion | None = None
    pinned: bool = True
    is_outdated: bool = False

    def changed(self, stored_fingerprints: Mapping[str, str]) -> list[str]:
        """Return the partitions whose files are new or differ from the stored fingerprints."""
        return sorted(name for name, marker in self.fingerprints.items() if stored_fingerprints.get(name) != marker)

    def only(self, name: str) -> "StorageLayout":
        """Return the layout of one partition as a table."""
        return StorageLayout(
            fingerprints={"": self.fingerprints[name]}, folders={"": self.folders[name]}, files={"": self.files[name]}
        )


def layout(
    session: Any,
    source: TableSource,
    *,
    within: str = "",
    look: ChangeHints = NO_HINTS,
    stored_fingerprints: Mapping[str, str] = NOTHING,
) -> StorageLayout:
    """Return the table's current layout, or that of the version in the hints.

    `within`: folder prefixed to every path. `look`: hints where to start. `stored_fingerprints`: stored fingerprints.
    Raises UnreadableTable if the table no longer exists."""
    allowed_files.check_source(source)
    if is_path(source.location):
        return _lies(session, source, look, stored_fingerprints, within)
    description = details(session, source.location)
    location, provider = description.get("Location", ""), description.get("Provider", "").lower()
    if not location:
        return StorageLayout(fingerprints={}, folders={})
    allowed_files.check_files(source, [f"{plain(location)}/"])
    if provider == ICEBERG:
        # Only its catalog knows the location of its metadata.
        return _column_layout(LAYOUTS_BY_FORMAT[ICEBERG](session, source, look, stored_fingerprints)) or StorageLayout(
            fingerprints={}, folders={}
        )
    if source.partition_by and provider not in LAKES:
        try:
            if files := _members(session, source, location, provider):
                return _parted(files, source.partition_by)
        except Exception as error:
            if is_cancelled(error) or isinstance(error, RefusedTable):
                raise
    return _lies(session, replace(source, location=location), look, stored_fingerprints, within)


def _lies(
    session: Any, source: TableSource, look: ChangeHints, stored_fingerprints: Mapping[str, str], within: str = ""
) -> StorageLayout:
    """Return the layout of a table in a folder: from its log, if it has one, else from its files.

    If this Spark cannot read the log, every file counts as part of the table."""
    files = found_at(source.location)
    data, lake = data_of(files, source.location), lake_of(path for path, _ in files)
    if lake is None:
        return _parted([(f"{within}/{path}", each) for path, each in data] if within else data, source.partition_by)
    versioned = LAYOUTS_BY_FORMAT[lake](session, source, look, stored_fingerprints) if session else None
    return _column_layout(versioned) or StorageLayout(fingerprints={"": hashed(data)}, folders={})


def _column_layout(layout: VersionedLayout | None) -> StorageLayout | None:
    """Return the layout of a table at a version whose partitions are columns."""
    if layout is None:
        return None
    folders: dict[str, tuple[str, ...]] = {name: () for name in layout.fingerprints if name}
    return StorageLayout(
        fingerprints=layout.fingerprints,
        folders=folders,
        method=layout.method,
        at=layout.at,
        pinned=layout.pinned,
        is_outdated=layout.is_outdated,
    )


def _parted(data: Sequence[FileEntry], partition_by: tuple[str, ...]) -> StorageLayout:
    """Return the layout of these files, with partitions taken from their paths."""
    files_by_partition: dict[str, list[FileEntry]] = {}
    for path, each in data:
        files_by_partition.setdefault(partition_names.of_path(path, partition_by), []).append((path, each))
    if partition_by and "" in files_by_partition:
        return StorageLayout(fingerprints={"": hashed(data)}, folders={})
    marks = {name: hashed(members) for name, members in files_by_partition.items()}
    files = {name: tuple(each.path for _, each in members) for name, members in files_by_partition.items()}
    folders = {name: _folders(members, partition_by) for name, members in files_by_partition.items() if name}
    return StorageLayout(fingerprints=marks, folders=folders, files=files)


def _members(session: Any, source: TableSource, location: str, provider: str) -> list[FileEntry]:
    """Return the files of a catalog table.

    If Spark does not list the files (Hive formats such as text) or a folder is not named by its partition, the
    partitions and their folders come from the metastore, and each path starts with the partition's name."""
    files, by = placed(session, source.location, location), source.partition_by
    named = all(partition_names.of_path(path, by) for path, _ in files)
    if named and (files or provider != HIVE):
        return files
    folders = partition_locations.folders(session, source.location)
    allowed_files.check_files(source, [f"{folder}/" for folder in folders.values()])
    return [(f"{name}/{path}", each) for name, folder in folders.items() for path, each in _visible(found_at(folder))]


def placed(session: Any, table: str, location: str) -> list[FileEntry]:
    """Return the files of a catalog table by path.

    Paths are relative to the location, or complete for files elsewhere. Empty if there are none or Spark does not list
    them. Raises Spark's errors."""
    session.catalog.refreshTable(quote_path(table))
    urls = session.table(table).inputFiles()
    if not urls:
        return []
    filesystem, root = open_filesystem(plain(location))
    infos = filesystem.get_file_info([open_filesystem(plain(url))[1] for url in urls])
    files = sorted((each for each in infos if each.is_file), key=lambda each: each.path)
    return [(each.path.removeprefix(f"{root}/"), each) for each in files] if len(files) == len(urls) else []


def of_catalog(session: Any, table: str, location: str, partition_by: tuple[str, ...]) -> StorageLayout:
    """Return the layout of a catalog table; empty if it has no files.

    Raises UnreadableTable if Spark cannot list its files, EngineError if its folders do not name the partitions."""
    try:
        files = placed(session, table, location)
    except Exception as error:
        raise UnreadableTable(f"{table} cannot be read: {safe_message(error)}") from error
    storage = _parted(files, partition_by)
    if partition_by and "" in storage.fingerprints:
        raise EngineError(f"{table} has partition folders that are not named by {', '.join(partition_by)}", retry=False)
    return storage


def found_at(location: str) -> list[FileEntry]:
    """Return all files at a location, hidden ones and logs included. Raises UnreadableTable if it does not exist."""
    return [(relative(each, location), each) for each in listing(location)]


def data_of(entries: Iterable[FileEntry], location: str) -> list[FileEntry]:
    """Return the files that contain rows. Raises UnreadableTable if there are none."""
    data = _visible(entries)
    if not data:
        raise UnreadableTable(f"{location} contains no data yet: write the table first")
    return data


def _visible(entries: Iterable[FileEntry]) -> list[FileEntry]:
    return [(path, each) for path, each in entries if not any(map(_is_hidden, path.split("/")))]


def is_lake(entries: Iterable[FileEntry]) -> bool:
    """Return True if the files include the log of a table format."""
    return lake_of(path for path, _ in entries) is not None


def _is_hidden(part: str) -> bool:
    """Return True if Spark ignores the name: '_SUCCESS' and '.crc' are no data; '_day=1' is a partition."""
    return part.startswith(".") or (part.startswith("_") and "=" not in part)


def _folders(members: Iterable[FileEntry], partition_by: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({partition_names.folder(path, partition_by) for path, _ in members}))


def hashed(members: Iterable[FileEntry]) -> str:
    """Return the fingerprint of files, which changes if one is added, removed or rewritten."""
    lines = sorted(f"{path} {each.size} {each.mtime_ns}" for path, each in members)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]
