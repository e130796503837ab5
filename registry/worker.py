"""The worker: folds lineage events into tasks and does one task at a time with the engine, until told to stop."""

import logging
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import partial
from itertools import repeat, takewhile
from pathlib import Path
from random import random
from threading import Event as Flag
from threading import Thread
from typing import Any, NoReturn
from uuid import UUID

from sqlalchemy import Engine as Database
from sqlalchemy.exc import OperationalError
from sqlmodel import Session

from contracts.errors import ContractError
from engine import key_files, plugins
from engine.judging import lacking
from engine.keying import Key
from engine.requests import Engine, EngineError, EngineKilled, Unreadable
from registry import (
    activation,
    audit,
    clock,
    config,
    consumer_checks,
    drafting,
    ids,
    orders,
    replays,
    states,
    tasks,
    upkeep,
    validation,
)
from registry.config import Settings
from registry.database import connect, migrate, reading, transaction
from registry.errors import Invalid, RegistryError
from registry.lineage import debounce, inbox, intake
from registry.orders import Consumers, Unworkable
from registry.portions import TaskParts
from registry.sampling import Sampling
from registry.tables import Task
from registry.tasks import Fenced
from registry.tools import Judge, Lacking, Large, Tools
from registry.validation import Ids
from registry.words import Action, InboxState

log = logging.getLogger("treaty.worker")
ACTOR = "worker"
AT_A_TIME = 200
TRIES: dict[type[Exception], int] = {Unreadable: 3, EngineKilled: 3, ContractError: 1, Invalid: 1, Unworkable: 1}
KINDS: dict[type[Exception], str] = {Unreadable: "unreachable", EngineKilled: "engine killed"}
# What a task's work leaves to be written, in the transaction that ends the task.
Effect = Callable[[Session, datetime], dict[str, Any]]


@dataclass
class Stop:
    """Whether the worker was told to stop. A plain field: the signal may come while a lock is held."""

    told: bool = False


@dataclass(frozen=True)
class Worker:
    """One worker. Everything it must remember is in the database, so that it may end at any moment."""

    database: Database
    engine: Engine
    judge: Judge
    large: Large
    settings: Settings
    lacking: Lacking = lacking
    clock: Callable[[], datetime] = clock.now
    ids: Ids = ids.new
    jitter: Callable[[], float] = random
    name: str = field(default_factory=lambda: f"worker-{ids.new()}")
    key: Key | None = None
    consumers: Consumers = consumer_checks.documents

    def tools(self, task: Task) -> Tools:
        """What the validation of that task works with."""
        sampling = Sampling(self.settings.sample_rows, timedelta(days=self.settings.sample_days))
        lease = timedelta(seconds=self.settings.lease_seconds)
        parts = TaskParts(self.database, task.id, task.fence, self.clock, lease)
        return Tools(
            self.database, self.engine, self.judge, self.lacking, self.large, self.clock, self.settings.states,
            sampling, parts, self.settings.portion_partitions, self.key,
        )  # fmt: skip

    def step(self) -> bool:
        """Folds events that wait, then does one task. False: there was nothing to do."""
        folded = self.take_in()
        return self.work() or folded

    def forever(self, stop: Stop) -> None:
        """Steps until told to stop, and rests while there is nothing to do. Waits for a database that is away."""
        ordered: date | None = None
        while not stop.told:
            try:
                ordered = self.order_upkeep(ordered)
                self.keep_time()
                busy = self.step()
            except OperationalError:
                log.warning("the database does not answer; trying again", exc_info=True)
                busy = False
            if not busy:
                time.sleep(self.settings.idle_seconds)

    def order_upkeep(self, ordered: date | None) -> date:
        """Has some worker do today's upkeep, unless it was `ordered` already; the day that it is ordered for."""
        now = self.clock()
        if now.date() != ordered:
            with transaction(self.database) as tx:
                upkeep.order(tx, now=now, task_id=self.ids())
                tx.commit()
        return now.date()

    def keep_time(self) -> int:
        """Puts versions in force that are due and ends those whose time is over; how many there were."""
        now = self.clock()
        with reading(self.database) as tx:
            if not activation.waiting(tx, now=now):
                return 0
        with transaction(self.database) as tx:
            moved = activation.keep_time(tx, now=now, ids=self.ids)
            tx.commit()
        return moved

    def take_in(self) -> bool:
        """Folds waiting events, each in its own transaction: one that cannot be folded stops no other."""
        attempts = (self._fold_one() for _ in repeat(None, AT_A_TIME))
        return sum(takewhile(bool, attempts)) > 0

    def work(self) -> bool:
        """Does the most urgent task. False: none waits."""
        task = self._claim()
        if task is None:
            return False
        try:
            with _survived(partial(self._give_back, task)):
                self._do(task)
        except KeyboardInterrupt:
            self._release(task)
            raise
        return True

    def _fold_one(self) -> bool:
        with transaction(self.database) as tx:
            event = inbox.waiting(tx)
            if event is None:
                return False
            with _survived(partial(self._blame, tx, event.id)):
                intake.take_in(tx, event, now=self.clock(), ids=self.ids)
                tx.commit()
        return True

    def _blame(self, tx: Session, event_id: UUID, error: Exception) -> None:
        tx.rollback()
        event = inbox.blame(tx, event_id, _reason(error))
        if event.state is InboxState.PARKED:
            details = {"error": event.error}
            audit.record(tx, Action.EVENT_PARKED, actor=ACTOR, object_id=event_id, details=details, now=self.clock())
        tx.commit()

    def _claim(self) -> Task | None:
        now, lease = self.clock(), timedelta(seconds=self.settings.lease_seconds)
        with transaction(self.database) as tx:
            for dead in tasks.bury(tx, now=now):
                self._give_up(tx, dead, dead.error or "", now)
            task = tasks.claim(tx, worker=self.name, now=now, lease=lease)
            tx.commit()
        return task

    def _do(self, task: Task) -> None:
        with self._alive(task):
            effect = WORK.get(task.kind, _refused)(self, task)
        with transaction(self.database) as tx:
            now = self.clock()
            tasks.finish(tx, task.id, task.fence, result=effect(tx, now), now=now)
            tx.commit()

    def _give_back(self, task: Task, error: Exception) -> None:
        """Has the task tried again later, or gives it up and says so where people look."""
        now, reason = self.clock(), _reason(error)
        retry_at = None if task.attempts >= _tries(error) else now + tasks.pause(task.attempts, self.jitter())
        with suppress(Fenced), transaction(self.database) as tx:
            tasks.fail(tx, task.id, task.fence, error=reason, now=now, retry_at=retry_at)
            if retry_at is None:
                self._give_up(tx, task, reason, now)
            tx.commit()

    def _give_up(self, tx: Session, task: Task, reason: str, now: datetime) -> None:
        if task.kind == debounce.VALIDATE:
            validation.give_up(tx, task, reason, now=now, ids=self.ids)
        details = {"kind": task.kind, "attempts": task.attempts, "error": reason}
        audit.record(tx, Action.TASK_FAILED, actor=ACTOR, object_id=task.id, details=details, now=now)

    def _release(self, task: Task) -> None:
        with suppress(Fenced), transaction(self.database) as tx:
            tasks.release(tx, task.id, task.fence, now=self.clock())
            tx.commit()

    @contextmanager
    def _alive(self, task: Task) -> Iterator[None]:
        """Extends the task's lease for as long as the block takes."""
        done = Flag()
        beating = Thread(target=self._beat, args=(task, done), name="heartbeat", daemon=True)
        beating.start()
        try:
            yield
        finally:
            done.set()
            beating.join()

    def tell(self, task: Task, done: int, of: int) -> bool:
        """Tells how far the task is, about fifty times in all; True: go on. Raises Fenced where it is another's."""
        if done % max(1, of // 50) == 0:
            lease = timedelta(seconds=self.settings.lease_seconds)
            with transaction(self.database) as tx:
                told = f"{done} of {of} partitions"
                tasks.heartbeat(tx, task.id, task.fence, until=self.clock() + lease, progress=told)
                tx.commit()
        return True

    def _beat(self, task: Task, done: Flag) -> None:
        lease = timedelta(seconds=self.settings.lease_seconds)
        while not done.wait(self.settings.heartbeat_seconds):
            try:
                with transaction(self.database) as tx:
                    tasks.heartbeat(tx, task.id, task.fence, until=self.clock() + lease)
                    tx.commit()
            except Fenced:
                return
            except OperationalError:
                log.warning("a heartbeat was lost; the lease still holds for a while")


def _validate(worker: Worker, task: Task) -> Effect:
    with reading(worker.database) as session:
        if validation.is_covered(session, task):
            return lambda *_: {"note": validation.COVERED}
        asked = orders.order(session, task, worker.consumers)
    finding = validation.examine(asked, worker.tools(task))

    def effect(session: Session, now: datetime) -> dict[str, Any]:
        done = validation.keep(session, asked, finding, now=now, ids=worker.ids)
        validation.settle(session, task, asked.main.covers, now=now, ids=worker.ids)
        states.prune(session, asked.dataset_id, before=now - timedelta(days=worker.settings.state_days))
        return done

    return effect


def _draft(worker: Worker, task: Task) -> Effect:
    with reading(worker.database) as session:
        in_force = drafting.in_force(session, task.payload)
    drafted = worker.engine.draft(drafting.request(task.payload, in_force))
    return lambda session, now: drafting.keep(session, task, drafted, now=now, ids=worker.ids)


def _keep_up(worker: Worker, task: Task) -> Effect:
    done = upkeep.work(worker.database, worker.settings, clock=worker.clock, ids=worker.ids)

    def effect(session: Session, now: datetime) -> dict[str, Any]:
        if "more" in done:
            upkeep.order(session, now=now, task_id=worker.ids(), after=task.id)
        return done

    return effect


def _replay(worker: Worker, task: Task) -> Effect:
    found = replays.work(worker.database, worker.settings, task.payload, partial(worker.tell, task))
    return lambda session, now: found


def _refused(_: Worker, task: Task) -> Effect:
    raise Unworkable(f"no worker knows tasks of kind {task.kind}")


WORK: dict[str, Callable[[Worker, Task], Effect]] = {
    debounce.VALIDATE: _validate,
    drafting.DRAFT: _draft,
    upkeep.UPKEEP: _keep_up,
    replays.REPLAY: _replay,
}


@contextmanager
def _survived(blame: Callable[[Exception], None]) -> Iterator[None]:
    """Ends the block at an error, which is blamed on what was being done: the worker itself goes on."""
    try:
        yield
    except Fenced:
        log.warning("another worker has this task by now; what was done here is dropped")
    except Exception as error:
        log.warning("%s", _reason(error), exc_info=not isinstance(error, EngineError | RegistryError))
        blame(error)


def _tries(error: Exception) -> int:
    if isinstance(error, EngineError) and not error.retry:
        return 1
    return TRIES.get(type(error), tasks.ATTEMPTS)


def _reason(error: Exception) -> str:
    """The error for people. Of an unexpected one only its kind: its text could hold data."""
    if not isinstance(error, EngineError | RegistryError | ContractError):
        return f"unexpected {type(error).__name__}; the worker's log has the details"
    kind = KINDS.get(type(error), "")
    return str(error) if str(error).startswith(kind) else f"{kind}: {error}"


def run(settings: Settings) -> None:
    """Works with real Spark until SIGTERM or SIGINT, then gives its task back and ends Spark."""
    from engine.files import StateFiles
    from engine.judging import judge
    from engine.large import large
    from engine.spark.child import ChildSettings, SparkChild

    limits = ChildSettings(
        limit_seconds=settings.engine_limit_seconds,
        limit_memory=settings.engine_limit_memory,
        memory=settings.spark_memory,
        remote=settings.spark_remote,
        master=settings.spark_master,
        log=str(settings.home / "logs" / "spark.log"),
        plugins=settings.plugin_names,
    )
    plugins.load(settings.plugin_names)
    database, engine = connect(settings.database), SparkChild(limits)
    stop = _stop_by_signal()
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
        migrate(database)
        log.info("working")
        files = StateFiles(settings.states)
        too_large = partial(large, files=files, most=settings.merge_values)
        Worker(database, engine, partial(judge, files=files), too_large, settings, key=_key(settings)).forever(stop)
    except KeyboardInterrupt:
        pass
    finally:
        engine.close()
        database.dispose()
    log.info("stopped")


def _key(settings: Settings) -> Key | None:
    """What values of classified columns are hashed with; None where no key file is set and none is in the home.

    Raises EngineError where the file cannot be used."""
    if not settings.key_file and not Path(settings.key).exists():
        log.warning("there is no key file: hashes of classified values are not stored; set TREATY_KEY_FILE to one")
        return None
    return key_files.read(settings.key)


def _stop_by_signal() -> Stop:
    """What SIGTERM and SIGINT tell. They also interrupt what is under way, which Python swallows in a finaliser."""
    stop = Stop()

    def tell(*_: Any) -> NoReturn:
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, signal.SIG_IGN)
        stop.told = True
        raise KeyboardInterrupt

    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, tell)
    sys.unraisablehook = _quiet
    return stop


def _quiet(swallowed: Any) -> None:
    """Says nothing of the interrupt that Python swallowed, and of all else what Python says."""
    if not isinstance(swallowed.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(swallowed)


def main() -> None:
    """Works with the settings of the environment."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    log.setLevel(logging.INFO)
    run(config.load())


if __name__ == "__main__":
    main()
