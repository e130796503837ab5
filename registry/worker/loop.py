"""Worker loop: process lineage events and run one task at a time, until stopped."""

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import repeat, takewhile
from threading import Event as Flag
from threading import Thread
from typing import Any
from uuid import UUID

from sqlalchemy.exc import OperationalError
from sqlmodel import Session

from treaty.engine.core import interrupts
from treaty.registry.audit import audit_log
from treaty.registry.core import logs
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import LineageEventState
from treaty.registry.lineage.events import event_store
from treaty.registry.queue import task_queue
from treaty.registry.queue.task_queue import LeaseLost
from treaty.registry.tables import LineageEventRow, TaskRow
from treaty.registry.worker import failures, periodic, task_handlers
from treaty.registry.worker.context import WorkerContext
from treaty.registry.worker.intake import event_processing

log = logging.getLogger("treaty.worker")
ACTOR = "worker"
AT_A_TIME = 200
# Other transactions that change the same rows wait while this many events are processed.
BATCH_SIZE = 20


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

    def forever(self, stop: StopSignal) -> None:
        """Run steps until stopped; sleep while idle, and retry while the database is unavailable."""
        with periodic.run_periodic_jobs(self, periodic.DUTIES):
            while not stop.requested:
                try:
                    busy = self.step()
                except OperationalError:
                    log.warning("the database is not available; retrying", exc_info=True)
                    busy = False
                if not busy:
                    time.sleep(self.settings.poll_seconds)

    def take_in(self) -> bool:
        """Process pending events in batches; return whether there were any.

        If a batch fails, its events are processed one by one, so that a faulty event does not block the others."""
        batches = (self._fold_some() for _ in repeat(None, AT_A_TIME // BATCH_SIZE))
        return sum(takewhile(bool, batches)) > 0

    def work(self) -> bool:
        """Run the most urgent task; return False if there is none."""
        task: TaskRow | None = None
        try:
            # A task claimed during an interrupt would be stuck until its lease expires.
            with interrupts.defer_interrupts():
                task = self._claim()
            if task is not None:
                self._attempt(task)
        except KeyboardInterrupt:
            if task is not None:
                self._release(task)
            raise
        return task is not None

    def _attempt(self, task: TaskRow) -> None:
        with (
            logs.log_fields(**_task_fields(task)),
            failures.survive_errors(partial(self._give_back, task)),
            self.figures.attempt(task),
        ):
            self._do(task)

    def _fold_some(self) -> bool:
        try:
            return self._fold(BATCH_SIZE) > 0
        except Exception as error:
            log.info("a batch of lineage events failed and is processed one by one: %s", failures.reason(error))
            single_events = (self._fold_one() for _ in repeat(None, BATCH_SIZE))
            return sum(takewhile(bool, single_events)) > 0

    def _fold(self, most: int) -> int:
        """Process up to `most` events in one transaction; return their number."""
        with transaction(self.database) as tx:
            events = event_store.next_events(tx, most=most)
            self._take_in(tx, events)
        return len(events)

    def _fold_one(self) -> bool:
        with transaction(self.database) as tx:
            events = event_store.next_events(tx, most=1)
            for event in events:
                with (
                    logs.log_fields(event_key=event.content_hash),
                    failures.survive_errors(partial(self._blame, tx, event.id)),
                ):
                    self._take_in(tx, events)
        return bool(events)

    def _take_in(self, tx: Session, events: Sequence[LineageEventRow]) -> None:
        old = timedelta(days=self.settings.trigger_max_age_days)
        event_processing.process_events(tx, events, now=self.clock(), ids=self.ids, old=old)
        tx.commit()
        for each in events:
            logs.log_event(log, "event processed", event_key=each.content_hash, lineage_run_id=each.lineage_run_id)
            self.figures.events.labels(each.state).inc()

    def _blame(self, tx: Session, event_id: UUID, error: Exception) -> None:
        tx.rollback()
        event = event_store.blame(tx, event_id, failures.reason(error))
        if event.state is LineageEventState.PARKED:
            details = {"error": event.error}
            audit_log.record(
                tx, AuditAction.EVENT_PARKED, actor=ACTOR, object_id=event_id, details=details, now=self.clock()
            )
        tx.commit()
        self.figures.events.labels(event.state).inc()

    def _claim(self) -> TaskRow | None:
        now = self.clock()
        with transaction(self.database) as tx:
            for failed in task_queue.fail_abandoned(tx, now=now):
                self._give_up(tx, failed, failed.error or "", now)
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
                self._give_up(tx, task, reason, now)
            tx.commit()

    def _give_up(self, tx: Session, task: TaskRow, reason: str, now: datetime) -> None:
        task_handlers.handler_of(task).give_up(self, tx, task, reason, now=now)
        details = {"kind": task.kind, "attempts": task.attempts, "error": reason}
        audit_log.record(tx, AuditAction.TASK_FAILED, actor=ACTOR, object_id=task.id, details=details, now=now)

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
