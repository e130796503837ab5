"""Open the rows that a request reads again after the measurement."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from treaty.engine.core.errors import UnreadableTable
from treaty.engine.core.partitions import partition_names
from treaty.engine.protocol.requests import TableSource
from treaty.engine.spark.process.errors import safe_message
from treaty.engine.spark.sources import changes, file_arrivals
from treaty.engine.spark.sources.readers import read, resolve_source


def partition_rows(
    session: Any, source: TableSource, names: Sequence[str] = (), arrivals: Mapping[str, str] | None = None
) -> Any:
    """Return the frame of the named partitions, or of the arrivals if there are any; without names of all rows.

    `arrivals`: fingerprints by arrival. Raises UnreadableTable."""
    layout = None
    if arrivals:
        layout = file_arrivals.layout(source, arrivals)
    elif names:
        layout = changes.layout(session, source)
    requested = (*(arrivals or ()), *names)
    folders = [folder for name in requested for folder in layout.folders.get(name, ())] if layout else []
    return read(session, resolve_source(source), names=names, folders=folders)


def all_rows(session: Any, source: TableSource, target: TableSource | None, replaced: Iterable[str]) -> Any:
    """Return the frame of all rows: the table's own, and those of the target's partitions that it does not replace.

    `target`: None means the table becomes part of no other. Raises UnreadableTable."""
    frame = read(session, source)
    if target is None:
        return frame
    condition = partition_names.condition(target.partition_by, sorted(replaced))
    try:
        other_rows = read(session, resolve_source(target)).where(f"NOT ({condition})")
        both = frame.unionByName(other_rows, allowMissingColumns=True)
        _ = both.schema
    except Exception as error:
        raise UnreadableTable(f"new and old partitions cannot be read as one table: {safe_message(error)}") from error
    return both
