"""Frequencies: how often each value occurs in each partition, by one GROUP BY beside the scan."""

from typing import Any

from engine.analyzers.base import BoundComponent


def group(frame: Any, part: BoundComponent, partition: str) -> dict[str, Any]:
    """The grouping's Arrow table per partition; `partition` is the SQL of its name. Partitions without values are absent."""
    keys = [f"{sql} as k{position}" for position, sql in enumerate(part.aggregates)]
    present = f"coalesce({', '.join(part.aggregates)}) is not null"
    condition = f"({part.where}) and {present}" if part.where else present
    counted = (
        frame.where(condition)
        .selectExpr(f"{partition} as p", *keys)
        .groupBy("p", *(key.rsplit(" ", 1)[1] for key in keys))
    )
    return _split(counted.count().withColumnRenamed("count", "n").toArrow(), part)


def _split(table: Any, part: BoundComponent) -> dict[str, Any]:
    import pyarrow.compute as compute

    names = table["p"].unique().to_pylist()
    parted = {name: table.filter(compute.equal(table["p"], name)).drop_columns(["p"]) for name in names}
    return {name: part.read((each,)) for name, each in parted.items()}
