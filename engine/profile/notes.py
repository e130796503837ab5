"""Notes: what a reader of a profile must know before they trust its figures. Each is one function below.

They say what was seen of odd data: no rows, nulls alone, one value, NaN, infinities, too many values to count, codes
that look like numbers, days that may be months, clocks that went back. No note holds a value of the data."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isinf

from treaty.engine.components.operands import FRACTIONAL, TEMPORAL
from treaty.engine.profile.table_profile import ColumnProfile, TableProfile

# Of fewer rows a mean or a share says nothing about the next ones; by hand, as small-sample tables begin.
FEW_ROWS = 30


@dataclass(frozen=True)
class NotedColumn:
    """A column of a history of so many rows, and what was told of it."""

    profile: ColumnProfile
    history: TableProfile
    rows: int
    facts: Mapping[str, int | float | str | None]

    @property
    def present(self) -> float:
        """How many rows have a value."""
        return float(self.facts.get("completeness") or 0) * self.rows


Note = Callable[[NotedColumn], str | None]
NOTES: list[Note] = []


def note(told: Note) -> Note:
    """Registers a note that each column is asked for."""
    NOTES.append(told)
    return told


def of_table(rows: int, sampled: float) -> Iterator[str]:
    """What is odd about the table as a whole."""
    if rows == 0:
        yield "there is no row: nothing can be told of its columns"
    elif rows < FEW_ROWS:
        yield f"there {'is 1 row' if rows == 1 else f'are {rows} rows'}: too few for what is usual"
    if sampled < 1:
        yield f"about {sampled:.2%} of the rows were read: rare values are missing, and nothing is known to be unique"


def of_column(seen: NotedColumn) -> Iterator[str]:
    """What is odd about the column; nothing where there are no rows."""
    return (told for each in NOTES if (told := each(seen))) if seen.rows else iter(())


@note
def no_values(seen: NotedColumn) -> str | None:
    """Nothing but nulls."""
    return "no row has a value" if seen.facts.get("completeness") == 0 else None


@note
def constant(seen: NotedColumn) -> str | None:
    """One value, where there are rows enough for that to be odd."""
    alone = seen.facts.get("approx_count_distinct") == 1 and seen.present > 1
    return "all rows that have a value have the same one" if alone else None


@note
def many_values(seen: NotedColumn) -> str | None:
    """More distinct values than are counted."""
    _, error = seen.profile.values(seen.history.whole)
    return f"it has too many values to count each: a count may be too large by {error:,}" if error else None


@note
def not_numbers(seen: NotedColumn) -> str | None:
    """NaN among the numbers: it is a value, and no quantile counts it."""
    sketch = seen.profile.sketch(seen.history.whole)
    if sketch is None or seen.profile.column.base_type not in FRACTIONAL:
        return None
    missing = round(seen.present) - int(sketch.n)
    return f"{missing:,} values are NaN: no mean is told, and quantiles leave them out" if missing > 0 else None


@note
def infinite(seen: NotedColumn) -> str | None:
    """Infinite numbers."""
    sketch = seen.profile.sketch(seen.history.whole)
    if sketch is None or sketch.is_empty() or seen.profile.column.base_type not in FRACTIONAL:
        return None
    ends = (sketch.get_min_value(), sketch.get_max_value())
    return "there are infinite values: no mean and no bins are told" if any(map(isinf, ends)) else None


@note
def padded(seen: NotedColumn) -> str | None:
    """Codes of digits that a number would spoil."""
    read = seen.profile.read_as
    if read is None or not read.padded:
        return None
    return f"{read.padded:,} values begin with a zero: they are codes, and are not told as numbers"


@note
def ambiguous(seen: NotedColumn) -> str | None:
    """Dates whose days may be months."""
    read = seen.profile.read_as
    many = read is not None and len(read.formats) > 1
    return f"its dates are equally {' and '.join(read.formats)}: none is told" if many and read else None


@note
def partly_read(seen: NotedColumn) -> str | None:
    """Texts of which most read as a type, and some do not."""
    read = seen.profile.read_as
    if read is None or read.share >= 1:
        return None
    return f"{read.share:.2%} of its texts read as {read.kind}: the others are left out of what is told of values"


@note
def backwards(seen: NotedColumn) -> str | None:
    """A moment whose latest value falls from one partition to the next: a clock that went back, or late data."""
    if seen.profile.column.base_type not in TEMPORAL - {"date"}:
        return None
    latest = [(name, seen.profile.value("maximum", bag)) for name, bag in seen.history.partitions]
    known = [(name, str(value)) for name, value in latest if value is not None]
    falls = [later for (_, before), (later, now) in itertools.pairwise(known) if now < before]
    return f"its latest moment is earlier than that of the partition before in {_some(falls)}" if falls else None


def _some(names: list[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


@note
def failed(seen: NotedColumn) -> str | None:
    """Facts that could not be computed."""
    failures = {
        name: why
        for name, bound in seen.profile.metrics.items()
        for part in bound.parts.values()
        if (why := seen.history.whole.failure(part.key))
    }
    told = next(iter(failures.values()), None)
    return f"{_some([name.replace('_', ' ') for name in failures])} could not be told: {told}" if told else None
