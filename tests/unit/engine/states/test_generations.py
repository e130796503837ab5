"""Generations of states in a folder: whole or not there, one writer at a time, nothing damaged is read."""

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.gates import Crash, Ending

from treaty.engine.core.errors import StateError
from treaty.engine.states.generations import (
    Generation,
    GenerationConflict,
    GenerationVerdict,
    PartitionEntry,
    StateFolder,
)

PASSED = GenerationVerdict("passed", "fingerprint", "orders")


def test_a_new_folder_has_no_generation(tmp_path: Path) -> None:
    store = StateFolder(str(tmp_path / "new"))
    assert store.current() == Generation(0, {}, None)
    assert not (tmp_path / "new").exists()


def test_what_was_swapped_in_is_current_with_its_bags(tmp_path: Path) -> None:
    store = StateFolder(str(tmp_path))
    entries = {"day=1": PartitionEntry("f1", store.keep(b"one")), "": PartitionEntry("f2", store.keep(b"two"))}
    assert store.swap(0, entries, PASSED) == store.current() == Generation(1, entries, PASSED)
    assert [StateFolder(str(tmp_path)).bag(each.bag) for each in entries.values()] == [b"one", b"two"]
    assert store.current().fingerprints == {"day=1": "f1", "": "f2"}


@pytest.mark.parametrize("expected", [0, 2, 7])
def test_a_swap_that_follows_another_generation_is_refused(expected: int, tmp_path: Path) -> None:
    store = StateFolder(str(tmp_path))
    first = store.swap(0, {"day=1": PartitionEntry("f", store.keep(b"one"))})
    with pytest.raises(GenerationConflict, match=f"of generation 1, no longer of {expected}"):
        store.swap(expected, {})
    assert store.current() == first


def test_of_many_writers_one_wins_each_generation_and_nothing_is_mixed(tmp_path: Path) -> None:
    def write(writer: int) -> int | None:
        store = StateFolder(str(tmp_path))
        expected = store.current().number
        entries = {
            name: PartitionEntry(f"{writer}", store.keep(f"{writer} {name}".encode())) for name in ("a", "b", "c")
        }
        try:
            return store.swap(expected, entries, GenerationVerdict(str(writer), "contract", "orders")).number
        except GenerationConflict:
            return None

    with ThreadPoolExecutor(8) as writers:
        won = [each for each in writers.map(write, range(40)) if each is not None]
    store = StateFolder(str(tmp_path))
    current = store.current()
    assert current.judged
    assert sorted(won) == list(range(1, current.number + 1))
    assert {name: store.bag(each.bag).decode() for name, each in current.entries.items()} == {
        name: f"{current.judged.verdict} {name}" for name in ("a", "b", "c")
    }


def test_bags_that_no_generation_names_are_collected(tmp_path: Path) -> None:
    store = StateFolder(str(tmp_path))
    kept, left = store.keep(b"one"), store.keep(b"left")
    store.swap(0, {"": PartitionEntry("f", kept)})
    store.collect()
    assert store.bag(kept) == b"one"
    with pytest.raises(StateError, match="missing; compute the partition again"):
        store.bag(left)


@pytest.mark.parametrize("which", ["bags", "current.json"])
def test_every_flipped_bit_is_detected(which: str, tmp_path: Path) -> None:
    store = StateFolder(str(tmp_path))
    rng = random.Random(20261121)
    name = store.keep(rng.randbytes(3000))
    store.swap(0, {f"day={day}": PartitionEntry("f" * 32, name) for day in range(9)}, PASSED)
    path = tmp_path / "bags" / name if which == "bags" else tmp_path / which
    whole = path.read_bytes()
    for _ in range(1000):
        at, bit = rng.randrange(len(whole)), 1 << rng.randrange(8)
        path.write_bytes(whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :])
        with pytest.raises(StateError, match="damaged"):
            store.bag(name) if which == "bags" else store.current()
    path.write_bytes(whole)
    assert store.current().number == 1


def test_a_swap_that_was_cut_off_at_any_step_left_the_old_or_the_new(tmp_path: Path) -> None:
    seen = set()
    for last in range(20):
        folder = str(tmp_path / str(last))
        store = StateFolder(folder)
        old = store.swap(0, {"": PartitionEntry("old", store.keep(b"old"))})
        ending = StateFolder(folder, Ending(last=last))
        try:
            ending.swap(1, {"": PartitionEntry("new", ending.keep(b"new"))}, PASSED)
        except Crash:
            found = store.current()
            seen.add(found.entries[""].fingerprint)
            assert found in (old, Generation(2, {"": PartitionEntry("new", store.keep(b"new"))}, PASSED))
            assert store.bag(found.entries[""].bag).decode() == found.entries[""].fingerprint
            store.collect()
            assert len(list((tmp_path / str(last) / "bags").iterdir())) == 1
            continue
        assert seen == {"old", "new"}
        return
    pytest.fail("the swap has more steps than were tried")


def test_states_of_another_format_are_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    StateFolder(str(tmp_path)).swap(0, {})
    monkeypatch.setattr("treaty.engine.states.generations.FORMAT", 2)
    with pytest.raises(StateError, match="format 1 cannot be read by this version, which reads 2"):
        StateFolder(str(tmp_path)).current()
