"""A supervised worker whose work is poisonous: a task of each kind, each periodic job, an event and a message of each
kind end its process, by a kill or by a limit of time. Sound work lies between them.

Processes are forked, so that none has to load everything anew. Prints how each of them ended."""

import ctypes
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg  # noqa: F401 - loaded once, before anything is forked
from sqlalchemy.orm import configure_mappers
from sqlmodel import col, select
from support.engines import FakeEngine, judge, lacking, large

from treaty.engine.core import clock
from treaty.registry.core.database import connect, read_session, transaction
from treaty.registry.core.enums import LineageEventState, OutboxState, TaskState
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.lineage.events import event_store
from treaty.registry.notifications import delivery, outbox
from treaty.registry.queue import task_queue
from treaty.registry.tables import LineageEventRow, OutboxMessageRow, PeriodicJobRow, TaskRow
from treaty.registry.worker import job_attempts, periodic, recovery, supervisor, task_handlers, watchdog
from treaty.registry.worker.intake import event_processing
from treaty.registry.worker.loop import Worker
from treaty.registry.worker.periodic import PeriodicJob, run_periodic_jobs
from treaty.registry.worker.task_handlers import TaskHandler

SOUND, POISON = "sound", "poison"
LIMIT = 0.4
TRIES = recovery.CRASHES
OPEN = (TaskState.QUEUED, TaskState.RUNNING)


def kill() -> None:
    """Ends the process as the system does when memory is short."""
    os.kill(os.getpid(), signal.SIGKILL)


def hang() -> None:
    """Never ends, and lets other threads run."""
    while True:
        time.sleep(0.05)


def freeze() -> None:
    """Never ends, and lets no other thread run: the sleep holds the interpreter."""
    ctypes.PyDLL(None).sleep(3600)


HARMS: dict[str, Callable[[], None]] = {"kill": kill, "hang": hang, "freeze": freeze}


def poisoned(harm: Callable[[], None]) -> list[PeriodicJob]:
    """Makes all work poisonous that says so, and returns the periodic jobs: one is sound, and delivers."""

    def work(_: Any, task: TaskRow) -> Any:
        if task.payload["is"] == POISON:
            harm()
        return lambda *_: {}

    def send(_: Any, message: OutboxMessageRow) -> None:
        if message.payload["is"] == POISON:
            harm()

    parsed = event_processing._parsed

    def parse(row: LineageEventRow) -> Any:
        if POISON.encode() in row.body:
            harm()
        return parsed(row)

    event_processing._parsed = parse
    task_handlers.KINDS.update(dict.fromkeys(task_handlers.KINDS, TaskHandler(work)))
    delivery.SENDERS = dict.fromkeys(delivery.SENDERS, send)
    sound = PeriodicJob(SOUND, timedelta(seconds=0.05), periodic.deliver)
    harmful = () if harm is freeze else periodic.DUTIES
    return [sound, *(replace(each, do=lambda _: harm()) for each in harmful)]


def is_done(worker: Worker, jobs: Sequence[PeriodicJob]) -> bool:
    """Whether all work has ended, well or not."""
    states = (
        select(TaskRow.id).where(col(TaskRow.state).in_(OPEN)),
        select(LineageEventRow.id).where(LineageEventRow.state == LineageEventState.NEW),
        select(OutboxMessageRow.id).where(OutboxMessageRow.state == OutboxState.WAITING),
    )
    with read_session(worker.database) as tx:
        paused = tx.exec(select(PeriodicJobRow.name).where(col(PeriodicJobRow.paused_until).is_not(None))).all()
        return not any(tx.exec(each.limit(1)).first() for each in states) and len(paused) == len(jobs) - 1


def warm(worker: Worker) -> None:
    """Has the database's statements compiled once, before anything is forked; changes nothing."""
    given: dict[str, Any] = {"worker": worker.name, "now": worker.clock(), "lease": worker.lease}
    with transaction(worker.database) as tx:
        event_store.claim(tx, most=20, **given)
        task_queue.claim(tx, **given)
        outbox.claim(tx, **given)
        job_attempts.begin(tx, SOUND, **given)
        for module in (event_store, task_queue, outbox, job_attempts):
            module.leased(tx, worker.name)
        tx.rollback()
    worker.database.dispose()


class Forked:
    """A process that was forked, with what a supervisor does with one."""

    def __init__(self, pid: int) -> None:
        self.pid, self.code = pid, None

    def poll(self) -> int | None:
        """Its exit code, once it ended."""
        return self._waited(os.WNOHANG)

    def wait(self) -> int:
        """Its exit code, when it ends."""
        return int(self._waited(0) or 0)

    def kill(self) -> None:
        """Ends it."""
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        """Sends it a signal."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def _waited(self, how: int) -> int | None:
        if self.code is None:
            pid, status = os.waitpid(self.pid, how)
            self.code = os.waitstatus_to_exitcode(status) if pid else None
        return self.code


class Forking(supervisor.Supervisor):
    """A supervisor that forks its processes. `ahead`: how far their clock is ahead; idle time passes quickly."""

    def __init__(self, order: dict[str, Any]) -> None:
        super().__init__(())
        self.order, self.ahead = order, multiprocessing.Value("d", 0.0)
        limits = {f"{each}_timeout_seconds": LIMIT for each in ("event", "task", "job")}
        settings = RegistrySettings(home=Path(order["home"]), **limits)
        parts: dict[str, Any] = {"evaluate": judge, "large": large, "missing_states": lacking, "jitter": lambda: 1.0}
        self.worker = Worker(
            database=connect(order["url"]), engine=FakeEngine({}), settings=settings, name=self.name,
            clock=self._now, **parts,
        )  # fmt: skip
        self.jobs = poisoned(HARMS[order["harm"]])
        warm(self.worker)

    def start(self, channel: int) -> "subprocess.Popen[bytes]":
        """Forks a process, and says how the one before it ended."""
        print(self.ending or "first", flush=True)
        pid = os.fork()
        if not pid:
            try:
                self.work(channel)
            finally:
                os._exit(0)
        return Forked(pid)  # type: ignore[return-value]

    def work(self, channel: int) -> None:
        """Does all there is to do."""
        worker, jobs = self.worker, self.jobs
        if ending := recovery.Ending.parse(self.ending):
            recovery.recover(worker, ending)
        with watchdog.guard(worker.watchdog, channel, 2 * LIMIT), run_periodic_jobs(worker, jobs):
            while not is_done(worker, jobs):
                if not worker.step():
                    self.ahead.value += 0.5
                    time.sleep(0.03)
            os._exit(0)

    def _now(self) -> datetime:
        return clock.now() + timedelta(seconds=self.ahead.value)


def main() -> None:
    """Supervises a worker over the database of the order."""
    configure_mappers()
    watchdog.BEAT_SECONDS = supervisor.TICK = 0.05
    watchdog.TURN_SECONDS = LIMIT / 2
    supervisor.PAUSES = (0.0,)
    sys.exit(Forking(json.loads(sys.argv[1])).run())


if __name__ == "__main__":
    main()
