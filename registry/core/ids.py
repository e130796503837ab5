"""Identities made at the edges: UUIDs of version 7, which sort by the time they were made."""

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
    """A fresh identity of this moment."""
    return uuid7(clock.now())


def uuid7(now: datetime) -> UUID:
    """A fresh identity of the moment `now` (aware). Those of later microseconds sort after it; ties sort at random."""
    return _of(now, _CHANCE.bits(62))


def derived_id(now: datetime, key: str) -> UUID:
    """The identity of what `key` names at the moment `now`: the same whoever asks, and however often."""
    return _of(now, int.from_bytes(hashlib.sha256(key.encode()).digest()[:8]) >> 2)


def _of(now: datetime, rest: int) -> UUID:
    milliseconds, left = divmod(now - EPOCH, timedelta(milliseconds=1))
    fraction = left.microseconds * 4096 // 1000
    return UUID(int=milliseconds << 80 | VERSION_7 | fraction << 64 | VARIANT | rest)


class _Chance:
    """Random numbers of the operating system, asked for many at once: each asking costs more than all else here."""

    def __init__(self) -> None:
        self.lock, self.left = Lock(), b""
        os.register_at_fork(after_in_child=self.forget)

    def bits(self, count: int) -> int:
        """A random number of so many bits, 64 at most."""
        with self.lock:
            if not self.left:
                self.left = os.urandom(AT_ONCE)
            taken, self.left = self.left[:8], self.left[8:]
        return int.from_bytes(taken) >> (64 - count)

    def forget(self) -> None:
        """Two processes must not draw the same."""
        self.lock, self.left = Lock(), b""


_CHANCE = _Chance()
