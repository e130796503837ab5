"""Events of concurrent requests are kept in one transaction, and each is acknowledged once that is committed.

A commit costs the database as much for one event as for hundreds. While one is under way, what comes meanwhile waits
for the next: who is alone waits for nobody, and who comes in a crowd shares."""

import logging
import time
from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Condition, Thread

from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from registry.database import reading, transaction
from registry.errors import RegistryError
from registry.lineage import inbox
from registry.lineage.inbox import Arrival

log = logging.getLogger("treaty.api")
# How long the writer waits for more before it ends; the next event begins it anew.
IDLE = 5.0
LOOK_EVERY = 1.0


class Overloaded(RegistryError):
    """More events wait than can be kept: send the event again in a while."""


class Unkeepable(RegistryError):
    """The database cannot keep this event."""


@dataclass(frozen=True)
class Limits:
    """How many requests may wait for the writer, how many bytes of events, how many events one transaction keeps, and
    how many events may wait to be folded before no more are taken."""

    requests: int = 4096
    size: int = 512 * 1024 * 1024
    together: int = 500
    high_water: int = 100_000


@dataclass
class Parcel:
    """The events of one request; `kept` has a result once they are."""

    arrivals: Sequence[Arrival]
    kept: Future[None] = field(default_factory=Future)

    @property
    def size(self) -> int:
        """How many bytes are to be written."""
        return sum(each.size for each in self.arrivals)


class Receiver:
    """Writes events to the inbox, those of concurrent requests together. One thread, which ends when nothing comes."""

    def __init__(self, engine: Engine, limits: Limits | None = None) -> None:
        self.engine, self.limits = engine, limits or Limits()
        self._changed = Condition()
        self._waiting: deque[Parcel] = deque()
        self._size = 0
        self._writer: Thread | None = None
        self._closed = False
        self._full = False
        self._looked = 0.0

    def put(self, arrivals: Iterable[Arrival]) -> Future[None]:
        """Has the events kept; done once they are. Raises Overloaded where too much waits.

        The result raises OperationalError where the database does not answer, Unkeepable where it refuses the event."""
        parcel = Parcel(tuple(arrivals))
        with self._changed:
            if self._closed or self._is_full(parcel.size):
                raise Overloaded
            self._waiting.append(parcel)
            self._size += parcel.size
            if self._writer is None:
                self._writer = Thread(target=self._write_all, name="receiver", daemon=True)
                self._writer.start()
            self._changed.notify()
        return parcel.kept

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

    def _next(self) -> list[Parcel]:
        """What is written together: all that waits, as far as one transaction goes. [] ends the writer."""
        with self._changed:
            if not self._waiting and not self._closed:
                self._changed.wait(IDLE)
            group: list[Parcel] = []
            events = 0
            while self._waiting and (not group or events + len(self._waiting[0].arrivals) <= self.limits.together):
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
            with reading(self.engine) as tx:
                self._full = inbox.depth(tx, most=self.limits.high_water) >= self.limits.high_water
        except SQLAlchemyError:
            log.warning("the database does not answer")
        self._looked = time.monotonic()

    def _keep(self, group: Sequence[Parcel]) -> None:
        """Writes the group; where the database refuses something of it, each alone, so that one spoils no other."""
        try:
            self._write(group)
        except OperationalError as error:
            self._tell(group, error)
        except Exception as error:
            log.warning("%d requests with events could not be kept: %s", len(group), type(error).__name__)
            if len(group) == 1:
                self._tell(group, Unkeepable())
            for each in group if len(group) > 1 else ():
                self._keep([each])
        else:
            self._tell(group, None)

    def _write(self, group: Sequence[Parcel]) -> None:
        with transaction(self.engine) as tx:
            inbox.keep(tx, [arrival for each in group for arrival in each.arrivals])
            tx.commit()

    def _tell(self, group: Sequence[Parcel], error: Exception | None) -> None:
        for each in group:
            _done(each.kept, error)


def _done(kept: Future[None], error: Exception | None) -> None:
    """Tells who waits; who went away in the meantime is told nothing."""
    if not kept.set_running_or_notify_cancel():
        return
    if error is None:
        kept.set_result(None)
    else:
        kept.set_exception(error)
