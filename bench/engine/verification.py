"""Measure the engine: `python -m bench.engine.verification [--rows N] [--rounds N] [--folder F] [--only PART ...]`.

Prints the machine, then for every way of computing the basic and the advanced test on the same table the medians of
wall and CPU seconds of the whole process tree and the Spark work; then each goal and whether it is met. Every way runs
once before it is timed, and then they take turns."""

import os
import platform
import statistics
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.core.clock import Cost, cost, median
from bench.core.command import begun
from bench.core.figures import Line, lines
from bench.engine import overhead, ways
from bench.engine.statements import GROUPED
from bench.engine.table import columns
from bench.engine.ways import ADVANCED, ADVANCED_COUNTED, BY_HAND, COUNTED, SCANNED, SKETCHES

# The newest release that is compared; none is for Scala 2.13 and Spark 4.
DEEQU = "2.1.0-spark-3.5"


def machine(session: Any) -> str:
    """Return cores, memory, system and versions; no names."""
    gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    java = session.sparkContext._jvm.java.lang.System.getProperty("java.version")
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    return (
        f"{os.cpu_count()} cores, {gigabytes:.0f} GiB, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}, Java {java}, Spark {session.version}; load before: {load}"
    )


def data(session: Any, path: Path, rounds: int) -> Iterator[Line]:
    """Time the two tests of data and yield their goals."""
    bench = ways.opened(session, path)
    works = ways.works(bench)
    costs = ways.costs(bench, rounds=rounds)
    print(f"\n{'':36} {'wall s':>8} {'CPU s':>8} {'jobs':>6} {'stages':>7} {'scans':>6}")
    for name, spent in costs.items():
        did = works[name]
        print(f"{name:36} {spent.wall:8.2f} {spent.cpu:8.2f} {did.jobs:6} {did.stages:7} {did.scans:6}")
    base = min((costs[BY_HAND], costs[SKETCHES]), key=lambda each: each.cpu)
    parts = sum((costs[f"by hand, {keys}"] for keys in GROUPED), base)
    yield _ratio("basic, all scanned", costs[SCANNED], base, 1.15)
    yield _ratio("basic, file statistics", costs[COUNTED], base, 0.5)
    yield _ratio("advanced, all scanned", costs[ADVANCED], parts, 0.6)
    yield _ratio("advanced, file statistics", costs[ADVANCED_COUNTED], parts, 0.6)
    yield Line("basic, scans of files", works[SCANNED].scans, 1, "scans")
    yield Line("advanced, scans of files", works[ADVANCED].scans, 2, "scans")


def _ratio(name: str, ours: Cost, theirs: Cost, goal: float) -> Line:
    return Line(name, ours.cpu / theirs.cpu, goal, f"x the CPU by hand ({ours.cpu:.2f} of {theirs.cpu:.2f} s)")


def without_spark(session: Any, path: Path, rounds: int) -> Iterator[Line]:
    """Time 500 checks without Spark: parse, bind, plan, evaluate."""
    times = list(overhead.beside_spark(session.read.parquet(str(path)).drop("day").limit(1000), rounds))
    parts = {name: 1000 * statistics.median(each[name] for each in times) for name in overhead.PARTS}
    breakdown = ", ".join(f"{name} {spent:.0f}" for name, spent in parts.items())
    spent = 1000 * statistics.median(sum(each.values()) for each in times)
    yield Line("500 checks without Spark", spent, 150, f"ms ({breakdown})")


def wide(session: Any, path: Path, rounds: int) -> Iterator[Line]:
    """Time 2,000 columns with five checks each, on the first run: such a table is not verified twice."""
    run = overhead.wide(session)
    spent = median([cost(run) for _ in range(min(rounds, 1))])
    yield Line("2,000 columns x 5 checks", spent.wall, 60, f"s of wall clock ({spent.cpu:.0f} s CPU)")


def deequ(session: Any, path: Path, rounds: int) -> Iterator[Line]:
    """Print why Deequ is not measured: it is published for some Spark versions only."""
    print(f"Deequ: not measured; its newest known release, {DEEQU}, does not support Spark {session.version}")
    yield from ()


PARTS: dict[str, Callable[[Any, Path, int], Iterator[Line]]] = {
    "data": data,
    "beside": without_spark,
    "wide": wide,
    "deequ": deequ,
}


def main(argv: Sequence[str] | None = None) -> None:
    """Create the table if missing, run the selected parts, and print the goals."""
    with begun(__doc__, PARTS, argv) as setting:
        print(machine(setting.session))
        print(
            f"{setting.rows:,} rows, {len(columns(setting.rows)) - 1} columns, medians of {setting.rounds}", flush=True
        )
        lines(PARTS, setting.only, setting.session, setting.path, setting.rounds)


if __name__ == "__main__":
    main()
