"""The engine's figures: `python -m bench.engine [--rows N] [--rounds N] [--folder F] [--only PART ...]`.

Prints the machine, then for every way of computing the basic and the advanced test of data on the same table: the
medians of wall and CPU seconds of the whole process tree, and what Spark was asked for; then each goal and whether it
is met. Every way runs once before it is timed, and then they take turns."""

import argparse
import os
import platform
import statistics
import tempfile
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bench import overhead, ways
from bench.clock import Cost, cost, median
from bench.statements import GROUPED
from bench.table import columns, made
from bench.ways import ADVANCED, ADVANCED_COUNTED, BY_HAND, COUNTED, SCANNED, SKETCHES
from engine.spark.session import start

DEEQU = "https://repo1.maven.org/maven2/com/amazon/deequ/deequ/maven-metadata.xml"
Line = tuple[str, float, float, str]


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
    yield "basic, scans of files", asked[SCANNED].scans, 1, "scans"
    yield "advanced, scans of files", asked[ADVANCED].scans, 2, "scans"


def _ratio(name: str, ours: Cost, theirs: Cost, goal: float) -> Line:
    return name, ours.cpu / theirs.cpu, goal, f"x the CPU by hand ({ours.cpu:.2f} of {theirs.cpu:.2f} s)"


def beside(session: Any, path: Path, rounds: int) -> Iterator[Line]:
    """500 checks without Spark: parsed, bound, planned, judged."""
    times = list(overhead.beside_spark(session.read.parquet(str(path)).drop("day").limit(1000), rounds))
    parts = {name: 1000 * statistics.median(each[name] for each in times) for name in overhead.PARTS}
    told = ", ".join(f"{name} {spent:.0f}" for name, spent in parts.items())
    yield "500 checks beside Spark", 1000 * statistics.median(sum(each.values()) for each in times), 150, f"ms ({told})"


def wide(session: Any, path: Path, rounds: int) -> Iterator[Line]:
    """2,000 columns with five checks each; the first run is the figure: nobody verifies such a table twice."""
    run = overhead.wide(session)
    spent = median([cost(run) for _ in range(min(rounds, 1))])
    yield "2,000 columns x 5 checks", spent.wall, 60, f"s of wall clock ({spent.cpu:.0f} s CPU)"


def deequ(session: Any, path: Path, rounds: int) -> Iterator[Line]:
    """Says why Deequ is not run beside: it is published for some Spark versions only."""
    try:
        with urllib.request.urlopen(DEEQU, timeout=10) as answer:
            published = answer.read().decode()
    except OSError:
        published = ""
    spark = ".".join(session.version.split(".")[:2])
    newest = published.partition("<latest>")[2].partition("<")[0]
    if not published:
        why = "its list of releases cannot be fetched"
    elif f"spark-{spark}<" in published:
        why = f"a release for Spark {spark} is there now, but this benchmark has no code for it yet"
    else:
        why = f"its newest release is {newest}, none is for Spark {spark} (Scala 2.13)"
    print(f"\nDeequ: not run: {why}")
    yield from ()


PARTS: dict[str, Callable[[Any, Path, int], Iterator[Line]]] = {
    "data": data,
    "beside": beside,
    "wide": wide,
    "deequ": deequ,
}


def main(given: Sequence[str] | None = None) -> None:
    """Makes the table when it is not there yet, runs the parts that are asked for, and prints the goals."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--rounds", type=int, default=5, help="the medians are of so many")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "treaty-bench")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS))
    asked = parser.parse_args(given)
    session = start(memory="4g")
    session.sparkContext.setLogLevel("OFF")
    try:
        print(machine(session))
        path = made(session, asked.folder, asked.rows)
        print(f"{asked.rows:,} rows, {len(columns(asked.rows)) - 1} columns, medians of {asked.rounds}", flush=True)
        goals = [line for name in asked.only for line in PARTS[name](session, path, asked.rounds)]
        print()
        for name, figure, goal, unit in goals:
            print(f"{name:28} {figure:8.2f} {unit}; goal <= {goal:g}: {'met' if figure <= goal else 'MISSED'}")
    finally:
        session.stop()


if __name__ == "__main__":
    main()
