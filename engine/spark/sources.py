"""Tables to frames: paths, URLs and catalog names, whatever their format."""

from collections.abc import Iterator, Sequence
from typing import Any

from contracts.logical_types import Column, Schema
from engine.filesystems import is_path, opened
from engine.requests import Source, Unreadable
from engine.spark.failures import told

FORMATS = {
    "parquet": "parquet",
    "orc": "orc",
    "json": "json",
    "jsonl": "json",
    "ndjson": "json",
    "csv": "csv",
    "tsv": "csv",
}
OPTIONS = {
    "csv": {"header": "true", "inferSchema": "true", "enforceSchema": "false", "multiLine": "true", "escape": '"'},
    "parquet": {"mergeSchema": "true"},
    "orc": {"mergeSchema": "true"},
}


def read(session: Any, source: Source, *, folders: Sequence[str] = ()) -> Any:
    """The table as a frame; with `folders`, only those partition folders. Raises Unreadable, saying what to do."""
    try:
        if not is_path(source.location):
            return session.table(source.location)
        kind = source.format or format_of(source.location)
        reader = session.read.format(kind).options(**OPTIONS.get(kind, {}))
        if not folders:
            return reader.load(source.location)
        return reader.option("basePath", source.location).load(
            [f"{source.location.rstrip('/')}/{each}" for each in folders]
        )
    except Exception as error:
        raise Unreadable(f"{source.location} cannot be read as a table: {told(error)}") from error


def schema_of(frame: Any) -> Schema:
    """The frame's columns with Spark's own type names."""
    return Schema(tuple(Column(field.name, field.dataType.simpleString(), field.nullable) for field in frame.schema))


def format_of(location: str) -> str:
    """The format of a path: Delta by its log, else by the first file's ending. Raises Unreadable."""
    for path in files(location):
        ending = path.removesuffix(".gz").rsplit(".", 1)[-1].lower()
        if "/_delta_log/" in path:
            return "delta"
        if ending in FORMATS:
            return FORMATS[ending]
    raise Unreadable(
        f"{location} holds no file of a known kind ({', '.join(sorted(set(FORMATS.values())))}, delta)", retry=True
    )


def files(location: str) -> Iterator[str]:
    """Paths of all files at a location, sorted. Raises Unreadable where there is nothing."""
    return (info.path for info in listing(location))


def listing(location: str) -> list[Any]:
    """pyarrow's file information (path, size, mtime) of all files at a location, sorted by path. Raises Unreadable."""
    import pyarrow.fs

    try:
        filesystem, path = opened(location)
        found = filesystem.get_file_info(path)
        if found.type == pyarrow.fs.FileType.File:
            return [found]
        inside = filesystem.get_file_info(pyarrow.fs.FileSelector(path, recursive=True))
    except (OSError, ValueError) as error:
        raise Unreadable(f"{location} is not there or not readable: check the path and its permissions") from error
    return sorted((each for each in inside if each.is_file), key=lambda each: each.path)
