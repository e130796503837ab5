"""Read the memory and CPU use of a process group from /proc; 0 on systems without /proc."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from treaty.engine.core.errors import EngineError

UNITS = {"": 1024**2, "b": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4}
SIZE = re.compile(r"(\d+)(?:([kmgt])b?|(b)?)", re.IGNORECASE)
POLL_COUNT = 10
# Positions in /proc/<pid>/stat, counted from the state: see proc(5).
STATE, GROUP, RESIDENT = 0, 2, 21
RUNNING, DEAD = "R", ("Z", "X")


def size(text: str) -> int:
    """Parse a memory size as Spark writes it ('512m', '2g') into bytes.

    A number without a unit is in MiB. Raises EngineError for any other text."""
    match = SIZE.fullmatch(text.strip())
    if match is None:
        raise EngineError(
            f"{text!r} is not a memory size: use a whole number with k, m, g or t, for example 8g", retry=False
        )
    return int(match[1]) * UNITS[(match[2] or match[3] or "").lower()]


def memory(group: int) -> int:
    """Return the bytes that the group holds in memory (resident set size); shared pages count in each process."""
    return sum(int(stat[RESIDENT]) for stat in _stats(group)) * os.sysconf("SC_PAGE_SIZE")


def computes(group: int) -> bool:
    """Return True if a thread of the group is running or runnable."""
    return any(stat[STATE] == RUNNING for stat in _stats(group, "task/[0-9]*/stat"))


def ends(group: int, *, within: float, look: float = 0.05) -> bool:
    """Wait until all processes of the group have ended; False if `within` seconds pass first.

    `look`: seconds between polls."""
    end = time.monotonic() + within
    while any(stat[STATE] not in DEAD for stat in _stats(group)):
        if time.monotonic() >= end:
            return False
        time.sleep(look)
    return True


def comes_to_rest(group: int, *, within: float, look: float = 0.05) -> bool:
    """Wait until the group stops computing; False if `within` seconds pass first.

    Java may go on working after a cancellation. The group is at rest if it computes in fewer than half of a series of
    polls, `look` seconds apart: an idle Java still wakes up now and then."""
    end = time.monotonic() + within
    while True:
        if sum(_cpu_polls(group, look)) < POLL_COUNT / 2:
            return True
        if time.monotonic() >= end:
            return False


def _cpu_polls(group: int, look: float) -> Iterator[bool]:
    for _ in range(POLL_COUNT):
        time.sleep(look)
        yield computes(group)


def _stats(group: int, below: str = "stat") -> Iterator[list[str]]:
    """Yield the stat fields of the group's processes, or of the files `below` them."""
    for folder in Path("/proc").glob("[0-9]*"):
        # The process may end meanwhile.
        with suppress(OSError, IndexError):
            if int(_stat(folder / "stat")[GROUP]) == group:
                yield from map(_stat, folder.glob(below))


def _stat(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
