"""What a worker looks after by the clock, beside its tasks: each duty in a thread of its own, however long tasks take.

Any number of workers have the same duties at once: what a duty does is done once, by whoever comes first."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from threading import Event as Flag
from threading import Thread

from sqlalchemy.exc import OperationalError

from treaty.registry.core.database import read_session, transaction
from treaty.registry.drafting import nightly_redraft, refits
from treaty.registry.measurements.patterns import index_updates
from treaty.registry.notifications.delivery import OutboxDeliverer
from treaty.registry.review.approval import activation
from treaty.registry.validation import schedule
from treaty.registry.worker.context import WorkerContext
from treaty.registry.worker.intake import orphans
from treaty.registry.worker.operations import upkeep

log = logging.getLogger("treaty.worker")
PATIENCE = 5.0


@dataclass(frozen=True)
class PeriodicJob:
    """Something that is looked after so often. `do` has transactions of its own."""

    name: str
    every: timedelta
    do: Callable[[WorkerContext], object]


def order_upkeep(means: WorkerContext) -> int:
    """Has some worker do today's upkeep; 0 where that is ordered already."""
    now = means.clock()
    with read_session(means.database) as tx:
        if upkeep.ordered(tx, now=now):
            return 0
    with transaction(means.database) as tx:
        task = upkeep.schedule_upkeep(tx, now=now, task_id=means.ids())
        tx.commit()
    return int(task is not None)


def keep_time(means: WorkerContext) -> int:
    """Puts versions in force that are due and ends those whose time is over; how many there were."""
    return _done(means, activation.waiting, activation.apply_schedule)


def keep_appointments(means: WorkerContext) -> int:
    """Makes tasks of deadlines that passed and of files that nobody looked at; how many there were."""
    return _done(means, schedule.waiting, schedule.keep)


def find_orphans(means: WorkerContext) -> int:
    """Has what runs without an end wrote looked at; how many such runs there were."""
    return _done(means, orphans.waiting, orphans.find)


def _done(means: WorkerContext, waits: Callable[..., object], do: Callable[..., int]) -> int:
    """What is done in a transaction where something waits for it: to look keeps nobody from writing."""
    now = means.clock()
    with read_session(means.database) as tx:
        if not waits(tx, now=now):
            return 0
    with transaction(means.database) as tx:
        found = do(tx, now=now, ids=means.ids)
        tx.commit()
    return found


def order_redrafts(means: WorkerContext) -> int:
    """Has contracts in force drafted anew, in the hour that is set for it; how many tasks that makes."""
    now = means.clock()
    if not nightly_redraft.is_due(means.settings, now=now):
        return 0
    with transaction(means.database) as tx:
        made = nightly_redraft.order(tx, means.settings, now=now, ids=means.ids)
        tx.commit()
    return made


def order_learning(means: WorkerContext) -> int:
    """Has patterns learned before contracts are drafted anew; how many tasks that makes."""
    now = means.clock()
    if not nightly_redraft.is_due(means.settings, now=now):
        return 0
    with transaction(means.database) as tx:
        made = index_updates.order(tx, now=now, ids=means.ids)
        tx.commit()
    return made


def order_refits(means: WorkerContext) -> int:
    """Has programs refitted whose versions admit it, in the hour in which contracts are drafted anew; how many tasks
    that makes."""
    now = means.clock()
    if not nightly_redraft.is_due(means.settings, now=now):
        return 0
    with transaction(means.database) as tx:
        made = refits.order(tx, now=now, ids=means.ids)
        tx.commit()
    return made


def deliver(means: WorkerContext) -> int:
    """Delivers what waits in the outbox; how many tries there were."""
    return OutboxDeliverer(
        database=means.database, settings=means.settings, clock=means.clock, jitter=means.jitter
    ).drain()


DUTIES = (
    PeriodicJob("upkeep", timedelta(minutes=1), order_upkeep),
    PeriodicJob("versions", timedelta(seconds=1), keep_time),
    PeriodicJob("appointments", timedelta(seconds=5), keep_appointments),
    PeriodicJob("patterns", timedelta(minutes=10), order_learning),
    PeriodicJob("redrafts", timedelta(minutes=10), order_redrafts),
    PeriodicJob("refits", timedelta(minutes=10), order_refits),
    PeriodicJob("orphans", timedelta(minutes=1), find_orphans),
    # Several, so that one that waits for a slow destination holds up no other destination.
    *(PeriodicJob(f"messages-{at}", timedelta(seconds=0.5), deliver) for at in range(3)),
)


@contextmanager
def run_periodic_jobs(means: WorkerContext, duties: Sequence[PeriodicJob]) -> Iterator[None]:
    """Looks after all duties for as long as the block takes. One that fails is tried again when it is due next."""
    over = Flag()
    threads = [Thread(target=_watch, args=(means, each, over), name=each.name, daemon=True) for each in duties]
    for each in threads:
        each.start()
    try:
        yield
    finally:
        over.set()
        for each in threads:
            each.join(PATIENCE)


def _watch(means: WorkerContext, duty: PeriodicJob, over: Flag) -> None:
    while not over.is_set():
        try:
            duty.do(means)
        except OperationalError:
            log.warning("the database does not answer; %s is looked after later", duty.name)
        except Exception:
            log.exception("%s could not be looked after", duty.name)
        over.wait(duty.every.total_seconds())
