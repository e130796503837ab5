"""Compare the scan with plain Spark: `python -m bench.engine.scan [--rows N] [--partitions N]`.

Prints a line for each way of reading the same table: wall seconds, and CPU seconds of Python and of Spark's JVM."""

import argparse
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from treaty.engine.profile.table_profile import profile_of, profile_plan
from treaty.engine.spark.process.session import start
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.spark.sources.readers import schema_of
from treaty.engine.states.planning.scan_plan import Plan

COLUMNS = [
    "id",
    "id % 997 as small",
    "cast(rand(1) * 1000 as decimal(10,2)) as price",
    "randn(2) as noise",
    "rand(3) as share",
    "concat('k', cast(id % 100000 as string)) as key",
    "element_at(array('new', 'paid', 'sent', 'lost'), cast(id % 4 + 1 as int)) as status",
    "timestamp_micros(1700000000000000 + id * 1000) as seen",
    "date_add(date'2026-01-01', cast(id % 300 as int)) as due",
    "id % 7 = 0 as open",
]


def table(session: Any, folder: Path, rows: int, partitions: int) -> Any:
    """Return the table as a frame: ten columns and the partition column `day`, as Parquet."""
    frame = session.range(rows).selectExpr(*COLUMNS, f"id % {partitions} as day")
    frame.repartition(partitions, "day").write.partitionBy("day").parquet(str(folder / "t"))
    return session.read.parquet(str(folder / "t"))


def ways(frame: Any) -> dict[str, Callable[[], Any]]:
    """Return the ways of reading: counting, plain Spark with the same aggregates, and the scan with its states."""
    from pyspark.sql import functions

    schema = schema_of(frame)
    scan_plan = profile_plan(profile_of(column, schema) for column in schema if column.name != "day")
    aggregates = [functions.expr(sql).alias(f"c{at}") for at, sql in enumerate(scan_plan.aggregates)]
    return {
        "count(*)": frame.count,
        f"plain agg, {len(aggregates)} aggregates": lambda: frame.groupBy("day").agg(*aggregates).collect(),
        f"scan, {len(scan_plan.scan)} components": lambda: _scanned(frame, scan_plan),
    }


def _scanned(frame: Any, plan: Plan) -> dict[str, bytes]:
    return {name: bag.pack() for name, bag in scan(frame, plan, partition_by=["day"]).items()}


def cpu(java: int) -> tuple[float, float]:
    """Return the CPU seconds of this process and of the JVM so far; 0 for the JVM without /proc."""
    mine = resource.getrusage(resource.RUSAGE_SELF)
    try:
        fields = Path(f"/proc/{java}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return mine.ru_utime + mine.ru_stime, 0.0
    ticks = os.sysconf("SC_CLK_TCK")
    return mine.ru_utime + mine.ru_stime, (int(fields[11]) + int(fields[12])) / ticks


def measured(run: Callable[[], Any], java: int) -> str:
    """Return wall and CPU seconds of one run as three columns."""
    before, started = cpu(java), time.perf_counter()
    run()
    wall, after = time.perf_counter() - started, cpu(java)
    return f"{wall:8.1f} {after[0] - before[0]:8.1f} {after[1] - before[1]:8.1f}"


def main() -> None:
    """Create the table, read it in each way once, and print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--partitions", type=int, default=40)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="treaty-bench-"))
    session = start(memory="3g")
    session.sparkContext.setLogLevel("OFF")
    java = session.sparkContext._jvm.java.lang.ProcessHandle.current().pid()
    try:
        frame = table(session, folder, options.rows, options.partitions)
        print(
            f"{options.rows:,} rows, {len(COLUMNS)} columns, {options.partitions} partitions, Spark {session.version}"
        )
        print(f"{'':32} {'wall s':>8} {'python s':>8} {'jvm s':>8}")
        for name, run in ways(frame).items():
            print(f"{name:32} {measured(run, java)}", flush=True)
    finally:
        session.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
