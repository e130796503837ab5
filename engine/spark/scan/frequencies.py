"""Count how often each value occurs in each partition, with one GROUP BY per grouping."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from treaty.engine.analyzers.bound import BoundComponent
from treaty.engine.components.dictionary_encoding import encode_texts, row_numbers, sort_codes, starts_of
from treaty.engine.core.hash_key import HashKey
from treaty.engine.core.partitions import partition_names
from treaty.engine.spark.scan import keyed_hashing


def group(frame: Any, part: BoundComponent, partition_by: Sequence[str], key: HashKey) -> dict[str, Any]:
    """Return the state of the grouping by partition name. Partitions without values are absent.

    Values are hashed with the key after counting: each distinct value once, not every row."""
    by = [f"{sql} as p{at}" for at, sql in enumerate(partition_names.keys(partition_by))]
    uncovered = {operand.canonical(): operand.uncovered() for operand in part.operands}
    plain = [uncovered[sql] for sql in part.aggregates]
    keys = [f"{sql} as k{at}" for at, sql in enumerate(plain)]
    keyed = [f"k{at}" for at, sql in enumerate(part.aggregates) if sql != plain[at]]
    # Not coalesce: keys may differ in type, and Spark would cast text to numbers.
    present = " or ".join(f"{sql} is not null" for sql in plain)
    condition = f"({part.where}) and ({present})" if part.where else present
    chosen = frame.where(condition).selectExpr(*by, *keys)
    counted = chosen.groupBy(*chosen.columns).count().withColumnRenamed("count", "n")
    return split(keyed_hashing.covered(counted, keyed, key).toArrow(), part, partition_by)


def split(table: Any, part: BoundComponent, partition_by: Sequence[str]) -> dict[str, Any]:
    """Split a table of counts into the state of each partition.

    The table has partition values p0, p1, ... and the columns that the component reads."""
    import numpy

    columns = [f"p{at}" for at in range(len(partition_by))]
    if not (columns and table.num_rows):
        return {"": part.read((table,))} if table.num_rows else {}
    encoded = encode_texts(table)
    numbers = row_numbers(encoded.select(columns))
    # Two-byte numbers, enough for most tables, are sorted without comparisons.
    order = numbers.astype(numpy.min_scalar_type(numbers.max())).argsort(kind="stable")
    starts = starts_of(numbers[order]).tolist()
    # The dictionaries are sorted once for all partitions.
    sorted_rows = sort_codes(encoded.drop_columns(columns)).take(order)
    sizes = (end - start for start, end in pairwise([*starts, len(order)]))
    pieces = (sorted_rows.slice(start, size) for start, size in zip(starts, sizes, strict=True))
    names = (_name(table, partition_by, row) for row in order[starts].tolist())
    return {name: part.read((piece,)) for name, piece in zip(names, pieces, strict=True)}


def _name(table: Any, partition_by: Sequence[str], row: int) -> str:
    return partition_names.name(partition_by, [table[f"p{at}"][row].as_py() for at in range(len(partition_by))])
