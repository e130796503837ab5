"""Hashes with a key, in Spark: the key stands beside the rows, as columns of one row that is joined to all of them.

So it is in no text: SQL, plans, explanations and event logs name columns, and say nothing of a local row's content."""

from collections.abc import Iterable, Sequence
from typing import Any

from treaty.engine.analyzers.bound import BoundComponent
from treaty.engine.components.operands import KEY_COLUMNS, hashed
from treaty.engine.core.hash_key import HashKey


def with_hash_key(frame: Any, parts: Iterable[BoundComponent], key: HashKey) -> Any:
    """The frame with the key beside each row, where one of the parts hashes values; else the frame as it is."""
    return _with_key(frame, key) if any(part.keyed for part in parts) else frame


def covered(counted: Any, columns: Sequence[str], key: HashKey) -> Any:
    """The frame with the values of these columns as their hashes; null stays null."""
    if not columns:
        return counted
    shown = (f"{hashed(name)} as {name}" if name in columns else name for name in counted.columns)
    return _with_key(counted, key).selectExpr(*shown)


def _with_key(frame: Any, key: HashKey) -> Any:
    import pyarrow
    from pyspark.sql import functions

    row = pyarrow.table({name: [content] for name, content in zip(KEY_COLUMNS, key.rounds, strict=True)})
    return frame.crossJoin(functions.broadcast(frame.sparkSession.createDataFrame(row)))
