"""Define notes: caveats about the figures of a profile. Each is one function below.

They report unusual data: no rows, only nulls, a single value, NaN, infinities, too many values to count, codes that
look like numbers, days that may be months, times that run backwards. No note contains a value of the data."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isinf

from treaty.engine.components.operands import FRACTIONAL, TEMPORAL
from treaty.engine.core.number_format import percentage
from treaty.engine.profile.table_profile import ColumnProfile, TableProfile

# With fewer rows a mean or share says little about the next ones; chosen by hand, as small-sample tables begin there.
FEW_ROWS = 30


@dataclass(frozen=True)
class NotedColumn:
    """A profiled column with its facts and the table's number of rows."""

    profile: ColumnProfile
    history: TableProfile
    rows: int
    facts: Mapping[str, int | float | str | None]

    @property
    def present(self) -> float:
        """Return the number of rows with a value."""
        return float(self.facts.get("completeness") or 0) * self.rows


Note = Callable[[NotedColumn], str | None]
NOTES: list[Note] = []


def note(note: Note) -> Note:
    """Register a note to apply to every column."""
    NOTES.append(note)
    return note


def of_table(rows: int, sampled: float) -> Iterator[str]:
    """Yield the notes on the whole table."""
    if rows == 0:
        yield "the table has no rows: its columns cannot be profiled"
    elif rows < FEW_ROWS:
        yield f"only {'1 row' if rows == 1 else f'{rows} rows'}: too few to show typical values"
    if sampled < 1:
        consequence = "rare values may be missing, and uniqueness is unknown"
        yield f"about {percentage(sampled)} of the rows were read: {consequence}"


def of_column(column: NotedColumn) -> Iterator[str]:
    """Yield the notes on the column; none if the table has no rows."""
    return (text for each in NOTES if (text := each(column))) if column.rows else iter(())


@note
def no_values(column: NotedColumn) -> str | None:
    """Note a column with only nulls."""
    return "no row has a value" if column.facts.get("completeness") == 0 else None


@note
def constant(column: NotedColumn) -> str | None:
    """Note a column with a single value in several rows."""
    is_constant = column.facts.get("approx_count_distinct") == 1 and column.present > 1
    return "all values are equal" if is_constant else None


@note
def many_values(column: NotedColumn) -> str | None:
    """Note that there are too many distinct values for exact counts."""
    _, error = column.profile.values(column.history.whole)
    return f"too many values for exact counts: a count may be too high by up to {error:,}" if error else None


@note
def not_numbers(column: NotedColumn) -> str | None:
    """Note NaN among the numbers: a value that no quantile counts."""
    if column.profile.sketch(column.history.whole) is None or column.profile.column.base_type not in FRACTIONAL:
        return None
    ranks = column.profile.ranks(column.history.whole)
    missing = round(column.present) - (ranks.rows if ranks else 0)
    return f"{missing:,} values are NaN: there is no mean, and quantiles ignore them" if missing > 0 else None


@note
def infinite(column: NotedColumn) -> str | None:
    """Note infinite numbers."""
    ranks = column.profile.ranks(column.history.whole)
    if ranks is None or column.profile.column.base_type not in FRACTIONAL:
        return None
    is_infinite = isinf(ranks.low) or isinf(ranks.high)
    return "some values are infinite: there is no mean and no histogram" if is_infinite else None


@note
def padded(column: NotedColumn) -> str | None:
    """Note codes of digits, which would lose leading zeros as numbers."""
    parsed = column.profile.read_as
    if parsed is None or not parsed.is_code:
        return None
    return f"{parsed.padded:,} values start with a zero: they are treated as codes, not as numbers"


@note
def ambiguous(column: NotedColumn) -> str | None:
    """Note dates in which day and month cannot be distinguished."""
    parsed = column.profile.read_as
    is_ambiguous = parsed is not None and len(parsed.formats) > 1
    return (
        f"dates fit {' and '.join(parsed.formats)} equally well: no dates are reported"
        if is_ambiguous and parsed
        else None
    )


@note
def partly_read(column: NotedColumn) -> str | None:
    """Note texts that parse as a type only in part."""
    parsed = column.profile.read_as
    if parsed is None or parsed.share >= 1:
        return None
    return f"{percentage(parsed.share)} of the texts parse as {parsed.kind}: the statistics of values ignore the others"


@note
def backwards(column: NotedColumn) -> str | None:
    """Note that the latest moment decreases between partitions, as after a clock reset."""
    if column.profile.column.base_type not in TEMPORAL - {"date"}:
        return None
    latest = [(name, column.profile.value("maximum", bag)) for name, bag in column.history.partitions]
    present = [(name, str(value)) for name, value in latest if value is not None]
    falls = [later for (_, before), (later, now) in itertools.pairwise(present) if now < before]
    return f"the latest time is earlier than in the previous partition in {_some(falls)}" if falls else None


def _some(names: list[str]) -> str:
    suffix = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + suffix


@note
def failed(column: NotedColumn) -> str | None:
    """Note facts that could not be computed."""
    failures = {
        name: reason
        for name, bound in column.profile.metrics.items()
        for part in bound.parts.values()
        if (reason := column.history.whole.failure(part.key))
    }
    first_reason = next(iter(failures.values()), None)
    return (
        f"{_some([name.replace('_', ' ') for name in failures])} could not be computed: {first_reason}"
        if first_reason
        else None
    )
