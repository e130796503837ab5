"""Run the worker's periodic jobs, each in a thread of its own, independently of tasks.

Every worker runs all jobs. The database ensures that each piece of work is done once, by the first worker that
claims it."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile
from threading import Event as Flag
from threading import Thread

from sqlalchemy.exc import OperationalError
from sqlmodel import Session

from treaty.registry.catalogs import health
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import TaskKind
from treaty.registry.drafting import nightly_redraft, refits
from treaty.registry.notifications.delivery import OutboxDeliverer
from treaty.registry.queue import registry_tasks
from treaty.registry.review.approval import activation
from treaty.registry.validation import schedule
from treaty.registry.worker import job_attempts
from treaty.registry.worker.context import WorkerContext
from treaty.registry.worker.intake import orphans
from treaty.registry.worker.operations import upkeep
from treaty.registry.worker.watchdog import UnitKind

log = logging.getLogger("treaty.worker")
PATIENCE = 5.0
# Less than the lease of a message.
DELIVERY_SECONDS = 90.0
MESSAGES_AT_A_TIME = 100
# Longest pause before a job that is paused, or run by another worker for the first time, is looked at again.
LOOK = timedelta(seconds=10)
# The same before a job that waits for its turn.
SOON = timedelta(milliseconds=50)


@dataclass(frozen=True)
class PeriodicJob:
    """A job that runs at an interval; `do` opens its own transactions."""

    name: str
    every: timedelta
    do: Callable[[WorkerContext], object]


def order_upkeep(means: WorkerContext) -> int:
    """Enqueue today's upkeep task; return 0 if it was enqueued already, else 1."""
    now = means.clock()
    with read_session(means.database) as tx:
        if upkeep.ordered(tx, now=now):
            return 0
    with transaction(means.database) as tx:
        task = upkeep.schedule_upkeep(tx, now=now, task_id=means.ids())
        tx.commit()
    return int(task is not None)


def keep_time(means: WorkerContext) -> int:
    """Activate due versions and retire ended ones; return the number of versions."""
    return _done(means, activation.waiting, activation.apply_schedule)


def keep_appointments(means: WorkerContext) -> int:
    """Enqueue tasks for passed deadlines and due sweeps; return their number."""
    return _done(means, schedule.waiting, schedule.keep)


def find_orphans(means: WorkerContext) -> int:
    """Enqueue validations of the outputs of orphaned runs; return the number of runs."""
    return _done(means, orphans.waiting, orphans.find)


def order_catalog_reads(means: WorkerContext) -> int:
    """Enqueue reads of the catalogs that are due; return their number."""
    return _done(means, health.waiting, health.order_due)


def _done(means: WorkerContext, waits: Callable[..., object], do: Callable[..., int]) -> int:
    """Return the result of the job if there is work for it, else 0.

    The check uses a read transaction, so that idle jobs do not block writers."""
    now = means.clock()
    with read_session(means.database) as tx:
        if not waits(tx, now=now):
            return 0
    with transaction(means.database) as tx:
        count = do(tx, now=now, ids=means.ids)
        tx.commit()
    return count


def _at_night(means: WorkerContext, order: Callable[[Session, datetime], int]) -> int:
    """Enqueue tasks at the configured hour of redrafts; return their number."""
    now = means.clock()
    if not nightly_redraft.is_due(means.settings, now=now):
        return 0
    with transaction(means.database) as tx:
        count = order(tx, now)
        tx.commit()
    return count


def order_redrafts(means: WorkerContext) -> int:
    """Enqueue the redrafts of contracts in force."""
    return _at_night(means, lambda tx, now: nightly_redraft.order(tx, means.settings, now=now, ids=means.ids))


def order_learning(means: WorkerContext) -> int:
    """Enqueue the update of the pattern index, before the redrafts."""
    return _at_night(means, lambda tx, now: registry_tasks.order_daily(tx, TaskKind.LEARN, now=now, ids=means.ids))


def order_training(means: WorkerContext) -> int:
    """Enqueue the training of the key-name model, before the redrafts."""
    return _at_night(means, lambda tx, now: registry_tasks.order_daily(tx, TaskKind.TRAIN, now=now, ids=means.ids))


def order_refits(means: WorkerContext) -> int:
    """Enqueue the refits of programs whose contracts allow it."""
    return _at_night(means, lambda tx, now: refits.order(tx, now=now, ids=means.ids))


def deliver(means: WorkerContext) -> int:
    """Deliver the pending messages of the outbox; return the number of attempts."""
    deliverer = OutboxDeliverer(
        database=means.database, settings=means.settings, clock=means.clock, jitter=means.jitter, worker=means.name
    )
    return sum(takewhile(bool, (_deliver(means, deliverer) for _ in range(MESSAGES_AT_A_TIME))))


def _deliver(means: WorkerContext, deliverer: OutboxDeliverer) -> bool:
    """Deliver the next message within less time than its lease; return whether there was one."""
    seconds = min(DELIVERY_SECONDS, means.settings.job_timeout_seconds)
    message = deliverer.claim() if means.watchdog.is_free() else None
    if message is None:
        return False
    turn = means.watchdog.turn() if message.crashes else nullcontext()
    with means.watchdog.limit(UnitKind.MESSAGE, message.id, seconds), turn:
        deliverer.deliver(message)
    return True


DUTIES = (
    PeriodicJob("upkeep", timedelta(minutes=1), order_upkeep),
    PeriodicJob("versions", timedelta(seconds=1), keep_time),
    PeriodicJob("appointments", timedelta(seconds=5), keep_appointments),
    PeriodicJob("patterns", timedelta(minutes=10), order_learning),
    PeriodicJob("key-models", timedelta(minutes=10), order_training),
    PeriodicJob("redrafts", timedelta(minutes=10), order_redrafts),
    PeriodicJob("refits", timedelta(minutes=10), order_refits),
    PeriodicJob("orphans", timedelta(minutes=1), find_orphans),
    PeriodicJob("catalogs", timedelta(seconds=30), order_catalog_reads),
    # Several, so that a slow destination does not delay the others.
    *(PeriodicJob(f"messages-{at}", timedelta(seconds=0.5), deliver) for at in range(3)),
)


@contextmanager
def run_periodic_jobs(means: WorkerContext, duties: Sequence[PeriodicJob]) -> Iterator[None]:
    """Run the jobs while the block runs; a failed job is retried at its next interval."""
    stop = Flag()
    threads = [Thread(target=_watch, args=(means, each, stop), name=each.name, daemon=True) for each in duties]
    for each in threads:
        each.start()
    try:
        yield
    finally:
        stop.set()
        for each in threads:
            each.join(PATIENCE)


def _watch(means: WorkerContext, duty: PeriodicJob, over: Flag) -> None:
    runner = JobRunner(means, duty)
    while not over.is_set():
        pause = duty.every
        try:
            pause = runner.run()
        except OperationalError:
            log.warning("the database is not available; periodic job %s is retried later", duty.name)
        except Exception:
            log.exception("periodic job %s failed", duty.name)
        over.wait(pause.total_seconds())


@dataclass
class JobRunner:
    """Runs of a periodic job in this process. `survived`: whether one has ended; further ones are not counted."""

    means: WorkerContext
    job: PeriodicJob
    began: bool = False
    survived: bool = False

    def run(self) -> timedelta:
        """Run the job unless it is paused or has to wait; return the pause before the next run.

        First runs take turns: if one of them ends the process, no other job is suspected."""
        if self.survived:
            self._do()
            return self.job.every
        with self.means.watchdog.turn() as turn:
            if turn is None:
                return min(self.job.every, SOON)
            if not self._begin():
                return min(self.job.every, LOOK)
            self._do()
        return self.job.every

    def _do(self) -> None:
        seconds = self.means.settings.job_timeout_seconds
        with self.means.watchdog.limit(UnitKind.JOB, self.job.name, seconds, hand_over=self._survive):
            try:
                self.job.do(self.means)
            finally:
                self._survive()

    def _begin(self) -> bool:
        """Count the first run, once; return whether it may begin."""
        if not self.began:
            now, lease = self.means.clock(), timedelta(seconds=self.means.settings.job_timeout_seconds)
            with transaction(self.means.database) as tx:
                self.began = job_attempts.begin(tx, self.job.name, worker=self.means.name, now=now, lease=lease)
                tx.commit()
        return self.began

    def _survive(self) -> None:
        """Forget the attempts, once: an error of the job, or a message that it delivers, is handled elsewhere."""
        if not self.survived:
            with transaction(self.means.database) as tx:
                job_attempts.succeed(tx, self.job.name)
                tx.commit()
            self.survived = True
