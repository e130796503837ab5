"""The classes that a Spark of the tests loads, as an archive that Java maps into memory: a session then takes 9 s of
processor time in place of 15.

Run as a program it makes the archive, once for the Spark that is installed. Java takes no archive that is not of itself
and of exactly these jars, and goes on without."""

import os
import shlex
import shutil
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

# Java begins dozens of times here, for tables of a few rows: what it compiles well it never runs often enough.
# What it logs of an archive that it does not take would stand among what a command prints.
BRIEF = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xlog:disable"
# Tables of a few rows need no two hundred tasks. What a job sets itself goes before this.
SMALL = (
    "-Dspark.sql.shuffle.partitions=2 -Dspark.databricks.delta.snapshotPartitions=1 "
    "-Dspark.ui.enabled=false -Dspark.ui.showConsoleProgress=false"
)
ARCHIVE = Path(sys.prefix, f"spark-{version('pyspark')}.jsa")
# Spark names its folder of settings (SPARK_CONF_DIR) before its jars, and Java takes the archive only where these come
# first: what the folder holds is read all the same.
HOME = Path(sys.prefix, "java-of-the-tests")
JAVA = """#!/usr/bin/env bash
folder=${SPARK_CONF_DIR:-}
folder=${folder%/}/
if [ "${1:-}" = -cp ] && [ "$folder" != / ] && [ "${2#"$folder:"}" != "$2" ]; then
  set -- -cp "${2#"$folder:"}:$folder" "${@:3}"
fi
exec {java} "$@"
"""


def options() -> dict[str, str]:
    """How tests have Java run, as variables of the environment that Spark's own scripts read."""
    brief = {"SPARK_SUBMIT_OPTS": f"{BRIEF} {SMALL}", "SPARK_LAUNCHER_OPTS": BRIEF}
    if not ARCHIVE.exists():
        return brief
    home = {"JAVA_HOME": str(HOME)} if HOME.exists() else {}
    return brief | home | {"SPARK_SUBMIT_OPTS": f'{BRIEF} {SMALL} "-XX:SharedArchiveFile={ARCHIVE}"'}


def main() -> None:
    """Makes the archive where there is none, and the Java that takes it. It takes its name once it is whole."""
    if ARCHIVE.exists() or (java := shutil.which("java")) is None:
        return
    _write(HOME / "bin" / "java", JAVA.replace("{java}", shlex.quote(java)))
    with TemporaryDirectory(dir=ARCHIVE.parent) as folder:
        made = Path(folder, ARCHIVE.name)
        os.environ["SPARK_SUBMIT_OPTS"] = f'{BRIEF} "-XX:ArchiveClassesAtExit={made}"'
        _use(Path(folder))
        if made.exists():
            made.rename(ARCHIVE)


def _write(program: Path, text: str) -> None:
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(text, encoding="utf-8")
    program.chmod(0o755)


def _use(folder: Path) -> None:
    """Has a Spark do what tests have it do, and waits until its Java has ended."""
    from pyspark import SparkContext
    from pyspark.sql.functions import expr

    from treaty.engine.spark.process.session import start

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
