"""Real processes that are killed while they publish; `make kills-gate` for 500 of them."""

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.folders import ROOT
from support.gates import Gated, Rows

KILLS = int(os.environ.get("GATE_KILLS", "25"))
DAYS = ["day=1", "day=2", "day=3"]
Publish = Callable[[Gated, int, Rows], int]


@contextmanager
def publishing() -> Iterator[Publish]:
    """What publishes rows in a process of its own, kills it at a step, and says how it ended."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    program = [sys.executable, str(ROOT / "tests" / "support" / "gate_kill.py")]
    process = subprocess.Popen(
        program, env={**os.environ, "PYTHONPATH": path}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin
    assert process.stdout

    def publish(gated: Gated, step: int, rows: Rows) -> int:
        print(json.dumps([str(gated.folder), step, rows]), file=process.stdin, flush=True)
        return int(process.stdout.readline())  # type: ignore[union-attr]

    with process:
        yield publish
        process.stdin.close()


def recovered(gated: Gated, before: Rows, candidate: Rows) -> str:
    """What recovery did after a process ended; the law is held to before it and after."""
    was_open = gated.open
    assert not was_open or gated.answer == "unknown"
    how = gated.recover()
    assert (how == "nothing") == (not was_open)
    if gated.rows != before:
        assert gated.rows == {**before, **candidate}
        assert min(min(each) for each in candidate.values()) > 0
    assert (gated.agree(), gated.answer, gated.leftovers) == (True, "passed", [])
    return how


@pytest.mark.search
def test_a_kill_while_publishing_leaves_table_and_states_that_agree_when_recovered(tmp_path: Path) -> None:
    gated, rng, done = Gated(tmp_path), random.Random(20261121), []
    gated.publish({"day=1": [1]})
    with publishing() as publish:
        while len(done) < KILLS:
            before = gated.rows
            # Of a hundred numbers one breaks the contract.
            candidate = {day: [rng.randrange(100)] for day in rng.sample(DAYS, rng.randint(1, 3))}
            ended = publish(gated, rng.randrange(30), candidate)
            assert ended in (0, 1, -signal.SIGKILL)
            how = recovered(gated, before, candidate)
            done += [how] if ended < 0 else []
    assert set(done) == {"forward", "nothing"}
