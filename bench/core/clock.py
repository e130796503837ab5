"""Measure the cost of a piece of work: wall seconds, and CPU seconds of this process and its descendants (Linux)."""

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
    """Wall-clock seconds and CPU seconds of the whole process tree."""

    wall: float
    cpu: float

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.wall + other.wall, self.cpu + other.cpu)


def cpu_seconds() -> float:
    """Return the CPU seconds of this process, its living descendants and those they waited for."""
    parents, ticks = {}, {}
    for pid, fields in _processes():
        parents[pid], ticks[pid] = int(fields[1]), sum(map(int, fields[11:15]))
    return sum(ticks[pid] for pid in _descendants(os.getpid(), parents)) / TICKS


def _processes() -> Iterator[tuple[int, list[str]]]:
    """Yield each process id with its /proc stat fields from `state` on: [0] state, [1] parent, [11:15] ticks."""
    for each in PROC.iterdir():
        if each.name.isdigit():
            try:
                yield int(each.name), (each / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue


def _descendants(root: int, parents: Mapping[int, int]) -> set[int]:
    descendants, before = {root}, 0
    while len(descendants) > before:
        before = len(descendants)
        descendants |= {pid for pid, parent in parents.items() if parent in descendants}
    return descendants


def cost(run: Callable[[], Any]) -> Cost:
    """Return the cost of one run."""
    cpu, started = cpu_seconds(), time.perf_counter()
    run()
    return Cost(time.perf_counter() - started, cpu_seconds() - cpu)


def interleaved(ways: Mapping[str, Callable[[], Any]], *, rounds: int) -> dict[str, list[Cost]]:
    """Return the costs of every way, round by round.

    Each round starts with another way, so that the machine's other load affects all equally. For warm measurements run
    every way once beforehand."""
    names = list(ways)
    costs: dict[str, list[Cost]] = {name: [] for name in names}
    for at in range(rounds):
        turn = at % len(names)
        for name in names[turn:] + names[:turn]:
            costs[name].append(cost(ways[name]))
    return costs


def median(costs: Sequence[Cost]) -> Cost:
    """Return the medians of wall and CPU seconds, each on its own."""
    return Cost(statistics.median(each.wall for each in costs), statistics.median(each.cpu for each in costs))
