"""Worker loop: process lineage events and run one task at a time, until stopped."""

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from threading import Event as Flag
from threading import Thread
from typing import Any

from sqlalchemy.exc import OperationalError

from treaty.engine.core import interrupts
from treaty.registry.core import logs
from treaty.registry.core.database import read_session, transaction
from treaty.registry.lineage.events import event_store
from treaty.registry.queue import task_queue
from treaty.registry.queue.task_queue import LeaseLost
from treaty.registry.tables import TaskRow
from treaty.registry.worker import failures, periodic, recovery, task_handlers
from treaty.registry.worker.context import WorkerContext
from treaty.registry.worker.inbox import Inbox
from treaty.registry.worker.watchdog import SuspectTurn, UnitKind

log = logging.getLogger("treaty.worker")


@dataclass
class StopSignal:
    """Flag that requests the worker to stop; a plain field, as a signal may arrive under a lock."""

    requested: bool = False


@dataclass(frozen=True)
class Worker(WorkerContext):
    """A worker with its dependencies."""

    def step(self) -> bool:
        """Process pending events, then run one task; return whether there was anything to do."""
        folded = self.take_in()
        return self.work() or folded

    def is_due(self) -> bool:
        """Return whether a step may find something to do. Reads only: an idle worker does not block writers."""
        now = self.clock()
        with read_session(self.database) as session:
            waiting = event_store.is_due(session, now=now) or task_queue.is_due(session, now=now)
        return waiting or bool(self._inbox.claimed)

    def forever(self, stop: StopSignal) -> None:
        """Run steps until stopped; sleep while idle, and retry while the database is unavailable."""
        with periodic.run_periodic_jobs(self, periodic.DUTIES):
            while not stop.requested:
                try:
                    busy = self.is_due() and self.step()
                except OperationalError:
                    log.warning("the database is not available; retrying", exc_info=True)
                    busy = False
                if not busy:
                    time.sleep(self.settings.poll_seconds)

    def take_in(self) -> bool:
        """Process pending events; return whether there were any."""
        return self._inbox.take_in()

    @cached_property
    def _inbox(self) -> Inbox:
        return Inbox(self)

    def work(self) -> bool:
        """Run the most urgent task; return False if there is none."""
        task: TaskRow | None = None
        try:
            with self.watchdog.turn() as turn:
                # A task claimed during an interrupt would be stuck until its lease expires.
                with interrupts.defer_interrupts():
                    task = self._claim() if turn else None
                if task is not None and turn:
                    self._attempt(task, turn)
        except KeyboardInterrupt:
            if task is not None:
                self._release(task)
            raise
        return task is not None

    def _attempt(self, task: TaskRow, turn: SuspectTurn) -> None:
        if not task.crashes:
            self.watchdog.leave(turn)
        with (
            logs.log_fields(**_task_fields(task)),
            failures.survive_errors(partial(self._give_back, task)),
            self.figures.attempt(task),
            self.watchdog.limit(UnitKind.TASK, task.id, self.settings.task_timeout_seconds),
        ):
            self._do(task)

    def _claim(self) -> TaskRow | None:
        now, seconds = self.clock(), self.settings.task_timeout_seconds
        with self.watchdog.limit(UnitKind.CLAIM, "task", seconds), transaction(self.database) as tx:
            for failed in task_queue.fail_abandoned(tx, now=now):
                recovery.give_up(self, tx, failed, failed.error or "", now)
            task = task_queue.claim(tx, worker=self.name, now=now, lease=self.lease)
            tx.commit()
        return task

    def _do(self, task: TaskRow) -> None:
        with self._alive(task):
            effect = task_handlers.handler_of(task).work(self, task)
        with transaction(self.database) as tx:
            task_queue.check_lease(tx, task.id, task.fence)
            now = self.clock()
            result = effect(tx, now)
            task_queue.finish(tx, task.id, task.fence, result=result, now=now)
            tx.commit()
        self._log_result(result)

    def _log_result(self, result: Mapping[str, Any]) -> None:
        """Log and count the runs of a task: its own and those of other contracts."""
        runs = [each for each in (result, *result.get("also", ())) if "run_id" in each]
        for each in runs:
            self.figures.verdicts.labels(each["verdict"]).inc()
            logs.log_event(log, "verdict", run_id=each["run_id"], verdict=each["verdict"])
        if not runs:
            logs.log_event(log, "task finished")

    def _give_back(self, task: TaskRow, error: Exception) -> None:
        """Schedule a retry of the task, or give it up and store its failure."""
        now, reason = self.clock(), failures.reason(error)
        retry_at = (
            None if task.attempts >= failures.tries(error) else now + task_queue.pause(task.attempts, self.jitter())
        )
        with suppress(LeaseLost), transaction(self.database) as tx:
            task_queue.fail(tx, task.id, task.fence, error=reason, now=now, retry_at=retry_at)
            if retry_at is None:
                recovery.give_up(self, tx, task, reason, now)
            tx.commit()

    def _release(self, task: TaskRow) -> None:
        with suppress(LeaseLost), transaction(self.database) as tx:
            task_queue.release(tx, task.id, task.fence, now=self.clock())
            tx.commit()

    @contextmanager
    def _alive(self, task: TaskRow) -> Iterator[None]:
        """Extend the task's lease while the block runs."""
        done = Flag()
        heartbeat = Thread(target=self._beat, args=(task, done), name="heartbeat", daemon=True)
        heartbeat.start()
        try:
            yield
        finally:
            done.set()
            heartbeat.join()

    def _beat(self, task: TaskRow, done: Flag) -> None:
        while not done.wait(self.settings.heartbeat_seconds):
            try:
                with transaction(self.database) as tx:
                    task_queue.heartbeat(tx, task.id, task.fence, until=self.clock() + self.lease)
                    tx.commit()
            except LeaseLost:
                # The lease is lost or the task was cancelled, so the engine's work for it is useless.
                self.engine.cancel()
            except OperationalError:
                log.warning("a heartbeat could not be stored; the lease remains valid until it expires")


def _task_fields(task: TaskRow) -> dict[str, Any]:
    """Return the log fields of the task and of its trigger."""
    fields = {name: task.payload.get(name) for name in ("contract_id", "object", "lineage_run_id")}
    return {"task_id": task.id, "task_kind": task.kind, "attempt": task.attempts, **fields}
