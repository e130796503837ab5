"""Rows drawn of a table, each value as a hash: what tells which columns are worth counting together."""

from collections.abc import Sequence
from typing import Any

from treaty.contracts.predicates.parser import quote
from treaty.engine.suggestions.kinds.column_group_search import ROWS, RowSample

SEED = 21


def draw_rows(frame: Any, columns: Sequence[str], *, by: Sequence[str], rows: int) -> RowSample:
    """About `ROWS` of the frame's so many rows, drawn one by one."""
    from pyspark.sql import functions

    of = {name: frame[quote(name)] for name in (*columns, *by)}
    hashes = [functions.when(of[name].isNotNull(), functions.xxhash64(of[name])) for name in columns]
    parts = functions.xxhash64(*(of[name] for name in by)) if by else functions.lit(0)
    chosen = frame if rows <= ROWS else frame.sample(ROWS / rows, seed=SEED)
    found = chosen.select(*(each.alias(f"c{at}") for at, each in enumerate(hashes)), parts.alias("part")).toArrow()
    listed = {name: found.column(at).to_pylist() for at, name in enumerate(columns)}
    return RowSample.of(listed, found.column(len(columns)).to_pylist())
