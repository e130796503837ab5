"""A gate on a disk that loses its power: what was not synced may be gone, and table and states agree all the same."""

import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import pytest
from support.gates import Crash, Gated, Rows
from support.power import Powered

from treaty.engine.core.errors import EngineError, StateError
from treaty.engine.gate.gate import CandidateRejected

# How many parts of what was not synced are left in turn after each loss, beside nothing and everything of it; `make
# power-gate` for more.
PARTS = int(os.environ.get("GATE_POWER", "1"))
WALKS = int(os.environ.get("GATE_POWER_WALKS", "6"))
A, B, C = "day=1", "day=2", "day=3"


@dataclass(frozen=True)
class Scenario:
    before: Rows
    candidate: Rows
    partition_by: tuple[str, ...] = ("day",)

    @property
    def after(self) -> Rows:
        return {**self.before, **self.candidate}


SCENARIOS = {
    "a partition is replaced": Scenario({A: [1], B: [2]}, {A: [3]}),
    "the table is new": Scenario({}, {A: [1]}),
    "several are replaced and new": Scenario({A: [1], B: [2]}, {A: [4], B: [5], C: [6]}),
    "a table without partitions": Scenario({"": [1]}, {"": [2]}, ()),
    "a table of two levels": Scenario(
        {"day=1/hour=1": [1], "day=1/hour=2": [2]}, {"day=1/hour=2": [3], "day=2/hour=1": [4]}, ("day", "hour")
    ),
    "a candidate is rejected": Scenario({A: [1]}, {A: [-1]}),
}


def prepared(folder: Path, scenario: Scenario) -> Gated:
    """The table as it was before, all of which lasts."""
    folder.mkdir()
    gated = Gated(folder, scenario.partition_by)
    if scenario.before:
        with unsynced():
            gated.publish(scenario.before)
    return gated


def unsynced() -> "patch[object]":  # type: ignore[type-arg]
    """Syncs of disks that lose no power cost time alone."""
    return patch.object(os, "fsync", lambda _: None)


def published(gated: Gated, rows: Rows, disk: Powered) -> bool:
    """Whether the publication came to its end before the power was lost."""
    with disk.on():
        try:
            gated.publish(rows, disk)
        except Crash:
            return False
        except CandidateRejected:
            return True
    return True


def outcomes(disk: Powered, seed: object) -> Iterator[str]:
    """What may be left of the disk, one after another."""
    disk.left()
    yield "nothing that was not synced is left"
    disk.left(everything=True)
    yield "everything is left"
    for part in range(PARTS):
        disk.left(random.Random(f"{seed} {part}"))
        yield f"part {part} is left"


@pytest.mark.search
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_loss_of_power_at_any_sync_is_recovered_to_the_old_or_the_new(name: str, tmp_path: Path) -> None:
    scenario, last, seen = SCENARIOS[name], 0, set()
    accepted = name != "a candidate is rejected"
    while True:
        gated = prepared(tmp_path / str(last), scenario)
        disk = Powered(str(gated.folder), last)
        ended = published(gated, scenario.candidate, disk)
        for left in outcomes(disk, (name, last)):
            at = f"{name}: power lost before sync {last}, {left}"
            done = lawful(gated, (scenario.before, scenario.after), at)
            seen.add(done)
            # What was told to be published is published and settled, what was told not to be is not.
            told = "nothing", scenario.after if accepted else scenario.before
            assert not ended or (done, gated.rows) == told, at
        if ended:
            break
        last += 1
    # A candidate is whole on the disk before anything else changes, so nothing has to go back.
    assert seen == ({"nothing", "forward"} if accepted else {"nothing"})
    assert last >= (12 if accepted else 1)


def lawful(gated: Gated, possible: Sequence[Rows], at: str) -> str:
    """What recovery did; the law is held to before it and after."""
    with unsynced():
        if gated.open:
            assert gated.answer == "unknown", at
        else:
            settled(gated, possible, at)
        done = gated.recover()
        assert gated.recover() == "nothing", at
        assert not gated.open, at
        settled(gated, possible, at)
        assert gated.leftovers == [], at
    return done


def settled(gated: Gated, possible: Sequence[Rows], at: str) -> None:
    """The table is one of the possible ones, and its states are those of its files."""
    assert gated.rows in possible, at
    assert gated.agree(), at
    assert gated.answer == ("passed" if gated.rows else "unknown"), at


@pytest.mark.search
@pytest.mark.parametrize("seed", range(WALKS))
def test_after_any_number_of_kills_and_losses_table_and_states_agree(seed: int, tmp_path: Path) -> None:
    rng, rows = random.Random(seed), {A: [1], B: [2]}
    gated = prepared(tmp_path / "disk", Scenario({}, {}))
    with unsynced():
        gated.publish(rows)
    for loss in range(8):
        disk = Powered(str(gated.folder))
        # What may be in the table: what was there when something last came to its end, and what was begun since.
        possible = [rows]
        for _ in range(rng.randint(1, 4)):
            disk.resume(rng.randrange(60))
            possible = recovered(gated, disk, possible) if gated.open else attempted(gated, disk, possible, rng)
        disk.left(rng)
        lawful(gated, possible, f"seed {seed}, loss {loss}")
        rows = gated.rows


def test_what_was_recovered_after_a_kill_lasts(tmp_path: Path) -> None:
    scenario, last, ended = SCENARIOS["a partition is replaced"], 0, False
    while not ended:
        gated = prepared(tmp_path / str(last), scenario)
        disk = Powered(str(gated.folder), last)
        ended = published(gated, scenario.candidate, disk)
        disk.resume()
        (rows,) = recovered(gated, disk, [])
        disk.left()
        assert lawful(gated, [rows], f"killed before sync {last}") == "nothing"
        last += 1
    assert last >= 12


def attempted(gated: Gated, disk: Powered, possible: list[Rows], rng: random.Random) -> list[Rows]:
    """What may be in the table after a publication that perhaps came to its end."""
    candidate = {day: [rng.randrange(1, 9)] for day in rng.sample([A, B, C], rng.randint(1, 3))}
    after = {**gated.rows, **candidate}
    return [after] if published(gated, candidate, disk) else [*possible, after]


def recovered(gated: Gated, disk: Powered, possible: list[Rows]) -> list[Rows]:
    """What may be in the table after a recovery that perhaps came to its end."""
    with disk.on():
        try:
            gated.recover(disk)
        except Crash:
            return possible
    return [gated.rows]


def test_on_a_disk_that_is_never_synced_the_law_is_broken(tmp_path: Path) -> None:
    scenario, broken = SCENARIOS["a partition is replaced"], 0
    gated = prepared(tmp_path / "disk", scenario)
    disk = Powered(str(gated.folder))
    with unsynced():
        gated.publish(scenario.candidate, disk)
    for part in range(20):
        disk.left(random.Random(part))
        with unsynced():
            broken += is_broken(gated, scenario)
    assert broken >= 5


def is_broken(gated: Gated, scenario: Scenario) -> bool:
    """Whether table and states do not agree, or are of neither."""
    try:
        gated.recover()
        return gated.rows not in (scenario.before, scenario.after) or not gated.agree()
    except (EngineError, StateError, ValueError):
        return True
