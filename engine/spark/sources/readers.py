"""Open tables as frames: paths, URLs and catalog names in any supported format."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from treaty.contracts.predicates.parser import quote, quote_path
from treaty.contracts.schema import Column, Schema
from treaty.engine.core.errors import UnreadableTable
from treaty.engine.core.filesystems import is_path, open_filesystem
from treaty.engine.core.partitions import partition_names
from treaty.engine.protocol.requests import TableSource
from treaty.engine.spark.process.errors import is_cancelled, safe_message
from treaty.engine.spark.sources import allowed_files

FORMATS = {
    "parquet": "parquet",
    "orc": "orc",
    "json": "json",
    "jsonl": "json",
    "ndjson": "json",
    "csv": "csv",
    "tsv": "tsv",
}
# Log files of table formats, by path below the table.
LAKES = {"delta": re.compile(r"_delta_log/"), "iceberg": re.compile(r"metadata/[^/]*\.metadata\.json$")}
CSV = {"header": "true", "inferSchema": "true", "enforceSchema": "false", "multiLine": "true", "escape": '"'}
READERS: dict[str, tuple[str, dict[str, str]]] = {
    "csv": ("csv", CSV),
    "tsv": ("csv", {**CSV, "sep": "\t"}),
    "parquet": ("parquet", {"mergeSchema": "true"}),
    "orc": ("orc", {"mergeSchema": "true"}),
}
_COMPRESSED = re.compile(r"\.(gz|bz2|zst|zstd|lz4|snappy|deflate|xz)$", re.IGNORECASE)
_GLOB = re.compile(r"([{}\[\]*?\\])")


def read(session: Any, source: TableSource, *, names: Sequence[str] = (), folders: Sequence[str] = ()) -> Any:
    """Return the table as a frame.

    `names`: only these partitions; empty means all. `folders`: folders of those partitions, for a path. Raises
    UnreadableTable with a remedy."""
    resolved = resolve_source(source)
    try:
        frame = _analysed(_opened(session, resolved, folders))
        allowed_files.check_frame(session, resolved, frame)
        in_folders = is_path(source.location) and folders
        return partition_names.only(frame, source.partition_by, names) if names and not in_folders else frame
    except UnreadableTable:
        raise
    except Exception as error:
        if is_cancelled(error):
            raise
        message = f"{source.location} cannot be read as a {f'{resolved.format} ' if resolved.format else ''}table"
        raise UnreadableTable(
            f"{message}: {safe_message(error)}; check its name, its format and that its files have one schema"
        ) from error


def _opened(session: Any, source: TableSource, folders: Sequence[str]) -> Any:
    if not is_path(source.location):
        return _table(session, source)
    return _folders(session, source, folders) if folders else _load(session, source)


def resolve_source(source: TableSource) -> TableSource:
    """Return the source with its format, if it is a path.

    Raises UnreadableTable without a file of a known format, and for a source that may not be read."""
    allowed_files.check_source(source)
    if source.format or not is_path(source.location):
        return source
    return replace(source, format=format_of(source.location))


def _analysed(frame: Any) -> Any:
    """Make Spark inspect the frame's files now: Spark Connect would do so only when rows are read."""
    _ = frame.schema
    return frame


def _reader(session: Any, source: TableSource) -> Any:
    kind, options = READERS.get(source.format or "", (source.format, {}))
    return session.read.format(kind).options(**options)


def _load(session: Any, source: TableSource) -> Any:
    reader = _reader(session, source)
    pinned = reader if source.version is None else reader.option("versionAsOf", source.version)
    return pinned.load(source.location if source.format == "iceberg" else _plain(source.location))


def _table(session: Any, source: TableSource) -> Any:
    if source.version is None:
        return session.table(source.location)
    return session.sql(f"select * from {quote_path(source.location)} version as of {source.version:d}")


def _folders(session: Any, source: TableSource, folders: Sequence[str]) -> Any:
    root = source.location.rstrip("/")
    paths = [f"{_plain(root)}/{_plain(each)}" for each in folders]
    return _reader(session, source).option("basePath", root).load(paths)


def _plain(path: str) -> str:
    """Escape the characters that Spark interprets as a glob pattern."""
    return _GLOB.sub(r"\\\1", path)


def cast(column: str, type_name: str | None) -> str:
    """Return the SQL of a column cast to a type; None keeps its type."""
    return f"cast({quote(column)} as {type_name}) as {quote(column)}" if type_name else quote(column)


def schema_of(frame: Any) -> Schema:
    """Return the frame's columns with Spark's own type names."""
    return Schema(tuple(Column(field.name, field.dataType.simpleString(), field.nullable) for field in frame.schema))


def schema(session: Any, source: TableSource) -> Schema:
    """Return the columns of a table. Raises UnreadableTable with a remedy."""
    return schema_of(read(session, source))


def details(session: Any, table: str) -> dict[str, str]:
    """Return the catalog's description of a table by property. Raises UnreadableTable if it does not exist."""
    try:
        rows = session.sql(f"describe table extended {quote_path(table)}").collect()
    except Exception as error:
        if is_cancelled(error):
            raise
        message = f"{table} is neither an existing path nor a table of the catalog ({safe_message(error)})"
        raise UnreadableTable(f"{message}: check its spelling") from error
    return {row["col_name"]: row["data_type"] for row in rows}


def format_of(location: str) -> str:
    """Return the format of a path: a table format by its log, else by the first file's extension.

    Raises UnreadableTable if there is no file of a known format."""
    files = listing(location)
    names = [info.path for info in files]
    if lake := lake_of(relative(info, location) for info in files):
        return lake
    endings = (_COMPRESSED.sub("", name).rsplit(".", 1)[-1].lower() for name in names)
    known_format = next((FORMATS[ending] for ending in endings if ending in FORMATS), None)
    if known_format is None:
        formats = ", ".join([*dict.fromkeys(FORMATS.values()), *LAKES])
        raise UnreadableTable(
            f"{location} contains no file of a known format ({formats}): specify its format or write the table first"
        )
    return known_format


def lake_of(paths: Iterable[str]) -> str | None:
    """Return the table format whose log is among the paths; None if there is none.

    Such a table keeps files that its log has dropped, so its folders do not show its contents."""
    every = list(paths)
    return next((lake for lake, log in LAKES.items() if any(map(log.match, every))), None)


def relative(info: Any, location: str) -> str:
    """Return a file's path below the location; its name if it is the location."""
    _, root = open_filesystem(location)
    return str(info.path[len(root.rstrip("/")) + 1 :]) if info.path != root else str(info.base_name)


def listing(location: str) -> list[Any]:
    """Return pyarrow's file information (path, size, mtime) of all files at a location.

    Sorted by path. Raises UnreadableTable."""
    import pyarrow.fs

    try:
        filesystem, path = open_filesystem(location)
        info = filesystem.get_file_info(path)
        if info.type == pyarrow.fs.FileType.File:
            return [info]
        inside = filesystem.get_file_info(pyarrow.fs.FileSelector(path, recursive=True))
    except (OSError, ValueError) as error:
        raise UnreadableTable(
            f"{location} does not exist or is not readable: check the path and its permissions"
        ) from error
    return sorted((each for each in inside if each.is_file), key=lambda each: each.path)
