"""Identities made at the edges: UUIDs of version 7, which sort by the time they were made."""

import hashlib
import secrets
from datetime import UTC, datetime, timedelta
from uuid import UUID

from registry import clock

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
VERSION_7 = 0x7 << 76
VARIANT = 0b10 << 62


def new() -> UUID:
    """A fresh identity of this moment."""
    return uuid7(clock.now())


def uuid7(now: datetime) -> UUID:
    """A fresh identity of the moment `now` (aware). Those of later microseconds sort after it; ties sort at random."""
    return _of(now, secrets.randbits(62))


def derived(now: datetime, key: str) -> UUID:
    """The identity of what `key` names at the moment `now`: the same whoever asks, and however often."""
    return _of(now, int.from_bytes(hashlib.sha256(key.encode()).digest()[:8]) >> 2)


def _of(now: datetime, rest: int) -> UUID:
    milliseconds, left = divmod(now - EPOCH, timedelta(milliseconds=1))
    fraction = left.microseconds * 4096 // 1000
    return UUID(int=milliseconds << 80 | VERSION_7 | fraction << 64 | VARIANT | rest)
