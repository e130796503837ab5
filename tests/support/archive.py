"""The classes that a Spark of the tests loads, as an archive that Java maps into memory: a session then takes 9 s of
processor time in place of 15.

Run as a program it makes the archive, once for the Spark that is installed. Java takes no archive that is not of itself
and of exactly these jars, and goes on without."""

import os
import shutil
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

# Java begins dozens of times here, for tables of a few rows: what it compiles well it never runs often enough.
# What it logs of an archive that it does not take would stand among what a command prints.
BRIEF = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xlog:disable"
ARCHIVE = Path(sys.prefix, f"spark-{version('pyspark')}.jsa")


def options() -> dict[str, str]:
    """How tests have Java run, as variables of the environment that Spark's own scripts read."""
    mapped = f' "-XX:SharedArchiveFile={ARCHIVE}"' if ARCHIVE.exists() else ""
    return {"SPARK_SUBMIT_OPTS": f"{BRIEF}{mapped}", "SPARK_LAUNCHER_OPTS": BRIEF}


def main() -> None:
    """Makes the archive where there is none. It takes its name once it is whole."""
    if ARCHIVE.exists() or shutil.which("java") is None:
        return
    with TemporaryDirectory(dir=ARCHIVE.parent) as folder:
        made = Path(folder, ARCHIVE.name)
        os.environ["SPARK_SUBMIT_OPTS"] = f'{BRIEF} "-XX:ArchiveClassesAtExit={made}"'
        _use(Path(folder))
        if made.exists():
            made.rename(ARCHIVE)


def _use(folder: Path) -> None:
    """Has a Spark do what tests have it do, and waits until its Java has ended."""
    from pyspark import SparkContext
    from pyspark.sql.functions import expr

    from engine.spark.session import start

    session = start()
    rows = session.range(1000).selectExpr("id", "cast(id % 7 as string) as day", "cast(id as double) as amount")
    rows.write.partitionBy("day").parquet(f"{folder}/table")
    table = session.read.parquet(f"{folder}/table")
    asked = ("count(*)", "max(id)", "kll_sketch_agg_double(amount)", "hll_sketch_agg(id)", "theta_sketch_agg(id)")
    table.groupBy("day").agg(*(expr(each) for each in asked)).collect()
    java = SparkContext._gateway.proc
    session.stop()
    java.stdin.close()
    java.wait(120)


if __name__ == "__main__":
    main()
