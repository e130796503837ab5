"""Identities made at the edges: UUIDs of version 7, which sort by the time they were made."""

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
    milliseconds, rest = divmod(now - EPOCH, timedelta(milliseconds=1))
    fraction = rest.microseconds * 4096 // 1000
    return UUID(int=milliseconds << 80 | VERSION_7 | fraction << 64 | VARIANT | secrets.randbits(62))
