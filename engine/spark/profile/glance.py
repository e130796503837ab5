"""A glance at a table: what its first rows tell of how the rest is best read. Nothing of it is told of the table."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from treaty.contracts.predicates.parser import quote
from treaty.engine.suggestions.kinds.column_group_search import RowSample

ROWS = 1000
# More of a text need not be read: as long as a truth value, and another one is longer.
LONGEST = 6
_TYPED = re.compile(r"[+-9]|(?:true|false)$", re.IGNORECASE)
# Of so many columns, the first, those are chosen that tell rows apart. By hand, as is how many of them at least: rows
# further on may be told apart by another one.
COLUMNS, FEWEST = 100, 3


def texts(frame: Any, columns: Sequence[str]) -> frozenset[str]:
    """Of these columns of texts those of which not even half of the first ones may read as something else; none of
    which there is no text."""
    if not columns:
        return frozenset()
    beginnings = (f"left({quote(name)}, {LONGEST}) as c{at}" for at, name in enumerate(columns))
    found = frame.limit(ROWS).selectExpr(*beginnings).toArrow()
    return frozenset(name for at, name in enumerate(columns) if is_text(found.column(at).drop_null().to_pylist()))


def is_text(beginnings: Sequence[str]) -> bool:
    """Whether there are any, and not even half are those of numbers, dates or truth values."""
    return sum(1 for each in beginnings if _TYPED.match(each)) * 2 < len(beginnings)


def telling(frame: Any, columns: Sequence[str]) -> list[str]:
    """Of these columns the fewest that tell the first rows apart as well as the first hundred do, and `FEWEST` at
    least: a hash of them is as good as one of the whole row, and the others need not be read for it."""
    from pyspark.sql import functions

    names = list(columns[:COLUMNS])
    hashes = (functions.xxhash64(frame[quote(name)]).alias(f"c{at}") for at, name in enumerate(names))
    found = frame.limit(ROWS).select(*hashes).toArrow()
    rows = RowSample.of({name: found.column(at).to_pylist() for at, name in enumerate(names)}, [0] * found.num_rows)
    return list(chosen(rows))


def chosen(rows: RowSample) -> Iterator[str]:
    """The columns, those of most values first, until they tell the rows apart as well as all do."""
    ordered = sorted(rows.columns, key=lambda name: -_distinct(rows.columns[name]))
    together = rows.partition
    for name in ordered:
        together = rows.both(together, rows.columns[name])
    most, together = _distinct(together), rows.partition
    for at, name in enumerate(ordered):
        if at >= FEWEST and _distinct(together) == most:
            return
        together = rows.both(together, rows.columns[name])
        yield name


def _distinct(numbers: Any) -> int:
    return int(numbers.max(initial=-1)) + 1
