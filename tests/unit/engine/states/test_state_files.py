"""Files of states in a real folder: named by their content, listed with their times, removed only when old."""

import os
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from support.oracles import STATE_OF

from treaty.engine.components.base import COMPONENTS
from treaty.engine.core import clock
from treaty.engine.core.errors import StateError
from treaty.engine.states.state_files import StateFiles

LATER = clock.now() + timedelta(days=1)
EARLIER = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
def files(tmp_path: Path) -> StateFiles:
    return StateFiles(str(tmp_path / "states"))


def aged(files: StateFiles, name: str) -> None:
    os.utime(Path(files.url, name), (EARLIER.timestamp(), EARLIER.timestamp()))


def test_nothing_lies_in_a_folder_that_is_not_there_yet(files: StateFiles) -> None:
    assert files.list_files() == ()
    assert files.remove(f"{'0' * 64}.parquet", before=LATER) is None


def test_files_are_listed_with_the_time_at_which_they_were_written(files: StateFiles) -> None:
    name = files.write(b"one")
    aged(files, name)
    (found,) = files.list_files()
    assert (found.name, found.written_at) == (name, EARLIER)


def test_writing_equal_content_again_makes_the_file_new_and_mends_it(files: StateFiles) -> None:
    name = files.write(b"one")
    Path(files.url, name).write_bytes(b"two")
    aged(files, name)
    assert files.write(b"one") == name
    assert files.read(name) == b"one"
    assert files.list_files()[0].written_at > EARLIER


def test_only_what_is_older_is_removed(files: StateFiles) -> None:
    name = files.write(b"one")
    assert files.remove(name, before=EARLIER) is None
    assert files.read(name) == b"one"
    assert files.remove(name, before=LATER) == 3
    assert files.remove(name, before=LATER) is None
    with pytest.raises(StateError, match="missing"):
        files.read(name)


def test_the_rows_of_files_are_told_by_their_footers(files: StateFiles) -> None:
    component = COMPONENTS["frequencies"]()
    names = [files.write(component.dump(STATE_OF["frequencies"](values))) for values in ("aab", "abcc")]
    assert (files.rows(names), files.rows([])) == (5, 0)
    with pytest.raises(StateError, match="missing or damaged"):
        files.rows([f"{'0' * 64}.parquet"])
    with pytest.raises(StateError, match="missing or damaged"):
        files.rows([files.write(b"no Parquet")])


def test_what_a_crash_left_is_listed_and_what_others_put_there_is_not(files: StateFiles) -> None:
    name = files.write(b"one")
    left = {f"{name}.part", f"{name}.{'a' * 32}.part"}
    for each in (*left, "notes.txt", "current.json", f"{name}.bak", f"x{name}"):
        Path(files.url, each).write_bytes(b"...")
    Path(files.url, "1" * 64 + ".parquet").mkdir()
    assert {each.name for each in files.list_files()} == {name, *left}
    assert files.remove("notes.txt", before=LATER) is None


def test_many_write_the_same_content_at_once(files: StateFiles) -> None:
    content = b"x" * 3_000_000
    with ThreadPoolExecutor(8) as writers:
        names = set(writers.map(files.write, [content] * 40))
    (name,) = names
    assert files.read(name) == content
    assert [each.name for each in files.list_files()] == [name]
