"""Every released format of states is read for ever, or refused by name; nothing of it that is damaged is read."""

import json
import operator
import os
import random
import shutil
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from support.state_formats import (
    BIGGEST,
    FILED,
    FILES,
    FORMATS,
    GATE,
    HERE,
    INLINE,
    INTENT,
    MANY,
    VALUES,
    columns_of,
    values_of,
    write,
)  # fmt: skip

from treaty.engine.components.base import COMPONENTS
from treaty.engine.core.disk import dump_checked, load_checked
from treaty.engine.core.errors import StateError
from treaty.engine.gate import publication_intent
from treaty.engine.states import envelope, generations
from treaty.engine.states.bag import unpack
from treaty.engine.states.generations import StateFolder
from treaty.engine.states.inventory import inventory
from treaty.engine.states.state_files import StateFiles

RELEASED = sorted(each for each in HERE.iterdir() if each.is_dir())
TODAY = max(RELEASED, key=lambda each: int(each.name.removeprefix("format-")))
ADD = "make fixtures of it: python -m support.state_formats format-N (see tests/support/state_formats.py)"


@pytest.fixture(params=RELEASED, ids=lambda each: each.name)
def released(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


def told(folder: Path) -> Any:
    return json.loads((folder / VALUES).read_text("utf-8"))


def is_todays(state: Mapping[str, Any]) -> bool:
    kind = COMPONENTS.get(state["kind"])
    return kind is not None and kind.version == state["version"]


def bags(folder: Path) -> Iterator[tuple[bytes, StateFiles | None, Any]]:
    """The packed bags, where their large states lie, and what each state says."""
    values = told(folder)["states"]
    yield (folder / INLINE).read_bytes(), None, values[INLINE]
    yield (folder / FILED).read_bytes(), StateFiles(str(folder / FILES)), values[INLINE]
    yield (folder / MANY).read_bytes(), None, values[MANY]


def test_states_are_read_as_they_were_or_refused_one_by_one(released: Path) -> None:
    if told(released)["formats"]["bag"] != envelope.FORMAT:
        for packed, files, _ in bags(released):
            with pytest.raises(StateError, match=r"format \d+ cannot be read .*; compute the partition again"):
                unpack(packed, files)
        return
    for packed, files, values in bags(released):
        expected = {key: state for key, state in values.items() if is_todays(state)}
        assert values_of(unpack(packed, files)) == expected
        held, _ = inventory(packed)
        assert {each.key: each.usable for each in held} == {key: is_todays(state) for key, state in values.items()}


def test_a_bag_keeps_its_schema_and_what_failed(released: Path) -> None:
    if told(released)["formats"]["bag"] == envelope.FORMAT:
        back = unpack((released / INLINE).read_bytes())
        assert columns_of(back.schema) == told(released)["schema"]
        assert dict(back.failures) == told(released)["failures"]


def test_a_gate_s_generation_is_read_or_refused_by_name(released: Path) -> None:
    store, expected = StateFolder(str(released / GATE)), told(released)
    if expected["formats"]["generation"] != generations.FORMAT:
        with pytest.raises(StateError, match="format"):
            store.current()
        return
    found = store.current()
    assert _as_recorded(asdict(found), expected["generation"]) == expected["generation"]
    assert store.bag(found.entries["day=2026-01-01"].bag) == b"a bag that the gate keeps"


def test_a_gate_s_intent_is_read_or_refused_by_name(released: Path) -> None:
    if told(released)["formats"]["intent"] != publication_intent.FORMAT:
        with pytest.raises(StateError, match="another version"):
            publication_intent.read(str(released / INTENT))
        return
    found = publication_intent.read(str(released / INTENT))
    assert found is not None
    recorded = told(released)["intent"]
    assert _as_recorded(json.loads(json.dumps(asdict(found))), recorded) == recorded


def _as_recorded(found: Any, recorded: Any) -> Any:
    """What was found, without the fields that came later: those have a meaning where they are missing."""
    if not (isinstance(found, dict) and isinstance(recorded, dict)):
        return found
    return {name: _as_recorded(found[name], recorded[name]) for name in recorded}


def test_every_kind_of_component_and_every_format_of_today_has_fixtures() -> None:
    kept = [told(folder) for folder in RELEASED]
    found = {(s["kind"], s["version"]) for each in kept for bag in each["states"].values() for s in bag.values()}
    assert {(kind, each.version) for kind, each in COMPONENTS.items()} <= found, ADD
    for name, number in FORMATS.items():
        assert number in [each["formats"][name] for each in kept], ADD


def test_fixtures_are_small_and_are_never_written_again(released: Path) -> None:
    assert sum(path.stat().st_size for path in released.rglob("*") if path.is_file()) <= BIGGEST
    with pytest.raises(FileExistsError):
        write(None, released)


def rewritten(change: Callable[[dict[str, Any]], None]) -> bytes:
    """A packed bag of today's format with another head and the checksum that goes with it."""
    packed = (TODAY / INLINE).read_bytes()
    (length,) = struct.unpack(">I", packed[4:8])
    head = json.loads(packed[8 : 8 + length])
    change(head)
    written = json.dumps(head).encode()
    body = packed[:4] + struct.pack(">I", len(written)) + written + packed[8 + length : -32]
    return body + sha256(body).digest()


def test_a_bag_of_a_format_to_come_is_refused_by_name() -> None:
    with pytest.raises(StateError, match="format 99 cannot be read by this version, which reads"):
        unpack(rewritten(lambda head: head.update(format=99)))


def test_a_state_of_a_version_to_come_is_left_out_and_the_others_are_read() -> None:
    every = unpack(rewritten(lambda _: None)).entries.keys()
    held, _ = inventory(rewritten(lambda _: None))
    for at, each in enumerate(held):
        changed = unpack(rewritten(lambda head, at=at: operator.setitem(head["states"][at], 2, 99)))  # type: ignore[misc]
        assert changed.entries.keys() == every - {each.key}


@pytest.mark.parametrize(("name", "said"), [(f"{GATE}/current.json", "format 99"), (INTENT, "another version")])
def test_the_gate_s_documents_of_a_format_to_come_are_refused_by_name(
    name: str, said: str, released: Path, tmp_path: Path
) -> None:
    path = tmp_path / Path(name).name
    path.write_bytes(dump_checked({**load_checked((released / name).read_bytes(), name), "format": 99}))
    with pytest.raises(StateError, match=said):
        READERS[name](path)


def read_file(path: Path) -> None:
    StateFiles(str(path.parent)).read(path.name)


# How each kind of file is read, by the way to it in a folder of fixtures.
READERS: dict[str, Callable[[Path], object]] = {
    INLINE: lambda path: unpack(path.read_bytes()),
    FILED: lambda path: unpack(path.read_bytes(), StateFiles(str(path.parent / FILES))),
    f"{FILES}/*.parquet": read_file,
    f"{GATE}/current.json": lambda path: StateFolder(str(path.parent)).current(),
    f"{GATE}/bags/*": lambda path: StateFolder(str(path.parent.parent)).bag(path.name),
    INTENT: lambda path: publication_intent.read(str(path)),
}


@pytest.mark.parametrize("name", READERS)
def test_every_flipped_bit_is_detected(name: str, released: Path, tmp_path: Path) -> None:
    # All of the folder: a bag whose files are missing is refused whatever its bits are.
    path = min(shutil.copytree(released, tmp_path / "copy").glob(name))
    whole, rng = path.read_bytes(), random.Random(20261121)
    if released == TODAY:
        READERS[name](path)
    # In its place: a file that is cut and written anew has the disk wait, and a thousand of them a minute.
    with path.open("r+b", buffering=0) as file:
        for _ in range(1000):
            at, bit = rng.randrange(len(whole)), 1 << rng.randrange(8)
            os.pwrite(file.fileno(), bytes([whole[at] ^ bit]), at)
            with pytest.raises(StateError):
                READERS[name](path)
            os.pwrite(file.fileno(), whole[at : at + 1], at)
