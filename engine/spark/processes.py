"""What the processes of a group use, as /proc tells. Systems without /proc tell nothing: 0."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from engine.requests import EngineError

UNITS = {"": 1024**2, "b": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4}
SIZE = re.compile(r"(\d+)(?:([kmgt])b?|(b)?)", re.IGNORECASE)
# Of one core. Java that has nothing to do takes a few hundredths.
AT_REST = 0.3
# Places in /proc/<pid>/stat, counted from the state: see proc(5).
STATE, GROUP, USER_TIME, SYSTEM_TIME, RESIDENT = 0, 2, 11, 12, 21
DEAD = ("Z", "X")


def size(text: str) -> int:
    """The bytes of a size as Spark writes it: '512m', '2g'; without a unit MiB. Raises EngineError for other text."""
    found = SIZE.fullmatch(text.strip())
    if found is None:
        raise EngineError(f"{text!r} is no size of memory: write a whole number and k, m, g or t: 8g", retry=False)
    return int(found[1]) * UNITS[(found[2] or found[3] or "").lower()]


def memory(group: int) -> int:
    """The bytes that the group's processes hold in memory (resident set size); shared pages count in each."""
    return sum(int(stat[RESIDENT]) for stat in _stats(group)) * os.sysconf("SC_PAGE_SIZE")


def cpu_seconds(group: int) -> float:
    """The CPU time that the group's living processes have taken since they began."""
    ticks = sum(int(stat[USER_TIME]) + int(stat[SYSTEM_TIME]) for stat in _stats(group))
    return ticks / os.sysconf("SC_CLK_TCK")


def ends(group: int, *, within: float, look: float = 0.05) -> bool:
    """Whether all processes of the group end in time."""
    end = time.monotonic() + within
    while any(stat[STATE] not in DEAD for stat in _stats(group)):
        if time.monotonic() >= end:
            return False
        time.sleep(look)
    return True


def comes_to_rest(group: int, *, within: float, look: float = 0.5) -> bool:
    """Whether the group stops computing in time: work may go on in Java after it was cancelled."""
    end = time.monotonic() + within
    while True:
        began, used = time.monotonic(), cpu_seconds(group)
        time.sleep(look)
        if cpu_seconds(group) - used < AT_REST * (time.monotonic() - began):
            return True
        if time.monotonic() >= end:
            return False


def _stats(group: int) -> Iterator[list[str]]:
    for path in Path("/proc").glob("[0-9]*/stat"):
        # A process may end while it is looked at.
        with suppress(OSError):
            stat = path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if stat and int(stat[GROUP]) == group:
                yield stat
