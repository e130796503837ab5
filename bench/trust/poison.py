"""Measure the effects of poisonous work on a worker, and the costs of its supervisor."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.core.figures import Line

TESTS = Path(__file__).parents[2] / "tests"
WORKER = (sys.executable, "-m", "treaty", "worker")
MIB, IDLE_SECONDS = 1024, 5.0
TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Print how poisonous work and other work ended, and the costs of the supervisor."""
    sys.path.insert(0, str(TESTS))
    for kind, database in (("SQLite", _sqlite), ("PostgreSQL", _postgres)):
        for fault in ("kill", "hang"):
            with tempfile.TemporaryDirectory() as folder, database(Path(folder)) as engine:
                _print_fault(f"{kind}, {fault}", engine, Path(folder), fault)
    _print_costs()


def _print_fault(name: str, engine: Any, home: Path, fault: str) -> None:
    from support import poison, scenes
    from support.poison_worker import POISON

    from treaty.registry.core.enums import LineageEventState, OutboxState, TaskState
    from treaty.registry.tables import LineageEventRow, OutboxMessageRow, PeriodicJobRow, TaskRow
    from treaty.registry.worker.periodic import DUTIES

    poison.work_of_each_kind(engine)
    endings = poison.supervised(engine, home, fault)
    events = [(POISON in each.body.decode(), each.state) for each in scenes.rows(engine, LineageEventRow)]
    queued = [*scenes.rows(engine, TaskRow), *scenes.rows(engine, OutboxMessageRow)]
    outcomes = [*events, *((POISON in each.key, each.state) for each in queued)]
    parked, done = {LineageEventState.PARKED, TaskState.FAILED, OutboxState.DEAD}, {"processed", "done", "sent"}
    paused = {each.name for each in scenes.rows(engine, PeriodicJobRow) if each.paused_until}
    unparked = sum(is_poison and state not in parked for is_poison, state in outcomes) + len(DUTIES) - len(paused)
    undone = sum(not is_poison and state not in done for is_poison, state in outcomes)
    print(Line(f"{name}: processes that ended", len(endings) - 1, None, "").text, flush=True)
    print(Line(f"{name}: poisonous work not parked", unparked, 0, "").text, flush=True)
    print(Line(f"{name}: other work not done", undone, 0, "").text, flush=True)


def _print_costs() -> None:
    with tempfile.TemporaryDirectory() as home:
        # The first start creates the database.
        _idle(home, (*WORKER, "--name", "bench", "--channel", "2"))
        alone, start_alone = _idle(home, (*WORKER, "--name", "bench", "--channel", "2"))
        supervised, start = _idle(home, WORKER)
    print(Line("idle memory (PSS) of a worker alone", alone, None, "MiB").text)
    print(Line("idle memory (PSS) with its supervisor", supervised, 125, "MiB").text)
    print(Line("CPU to start a worker alone", start_alone, None, "CPU s").text)
    print(Line("CPU to start it with its supervisor", start, start_alone + 0.3, "CPU s").text)


def _idle(home: str, command: Sequence[str]) -> tuple[float, float]:
    """Return the memory (MiB) of an idle worker, and the CPU seconds of its start."""
    from support.processes import descendants

    log = Path(home, "worker.log")
    with log.open("wb") as output:
        started = subprocess.Popen(command, env={**os.environ, "TREATY_HOME": home}, stderr=output, stdout=output)
    try:
        while b"worker started" not in log.read_bytes():
            time.sleep(0.02)
        processes = [started.pid, *(each.pid for each in descendants(started.pid))]
        start = sum(_cpu(each) for each in processes)
        time.sleep(IDLE_SECONDS)
        return sum(_pss(each) for each in processes), start
    finally:
        started.terminate()
        started.wait()


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _pss(pid: int) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines()
    return sum(int(each.split()[1]) for each in lines if each.startswith("Pss:")) / MIB


@contextmanager
def _sqlite(folder: Path) -> Iterator[Any]:
    from support.databases import sqlite_copy, sqlite_template

    copy = folder / "copy"
    copy.mkdir()
    engine = sqlite_copy(sqlite_template(folder), copy)
    yield engine
    engine.dispose()


@contextmanager
def _postgres(_: Path) -> Iterator[Any]:
    from support.databases import postgres_server

    from treaty.registry.core.database import connect, migrate

    with postgres_server() as url:
        engine = connect(url)
        migrate(engine)
        yield engine
        engine.dispose()


if __name__ == "__main__":
    main()
