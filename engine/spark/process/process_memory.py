"""What the processes of a group use, as /proc tells. Systems without /proc tell nothing: 0."""

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
# Places in /proc/<pid>/stat, counted from the state: see proc(5).
STATE, GROUP, RESIDENT = 0, 2, 21
RUNNING, DEAD = "R", ("Z", "X")


def size(text: str) -> int:
    """The bytes of a size as Spark writes it: '512m', '2g'; without a unit MiB. Raises EngineError for other text."""
    found = SIZE.fullmatch(text.strip())
    if found is None:
        raise EngineError(f"{text!r} is no size of memory: write a whole number and k, m, g or t: 8g", retry=False)
    return int(found[1]) * UNITS[(found[2] or found[3] or "").lower()]


def memory(group: int) -> int:
    """The bytes that the group's processes hold in memory (resident set size); shared pages count in each."""
    return sum(int(stat[RESIDENT]) for stat in _stats(group)) * os.sysconf("SC_PAGE_SIZE")


def computes(group: int) -> bool:
    """Whether a thread of the group runs, or would if it were its turn: on a crowded machine too."""
    return any(stat[STATE] == RUNNING for stat in _stats(group, "task/[0-9]*/stat"))


def ends(group: int, *, within: float, look: float = 0.05) -> bool:
    """Whether all processes of the group end in time."""
    end = time.monotonic() + within
    while any(stat[STATE] not in DEAD for stat in _stats(group)):
        if time.monotonic() >= end:
            return False
        time.sleep(look)
    return True


def comes_to_rest(group: int, *, within: float, look: float = 0.05) -> bool:
    """Whether the group stops computing in time: work may go on in Java after it was cancelled.

    It rests when it is found computing in less than half of some looks: Java at rest still wakes up now and then."""
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
    """What /proc says of the group's processes, or of what lies below them."""
    for folder in Path("/proc").glob("[0-9]*"):
        # A process may end while it is looked at.
        with suppress(OSError, IndexError):
            if int(_stat(folder / "stat")[GROUP]) == group:
                yield from map(_stat, folder.glob(below))


def _stat(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
