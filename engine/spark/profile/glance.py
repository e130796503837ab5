"""Inspect the first rows of a table to decide how to read the rest; nothing of this is reported."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from treaty.contracts.predicates.parser import quote
from treaty.engine.suggestions.kinds.column_group_search import RowSample

ROWS = 1000
# Enough to recognise a truth value; a longer prefix is not needed.
LONGEST = 6
_TYPED = re.compile(r"[+-9]|(?:true|false)$", re.IGNORECASE)
# Of the first COLUMNS columns, those that distinguish rows are chosen. Both numbers were set by hand; FEWEST is more
# than one because later rows may differ in other columns.
COLUMNS, FEWEST = 100, 3


def texts(frame: Any, columns: Sequence[str]) -> frozenset[str]:
    """Return the text columns whose first values are mostly plain texts (see `is_text`).

    A column without any value in the first rows is not returned."""
    if not columns:
        return frozenset()
    beginnings = (f"left({quote(name)}, {LONGEST}) as c{at}" for at, name in enumerate(columns))
    table = frame.limit(ROWS).selectExpr(*beginnings).toArrow()
    return frozenset(name for at, name in enumerate(columns) if is_text(table.column(at).drop_null().to_pylist()))


def is_text(beginnings: Sequence[str]) -> bool:
    """Return True if fewer than half of the values look like numbers, dates or booleans.

    False without values."""
    return sum(1 for each in beginnings if _TYPED.match(each)) * 2 < len(beginnings)


def telling(frame: Any, columns: Sequence[str]) -> list[str]:
    """Return the fewest columns that distinguish the first rows.

    They do so as well as the first COLUMNS columns, and are at least FEWEST. A hash of them replaces a hash of the
    whole row, so the other columns need not be read."""
    from pyspark.sql import functions

    names = list(columns[:COLUMNS])
    hashes = (functions.xxhash64(frame[quote(name)]).alias(f"c{at}") for at, name in enumerate(names))
    table = frame.limit(ROWS).select(*hashes).toArrow()
    rows = RowSample.of({name: table.column(at).to_pylist() for at, name in enumerate(names)}, [0] * table.num_rows)
    return list(chosen(rows))


def chosen(rows: RowSample) -> Iterator[str]:
    """Yield columns, those with most values first, until they distinguish the rows."""
    ordered = sorted(rows.columns, key=lambda name: -_distinct(rows.columns[name]))
    groups = rows.partition
    for name in ordered:
        groups = rows.both(groups, rows.columns[name])
    most, groups = _distinct(groups), rows.partition
    for at, name in enumerate(ordered):
        if at >= FEWEST and _distinct(groups) == most:
            return
        groups = rows.both(groups, rows.columns[name])
        yield name


def _distinct(numbers: Any) -> int:
    return int(numbers.max(initial=-1)) + 1
