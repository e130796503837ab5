"""Refuse sources that the service may not read: by their location, and by the files that a table's log names.

The registry has checked the location already. Here symbolic links are resolved again, on the machine that reads."""

import os
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote

from treaty.contracts.predicates.parser import quote_path
from treaty.engine.core.errors import RefusedTable
from treaty.engine.core.filesystems import is_path
from treaty.engine.core.locations.spelling import is_table
from treaty.engine.protocol.requests import TableSource
from treaty.engine.spark.sources.iceberg_tables import FORMAT, metadata_table

NO_TABLE = "{0} is not a table of the catalog: check its spelling; if it is a folder, write its path"
ELSEWHERE = (
    "{} has files outside the allowed locations: an administrator can add their folder with treaty locations add"
)
FOLDER = "regexp_replace(file_path, '[^/]*$', '') as folder"


def check_source(source: TableSource) -> None:
    """Raise RefusedTable if the location or the format of the source is refused."""
    if source.rules is None:
        return
    if reason := source.rules.resolve().refusal(source.location, source.format):
        raise RefusedTable(reason)
    if is_table(source.location) and is_path(source.location):
        # A file of this name in the working directory, whose existence is not revealed.
        raise RefusedTable(NO_TABLE.format(source.location))


def check_frame(session: Any, source: TableSource, frame: Any) -> None:
    """Raise RefusedTable if the frame reads a file outside the allowed locations."""
    if source.rules is None:
        return
    files = list(map(unquote, frame.inputFiles()))
    check_files(source, files or _iceberg_files(session, source))


def check_files(source: TableSource, paths: Iterable[str]) -> None:
    """Raise RefusedTable if one of the paths lies outside the allowed locations.

    Tables of an allowed catalog may have their files anywhere but in reserved places."""
    if source.rules is None:
        return
    rules = source.rules.resolve()
    is_vouched = is_table(source.location) and rules.covers(source.location)
    if not all(rules.allows_file(path, is_vouched=is_vouched) for path in _distinct(paths)):
        raise RefusedTable(ELSEWHERE.format(source.location))


def _distinct(paths: Iterable[str]) -> Iterator[str]:
    """Yield the folders of the files, and the files that are symbolic links."""
    folders = set()
    for path in paths:
        folders.add(path.rpartition("/")[0] or "/")
        if os.path.islink(path.removeprefix("file://").removeprefix("file:")):
            yield path
    yield from sorted(folders)


def _iceberg_files(session: Any, source: TableSource) -> list[str]:
    """Return the folders of an Iceberg table's files, which Spark does not list; [] for another table."""
    if not _is_iceberg(session, source):
        return []
    rows = metadata_table(session, source, "files").selectExpr(FOLDER).distinct().collect()
    return [row["folder"] for row in rows]


def _is_iceberg(session: Any, source: TableSource) -> bool:
    if is_path(source.location):
        return source.format == FORMAT
    rows = session.sql(f"describe table extended {quote_path(source.location)}").collect()
    return any(row["col_name"] == "Provider" and row["data_type"].lower() == FORMAT for row in rows)
