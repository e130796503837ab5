"""A gate keeps of a table what every contract about it lets be kept, not its own alone."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from sqlalchemy import Engine
from support import canaries
from support.api import plain
from support.gates import Rows
from support.registered import Registered, registered

from treaty.contracts.document import writer
from treaty.contracts.document.classification import ALONE
from treaty.contracts.document.reader import read
from treaty.engine.core.hash_key import SIZE, HashKey
from treaty.engine.gate.gate import open_gate
from treaty.engine.states import inventory
from treaty.engine.states.envelope import MAGIC
from treaty.engine.states.missing_states import MissingState
from treaty.engine.states.state_files import StateFiles
from treaty.registry.tables import PartitionStateRow

A, B = "day=2026-01-01", "day=2026-01-02"
CANARY = 470_811_123
KEY = HashKey(b"k" * SIZE)
# What the contract measures; how often each number occurs is not kept of classified ones, but by their hashes.
ALL = {"count", "min", "frequencies"}
OPEN = ALL - {"frequencies"}


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test here loses power."""
    monkeypatch.setattr("os.fsync", lambda _: None)


@pytest.fixture
def table(engine: Engine, tmp_path: Path) -> Registered:
    return registered(engine, tmp_path)


def classified(table: Registered) -> None:
    """Another contract about the table comes into force, which classifies its numbers."""
    content = plain("their-own-secret", physical=table.gated.table)
    content["schema"][0] |= {"name": "their-name", "tags": ["their-tag"]}
    content["schema"][0]["properties"][0]["classification"] = "restricted"
    table.approve_document(writer.write(content).decode())


def kinds(table: Registered) -> dict[str, set[str]]:
    """The kinds of the current states of each partition."""
    current = [row for row in table.rows(PartitionStateRow) if row.until_version is None]
    return {row.partition: {held.kind for held in inventory.inventory(row.states)[0]} for row in current}


def why(table: Registered) -> set[str]:
    """Why states of current partitions are not there."""
    current = [row for row in table.rows(PartitionStateRow) if row.until_version is None]
    return {reason for row in current for reason in inventory.inventory(row.states)[1].values()}


def shown(table: Registered) -> bytes:
    """All that the registry's states say, in its database and in files: bags that a gate handed in, too."""
    files = StateFiles(str(table.gated.folder / "home" / "states"))
    stored = [canaries.shown(row.states, files) for row in table.rows(PartitionStateRow)]
    kept = [each.read_bytes() for each in Path(files.url).iterdir()]
    return b"".join([*stored, *(canaries.shown(each) for each in kept if each.startswith(MAGIC))])


def test_what_another_contract_classifies_is_not_kept(table: Registered) -> None:
    classified(table)
    run = table.publish({A: [1, CANARY, CANARY]}).run
    assert run is not None
    assert (run.verdict, kinds(table), why(table)) == ("warned", {A: OPEN}, {MissingState.KEYLESS})
    assert [each.value for each in run.results if each.check_id == "once"] == [0.5]
    assert (table.told, str(CANARY).encode() in shown(table)) == ("warned", False)


def test_the_search_finds_what_nobody_classifies(table: Registered) -> None:
    table.publish({A: [1, CANARY, CANARY]})
    assert (kinds(table), str(CANARY).encode() in shown(table)) == ({A: ALL}, True)


def test_what_was_kept_before_is_measured_again_by_the_next_gate(table: Registered) -> None:
    published(table, {A: [1, 3], B: [2]})
    assert keys(table) == {A: {""}, B: {""}}
    classified(table)
    published(table, {B: [4]})
    assert (keys(table), table.gated.rows) == ({A: {KEY.id}, B: {KEY.id}}, {A: [1, 3], B: [4]})


def test_what_came_into_force_since_the_gate_asked_is_left_out_of_what_it_hands_in(table: Registered) -> None:
    with table.gate() as gate, open_gate(replace(gate, key=KEY)) as candidate:
        candidate.write({A: [1, 3]})
        classified(table)
    assert (kinds(table), why(table), table.told) == ({A: OPEN}, {MissingState.CLASSIFIED}, "passed")
    published(table, {B: [2]})
    assert (keys(table), why(table)) == ({A: {KEY.id}, B: {KEY.id}}, set())


def test_hashes_that_are_handed_in_are_known_again(table: Registered) -> None:
    classified(table)
    published(table, {A: [1, 2]})
    published(table, {B: [3]})
    assert keys(table) == {A: {KEY.id}, B: {KEY.id}}
    assert {row.generation for row in table.rows(PartitionStateRow)} == {1}


def published(table: Registered, rows: Rows) -> None:
    """By a gate that hashes with a key."""
    with table.gate() as gate, open_gate(replace(gate, key=KEY)) as candidate:
        candidate.write(rows)


def keys(table: Registered) -> dict[str, set[str]]:
    """By current partition, the keys that its frequencies were hashed with; '' for none."""
    current = {
        row.partition: inventory.inventory(row.states)[0]
        for row in table.rows(PartitionStateRow)
        if row.until_version is None
    }
    return {name: {each.key_id for each in held if each.kind == "frequencies"} for name, held in current.items()}


def test_the_gate_is_told_what_is_classified_and_nothing_else(table: Registered) -> None:
    assert table.world.client("producer").gated_dataset("orders").classifying == ()
    classified(table)
    (told,) = table.world.client("producer").gated_dataset("orders").classifying
    assert yaml.safe_load(told)["schema"] == [
        {"name": ALONE["id"], "logicalType": "object", "properties": [{"name": "id", "classification": "restricted"}]}
    ]
    assert (read(told.encode()).id, "their" in told) == (ALONE["id"], False)
