"""Hash values with a key in Spark; the key is a one-row table joined to all rows.

The key therefore appears in no text: SQL, plans and event logs name columns and omit the contents of a local row."""

from collections.abc import Iterable, Sequence
from typing import Any

from treaty.engine.analyzers.bound import BoundComponent
from treaty.engine.components.operands import KEY_COLUMNS, hashed
from treaty.engine.core.hash_key import HashKey


def with_hash_key(frame: Any, parts: Iterable[BoundComponent], key: HashKey) -> Any:
    """Join the key to each row if a component hashes values; else return the frame unchanged."""
    return _with_key(frame, key) if any(part.keyed for part in parts) else frame


def covered(counted: Any, columns: Sequence[str], key: HashKey) -> Any:
    """Replace the values of these columns with their hashes; null stays null."""
    if not columns:
        return counted
    shown = (f"{hashed(name)} as {name}" if name in columns else name for name in counted.columns)
    return _with_key(counted, key).selectExpr(*shown)


def _with_key(frame: Any, key: HashKey) -> Any:
    import pyarrow
    from pyspark.sql import functions

    row = pyarrow.table({name: [content] for name, content in zip(KEY_COLUMNS, key.rounds, strict=True)})
    return frame.crossJoin(functions.broadcast(frame.sparkSession.createDataFrame(row)))
