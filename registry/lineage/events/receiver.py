"""Store events of concurrent requests in shared transactions; acknowledge each after its commit.

One commit costs about as much for hundreds of events as for one. Events that arrive during a commit share the next; a
single event never waits for others."""

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
# Seconds that the writer thread waits for events before it ends. The next event starts a new one.
IDLE = 5.0
LOOK_EVERY = 1.0


class IntakeOverloaded(RegistryError):
    """More events are waiting than the intake allows."""

    default_message = "Too many events are waiting. Send the event again later."


class UnstorableEvent(RegistryError):
    """The event contains a value that the database cannot store."""

    default_message = "The database cannot store this event."


@dataclass(frozen=True)
class IntakeLimits:
    """Limits of the event intake.

    `requests`: waiting requests. `size`: waiting events in bytes. `batch_events`: events per transaction. `high_water`:
    stored events waiting to be folded, above which no more are accepted."""

    requests: int = 4096
    size: int = 512 * 1024 * 1024
    batch_events: int = 100
    high_water: int = 100_000


@dataclass(frozen=True)
class WritePermit:
    """The sender's permission to write, checked again in the transaction that writes.

    `check`: raises RegistryError if the permission was revoked. Permits with the same `key` are equal."""

    key: str
    check: Callable[[Session], None] = field(compare=False)


@dataclass
class EventBatch:
    """The events of one request. `result`: completes when they are stored."""

    arrivals: Sequence[ReceivedEvent]
    permit: WritePermit | None = None
    result: Future[None] = field(default_factory=Future)

    @property
    def size(self) -> int:
        """Return the number of bytes to write."""
        return sum(each.size for each in self.arrivals)


class EventReceiver:
    """Write events of concurrent requests to the inbox. A single thread writes and ends when idle."""

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
        """Queue events to be stored and return a future that completes when they are. Raises IntakeOverloaded.

        The future raises OperationalError if the database is unavailable, UnstorableEvent if it rejects the events, and
        any error of the permit's check."""
        batch = EventBatch(tuple(arrivals), permit)
        with self._changed:
            if self._closed or self._is_full(batch.size):
                raise IntakeOverloaded
            self._waiting.append(batch)
            self._size += batch.size
            if self._writer is None:
                self._writer = Thread(target=self._write_all, name="receiver", daemon=True)
                self._writer.start()
            self._changed.notify()
        return batch.result

    def close(self) -> None:
        """Stop accepting events and return after the waiting ones are written."""
        with self._changed:
            self._closed = True
            writer = self._writer
            self._changed.notify()
        if writer is not None:
            writer.join()

    def _is_full(self, size: int) -> bool:
        exceeds_limits = len(self._waiting) >= self.limits.requests or (
            self._size and self._size + size > self.limits.size
        )
        # While the inbox is full, one event per interval is accepted, so that the writer checks the inbox again.
        return bool(exceeds_limits) or (self._full and time.monotonic() < self._looked + LOOK_EVERY)

    def _write_all(self) -> None:
        while group := self._next():
            self._look()
            self._keep(group)

    def _next(self) -> list[EventBatch]:
        """Return the waiting batches that fit into one transaction. An empty list ends the writer."""
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
        """Check periodically whether more events wait to be folded than the limit allows."""
        if time.monotonic() < self._looked + LOOK_EVERY:
            return
        try:
            with read_session(self.engine) as tx:
                self._full = event_store.depth(tx, most=self.limits.high_water) >= self.limits.high_water
        except SQLAlchemyError:
            log.warning("Database unavailable; the backlog of events was not checked")
        self._looked = time.monotonic()

    def _keep(self, group: Sequence[EventBatch]) -> None:
        """Write the group; if the database rejects it, write each batch separately."""
        try:
            refused = self._write(group)
        except OperationalError as error:
            for each in group:
                _done(each.result, error)
        except Exception as error:
            log.warning("%d requests with lineage events could not be stored: %s", len(group), type(error).__name__)
            for each in group:
                _done(each.result, UnstorableEvent()) if len(group) == 1 else self._keep([each])
        else:
            for each in group:
                _done(each.result, refused.get(each.permit))

    def _write(self, group: Sequence[EventBatch]) -> Mapping[WritePermit | None, RegistryError]:
        """Write the permitted batches and return the errors of the revoked permits."""
        with transaction(self.engine) as tx:
            refused = _refused(tx, {each.permit for each in group if each.permit})
            permitted = (each.arrivals for each in group if each.permit not in refused)
            event_store.keep(tx, list(chain.from_iterable(permitted)))
            tx.commit()
        return refused


def _refused(session: Session, permits: Iterable[WritePermit]) -> dict[WritePermit | None, RegistryError]:
    errors: dict[WritePermit | None, RegistryError] = {}
    for each in permits:
        try:
            each.check(session)
        except RegistryError as error:
            errors[each] = error
    return errors


def _done(future: Future[None], error: Exception | None) -> None:
    """Complete the future unless the request was canceled."""
    if not future.set_running_or_notify_cancel():
        return
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)
