"""What changed: fingerprints of a table's partitions from its files, without reading a row."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from treaty.contracts.predicates.parser import quote_path
from treaty.engine.core.errors import EngineError, UnreadableTable
from treaty.engine.core.filesystems import is_path, open_filesystem
from treaty.engine.core.partitions import partition_names
from treaty.engine.protocol.requests import TableSource
from treaty.engine.protocol.write_hints import ChangeHints, DetectionMethod, TableVersion
from treaty.engine.spark.process.errors import is_cancelled, safe_message
from treaty.engine.spark.sources import changes_delta, changes_iceberg, partition_locations
from treaty.engine.spark.sources.readers import LAKES, details, lake_of, listing, plain, relative
from treaty.engine.spark.sources.versioned import VersionedLayout

NO_HINTS = ChangeHints()
HIVE, ICEBERG = "hive", "iceberg"
# What tells how a table stands, by its format.
LAYOUTS_BY_FORMAT = {"delta": changes_delta.versioned_layout, ICEBERG: changes_iceberg.versioned_layout}
NOTHING: Mapping[str, str] = MappingProxyType({})
# A file's path below its table, and what pyarrow says of it.
FileEntry = tuple[str, Any]


@dataclass(frozen=True, kw_only=True)
class StorageLayout:
    """How a table lies in storage: `fingerprints` by partition, or one for all (key "") where its files do not tell.

    `folders` are those of each partition below the table; empty where partitions are columns, or where there are none.
    `files` are those of each partition, as paths in the table's filesystem; empty where the files do not tell.
    Without fingerprints nothing is known of the files: whatever is asked may have changed. `read_one_by_one`: no column
    tells the partitions apart, so each is read by itself.

    `method`: by what it is told which partitions changed. `at`: the version that this is the layout of, where a table
    format has them. `pinned`: the same one is to be read, else the table as it is. `is_outdated`: there are newer
    ones."""

    fingerprints: Mapping[str, str]
    folders: Mapping[str, tuple[str, ...]]
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    read_one_by_one: bool = False
    method: DetectionMethod = DetectionMethod.FINGERPRINTS
    at: TableVersion | None = None
    pinned: bool = True
    is_outdated: bool = False

    def changed(self, known: Mapping[str, str]) -> list[str]:
        """Names of the partitions whose files are new or other than when they were last read."""
        return sorted(name for name, marker in self.fingerprints.items() if known.get(name) != marker)

    def only(self, name: str) -> "StorageLayout":
        """That partition as a table of its own."""
        return StorageLayout(
            fingerprints={"": self.fingerprints[name]}, folders={"": self.folders[name]}, files={"": self.files[name]}
        )


def layout(
    session: Any,
    source: TableSource,
    *,
    within: str = "",
    look: ChangeHints = NO_HINTS,
    known: Mapping[str, str] = NOTHING,
) -> StorageLayout:
    """The layout of a table now, or at the version that the look asks for. Raises Unreadable where it is gone.

    `within`: the folder that is put before every path, of files that shall lie there. `known`: the fingerprints that
    the look begins with."""
    if is_path(source.location):
        return _lies(session, source, look, known, within)
    described = details(session, source.location)
    location, provider = described.get("Location", ""), described.get("Provider", "").lower()
    if not location:
        return StorageLayout(fingerprints={}, folders={})
    if provider == ICEBERG:
        # Where its metadata lie, its catalog alone knows.
        return _column_layout(LAYOUTS_BY_FORMAT[ICEBERG](session, source, look, known)) or StorageLayout(
            fingerprints={}, folders={}
        )
    if source.partition_by and provider not in LAKES:
        try:
            if files := _members(session, source, location, provider):
                return _parted(files, source.partition_by)
        except Exception as error:
            if is_cancelled(error):
                raise
    return _lies(session, replace(source, location=location), look, known, within)


def _lies(
    session: Any, source: TableSource, look: ChangeHints, known: Mapping[str, str], within: str = ""
) -> StorageLayout:
    """How a table in a folder lies: by its log, where it has one; where this Spark does not read that, any file may be
    the table's."""
    found = found_at(source.location)
    data, lake = data_of(found, source.location), lake_of(path for path, _ in found)
    if lake is None:
        return _parted([(f"{within}/{path}", each) for path, each in data] if within else data, source.partition_by)
    stands = LAYOUTS_BY_FORMAT[lake](session, source, look, known) if session else None
    return _column_layout(stands) or StorageLayout(fingerprints={"": hashed(data)}, folders={})


def _column_layout(stands: VersionedLayout | None) -> StorageLayout | None:
    """The layout of a table whose partitions are columns, at a version."""
    if stands is None:
        return None
    folders: dict[str, tuple[str, ...]] = {name: () for name in stands.fingerprints if name}
    return StorageLayout(
        fingerprints=stands.fingerprints,
        folders=folders,
        method=stands.method,
        at=stands.at,
        pinned=stands.pinned,
        is_outdated=stands.is_outdated,
    )


def _parted(data: Sequence[FileEntry], partition_by: tuple[str, ...]) -> StorageLayout:
    """The layout of these files, by what their paths tell."""
    parted: dict[str, list[FileEntry]] = {}
    for path, each in data:
        parted.setdefault(partition_names.of_path(path, partition_by), []).append((path, each))
    if partition_by and "" in parted:
        return StorageLayout(fingerprints={"": hashed(data)}, folders={})
    marks = {name: hashed(members) for name, members in parted.items()}
    files = {name: tuple(each.path for _, each in members) for name, members in parted.items()}
    folders = {name: _folders(members, partition_by) for name, members in parted.items() if name}
    return StorageLayout(fingerprints=marks, folders=folders, files=files)


def _members(session: Any, source: TableSource, location: str, provider: str) -> list[FileEntry]:
    """The files of a catalog's table. Where Spark names none of a format of Hive's that it does not read itself, as
    text, or a folder elsewhere does not name its partition, the metastore says which partitions there are, and where:
    each file is then found below its partition's name."""
    found, by = placed(session, source.location, location), source.partition_by
    named = all(partition_names.of_path(path, by) for path, _ in found)
    if named and (found or provider != HIVE):
        return found
    return [
        (f"{name}/{path}", each)
        for name, folder in partition_locations.folders(session, source.location).items()
        for path, each in _visible(found_at(folder))
    ]


def placed(session: Any, table: str, location: str) -> list[FileEntry]:
    """The files of a catalog's table, whose partitions may lie anywhere, by path below the location or whole path.

    Empty where it has none, or Spark does not name them. Raises what Spark raises."""
    session.catalog.refreshTable(quote_path(table))
    urls = session.table(table).inputFiles()
    if not urls:
        return []
    filesystem, root = open_filesystem(plain(location))
    infos = filesystem.get_file_info([open_filesystem(plain(url))[1] for url in urls])
    files = sorted((each for each in infos if each.is_file), key=lambda each: each.path)
    return [(each.path.removeprefix(f"{root}/"), each) for each in files] if len(files) == len(urls) else []


def of_catalog(session: Any, table: str, location: str, partition_by: tuple[str, ...]) -> StorageLayout:
    """The layout of a catalog's table, nothing where it has no files. Raises EngineError where it cannot be told."""
    try:
        found = placed(session, table, location)
    except Exception as error:
        raise UnreadableTable(f"{table} cannot be read: {safe_message(error)}") from error
    lies = _parted(found, partition_by)
    if partition_by and "" in lies.fingerprints:
        raise EngineError(
            f"{table} has partitions in folders that are not named by {', '.join(partition_by)}", retry=False
        )
    return lies


def found_at(location: str) -> list[FileEntry]:
    """All files at a location, hidden ones and those of logs included. Raises Unreadable where it is gone."""
    return [(relative(each, location), each) for each in listing(location)]


def data_of(found: Iterable[FileEntry], location: str) -> list[FileEntry]:
    """The files that hold rows. Raises Unreadable where there is none."""
    data = _visible(found)
    if not data:
        raise UnreadableTable(f"{location} holds no data yet: write the table first")
    return data


def _visible(found: Iterable[FileEntry]) -> list[FileEntry]:
    return [(path, each) for path, each in found if not any(map(_is_hidden, path.split("/")))]


def is_lake(found: Iterable[FileEntry]) -> bool:
    """Whether a table format's log is among the files."""
    return lake_of(path for path, _ in found) is not None


def _is_hidden(part: str) -> bool:
    """As Spark sees it: '_SUCCESS' and '.crc' are no data; '_day=1' is a partition."""
    return part.startswith(".") or (part.startswith("_") and "=" not in part)


def _folders(members: Iterable[FileEntry], partition_by: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({partition_names.folder(path, partition_by) for path, _ in members}))


def hashed(members: Iterable[FileEntry]) -> str:
    """The fingerprint of files: another one where one is new, gone or written again."""
    lines = sorted(f"{path} {each.size} {each.mtime_ns}" for path, each in members)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]
