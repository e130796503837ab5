"""Recurring tables as sequences of snapshots, one a column: folders of one CSV file a snapshot, named by its date."""

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
    """A column at one time; `kept` holds what was told of it, so that windows that overlap need not ask again."""

    column: ColumnValues
    date: str
    kept: dict[Any, Any] = field(default_factory=dict)

    def once(self, name: Any, told: Any) -> Any:
        """What `told` says of the snapshot, asked once."""
        if name not in self.kept:
            self.kept[name] = told(self)
        return self.kept[name]


@dataclass(eq=False)
class Sequence:
    """A column of a table through consecutive snapshots, and another column of its type, where there is one.

    `labelled`: days that somebody called an incident's."""

    table: str
    name: str
    kind: str
    snapshots: list[Snapshot]
    neighbour: list[Snapshot] | None = None
    labelled: Container[str] = ()

    @property
    def same(self) -> tuple[str, str]:
        """What it is in whatever stretch of time."""
        return self.table, self.name


def tables(root: Path) -> list[str]:
    """Every table beneath the folder, as source/table."""
    return sorted(str(path.relative_to(root)) for path in root.glob("*/*") if path.is_dir())


def files(root: Path, table: str) -> list[Path]:
    """The snapshots of a table in the order of their dates; what begins with _ is none."""
    found = sorted((root / table).glob("*.csv"))
    return [path for path in found if not path.name.startswith("_") and path.stat().st_size > 20]


def sequences(root: Path, table: str, segments: int, rows: int) -> Iterator[Sequence]:
    """The columns that are in each of 60 snapshots, for so many stretches of the table, of about so many rows."""
    paths = files(root, table)
    count = max(0, min(segments, len(paths) // LENGTH))
    if not count:
        return
    starts = numpy.linspace(0, len(paths) - LENGTH, count + 2)[1:-1].round().astype(int)
    for start in starts:
        yield from _stretch(table, paths[start : start + LENGTH], rows)


def read(path: Path) -> Any:
    """A snapshot as a frame of texts: bytes that are no UTF-8 are replaced, rows longer than the first are left out, as
    is what no column's name stands above, and a quote that is never closed is a character like others."""
    texts = {"dtype": str, "keep_default_na": False, "na_filter": False}
    how = {"on_bad_lines": "skip", "low_memory": False, "encoding_errors": "replace", "index_col": False, **texts}
    try:
        return pandas.read_csv(path, **how)
    except pandas.errors.ParserError:
        return pandas.read_csv(path, quoting=QUOTE_NONE, **how)


def _stretch(table: str, paths: list[Path], rows: int) -> Iterator[Sequence]:
    frames = [read(path) for path in paths]
    step = -(-int(numpy.median([len(frame) for frame in frames])) // rows)
    frames = [fewer(frame, step) for frame in frames]
    if min(map(len, frames)) == 0:
        return
    dates = [path.stem for path in paths]
    names = [name for name in frames[0].columns if all(name in frame.columns for frame in frames)]
    found = [each for name in names if (each := _sequence(table, name, dates, [frame[name] for frame in frames]))]
    for each in found:
        mates = [other for other in found if other is not each and other.kind == each.kind]
        each.neighbour = mates[crc32(each.name.encode()) % len(mates)].snapshots if mates else None
    yield from found


def fewer(frame: Any, step: int) -> Any:
    """One of so many rows, the same ones in each snapshot: by a stable hash of their first value."""
    if step <= 1:
        return frame
    return frame[[crc32(text.encode()) % step == 0 for text in frame.iloc[:, 0]]]


def kind_of(columns: list[Any]) -> str | None:
    """What a column is taken for by the first, the middle and the last of these; None for too few values."""
    looked = pandas.concat([columns[0], columns[len(columns) // 2], columns[-1]]).str.strip()
    there = looked[~looked.str.lower().isin(NULLS)]
    if len(there) < LEAST_VALUES:
        return None
    share = pandas.to_numeric(there.str.replace(",", ""), errors="coerce").notna().mean()
    return "numeric" if share > NUMERIC else "categorical"


def typed(values: Any, kind: str) -> ColumnValues:
    """Texts as a column of that kind."""
    return ColumnValues(_numbers(values) if kind == "numeric" else _texts(values))


def typed_values(values: Any, kind: str) -> ColumnValues:
    """Values in memory as a column of that kind, an empty text standing for a null; texts where they are no numbers."""
    may_be_empty = getattr(getattr(values, "dtype", None), "kind", "O") in "OU"
    given = [None if isinstance(each, str) and not each else each for each in values] if may_be_empty else values
    return column(given, is_text=kind == "categorical")


def _sequence(table: str, name: str, dates: list[str], columns: list[Any]) -> Sequence | None:
    kind = kind_of(columns)
    if kind is None:
        return None
    snapshots = [Snapshot(typed(values, kind), date) for values, date in zip(columns, dates, strict=True)]
    return Sequence(table, name, kind, snapshots)


def _numbers(values: Any) -> Any:
    found = pandas.to_numeric(values.str.replace(",", ""), errors="coerce").to_numpy(float)
    return numpy.where(numpy.isfinite(found), found, numpy.nan)


def _texts(values: Any) -> Any:
    made = numpy.empty(len(values), dtype=object)
    made[:] = [None if text.strip().lower() in NULLS else text for text in values]
    return made
