"""Run the worker's periodic jobs, each in a thread of its own, independently of tasks.

Every worker runs all jobs. The database ensures that each piece of work is done once, by the first worker that
claims it."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from threading import Event as Flag
from threading import Thread

from sqlalchemy.exc import OperationalError

from treaty.registry.core.database import read_session, transaction
from treaty.registry.drafting import nightly_redraft, refits
from treaty.registry.measurements.patterns import index_updates
from treaty.registry.notifications.delivery import OutboxDeliverer
from treaty.registry.review.approval import activation
from treaty.registry.tables import OutboxMessageRow
from treaty.registry.validation import schedule
from treaty.registry.worker import job_attempts
from treaty.registry.worker.context import WorkerContext
from treaty.registry.worker.intake import orphans
from treaty.registry.worker.job_attempts import JobTurn
from treaty.registry.worker.operations import upkeep
from treaty.registry.worker.watchdog import UnitKind

log = logging.getLogger("treaty.worker")
PATIENCE = 5.0
# Less than the lease of a message.
DELIVERY_SECONDS = 90.0
# Longest pause before a job that is busy or paused is looked at again.
LOOK = timedelta(seconds=1)


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


def order_redrafts(means: WorkerContext) -> int:
    """Enqueue the redrafts of contracts in force at the configured hour; return the number of tasks."""
    now = means.clock()
    if not nightly_redraft.is_due(means.settings, now=now):
        return 0
    with transaction(means.database) as tx:
        count = nightly_redraft.order(tx, means.settings, now=now, ids=means.ids)
        tx.commit()
    return count


def order_learning(means: WorkerContext) -> int:
    """Enqueue the update of the pattern index before the redrafts; return the number of tasks."""
    now = means.clock()
    if not nightly_redraft.is_due(means.settings, now=now):
        return 0
    with transaction(means.database) as tx:
        count = index_updates.order(tx, now=now, ids=means.ids)
        tx.commit()
    return count


def order_refits(means: WorkerContext) -> int:
    """Enqueue the refits of programs whose contracts allow it, at the hour of redrafts.

    Returns the number of tasks."""
    now = means.clock()
    if not nightly_redraft.is_due(means.settings, now=now):
        return 0
    with transaction(means.database) as tx:
        count = refits.order(tx, now=now, ids=means.ids)
        tx.commit()
    return count


def deliver(means: WorkerContext) -> int:
    """Deliver the pending messages of the outbox; return the number of attempts."""
    return OutboxDeliverer(
        database=means.database, settings=means.settings, clock=means.clock, jitter=means.jitter,
        worker=means.name, attempt=partial(_delivery, means),
    ).drain()  # fmt: skip


@contextmanager
def _delivery(means: WorkerContext, message: OutboxMessageRow) -> Iterator[None]:
    """Limit the time of a delivery to less than its lease."""
    seconds = min(DELIVERY_SECONDS, means.settings.job_timeout_seconds)
    with means.watchdog.limit(UnitKind.MESSAGE, message.id, seconds), means.watchdog.turn(suspect=message.crashes > 0):
        yield


DUTIES = (
    PeriodicJob("upkeep", timedelta(minutes=1), order_upkeep),
    PeriodicJob("versions", timedelta(seconds=1), keep_time),
    PeriodicJob("appointments", timedelta(seconds=5), keep_appointments),
    PeriodicJob("patterns", timedelta(minutes=10), order_learning),
    PeriodicJob("redrafts", timedelta(minutes=10), order_redrafts),
    PeriodicJob("refits", timedelta(minutes=10), order_refits),
    PeriodicJob("orphans", timedelta(minutes=1), find_orphans),
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
    """Runs of a periodic job in this process. `turn`: result of counting the first one; None before it.

    `survived`: whether a run has ended, so that further runs are not counted."""

    means: WorkerContext
    job: PeriodicJob
    turn: JobTurn | None = None
    survived: bool = False

    def run(self) -> timedelta:
        """Run the job unless it is paused or another worker runs it first; return the pause before the next run."""
        if self.turn in {None, JobTurn.BUSY, JobTurn.PAUSED}:
            self.turn = self._begin()
        if self.turn in {JobTurn.BUSY, JobTurn.PAUSED}:
            return min(self.job.every, LOOK)
        limits, seconds = self.means.watchdog, self.means.settings.job_timeout_seconds
        with (
            limits.limit(UnitKind.JOB, self.job.name, seconds, hand_over=self._survive),
            limits.turn(suspect=self.turn is JobTurn.SUSPECT and not self.survived),
        ):
            self._do()
        return self.job.every

    def _do(self) -> None:
        try:
            self.job.do(self.means)
        finally:
            self._survive()

    def _begin(self) -> JobTurn:
        lease = timedelta(seconds=self.means.settings.job_timeout_seconds)
        with transaction(self.means.database) as tx:
            turn = job_attempts.begin(tx, self.job.name, worker=self.means.name, now=self.means.clock(), lease=lease)
            tx.commit()
        return turn

    def _survive(self) -> None:
        """Forget the attempts, once: an error of the job, or a message that it delivers, is handled elsewhere."""
        if not self.survived:
            with transaction(self.means.database) as tx:
                job_attempts.succeed(tx, self.job.name)
                tx.commit()
            self.survived = True
