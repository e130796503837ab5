"""Draw a sample of row hashes, which shows which columns are worth counting together."""

from collections.abc import Sequence
from typing import Any

from treaty.contracts.predicates.parser import quote
from treaty.engine.core.partitions import partition_names
from treaty.engine.suggestions.kinds.column_group_search import ROWS, RowSample

SEED = 21


def draw_rows(frame: Any, columns: Sequence[str], *, by: Sequence[str], rows: int) -> RowSample:
    """Draw about `ROWS` rows of the frame, each row independently.

    `by`: partition columns, stored or computed. `rows`: number of rows of the frame."""
    from pyspark.sql import functions

    hashes = [functions.when(each.isNotNull(), functions.xxhash64(each)) for each in (frame[quote(c)] for c in columns)]
    parts = functions.xxhash64(*map(functions.expr, partition_names.keys(by))) if by else functions.lit(0)
    chosen = frame if rows <= ROWS else frame.sample(ROWS / rows, seed=SEED)
    table = chosen.select(*(each.alias(f"c{at}") for at, each in enumerate(hashes)), parts.alias("part")).toArrow()
    hashes_by_column = {name: table.column(at).to_pylist() for at, name in enumerate(columns)}
    return RowSample.of(hashes_by_column, table.column(len(columns)).to_pylist())
