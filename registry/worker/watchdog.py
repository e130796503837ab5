"""Limit the time of each unit of work: a worker process that exceeds a limit ends itself.

A hanging thread cannot be stopped, and it may hold locks and open transactions. Attempts are counted before the work
begins, so the next process knows which unit to blame."""

import logging
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import NoReturn

from treaty.registry.worker.supervisor import OVERDUE, beat, overdue

log = logging.getLogger("treaty.worker")
BEAT_SECONDS = 1.0
# How long a suspect has its process to itself; work that ends its process usually does so at once.
TURN_SECONDS = 10.0


class UnitKind(StrEnum):
    """Kind of a unit of work. Claim: choosing the next task, and giving up abandoned ones."""

    EVENT = "event"
    TASK = "task"
    MESSAGE = "message"
    JOB = "job"
    CLAIM = "claim"


def _nothing() -> None:
    """Do nothing."""


@dataclass(eq=False, kw_only=True)
class WorkUnit:
    """A unit of work in progress. `ends_at`: time of the clock at which it exceeds its limit.

    `hand_over` is called when a unit begins within this one: from then on, that one is to blame."""

    kind: UnitKind
    key: str
    seconds: float
    ends_at: float
    hand_over: Callable[[], None]


@dataclass(eq=False)
class SuspectTurn:
    """The turn of a suspect. `ends_at`: time of the clock after which others may begin all the same."""

    ends_at: float


class Watchdog:
    """The units of work in progress, one per thread, with their limits."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._units: dict[int, WorkUnit] = {}
        self._lock = threading.Lock()
        self._turn: SuspectTurn | None = None

    @contextmanager
    def limit(
        self, kind: UnitKind, key: object, seconds: float, *, hand_over: Callable[[], None] = _nothing
    ) -> Iterator[None]:
        """Limit the block to that many seconds. The limit of a unit around it starts again after the block."""
        thread = threading.get_ident()
        outer = self._units.get(thread)
        if outer is not None:
            outer.hand_over()
        self._units[thread] = WorkUnit(
            kind=kind, key=str(key), seconds=seconds, ends_at=self._clock() + seconds, hand_over=hand_over
        )
        try:
            yield
        finally:
            del self._units[thread]
            if outer is not None:
                self._units[thread] = outer
                self.renew()

    @contextmanager
    def extended(self, seconds: float) -> Iterator[None]:
        """Replace the limit of the unit during the block; after it, the limit starts again."""
        unit = self._units.get(threading.get_ident())
        with self.limit(unit.kind, unit.key, seconds) if unit else nullcontext():
            yield

    def renew(self) -> None:
        """Start the limit of the current thread's unit again, because it made progress."""
        if unit := self._units.get(threading.get_ident()):
            unit.ends_at = self._clock() + unit.seconds

    def exceeded(self) -> WorkUnit | None:
        """Return the unit that has exceeded its limit for the longest time; None if none has."""
        nearest = min(list(self._units.values()), key=lambda each: each.ends_at, default=None)
        return nearest if nearest and nearest.ends_at <= self._clock() else None

    @contextmanager
    def turn(self) -> Iterator["SuspectTurn | None"]:
        """Take the turn of suspects for the block, and yield it; None if it is not free.

        Suspects were in progress when a process ended. No other work begins during the turn, so that a suspect is not
        blamed again for the work of others."""
        turn = SuspectTurn(self._clock() + TURN_SECONDS)
        with self._lock:
            is_taken = self.is_free()
            self._turn = turn if is_taken else self._turn
        try:
            yield turn if is_taken else None
        finally:
            self.leave(turn)

    def leave(self, turn: "SuspectTurn") -> None:
        """End the turn early, because the work that begins is not suspect."""
        with self._lock:
            self._turn = None if self._turn is turn else self._turn

    def is_free(self) -> bool:
        """Return whether work may begin: no suspect is in progress, or it takes long."""
        turn = self._turn
        return turn is None or turn.ends_at <= self._clock()


@contextmanager
def guard(watchdog: Watchdog, channel: int | None, silence: float) -> Iterator[None]:
    """End the process if a unit of work in the block exceeds its limit; report to the supervisor.

    `channel`: file descriptor of the supervisor's pipe; None without a supervisor. `silence`: seconds without a
    report after which the supervisor ends the process."""
    over = threading.Event()
    thread = threading.Thread(target=_watch, args=(watchdog, channel, silence, over), name="watchdog", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _watch(watchdog: Watchdog, channel: int | None, silence: float, over: threading.Event) -> None:
    is_supervised = channel is not None
    while not over.is_set():
        if unit := watchdog.exceeded():
            _end(unit, channel)
        if is_supervised and not _report(channel, beat(silence)):
            # The supervisor has ended: a worker without one is not started again.
            is_supervised = False
            os.kill(os.getpid(), signal.SIGTERM)
        over.wait(BEAT_SECONDS)


def _report(channel: int | None, line: bytes) -> bool:
    with suppress(OSError):
        return channel is None or os.write(channel, line) > 0
    return False


def _end(unit: WorkUnit, channel: int | None) -> NoReturn:
    """End the process at once; everything that is not committed is rolled back."""
    log.error("%s %s took longer than %g s; the worker process ends", unit.kind, unit.key, unit.seconds)
    _report(channel, overdue(unit.kind, unit.key, math.ceil(unit.seconds)))
    for handler in logging.getLogger().handlers:
        handler.flush()
    os._exit(OVERDUE)
