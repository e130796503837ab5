"""Events of concurrent requests are kept in one transaction, and each is acknowledged once that is committed.

A commit costs the database as much for one event as for hundreds. While one is under way, what comes meanwhile waits
for the next: who is alone waits for nobody, and who comes in a crowd shares."""

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import chain
from threading import Condition, Thread

from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlmodel import Session

from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.errors import RegistryError
from treaty.registry.lineage.events import event_store
from treaty.registry.lineage.events.event_store import ReceivedEvent

log = logging.getLogger("treaty.api")
# How long the writer waits for more before it ends; the next event begins it anew.
IDLE = 5.0
LOOK_EVERY = 1.0


class IntakeOverloaded(RegistryError):
    """More events wait than can be kept: send the event again in a while."""


class UnstorableEvent(RegistryError):
    """The database cannot keep this event."""


@dataclass(frozen=True)
class IntakeLimits:
    """How many requests may wait for the writer, how many bytes of events, how many events one transaction keeps, and
    how many events may wait to be folded before no more are taken."""

    requests: int = 4096
    size: int = 512 * 1024 * 1024
    batch_events: int = 100
    high_water: int = 100_000


@dataclass(frozen=True)
class WritePermit:
    """What lets a sender write, asked once more in the transaction that writes: `check` raises RegistryError where it
    was taken away. Those of one `key` are one."""

    key: str
    check: Callable[[Session], None] = field(compare=False)


@dataclass
class EventBatch:
    """The events of one request; `result` has a result once they are."""

    arrivals: Sequence[ReceivedEvent]
    permit: WritePermit | None = None
    result: Future[None] = field(default_factory=Future)

    @property
    def size(self) -> int:
        """How many bytes are to be written."""
        return sum(each.size for each in self.arrivals)


class EventReceiver:
    """Writes events to the inbox, those of concurrent requests together. One thread, which ends when nothing comes."""

    def __init__(self, engine: Engine, limits: IntakeLimits | None = None) -> None:
        self.engine, self.limits = engine, limits or IntakeLimits()
        self._changed = Condition()
        self._waiting: deque[EventBatch] = deque()
        self._size = 0
        self._writer: Thread | None = None
        self._closed = False
        self._full = False
        self._looked = 0.0

    def put(self, arrivals: Iterable[ReceivedEvent], permit: WritePermit | None = None) -> Future[None]:
        """Has the events kept; done once they are. Raises Overloaded where too much waits.

        The result raises OperationalError where the database does not answer, Unkeepable where it refuses the event,
        and what the permit's check raises."""
        parcel = EventBatch(tuple(arrivals), permit)
        with self._changed:
            if self._closed or self._is_full(parcel.size):
                raise IntakeOverloaded
            self._waiting.append(parcel)
            self._size += parcel.size
            if self._writer is None:
                self._writer = Thread(target=self._write_all, name="receiver", daemon=True)
                self._writer.start()
            self._changed.notify()
        return parcel.result

    def close(self) -> None:
        """Takes no more, and returns once what waits is written."""
        with self._changed:
            self._closed = True
            writer = self._writer
            self._changed.notify()
        if writer is not None:
            writer.join()

    def _is_full(self, size: int) -> bool:
        beyond = len(self._waiting) >= self.limits.requests or (self._size and self._size + size > self.limits.size)
        # Where the inbox was full, one event in a while is let through: with it the writer looks again.
        return bool(beyond) or (self._full and time.monotonic() < self._looked + LOOK_EVERY)

    def _write_all(self) -> None:
        while group := self._next():
            self._look()
            self._keep(group)

    def _next(self) -> list[EventBatch]:
        """What is written together: all that waits, as far as one transaction goes. [] ends the writer."""
        with self._changed:
            if not self._waiting and not self._closed:
                self._changed.wait(IDLE)
            group: list[EventBatch] = []
            events = 0
            while self._waiting and (not group or events + len(self._waiting[0].arrivals) <= self.limits.batch_events):
                group.append(self._waiting.popleft())
                events += len(group[-1].arrivals)
                self._size -= group[-1].size
            if not group:
                self._writer = None
            return group

    def _look(self) -> None:
        """Sees, once in a while, whether more waits to be folded than may."""
        if time.monotonic() < self._looked + LOOK_EVERY:
            return
        try:
            with read_session(self.engine) as tx:
                self._full = event_store.depth(tx, most=self.limits.high_water) >= self.limits.high_water
        except SQLAlchemyError:
            log.warning("the database does not answer")
        self._looked = time.monotonic()

    def _keep(self, group: Sequence[EventBatch]) -> None:
        """Writes the group; where the database refuses something of it, each alone, so that one spoils no other."""
        try:
            refused = self._write(group)
        except OperationalError as error:
            for each in group:
                _done(each.result, error)
        except Exception as error:
            log.warning("%d requests with events could not be kept: %s", len(group), type(error).__name__)
            for each in group:
                _done(each.result, UnstorableEvent()) if len(group) == 1 else self._keep([each])
        else:
            for each in group:
                _done(each.result, refused.get(each.permit))

    def _write(self, group: Sequence[EventBatch]) -> Mapping[WritePermit | None, RegistryError]:
        """Writes what may be written; of what may not be why."""
        with transaction(self.engine) as tx:
            refused = _refused(tx, {each.permit for each in group if each.permit})
            kept = (each.arrivals for each in group if each.permit not in refused)
            event_store.keep(tx, list(chain.from_iterable(kept)))
            tx.commit()
        return refused


def _refused(session: Session, permits: Iterable[WritePermit]) -> dict[WritePermit | None, RegistryError]:
    found: dict[WritePermit | None, RegistryError] = {}
    for each in permits:
        try:
            each.check(session)
        except RegistryError as error:
            found[each] = error
    return found


def _done(kept: Future[None], error: Exception | None) -> None:
    """Tells who waits; who went away in the meantime is told nothing."""
    if not kept.set_running_or_notify_cancel():
        return
    if error is None:
        kept.set_result(None)
    else:
        kept.set_exception(error)
