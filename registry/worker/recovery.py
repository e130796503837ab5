"""Return the work of a worker process that died, and blame what ended it."""

import logging
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import LineageEventState
from treaty.registry.lineage.events import event_store
from treaty.registry.notifications import outbox
from treaty.registry.queue import task_queue
from treaty.registry.tables import LineageEventRow, OutboxMessageRow, TaskRow
from treaty.registry.worker import job_attempts, task_handlers
from treaty.registry.worker.context import WorkerContext
from treaty.registry.worker.watchdog import UnitKind

log = logging.getLogger("treaty.worker")
ACTOR = "worker"
# Attempts at a task or message that may end the worker process.
CRASHES = 3
BATCH = "batch"


@dataclass(frozen=True)
class Ending:
    """The end of the previous process of a worker. `kind`, `key`: unit that exceeded its limit; None if unknown."""

    reason: str
    kind: str | None = None
    key: str | None = None

    @classmethod
    def parse(cls, words: str) -> "Ending | None":
        """Return the ending that the supervisor passes; None if there was no process before."""
        match words.split():
            case ["overdue", kind, key, seconds]:
                return cls(f"took longer than {seconds} s", kind, key)
            case ["signal", number]:
                return cls(f"ended its worker process by signal {number}")
            case ["silent", seconds]:
                return cls(f"blocked its worker process for {seconds} s")
            case ["code", code]:
                return cls(f"ended its worker process with exit code {code}")
        return None

    def blames(self, kind: UnitKind, key: object) -> bool:
        """Return whether the unit, which was in progress, may have ended the process."""
        return self.kind is None or (self.kind == kind and self.key in {str(key), BATCH})


def recover(means: WorkerContext, ending: Ending) -> None:
    """Return all units that the previous process had. Attempts of those that are not to blame do not count."""
    log.warning("the previous worker process ended: its work %s", ending.reason)
    now = means.clock()
    with transaction(means.database) as tx:
        for event in event_store.leased(tx, means.name):
            _recover_event(means, tx, event, ending, now)
        for task in task_queue.leased(tx, means.name):
            _recover_task(means, tx, task, ending, now)
        for message in outbox.leased(tx, means.name):
            _recover_message(means, tx, message, ending, now)
        _recover_jobs(means, tx, ending, now)
        tx.commit()


def blame_event(tx: Session, event: LineageEventRow, error: str, now: datetime) -> None:
    """Record a failed attempt at the event, and its parking after the last one."""
    event_store.blame(event, error)
    if event.state is LineageEventState.PARKED:
        details = {"error": error}
        audit_log.record(tx, AuditAction.EVENT_PARKED, actor=ACTOR, object_id=event.id, details=details, now=now)


def give_up(means: WorkerContext, tx: Session, task: TaskRow, reason: str, now: datetime) -> None:
    """Store the effects of a task's failure."""
    task_handlers.handler_of(task).give_up(means, tx, task, reason, now=now)
    details = {"kind": task.kind, "attempts": task.attempts, "error": reason}
    audit_log.record(tx, AuditAction.TASK_FAILED, actor=ACTOR, object_id=task.id, details=details, now=now)


def _recover_event(means: WorkerContext, tx: Session, event: LineageEventRow, ending: Ending, now: datetime) -> None:
    if not ending.blames(UnitKind.EVENT, event.id):
        event_store.release(tx, [event])
        return
    blame_event(tx, event, _error(ending, event.attempts), now)
    means.figures.crashes.labels(UnitKind.EVENT).inc()


def _recover_task(means: WorkerContext, tx: Session, task: TaskRow, ending: Ending, now: datetime) -> None:
    if not ending.blames(UnitKind.TASK, task.id):
        task_queue.release(tx, task.id, task.fence, now=now)
        return
    error, crashes = _error(ending, task.attempts), task.crashes + 1
    retry_at = now + task_queue.pause(crashes, means.jitter()) if crashes < CRASHES else None
    task_queue.fail(tx, task.id, task.fence, error=error, now=now, retry_at=retry_at, crashes=crashes)
    if retry_at is None:
        give_up(means, tx, task, error, now)
    means.figures.crashes.labels(UnitKind.TASK).inc()


def _recover_message(
    means: WorkerContext, tx: Session, message: OutboxMessageRow, ending: Ending, now: datetime
) -> None:
    if not ending.blames(UnitKind.MESSAGE, message.id):
        outbox.release(tx, message)
        return
    message.crashes += 1
    retry_at = now + outbox.pause(message.crashes, means.jitter()) if message.crashes < CRASHES else None
    outbox.failed(tx, message, _error(ending, message.attempts), now=now, retry_at=retry_at)
    means.figures.crashes.labels(UnitKind.MESSAGE).inc()


def _recover_jobs(means: WorkerContext, tx: Session, ending: Ending, now: datetime) -> None:
    """Return the jobs in progress. A job that hung in a later run is blamed too, because it is known."""
    jobs = {each.name: each for each in job_attempts.leased(tx, means.name)}
    overdue = {ending.key} if ending.kind == UnitKind.JOB and ending.key else set()
    for name in sorted(jobs.keys() | overdue):
        if ending.blames(UnitKind.JOB, name):
            attempts = jobs[name].attempts if name in jobs else 1
            job_attempts.blame(tx, name, _error(ending, attempts), now=now)
            means.figures.crashes.labels(UnitKind.JOB).inc()
        else:
            job_attempts.release(tx, jobs[name])


def _error(ending: Ending, attempt: int) -> str:
    return f"{ending.reason}, in attempt {attempt}"
