"""Read the recurring tables used to test drafts: snapshots as typed columns, and which are clean."""

import csv
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy

MISSING = frozenset({"", "na", "nan", "null", "none", "n/a", "<na>"})
NUMERIC_SHARE = 0.95
LEARNED = 0.6
# Days that a table may remain wrong after a temporary incident.
DAYS = 3


@dataclass(frozen=True)
class Incident:
    """An issue of a table's columns: from a day on, or temporary unless `stays`."""

    day: str
    columns: frozenset[str]
    kind: str
    stays: bool

    def spoils(self, name: str | None, day: str) -> bool:
        """Return True if the column (None: the table) is not clean on that day because of it."""
        if name is not None and "*" not in self.columns and name not in self.columns:
            return False
        until = date.fromisoformat(self.day) + timedelta(days=DAYS)
        lasts = self.stays and self.kind != "schema"
        return self.day <= day and (lasts or date.fromisoformat(day) <= until)


@dataclass(frozen=True, eq=False)
class Table:
    """Snapshots of a table, oldest first: each column's values, as float64 with NaN or as texts with None.

    `learned`: share of training snapshots."""

    name: str
    days: Sequence[str]
    snapshots: Sequence[Mapping[str, Any]]
    incidents: Sequence[Incident]
    learned: float = LEARNED

    @cached_property
    def split(self) -> int:
        """Return the number of training snapshots."""
        return round(self.learned * len(self.days))

    @cached_property
    def types(self) -> dict[str, str]:
        """Return the Spark type of each column of the last training snapshot."""
        return {name: _type(values) for name, values in self.snapshots[self.split - 1].items()}

    def first(self, share: float) -> "Table":
        """Return the table with only the first share of its snapshots."""
        count = round(share * len(self.days))
        return Table(self.name, self.days[:count], self.snapshots[:count], self.incidents)

    def later(self, name: str | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield (day, snapshot) of test snapshots with a clean column of the learned type."""
        for day, snapshot in zip(self.days[self.split :], self.snapshots[self.split :], strict=True):
            alike = name is None or (name in snapshot and _alike(self.types[name], snapshot[name]))
            if alike and not any(
                each.spoils(name, day) for each in self.incidents if each.day > self.days[self.split - 1]
            ):
                yield day, snapshot


def _type(values: Any) -> str:
    if values.dtype == object:
        return "string"
    present = values[~numpy.isnan(values)]
    return "bigint" if len(present) and (present == numpy.round(present)).all() else "double"


def _alike(type_: str, values: Any) -> bool:
    return (type_ == "string") == (values.dtype == object)


def tables(folder: Path, *, most: int, rows: int, texts: bool = False) -> Iterator[Table]:
    """Yield every table of the folder, with evenly spaced snapshots.

    `most`: maximum number of snapshots. `rows`: approximate number of rows of each. `texts`: numbers stay texts, as
    Spark reads a CSV file without types."""
    for path in sorted(each for each in folder.glob("*/*") if each.is_dir()):
        name = f"{path.parent.name}/{path.name}"
        files = [each for each in sorted(path.glob("*.csv")) if not each.name.startswith("_")]
        places = numpy.unique(numpy.linspace(0, len(files) - 1, min(most, len(files))).round().astype(int))
        read = [(files[at].stem, _rows(files[at])) for at in places]
        filled = [each for each in read if each[1][1]]
        yield _table(name, filled, rows, _incidents(folder, name), texts=texts)


def _rows(path: Path) -> tuple[list[str], list[list[str]]]:
    with path.open(newline="", encoding="utf-8", errors="replace") as file:
        header, *rows = list(csv.reader(file)) or [[]]
    return header, [row for row in rows if len(row) == len(header)]


def _table(
    name: str, read: Sequence[tuple[str, Any]], rows: int, incidents: Sequence[Incident], *, texts: bool
) -> Table:
    usual = float(numpy.median([len(each) for _, (_, each) in read]))
    step = max(1, round(usual / rows))
    columns = [_columns(header, _some(each, step)) for _, (header, each) in read]
    return Table(name, [day for day, _ in read], _typed(columns, texts=texts), incidents)


def _some(rows: Sequence[list[str]], step: int) -> Sequence[list[str]]:
    """Sample by a hash of the first column: the same rows in every snapshot, so that growth and churn remain."""
    return [row for row in rows if zlib.crc32(row[0].encode()) % step == 0] if step > 1 else rows


def _columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, list[str | None]]:
    columns = zip(*rows, strict=True) if rows else [[] for _ in header]
    return {
        name: [None if each.strip().lower() in MISSING else each for each in values]
        for name, values in zip(header, columns, strict=True)
        if name
    }


def _typed(snapshots: Sequence[Mapping[str, list[str | None]]], *, texts: bool) -> list[dict[str, Any]]:
    """Convert columns: numeric if nearly all values in older snapshots are, and then in all snapshots."""
    older = snapshots[: max(1, round(LEARNED * LEARNED * len(snapshots)))]
    names = {name for each in snapshots for name in each} if not texts else set()
    numeric = {name for name in names if _is_numeric([each[name] for each in older[::10] if name in each])}
    return [{name: _values(values, name in numeric) for name, values in each.items()} for each in snapshots]


def _is_numeric(rows: Sequence[list[str | None]]) -> bool:
    present = [value for values in rows for value in values if value is not None]
    padded = sum(len(value) > 1 and value[0] == "0" and value.isdigit() for value in present)
    return (
        bool(present)
        and not padded
        and sum(_reads(value) is not None for value in present) >= NUMERIC_SHARE * len(present)
    )


def _reads(text: str | None) -> float | None:
    try:
        number = float(text) if text is not None else None
    except ValueError:
        return None
    return number if number is not None and numpy.isfinite(number) else None


def _values(values: Sequence[str | None], numeric: bool) -> Any:  # noqa: FBT001
    if numeric:
        read = [_reads(value) for value in values]
        return numpy.array([numpy.nan if value is None else value for value in read], dtype=numpy.float64)
    texts = numpy.empty(len(values), dtype=object)
    texts[:] = list(values)
    return texts


def _incidents(folder: Path, name: str) -> list[Incident]:
    with (folder / "incidents.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["table"] == name]
    return [
        Incident(row["snapshot"], frozenset(row["column"].split(",")), row["kind"], row["persists"] != "no")
        for row in rows
    ]
