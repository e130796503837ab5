"""The worker as a process of its own: it works until it is told to stop, and then ends cleanly."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.events import event
from support.scenes import NOON, Scene, add, contract_in_force, rows

from treaty.registry.core import ids
from treaty.registry.core.database import connect, migrate
from treaty.registry.core.enums import TaskState
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.tables import LineageRunRow, TaskRow


@contextmanager
def process(home: Path) -> Iterator[subprocess.Popen[str]]:
    """A worker over the database in `home`, working."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("TREATY_")}
    started = subprocess.Popen(
        [sys.executable, "-m", "treaty.registry.worker"],
        env={**environ, "TREATY_HOME": str(home)},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert started.stderr is not None
        assert any("worker started" in line for line in started.stderr)
        yield started
    finally:
        started.kill()
        started.communicate()


def until(done: Callable[[], bool]) -> None:
    """Waits for at most 20 seconds."""
    for _ in range(200):
        if done():
            return
        time.sleep(0.1)
    pytest.fail("it did not happen within 20 seconds")


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_that_is_told_to_stop_ends_cleanly(tmp_path: Path, told: signal.Signals) -> None:
    with process(tmp_path / "new") as started:
        started.send_signal(told)
        _, log = started.communicate(timeout=20)
    assert started.returncode == 0
    assert "Traceback" not in log


def test_a_worker_takes_up_what_waits(tmp_path: Path) -> None:
    settings = RegistrySettings(home=tmp_path)
    database = connect(settings.database)
    migrate(database)
    contract_in_force(database)
    Scene(database, tmp_path).send(event("START"))
    add(database, TaskRow(id=ids.new(), kind="dance", payload={}, key="d", available_at=NOON, created_at=NOON))
    with process(tmp_path):
        until(lambda: rows(database, TaskRow)[0].state is TaskState.FAILED)
    assert rows(database, TaskRow)[0].error == "unknown kind of task: dance"
    # The event itself is older than events are kept: what was folded of it stays.
    assert len(rows(database, LineageRunRow)) == 1
    database.dispose()
