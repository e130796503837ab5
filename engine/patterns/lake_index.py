"""A lake's index as a folder: what each table adds is a file of its own, and the index is the sum of these.

So a new table adds, a table that is indexed again replaces what it added before, and one that is forgotten leaves
nothing behind. A table's file also says which of its columns has which pattern, which is what `find` looks through.
The half of the lake that a table belongs to follows from its name: promises are replayed against the other half's
sums, never against the table's own.

One process at a time changes the folder. What is forgotten while somebody reads the table is not added afterwards, and
a change that was cut short is known by a mark, so that whoever learns next begins anew."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

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
    """The index in that folder. `patience`: so many seconds another process that changes it is waited for."""

    folder: Path
    patience: float = PATIENCE_SECONDS

    def add(
        self,
        tables: Mapping[str, Mapping[str, Sequence[str]]],
        as_of: Mapping[str, str] = UNTOLD,
        *,
        since: Mapping[str, int] | None = None,
    ) -> PatternIndex:
        """The index with these tables in place of what they were before; each gives its text columns by name, values
        in their order. `as_of`: what each was when it changed last, which `table_versions` tells. `since`: what
        `forgotten` said before the tables were read; of those that were forgotten since, what was read is not added.

        Raises Busy where another process changes the lake for longer than one is patient."""
        with self._changing():
            marks = self.forgotten()
            came = {
                table: columns
                for table, columns in tables.items()
                if since is None or marks.get(_name(table)) == since.get(_name(table))
            }
            for table, columns in came.items():
                self._write(table, columns, as_of.get(table, ""))
            halves = [merge_sums(list(self._sums(half))).frequent(LEAST_EVIDENCE) for half in (0, 1)]
            for table, columns in came.items():
                self._calibrate(table, list(columns.values()), halves[1 - half_of(table)])
            return self._sum_up()

    def forget(self, tables: Sequence[str]) -> int:
        """Takes these tables out; how many columns of theirs the index held. What somebody is reading of them now is
        not added either. Raises Busy where another process changes the lake for longer than one is patient."""
        with self._changing():
            marks = self.forgotten()
            marks |= {name: marks.get(name, 0) + 1 for name in map(_name, tables)}
            _replace(self.folder / FORGOTTEN, marks)
            columns = sum(len(said["columns"]) for said in self.table_records() if said["table"] in tables)
            for table in tables:
                for path in self._files(table):
                    path.unlink(missing_ok=True)
            if columns:
                self._sum_up()
        return columns

    def forgotten(self) -> dict[str, int]:
        """How often each table was forgotten, by a digest of its name."""
        path = self.folder / FORGOTTEN
        return dict(json.loads(path.read_text("utf-8"))) if path.exists() else {}

    def index(self) -> PatternIndex:
        """The index of all tables. Raises UnreadableIndex where there is none."""
        return load(self.folder / INDEX)

    def tables(self) -> list[str]:
        """The tables that are indexed, by name."""
        return sorted(self.table_versions())

    def table_versions(self) -> dict[str, str]:
        """By table that is indexed what it was when it changed last; '' where nobody said, and of all of them after a
        change that was cut short."""
        cut = (self.folder / UNFINISHED).exists()
        return {each["table"]: "" if cut else each.get("as_of", "") for each in self.table_records()}

    def table_records(self) -> Iterator[Mapping[str, Any]]:
        """What is said of each table: its name (`table`), and by column the patterns that nearly all its values have
        with their impurity (`columns`), and what they mean (`domains`). Of those that are there when their turn
        comes."""
        for path in self._folder.glob("*.json"):
            with suppress(FileNotFoundError):
                yield json.loads(path.read_text("utf-8"))

    @property
    def _folder(self) -> Path:
        return self.folder / TABLES

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Holds the folder, and leaves a mark where what is done there does not come to its end."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with file_lock(str(self.folder / LOCK), patience=self.patience):
            (self.folder / UNFINISHED).touch()
            yield
            (self.folder / UNFINISHED).unlink()

    def _files(self, table: str) -> tuple[Path, Path]:
        name = _name(table)
        return self._folder / f"{name}.parquet", self._folder / f"{name}.json"

    def _write(self, table: str, columns: Mapping[str, Sequence[str]], as_of: str) -> None:
        path, told = self._files(table)
        sums = {name: sums_of([values]) for name, values in columns.items()}
        save(PatternIndex(merge_sums(list(sums.values())), background=background(columns.values())), path)
        patterns = {name: _pure(each) for name, each in sums.items()}
        means = {name: found.name for name, values in columns.items() if (found := domain_of(values))}
        _replace(told, {"table": table, "as_of": as_of, "columns": patterns, "domains": means})

    def _calibrate(self, table: str, columns: Sequence[Sequence[str]], others: PatternSums) -> None:
        path, _ = self._files(table)
        index = load(path)
        replays = [each for values in sample_evenly(columns, MOST_REPLAYED) if (each := replay_column(values, others))]
        counts = merge_calibrations(each.counts for each in replays)
        before = self.index() if (self.folder / INDEX).exists() else PatternIndex(index.sums, background=Background())
        save(
            PatternIndex(
                index.sums, counts, index.background, optimism_of(replays, before.calibration, before.background)
            ),
            path,
        )

    def _sums(self, half: int) -> Iterator[PatternSums]:
        for said in self.table_records():
            path, _ = self._files(said["table"])
            if half_of(said["table"]) == half and path.exists():
                yield load(path).sums

    def _sum_up(self) -> PatternIndex:
        index = merge_indexes(load(path) for path in sorted(self._folder.glob("*.parquet")))
        save(index, self.folder / INDEX, least=LEAST_EVIDENCE if index.sums.size > 1 else 1)
        return index


def _name(table: str) -> str:
    """What a table's files are called."""
    return blake2b(table.encode(), digest_size=12).hexdigest()


def _replace(path: Path, said: Mapping[str, Any]) -> None:
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(said), "utf-8")
    fresh.replace(path)


def half_of(table: str) -> int:
    """Which half of the lake a table belongs to: 0 or 1."""
    return blake2b(table.encode(), digest_size=1).digest()[0] % 2


def key(id_: int) -> str:
    """How a table's file writes the id of a pattern."""
    return f"{id_:016x}"


def _pure(sums: PatternSums) -> dict[str, float]:
    """The patterns that nearly all values of one column have, by id."""
    pairs = zip(sums.ids.tolist(), sums.impurity.tolist(), strict=True)
    return {key(id_): round(impurity, 4) for id_, impurity in pairs if impurity <= MOST_IMPURE}
