"""Store a lake's index as a folder with a file for each table; the index is their sum.

A new table adds to the index, an indexed table replaces its earlier part, and a forgotten table leaves nothing
behind. A table's file also contains the patterns of its columns, which `find` searches. A table's name decides which
half of the lake it belongs to: its candidates are replayed against the sums of the other half, never against its
own.

Only one process at a time changes the folder. A table that is forgotten while it is being read is not added
afterwards, and a mark shows an interrupted change, so that the next indexing starts from the beginning."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from treaty.engine.core import private_files
from treaty.engine.core.disk import file_lock
from treaty.engine.patterns.calibration import Background, background, merge_calibrations, replay_column
from treaty.engine.patterns.index import LEAST_EVIDENCE, PatternIndex, merge_indexes, optimism_of
from treaty.engine.patterns.index_file import load, save
from treaty.engine.patterns.lake_sums import PatternSums, merge_sums, sample_evenly, sums_of
from treaty.engine.patterns.named_domains import domain_of

INDEX, TABLES, LOCK, FORGOTTEN, UNFINISHED = "index.parquet", "tables", "lock", "forgotten.json", "unfinished"
PATIENCE_SECONDS = 300.0
UNTOLD: Mapping[str, str] = {}
MOST_REPLAYED = 20
MOST_IMPURE = 0.1


@dataclass(frozen=True)
class PatternLake:
    """The index in a folder. `patience`: seconds to wait for another process that changes it."""

    folder: Path
    patience: float = PATIENCE_SECONDS

    def add(
        self,
        tables: Mapping[str, Mapping[str, Sequence[str]]],
        as_of: Mapping[str, str] = UNTOLD,
        *,
        since: Mapping[str, int] | None = None,
    ) -> PatternIndex:
        """Add or replace these tables and return the new index.

        `tables`: text columns by name for each table, values in their order. `as_of`: version of each table, as
        returned by `table_versions`. `since`: result of `forgotten` before the tables were read; a table forgotten
        since then is not added. Raises LockHeld if another process changes the lake for longer than `patience`."""
        with self._changing():
            marks = self.forgotten()
            current_tables = {
                table: columns
                for table, columns in tables.items()
                if since is None or marks.get(_name(table)) == since.get(_name(table))
            }
            for table, columns in current_tables.items():
                self._write(table, columns, as_of.get(table, ""))
            halves = [merge_sums(list(self._sums(half))).frequent(LEAST_EVIDENCE) for half in (0, 1)]
            for table, columns in current_tables.items():
                self._calibrate(table, list(columns.values()), halves[1 - half_of(table)])
            return self._sum_up()

    def forget(self, tables: Sequence[str]) -> int:
        """Remove these tables and return the number of their indexed columns.

        A table that another process is reading is not added afterwards. Raises LockHeld if another process changes
        the lake for longer than `patience`."""
        with self._changing():
            marks = self.forgotten()
            marks |= {name: marks.get(name, 0) + 1 for name in map(_name, tables)}
            _replace(self.folder / FORGOTTEN, marks)
            columns = sum(len(record["columns"]) for record in self.table_records() if record["table"] in tables)
            for table in tables:
                for path in self._files(table):
                    path.unlink(missing_ok=True)
            if columns:
                self._sum_up()
        return columns

    def forgotten(self) -> dict[str, int]:
        """Return how often each table was forgotten, by a digest of its name."""
        path = self.folder / FORGOTTEN
        return dict(json.loads(path.read_text("utf-8"))) if path.exists() else {}

    def index(self) -> PatternIndex:
        """Return the index of all tables. Raises UnreadableIndex if there is none."""
        return load(self.folder / INDEX)

    def tables(self) -> list[str]:
        """Return the names of the indexed tables."""
        return sorted(self.table_versions())

    def table_versions(self) -> dict[str, str]:
        """Return the version of each indexed table; '' if unknown.

        After an interrupted change it is '' for all tables."""
        cut = (self.folder / UNFINISHED).exists()
        return {each["table"]: "" if cut else each.get("as_of", "") for each in self.table_records()}

    def table_records(self) -> Iterator[Mapping[str, Any]]:
        """Yield the record of each table.

        `table`: its name. `as_of`: its version. `columns`: by column the patterns of nearly all its values, with
        their impurity. `domains`: by column the meaning of its values. Tables that are removed meanwhile are
        skipped."""
        for path in self._folder.glob("*.json"):
            with suppress(FileNotFoundError):
                yield json.loads(path.read_text("utf-8"))

    @property
    def _folder(self) -> Path:
        return self.folder / TABLES

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Hold the folder's lock and leave a mark if the change does not complete."""
        private_files.make_folder(self.folder)
        private_files.make_folder(self._folder)
        with file_lock(str(self.folder / LOCK), patience=self.patience):
            (self.folder / UNFINISHED).touch()
            yield
            (self.folder / UNFINISHED).unlink()

    def _files(self, table: str) -> tuple[Path, Path]:
        name = _name(table)
        return self._folder / f"{name}.parquet", self._folder / f"{name}.json"

    def _write(self, table: str, columns: Mapping[str, Sequence[str]], as_of: str) -> None:
        path, record_path = self._files(table)
        sums = {name: sums_of([values]) for name, values in columns.items()}
        save(PatternIndex(merge_sums(list(sums.values())), background=background(columns.values())), path)
        patterns = {name: _pure(each) for name, each in sums.items()}
        means = {name: domain.name for name, values in columns.items() if (domain := domain_of(values))}
        _replace(record_path, {"table": table, "as_of": as_of, "columns": patterns, "domains": means})

    def _calibrate(self, table: str, columns: Sequence[Sequence[str]], sums: PatternSums) -> None:
        path, _ = self._files(table)
        index = load(path)
        replays = [each for values in sample_evenly(columns, MOST_REPLAYED) if (each := replay_column(values, sums))]
        counts = merge_calibrations(each.counts for each in replays)
        before = self.index() if (self.folder / INDEX).exists() else PatternIndex(index.sums, background=Background())
        save(
            PatternIndex(
                index.sums, counts, index.background, optimism_of(replays, before.calibration, before.background)
            ),
            path,
        )

    def _sums(self, half: int) -> Iterator[PatternSums]:
        for record in self.table_records():
            path, _ = self._files(record["table"])
            if half_of(record["table"]) == half and path.exists():
                yield load(path).sums

    def _sum_up(self) -> PatternIndex:
        index = merge_indexes(load(path) for path in sorted(self._folder.glob("*.parquet")))
        save(index, self.folder / INDEX, least=LEAST_EVIDENCE if index.sums.size > 1 else 1)
        return index


def _name(table: str) -> str:
    """Return the base name of a table's files."""
    return blake2b(table.encode(), digest_size=12).hexdigest()


def _replace(path: Path, document: Mapping[str, Any]) -> None:
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(document), "utf-8")
    fresh.replace(path)


def half_of(table: str) -> int:
    """Return the half of the lake that a table belongs to: 0 or 1."""
    return blake2b(table.encode(), digest_size=1).digest()[0] % 2


def key(id_: int) -> str:
    """Return the id of a pattern as written in a table's file."""
    return f"{id_:016x}"


def _pure(sums: PatternSums) -> dict[str, float]:
    """Return the patterns of nearly all values of one column with their impurity, by id."""
    pairs = zip(sums.ids.tolist(), sums.impurity.tolist(), strict=True)
    return {key(id_): round(impurity, 4) for id_, impurity in pairs if impurity <= MOST_IMPURE}
