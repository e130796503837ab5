"""What a piece of work costs: wall seconds, and CPU seconds of this process with all processes it started (Linux)."""

import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROC = Path("/proc")
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Cost:
    """Seconds of wall clock, and CPU seconds of the whole process tree."""

    wall: float
    cpu: float

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.wall + other.wall, self.cpu + other.cpu)


def cpu_seconds() -> float:
    """CPU seconds so far of this process, of those it started that live, and of those that these waited for."""
    parents, ticks = {}, {}
    for pid, fields in _processes():
        parents[pid], ticks[pid] = int(fields[1]), sum(map(int, fields[11:15]))
    return sum(ticks[pid] for pid in _descendants(os.getpid(), parents)) / TICKS


def _processes() -> Iterator[tuple[int, list[str]]]:
    """The id of each process with its /proc stat fields from `state` on: [0] state, [1] parent, [11:15] ticks."""
    for each in PROC.iterdir():
        if each.name.isdigit():
            try:
                yield int(each.name), (each / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue


def _descendants(root: int, parents: Mapping[int, int]) -> set[int]:
    found, before = {root}, 0
    while len(found) > before:
        before = len(found)
        found |= {pid for pid, parent in parents.items() if parent in found}
    return found


def cost(run: Callable[[], Any]) -> Cost:
    """What one run costs."""
    cpu, started = cpu_seconds(), time.perf_counter()
    run()
    return Cost(time.perf_counter() - started, cpu_seconds() - cpu)


def interleaved(ways: Mapping[str, Callable[[], Any]], *, rounds: int) -> dict[str, list[Cost]]:
    """The costs of every way, round by round; each round starts at another way, so that what the machine does beside
    falls on all alike. Whoever wants warm machines runs every way once before."""
    names = list(ways)
    found: dict[str, list[Cost]] = {name: [] for name in names}
    for at in range(rounds):
        turn = at % len(names)
        for name in names[turn:] + names[:turn]:
            found[name].append(cost(ways[name]))
    return found


def median(costs: Sequence[Cost]) -> Cost:
    """The median of wall and of CPU seconds, each on its own."""
    return Cost(statistics.median(each.wall for each in costs), statistics.median(each.cpu for each in costs))
