"""Generate UUIDs of version 7, which sort by creation time."""

import hashlib
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Lock
from uuid import UUID

from treaty.engine.core import clock

Ids = Callable[[], UUID]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
VERSION_7 = 0x7 << 76
VARIANT = 0b10 << 62
AT_ONCE = 8 * 256


def new() -> UUID:
    """Return a new id for the current time."""
    return uuid7(clock.now())


def uuid7(now: datetime) -> UUID:
    """Return a new id for the moment `now`.

    Ids of later microseconds sort after earlier ones; ids of the same microsecond sort at random.

    `now`: must be time-zone aware."""
    return _of(now, _CHANCE.bits(62))


def derived_id(now: datetime, key: str) -> UUID:
    """Return the id of `key` at the moment `now`; equal arguments give the same id."""
    return _of(now, int.from_bytes(hashlib.sha256(key.encode()).digest()[:8]) >> 2)


def _of(now: datetime, rest: int) -> UUID:
    milliseconds, left = divmod(now - EPOCH, timedelta(milliseconds=1))
    fraction = left.microseconds * 4096 // 1000
    return UUID(int=milliseconds << 80 | VERSION_7 | fraction << 64 | VARIANT | rest)


class _Chance:
    """Random numbers of the operating system, buffered because each system call is expensive."""

    def __init__(self) -> None:
        self.lock, self.left = Lock(), b""
        os.register_at_fork(after_in_child=self.forget)

    def bits(self, count: int) -> int:
        """Return a random number of `count` bits, at most 64."""
        with self.lock:
            if not self.left:
                self.left = os.urandom(AT_ONCE)
            chunk, self.left = self.left[:8], self.left[8:]
        return int.from_bytes(chunk) >> (64 - count)

    def forget(self) -> None:
        """Discard the buffer after a fork, so that two processes never return the same numbers."""
        self.lock, self.left = Lock(), b""


_CHANCE = _Chance()
