"""Candidates of a gate as Parquet files: a frame written below a folder, partitioned as the table is."""

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
    """Writes the frame's rows below the folder, beside what is there. `partition` names values of partition columns;
    None stands for the partition of rows without a value. Where it names them all, no rows are written as a file
    without rows. `like`: a table whose types the columns get. Raises EngineError where the frame has rows of another
    partition, where a partition column is missing, or where rows cannot be read or written."""
    _refuse(frame.columns, partition_by, partition)
    rows = _typed(frame.selectExpr(*_columns(frame.columns, partition)), like, partition_by)
    try:
        rows.write.partitionBy(*partition_by).mode("append").parquet(folder)
        if 0 < len(partition_by) == len(partition):
            _fill(rows, partition_by, folder, partition)
    except Exception as error:
        why = (
            "a row belongs to another partition than was named"
            if RAISED in safe_message(error)
            else safe_message(error)
        )
        raise EngineError(f"the candidate cannot be written: {why}") from error


def staged(session: Any, request: StageRequest) -> None:
    """Stages the rows of another table. Raises EngineError, Unreadable."""
    frame = read(session, resolve_source(request.candidate))
    stage(request.partition_by, frame, request.folder, request.partition, like=request.like)


def _refuse(columns: Sequence[str], partition_by: Sequence[str], partition: Partition) -> None:
    unknown = ", ".join(column for column in partition if column not in partition_by)
    missing = ", ".join(each for each in partition_by if each not in partition and each not in columns)
    if unknown:
        known = ", ".join(partition_by) or "none"
        raise EngineError(f"{unknown} is no partition column of the table; there is: {known}", retry=False)
    if missing:
        raise EngineError(f"the candidate has no column {missing}: name its value, as {missing}=VALUE", retry=False)


def _typed(rows: Any, like: TableSource | None, partition_by: Sequence[str]) -> Any:
    """The rows with the table's types. A catalog's table takes no column that it does not have."""
    if like is None:
        return rows
    types = {each.name: each.type for each in schema_of(read(rows.sparkSession, like)).columns}
    unknown = ", ".join(each for each in rows.columns if each not in types)
    if unknown and like.format is None:
        raise EngineError(f"{like.location} has no column {unknown}: add it to the table first", retry=False)
    kept = {each: types[each] for each in rows.columns if each in types and each not in partition_by}
    return rows.selectExpr(*(cast(each, kept.get(each)) for each in rows.columns))


def _columns(columns: Sequence[str], partition: Partition) -> list[str]:
    """The SQL of the columns. One that is named and there holds the named value, or the writing fails: rows are not
    read twice for that."""
    own = [_partition_guard(each, partition[each]) if each in partition else quote(each) for each in columns]
    named = (f"{_value(value)} AS {quote(each)}" for each, value in partition.items() if each not in columns)
    return [*own, *named]


def _partition_guard(column: str, value: str | None) -> str:
    (found,) = partition_names.keys([column])
    return f"if({found} <=> {_value(value)}, {quote(column)}, raise_error('another partition')) AS {quote(column)}"


def _value(value: str | None) -> str:
    return literal(value) if value else "cast(null as string)"


def _fill(rows: Any, partition_by: Sequence[str], folder: str, partition: Partition) -> None:
    """Writes a file without rows where the named partition has none: it is empty, and not as it was."""
    name = partition_names.name(partition_by, [partition[column] or None for column in partition_by])
    try:
        lies = changes.layout(None, TableSource(folder, "parquet", tuple(partition_by))).fingerprints
    except UnreadableTable:
        lies = {}
    if name not in lies:
        rows.drop(*partition_by).limit(0).write.mode("append").parquet(f"{folder}/{name}")
