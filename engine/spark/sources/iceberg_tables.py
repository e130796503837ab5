"""Open Iceberg's own metadata tables of a table."""

from typing import Any

from treaty.contracts.predicates.parser import quote_path
from treaty.engine.core.filesystems import is_path, plain
from treaty.engine.protocol.requests import TableSource

FORMAT = "iceberg"


def metadata_table(session: Any, source: TableSource, name: str) -> Any:
    """Return a metadata table, such as `files`, at the source's version if it names one."""
    reader = session.read if source.version is None else session.read.option("versionAsOf", source.version)
    if is_path(source.location):
        return reader.format(FORMAT).load(f"{plain(source.location)}#{name}")
    return reader.table(f"{quote_path(source.location)}.{name}")
