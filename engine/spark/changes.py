"""What changed: fingerprints of a table's partitions from its files, without reading a row."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from contracts.predicates import quote_path
from engine.filesystems import is_path, opened
from engine.hints import At, How, Look
from engine.requests import EngineError, Source, Unreadable
from engine.spark import changes_delta, partitions
from engine.spark.failures import is_cancelled, told
from engine.spark.sources import LAKES, details, listing, plain

ANEW = Look()
NOTHING: Mapping[str, str] = MappingProxyType({})
# A file's path below its table, and what pyarrow says of it.
Found = tuple[str, Any]


@dataclass(frozen=True)
class Layout:
    """How a table lies in storage: `fingerprints` by partition, or one for all (key "") where its files do not tell.

    `folders` are those of each partition below the table; empty where partitions are columns, or where there are none.
    `files` are those of each partition, as paths in the table's filesystem; empty where the files do not tell.
    Without fingerprints nothing is known of the files: whatever is asked may have changed. `alone`: no column tells the
    partitions apart, so each is read by itself.

    `how`: by what it is told which partitions changed. `at`: the version that this is the layout of, where a table
    format has them: the same one is to be read. `behind`: there are newer ones."""

    fingerprints: Mapping[str, str]
    folders: Mapping[str, tuple[str, ...]]
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    alone: bool = False
    how: How = How.FINGERPRINTS
    at: At | None = None
    behind: bool = False

    def changed(self, known: Mapping[str, str]) -> list[str]:
        """Names of the partitions whose files are new or other than when they were last read."""
        return sorted(name for name, marker in self.fingerprints.items() if known.get(name) != marker)

    def only(self, name: str) -> "Layout":
        """That partition as a table of its own."""
        return Layout({"": self.fingerprints[name]}, {"": self.folders[name]}, {"": self.files[name]})


def layout(
    session: Any, source: Source, *, within: str = "", look: Look = ANEW, known: Mapping[str, str] = NOTHING
) -> Layout:
    """The layout of a table now, or at the version that the look asks for. Raises Unreadable where it is gone.

    `within`: the folder that is put before every path, of files that shall lie there. `known`: the fingerprints that
    the look begins with."""
    if is_path(source.location):
        return _at(source, within) or _lake(session, source, look, known)
    described = details(session, source.location)
    location = described.get("Location", "")
    if not location:
        return Layout({}, {})
    if source.partition_by and described.get("Provider", "").lower() not in LAKES.values():
        try:
            if files := placed(session, source.location, location):
                return _parted(files, source.partition_by)
        except Exception as error:
            if is_cancelled(error):
                raise
    there = replace(source, location=location)
    return _at(there, within) or _lake(session, there, look, known)


def _at(source: Source, within: str) -> Layout | None:
    """How the files in a folder lie; None where their log tells which of them are the table's."""
    found = found_at(source.location)
    data = data_of(found, source.location)
    if is_lake(found):
        return None
    return _parted([(f"{within}/{path}", each) for path, each in data] if within else data, source.partition_by)


def _lake(session: Any, source: Source, look: Look, known: Mapping[str, str]) -> Layout:
    """How a table with a log lies; where this Spark does not read it, any file may be the table's."""
    stands = changes_delta.standing(session, source, look, known) if session else None
    if stands is None:
        return Layout({"": hashed(data_of(found_at(source.location), source.location))}, {})
    folders: dict[str, tuple[str, ...]] = {name: () for name in stands.marks if name}
    return Layout(stands.marks, folders, how=stands.how, at=stands.at, behind=stands.behind)


def _parted(data: Sequence[Found], partition_by: tuple[str, ...]) -> Layout:
    """The layout of these files, by what their paths tell."""
    parted: dict[str, list[Found]] = {}
    for path, each in data:
        parted.setdefault(partitions.of_path(path, partition_by), []).append((path, each))
    if partition_by and "" in parted:
        return Layout({"": hashed(data)}, {})
    marks = {name: hashed(members) for name, members in parted.items()}
    files = {name: tuple(each.path for _, each in members) for name, members in parted.items()}
    folders = {name: _folders(members, partition_by) for name, members in parted.items() if name}
    return Layout(marks, folders, files)


def placed(session: Any, table: str, location: str) -> list[Found]:
    """The files of a catalog's table, whose partitions may lie anywhere, by path below the location or whole path.

    Empty where it has none, or Spark does not name them. Raises what Spark raises."""
    session.catalog.refreshTable(quote_path(table))
    urls = session.table(table).inputFiles()
    if not urls:
        return []
    filesystem, root = opened(plain(location))
    infos = filesystem.get_file_info([opened(plain(url))[1] for url in urls])
    files = sorted((each for each in infos if each.is_file), key=lambda each: each.path)
    return [(each.path.removeprefix(f"{root}/"), each) for each in files] if len(files) == len(urls) else []


def of_catalog(session: Any, table: str, location: str, partition_by: tuple[str, ...]) -> Layout:
    """The layout of a catalog's table, nothing where it has no files. Raises EngineError where it cannot be told."""
    try:
        found = placed(session, table, location)
    except Exception as error:
        raise Unreadable(f"{table} cannot be read: {told(error)}") from error
    lies = _parted(found, partition_by)
    if partition_by and "" in lies.fingerprints:
        raise EngineError(
            f"{table} has partitions in folders that are not named by {', '.join(partition_by)}", retry=False
        )
    return lies


def found_at(location: str) -> list[Found]:
    """All files at a location, hidden ones and those of logs included. Raises Unreadable where it is gone."""
    return [(_relative(each, location), each) for each in listing(location)]


def data_of(found: Iterable[Found], location: str) -> list[Found]:
    """The files that hold rows. Raises Unreadable where there is none."""
    data = [(path, each) for path, each in found if not any(map(_is_hidden, path.split("/")))]
    if not data:
        raise Unreadable(f"{location} holds no data yet: write the table first")
    return data


def is_lake(found: Iterable[Found]) -> bool:
    """Whether a table format's log is among the files. It keeps files that its log has left: folders do not tell what
    is in the table."""
    return any(path.split("/")[0] in LAKES for path, _ in found)


def _is_hidden(part: str) -> bool:
    """As Spark sees it: '_SUCCESS' and '.crc' are no data; '_day=1' is a partition."""
    return part.startswith(".") or (part.startswith("_") and "=" not in part)


def _folders(members: Iterable[Found], partition_by: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({partitions.folder(path, partition_by) for path, _ in members}))


def _relative(info: Any, location: str) -> str:
    _, root = opened(location)
    return str(info.path[len(root.rstrip("/")) + 1 :]) if info.path != root else str(info.base_name)


def hashed(members: Iterable[Found]) -> str:
    """The fingerprint of files: another one where one is new, gone or written again."""
    lines = sorted(f"{path} {each.size} {each.mtime_ns}" for path, each in members)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]
