"""Frequencies: how often each value occurs in each partition, by one GROUP BY beside the scan."""

from collections.abc import Sequence
from typing import Any

from engine.analyzers.bound import BoundComponent
from engine.spark import partitions


def group(frame: Any, part: BoundComponent, partition_by: Sequence[str]) -> dict[str, Any]:
    """The state of the grouping by partition name. Partitions without values are absent."""
    by = [f"{sql} as p{at}" for at, sql in enumerate(partitions.keys(partition_by))]
    keys = [f"{sql} as k{at}" for at, sql in enumerate(part.aggregates)]
    # Not coalesce: the keys need not be of one type, and Spark would cast text to numbers.
    present = " or ".join(f"{sql} is not null" for sql in part.aggregates)
    condition = f"({part.where}) and ({present})" if part.where else present
    chosen = frame.where(condition).selectExpr(*by, *keys)
    counted = chosen.groupBy(*chosen.columns).count().withColumnRenamed("count", "n")
    return _split(counted.toArrow(), part, partition_by)


def _split(table: Any, part: BoundComponent, partition_by: Sequence[str]) -> dict[str, Any]:
    columns = [f"p{at}" for at in range(len(partition_by))]
    if not columns:
        return {"": part.read((table,))} if table.num_rows else {}
    found = table.group_by(columns).aggregate([]).to_pylist()
    return {
        partitions.name(partition_by, [values[column] for column in columns]): part.read((_only(table, values),))
        for values in found
    }


def _only(table: Any, values: dict[str, str | None]) -> Any:
    """The rows with these partition values, without the partition columns."""
    from pyarrow import compute

    for column, value in values.items():
        held = compute.is_null(table[column]) if value is None else compute.equal(table[column], value)
        table = table.filter(held)
    return table.drop_columns(list(values))
