"""Real workers that are killed while they validate, keep and deliver; `EMITTER_KILLS=200` for as many of them."""

import json
import os
import random
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine
from support.emitter_kill import scene_of, work
from support.folders import ROOT
from support.receivers import Receiver, receiver
from support.scenes import contract_in_force, rows

from treaty.registry.core.enums import OutboxState, TaskState
from treaty.registry.notifications.delivery import identity
from treaty.registry.tables import OutboxMessageRow, RunRow, TaskRow

KILLS = int(os.environ.get("EMITTER_KILLS", "6"))
Kill = Callable[[int, float], int]


@contextmanager
def killing(engine: Engine, home: Path, service: Receiver) -> Iterator[Kill]:
    """What has a worker work for so many rounds and kills it; how it ended."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    program = [sys.executable, str(ROOT / "tests" / "support" / "emitter_kill.py")]
    process = subprocess.Popen(
        program, env={**os.environ, "PYTHONPATH": path}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin
    assert process.stdout
    database = engine.url.render_as_string(hide_password=False)

    def kill(number: int, rounds: float) -> int:
        print(json.dumps([database, str(home), service.url, number, rounds]), file=process.stdin, flush=True)
        return int(process.stdout.readline())  # type: ignore[union-attr]

    with process:
        yield kill
        process.stdin.close()


def finished(engine: Engine, home: Path, service: Receiver, number: int) -> None:
    """Whatever the killed left is done."""
    database = engine.url.render_as_string(hide_password=False)
    for later in range(number, number + 30):
        scene = scene_of(database, str(home), later)
        work(scene, service.url)
        scene.database.dispose()
        left = [each for each in rows(engine, TaskRow) if each.state in (TaskState.QUEUED, TaskState.RUNNING)]
        if not left and all(each.state is OutboxState.SENT for each in rows(engine, OutboxMessageRow)):
            return
    raise AssertionError("something is never done")


def test_killed_workers_leave_no_run_untold_and_no_key_with_two_bodies(engine: Engine, tmp_path: Path) -> None:
    contract_in_force(engine)
    rng = random.Random(20261122)
    with receiver() as service:
        with killing(engine, tmp_path, service) as kill:
            ended = [kill(number, rng.uniform(0, 2)) for number in range(KILLS)]
        finished(engine, tmp_path, service, KILLS)
    assert set(ended) == {-signal.SIGKILL}
    messages = rows(engine, OutboxMessageRow)
    runs = rows(engine, RunRow)
    assert {each.key for each in messages} == {f"lineage/{each.id}" for each in runs}
    bodies = defaultdict(set)
    for got in service.got:
        bodies[got.headers["idempotency-key"]].add(got.body)
    assert set(bodies) == {identity(each) for each in messages}
    assert {len(each) for each in bodies.values()} == {1}
    assert len(runs) > KILLS
