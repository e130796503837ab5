"""Write candidates of a gate as Parquet files, partitioned like the table."""

from collections.abc import Mapping, Sequence
from typing import Any

from treaty.contracts.predicates.parser import literal, quote
from treaty.engine.core.errors import EngineError, UnreadableTable
from treaty.engine.core.partitions import partition_names
from treaty.engine.protocol.requests import StageRequest, TableSource
from treaty.engine.spark.process.errors import safe_message
from treaty.engine.spark.scan.separate_statements import RAISED
from treaty.engine.spark.sources import changes
from treaty.engine.spark.sources.readers import cast, read, resolve_source, schema_of

Partition = Mapping[str, str | None]


def stage(
    partition_by: Sequence[str], frame: Any, folder: str, partition: Partition, *, like: TableSource | None = None
) -> None:
    """Append the frame's rows to the folder as Parquet files.

    `partition`: values of partition columns; None is the partition of rows without a value. If it names all of them
    and the frame has no rows, a file without rows is written. `like`: table whose column types are used; None keeps
    the frame's. Raises EngineError if a row belongs to another partition, if a partition column is missing or if
    rows cannot be read or written."""
    _refuse(frame.columns, partition_by, partition)
    rows = _typed(frame.selectExpr(*_columns(frame.columns, partition)), like, partition_by)
    try:
        rows.write.partitionBy(*partition_by).mode("append").parquet(folder)
        if 0 < len(partition_by) == len(partition):
            _fill(rows, partition_by, folder, partition)
    except Exception as error:
        reason = (
            "a row belongs to a partition other than the one specified"
            if RAISED in safe_message(error)
            else safe_message(error)
        )
        raise EngineError(f"the candidate cannot be written: {reason}") from error


def staged(session: Any, request: StageRequest) -> None:
    """Stage the rows of another table. Raises EngineError, UnreadableTable."""
    frame = read(session, resolve_source(request.candidate))
    stage(request.partition_by, frame, request.folder, request.partition, like=request.like)


def _refuse(columns: Sequence[str], partition_by: Sequence[str], partition: Partition) -> None:
    unknown = ", ".join(column for column in partition if column not in partition_by)
    missing = ", ".join(each for each in partition_by if each not in partition and each not in columns)
    if unknown:
        choices = ", ".join(partition_by) or "none"
        raise EngineError(
            f"{unknown} is not a partition column of the table (partition columns: {choices})", retry=False
        )
    if missing:
        raise EngineError(f"the candidate has no column {missing}: specify its value as {missing}=VALUE", retry=False)


def _typed(rows: Any, like: TableSource | None, partition_by: Sequence[str]) -> Any:
    """Return the rows with the table's types. A catalog table accepts no column that it does not have."""
    if like is None:
        return rows
    types = {each.name: each.type for each in schema_of(read(rows.sparkSession, like)).columns}
    unknown = ", ".join(each for each in rows.columns if each not in types)
    if unknown and like.format is None:
        raise EngineError(f"{like.location} has no column {unknown}: add it to the table first", retry=False)
    target_types = {each: types[each] for each in rows.columns if each in types and each not in partition_by}
    return rows.selectExpr(*(cast(each, target_types.get(each)) for each in rows.columns))


def _columns(columns: Sequence[str], partition: Partition) -> list[str]:
    """Return the SQL of the columns.

    A partition column that is both named and present must have the named value, or the write fails: this avoids a
    second scan."""
    own = [_partition_guard(each, partition[each]) if each in partition else quote(each) for each in columns]
    named = (f"{_value(value)} AS {quote(each)}" for each, value in partition.items() if each not in columns)
    return [*own, *named]


def _partition_guard(column: str, value: str | None) -> str:
    (key,) = partition_names.keys([column])
    return f"if({key} <=> {_value(value)}, {quote(column)}, raise_error('another partition')) AS {quote(column)}"


def _value(value: str | None) -> str:
    return literal(value) if value else "cast(null as string)"


def _fill(rows: Any, partition_by: Sequence[str], folder: str, partition: Partition) -> None:
    """Write a file without rows if the named partition has none: it becomes empty instead of keeping its old rows."""
    name = partition_names.name(partition_by, [partition[column] or None for column in partition_by])
    try:
        fingerprints = changes.layout(None, TableSource(folder, "parquet", tuple(partition_by))).fingerprints
    except UnreadableTable:
        fingerprints = {}
    if name not in fingerprints:
        rows.drop(*partition_by).limit(0).write.mode("append").parquet(f"{folder}/{name}")
