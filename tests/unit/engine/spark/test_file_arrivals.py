"""Tables that grow by files: what arrived is told from the files alone, whatever becomes of them."""

import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treaty.engine.core.errors import UnreadableTable
from treaty.engine.protocol.requests import TableSource
from treaty.engine.spark.sources import file_arrivals
from treaty.engine.spark.sources.changes import StorageLayout

FIRST, SECOND, THIRD = "arrival=000001", "arrival=000002", "arrival=000003"


class Table:
    """A folder of text files, whose numbers are its rows, and what was read of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[str, str] = {}
        self.sums: dict[str, int] = {}
        self.clock = 0

    def write(self, name: str, number: int) -> None:
        self.clock += 1
        path = self.folder / f"{name}.csv"
        path.write_text(str(number))
        os.utime(path, (self.clock, self.clock))

    def lies(self) -> StorageLayout:
        found = file_arrivals.layout(TableSource(str(self.folder)), self.known)
        assert found is not None
        return found

    def read(self) -> tuple[set[str], set[str]]:
        """Reads what changed and remembers it. Returns the arrivals that were read, and those that vanished."""
        lies = self.lies()
        changed = lies.changed(self.known)
        self.sums = {name: self.sums[name] for name in lies.fingerprints if name not in changed}
        self.sums |= {name: total(lies.files[name]) for name in changed}
        vanished = self.known.keys() - lies.fingerprints.keys()
        self.known = dict(lies.fingerprints)
        return set(changed), set(vanished)


def total(files: tuple[str, ...]) -> int:
    return sum(int(Path(each).read_text()) for each in files)


@pytest.fixture
def table(tmp_path: Path) -> Table:
    found = Table(tmp_path)
    found.write("a", 1)
    found.write("b", 2)
    assert found.read() == ({FIRST}, set())
    return found


def test_new_files_are_an_arrival_of_their_own(table: Table) -> None:
    table.write("c", 4)
    assert table.read() == ({SECOND}, set())
    assert table.sums == {FIRST: 3, SECOND: 4}
    assert table.read() == (set(), set())


def test_a_file_that_is_gone_or_written_again_is_told_of_its_own_arrival(table: Table) -> None:
    table.write("c", 4)
    table.read()
    table.write("b", 8)
    assert table.read() == ({FIRST, THIRD}, set())
    assert table.sums == {FIRST: 1, SECOND: 4, THIRD: 8}
    (table.folder / "c.csv").unlink()
    assert table.read() == (set(), {SECOND})


def test_a_table_that_is_overwritten_is_one_new_arrival(table: Table) -> None:
    for each in table.folder.iterdir():
        each.unlink()
    table.write("d", 16)
    assert table.read() == ({SECOND}, {FIRST})


def test_a_table_that_was_known_whole_is_one_arrival(table: Table) -> None:
    table.known = {"": "0123"}
    assert table.read() == ({FIRST}, {""})


def test_what_could_not_be_read_keeps_its_files_and_is_read_again(table: Table) -> None:
    table.known = {FIRST: f"unread {table.known[FIRST]}"}
    table.write("c", 4)
    assert table.read() == ({FIRST, SECOND}, set())
    assert table.sums == {FIRST: 3, SECOND: 4}


@pytest.mark.parametrize("name", ["_delta_log/0.json", "orders.csv"])
def test_tables_whose_files_do_not_tell_have_no_arrivals(name: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("1")
    place = str(tmp_path / name) if name.endswith("csv") else str(tmp_path)
    (tmp_path / "part.parquet").write_text("1")
    assert file_arrivals.layout(TableSource(place), {}) is None
    assert file_arrivals.layout(TableSource(place, partition_by=("day",)), {}) is None
    assert file_arrivals.layout(TableSource("catalog_table"), {}) is None


def test_a_table_that_is_gone_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnreadableTable, match="contains no data yet"):
        file_arrivals.layout(TableSource(str(tmp_path)), {})


def test_ten_thousand_files_are_told_apart(tmp_path: Path) -> None:
    def files(numbers: range) -> dict[str, object]:
        return {file_arrivals._hash((f"part-{at}", SimpleNamespace(size=1, mtime_ns=1))): at for at in numbers}

    marks = [f"hash {''.join(sorted(files(range(start, start + 1000))))}" for start in range(0, 10_000, 1000)]
    known = {f"arrival={at + 1:06}": mark for at, mark in enumerate(marks)}
    found = file_arrivals.arrived(files(range(10_100)), known)
    assert {name: len(each) for name, each in found.items()} == {**dict.fromkeys(known, 1000), "arrival=000011": 100}


NAMES = st.sampled_from("abcdef")
STEPS = st.lists(
    st.tuples(st.sampled_from(["write", "write", "remove", "read"]), NAMES, st.integers(0, 99)), max_size=25
)


@pytest.mark.search
@settings(max_examples=80)
@given(steps=STEPS)
def test_whatever_becomes_of_files_the_arrivals_together_are_the_table(
    steps: list[tuple[str, str, int]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        table = Table(Path(folder))
        table.write("kept", 1000)
        table.read()
        fresh: set[str] = set()
        for step, name, number in steps:
            if step == "write":
                table.write(name, number)
                fresh.add(name)
            elif step == "remove":
                (table.folder / f"{name}.csv").unlink(missing_ok=True)
            else:
                look(table, fresh)
        look(table, fresh)


def look(table: Table, fresh: set[str]) -> None:
    """Reads what changed; what was written since the last look is all of one arrival, and nothing else is."""
    before = dict(table.known)
    there = {each.stem for each in table.folder.iterdir()}
    changed, _ = table.read()
    lies = table.lies()
    new = changed - before.keys()
    assert names(lies.files, new) == fresh & there
    assert len(new) <= 1
    assert sorted(names(lies.files, lies.files)) == sorted(there)
    assert sum(map(len, lies.files.values())) == len(there)
    assert sum(table.sums.values()) == sum(int(each.read_text()) for each in table.folder.iterdir())
    assert table.read() == (set(), set())
    fresh.clear()


def names(files: Mapping[str, tuple[str, ...]], of: Iterable[str]) -> set[str]:
    return {Path(path).stem for name in of for path in files[name]}
