"""The engine's figures: `python -m bench.engine.verification [--rows N] [--rounds N] [--folder F] [--only PART ...]`.

Prints the machine, then for every way of computing the basic and the advanced test of data on the same table: the
medians of wall and CPU seconds of the whole process tree, and what Spark was asked for; then each goal and whether it
is met. Every way runs once before it is timed, and then they take turns."""

import os
import platform
import statistics
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.core.clock import Cost, cost, median
from bench.core.command import Line, begun, lines
from bench.engine import overhead, ways
from bench.engine.statements import GROUPED
from bench.engine.table import columns
from bench.engine.ways import ADVANCED, ADVANCED_COUNTED, BY_HAND, COUNTED, SCANNED, SKETCHES

# The newest release of the anchor; none is for Scala 2.13 and Spark 4.
DEEQU = "2.1.0-spark-3.5"


def machine(session: Any) -> str:
    """Cores, memory, system and versions; no names."""
    gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    java = session.sparkContext._jvm.java.lang.System.getProperty("java.version")
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    return (
        f"{os.cpu_count()} cores, {gigabytes:.0f} GiB, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}, Java {java}, Spark {session.version}; load before: {load}"
    )


def data(session: Any, path: Path, rounds: int) -> Iterator[Line]:
    """Times the two tests of data; yields their goals."""
    bench = ways.opened(session, path)
    asked = ways.works(bench)
    found = ways.costs(bench, rounds=rounds)
    print(f"\n{'':36} {'wall s':>8} {'CPU s':>8} {'jobs':>6} {'stages':>7} {'scans':>6}")
    for name, spent in found.items():
        did = asked[name]
        print(f"{name:36} {spent.wall:8.2f} {spent.cpu:8.2f} {did.jobs:6} {did.stages:7} {did.scans:6}")
    base = min((found[BY_HAND], found[SKETCHES]), key=lambda each: each.cpu)
    parts = sum((found[f"by hand, {keys}"] for keys in GROUPED), base)
    yield _ratio("basic, all scanned", found[SCANNED], base, 1.15)
    yield _ratio("basic, file statistics", found[COUNTED], base, 0.5)
    yield _ratio("advanced, all scanned", found[ADVANCED], parts, 0.6)
    yield _ratio("advanced, file statistics", found[ADVANCED_COUNTED], parts, 0.6)
    yield Line("basic, scans of files", asked[SCANNED].scans, 1, "scans")
    yield Line("advanced, scans of files", asked[ADVANCED].scans, 2, "scans")


def _ratio(name: str, ours: Cost, theirs: Cost, goal: float) -> Line:
    return Line(name, ours.cpu / theirs.cpu, goal, f"x the CPU by hand ({ours.cpu:.2f} of {theirs.cpu:.2f} s)")


def without_spark(session: Any, path: Path, rounds: int) -> Iterator[Line]:
    """500 checks without Spark: parsed, bound, planned, judged."""
    times = list(overhead.beside_spark(session.read.parquet(str(path)).drop("day").limit(1000), rounds))
    parts = {name: 1000 * statistics.median(each[name] for each in times) for name in overhead.PARTS}
    told = ", ".join(f"{name} {spent:.0f}" for name, spent in parts.items())
    spent = 1000 * statistics.median(sum(each.values()) for each in times)
    yield Line("500 checks beside Spark", spent, 150, f"ms ({told})")


def wide(session: Any, path: Path, rounds: int) -> Iterator[Line]:
    """2,000 columns with five checks each; the first run is the figure: nobody verifies such a table twice."""
    run = overhead.wide(session)
    spent = median([cost(run) for _ in range(min(rounds, 1))])
    yield Line("2,000 columns x 5 checks", spent.wall, 60, f"s of wall clock ({spent.cpu:.0f} s CPU)")


def deequ(session: Any, path: Path, rounds: int) -> Iterator[Line]:
    """Says why Deequ is not run beside: it is published for some Spark versions only."""
    print(f"Deequ: not run: its newest release known here is {DEEQU}, none is for Spark {session.version}")
    yield from ()


PARTS: dict[str, Callable[[Any, Path, int], Iterator[Line]]] = {
    "data": data,
    "beside": without_spark,
    "wide": wide,
    "deequ": deequ,
}


def main(given: Sequence[str] | None = None) -> None:
    """Makes the table when it is not there yet, runs the parts that are asked for, and prints the goals."""
    with begun(__doc__, PARTS, given) as asked:
        print(machine(asked.session))
        print(f"{asked.rows:,} rows, {len(columns(asked.rows)) - 1} columns, medians of {asked.rounds}", flush=True)
        lines(PARTS, asked.only, asked.session, asked.path, asked.rounds)


if __name__ == "__main__":
    main()
