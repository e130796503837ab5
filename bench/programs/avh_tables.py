"""Read recurring tables as snapshots per column, from folders with one CSV file per date."""

from collections.abc import Container, Iterator
from csv import QUOTE_NONE
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy
import pandas

from treaty.engine.statistics.column_values import ColumnValues, column

NULLS = {"", "na", "nan", "null", "none", "n/a", "<na>"}
LENGTH, NUMERIC, LEAST_VALUES = 60, 0.95, 5


@dataclass(eq=False)
class Snapshot:
    """A column at one time. `cache`: cached properties, shared by overlapping windows."""

    column: ColumnValues
    date: str
    cache: dict[Any, Any] = field(default_factory=dict)

    def once(self, name: Any, compute: Any) -> Any:
        """Return `told(self)`, computed once per name."""
        if name not in self.cache:
            self.cache[name] = compute(self)
        return self.cache[name]


@dataclass(eq=False)
class Sequence:
    """A column through consecutive snapshots. `neighbour`: another column of its type; None if there is none.

    `labelled`: days with a labeled incident."""

    table: str
    name: str
    kind: str
    snapshots: list[Snapshot]
    neighbour: list[Snapshot] | None = None
    labelled: Container[str] = ()

    @property
    def same(self) -> tuple[str, str]:
        """Return the column's identity, whatever the period."""
        return self.table, self.name


def tables(root: Path) -> list[str]:
    """Return every table below the folder as source/table."""
    return sorted(str(path.relative_to(root)) for path in root.glob("*/*") if path.is_dir())


def files(root: Path, table: str) -> list[Path]:
    """Return the snapshots of a table in date order; files that start with _ are ignored."""
    paths = sorted((root / table).glob("*.csv"))
    return [path for path in paths if not path.name.startswith("_") and path.stat().st_size > 20]


def sequences(root: Path, table: str, segments: int, rows: int) -> Iterator[Sequence]:
    """Yield the columns present in each of 60 snapshots, for `segments` periods of the table.

    `rows`: approximate number of rows per snapshot."""
    paths = files(root, table)
    count = max(0, min(segments, len(paths) // LENGTH))
    if not count:
        return
    starts = numpy.linspace(0, len(paths) - LENGTH, count + 2)[1:-1].round().astype(int)
    for start in starts:
        yield from _stretch(table, paths[start : start + LENGTH], rows)


def read(path: Path) -> Any:
    """Read a snapshot as a frame of texts.

    Invalid UTF-8 is replaced, rows longer than the header and values without a column name are dropped, and an unclosed
    quote is an ordinary character."""
    texts = {"dtype": str, "keep_default_na": False, "na_filter": False}
    options = {"on_bad_lines": "skip", "low_memory": False, "encoding_errors": "replace", "index_col": False, **texts}
    try:
        return pandas.read_csv(path, **options)
    except pandas.errors.ParserError:
        return pandas.read_csv(path, quoting=QUOTE_NONE, **options)


def _stretch(table: str, paths: list[Path], rows: int) -> Iterator[Sequence]:
    frames = [read(path) for path in paths]
    step = -(-int(numpy.median([len(frame) for frame in frames])) // rows)
    frames = [fewer(frame, step) for frame in frames]
    if min(map(len, frames)) == 0:
        return
    dates = [path.stem for path in paths]
    names = [name for name in frames[0].columns if all(name in frame.columns for frame in frames)]
    columns = [each for name in names if (each := _sequence(table, name, dates, [frame[name] for frame in frames]))]
    for each in columns:
        mates = [other for other in columns if other is not each and other.kind == each.kind]
        each.neighbour = mates[crc32(each.name.encode()) % len(mates)].snapshots if mates else None
    yield from columns


def fewer(frame: Any, step: int) -> Any:
    """Return one in `step` rows, the same in each snapshot: by a stable hash of their first value."""
    if step <= 1:
        return frame
    return frame[[crc32(text.encode()) % step == 0 for text in frame.iloc[:, 0]]]


def kind_of(columns: list[Any]) -> str | None:
    """Return a column's kind by its first, middle and last snapshot; None for too few values."""
    values = pandas.concat([columns[0], columns[len(columns) // 2], columns[-1]]).str.strip()
    present = values[~values.str.lower().isin(NULLS)]
    if len(present) < LEAST_VALUES:
        return None
    share = pandas.to_numeric(present.str.replace(",", ""), errors="coerce").notna().mean()
    return "numeric" if share > NUMERIC else "categorical"


def typed(values: Any, kind: str) -> ColumnValues:
    """Convert texts to a column of that kind."""
    return ColumnValues(_numbers(values) if kind == "numeric" else _texts(values))


def typed_values(values: Any, kind: str) -> ColumnValues:
    """Convert values in memory to a column of that kind; an empty text is null.

    The result is of texts if the values are no numbers."""
    may_be_empty = getattr(getattr(values, "dtype", None), "kind", "O") in "OU"
    items = [None if isinstance(each, str) and not each else each for each in values] if may_be_empty else values
    return column(items, is_text=kind == "categorical")


def _sequence(table: str, name: str, dates: list[str], columns: list[Any]) -> Sequence | None:
    kind = kind_of(columns)
    if kind is None:
        return None
    snapshots = [Snapshot(typed(values, kind), date) for values, date in zip(columns, dates, strict=True)]
    return Sequence(table, name, kind, snapshots)


def _numbers(values: Any) -> Any:
    numbers = pandas.to_numeric(values.str.replace(",", ""), errors="coerce").to_numpy(float)
    return numpy.where(numpy.isfinite(numbers), numbers, numpy.nan)


def _texts(values: Any) -> Any:
    array = numpy.empty(len(values), dtype=object)
    array[:] = [None if text.strip().lower() in NULLS else text for text in values]
    return array
