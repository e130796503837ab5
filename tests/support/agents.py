"""The jars that `make agents` fetches: where they lie, the settings of a Spark that has them, and jobs with them."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from support import spark_job
from support.required import require

from treaty.registry.sdk.openlineage_listener import settings

AGENTS = Path(__file__).parents[2] / ".agents"
JARS = AGENTS / "jars"
# The Spark that Iceberg's runtime is made for.
SPARK_FOR_ICEBERG = AGENTS / "spark-for-iceberg"
ICEBERG = {
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.lake.type": "hadoop",
}
DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    # Tables of tests are tiny.
    "spark.databricks.delta.snapshotPartitions": "1",
}


def jars(*words: str) -> list[Path]:
    """The jars whose names hold one of the words."""
    return sorted(path for path in JARS.glob("*.jar") if any(word in path.name for word in words))


def delta() -> dict[str, str]:
    """The settings of a Spark that reads and writes Delta tables; none where the jars are not there."""
    found = jars("delta", "unitycatalog")
    return {**DELTA, "spark.jars": ",".join(map(str, found))} if found else {}


def require_delta() -> None:
    """Skips the test without the jars; fails it where `agents` is required."""
    require("agents", available=bool(delta()), reason="there are no jars of Delta: make agents fetches them")


def iceberg(warehouse: Path) -> dict[str, str]:
    """The settings of a Spark that reads and writes Iceberg tables, with a catalog `lake` in that folder."""
    found = ",".join(map(str, jars("iceberg")))
    return {**ICEBERG, "spark.sql.catalog.lake.warehouse": str(warehouse), "spark.jars": found}


def require_iceberg() -> None:
    """Skips the test without the jars or the Spark that they are made for; fails it where `agents` is required."""
    there = bool(jars("iceberg")) and (SPARK_FOR_ICEBERG / "pyspark").is_dir()
    require("agents", available=there, reason="there is no Iceberg with its Spark: make agents fetches them")


def listener(url: str, token: str) -> dict[str, str]:
    """The settings of a job that tells of what it does: what the docs ask a user for."""
    return settings(url, token, ",".join(map(str, jars("openlineage"))))


def require_listener() -> None:
    """Skips the test without the listener's jar; fails it where `agents` is required."""
    reason = "there is no jar of the OpenLineage listener: make agents fetches it"
    require("agents", available=bool(jars("openlineage")), reason=reason)


def together(*settings: Mapping[str, str]) -> dict[str, str]:
    """All of these settings, with the jars of each."""
    every = ",".join(each["spark.jars"] for each in settings if each.get("spark.jars"))
    merged = {name: value for each in settings for name, value in each.items()}
    return {**merged, "spark.jars": every} if every else merged


def defaults(folder: Path, settings: Mapping[str, str]) -> Path:
    """The folder, which Spark takes these settings from where SPARK_CONF_DIR names it."""
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{name} {value}\n" for name, value in settings.items())
    (folder / "spark-defaults.conf").write_text(text, encoding="utf-8")
    return folder


@dataclass(frozen=True)
class Job:
    """A Spark job that runs in a process of its own."""

    process: "subprocess.Popen[str]"
    log: Path

    def do(self, operation: str) -> str:
        """How the operation ended, once all that the job tells of it has been sent."""
        assert self.process.stdin
        self.process.stdin.write(f"{operation}\n")
        self.process.stdin.flush()
        return self.answer()

    def answer(self) -> str:
        """The next line that the job prints."""
        assert self.process.stdout
        line = self.process.stdout.readline().strip()
        assert line, self.log.read_text(errors="replace")[-3000:]
        return line


@contextmanager
def running_job(
    folder: Path, settings: Mapping[str, str], *, program: str = spark_job.__file__, path: Sequence[Path] = ()
) -> Iterator[Job]:
    """The job of `support.spark_job`, or another such program, with its tables below the folder, ended with the block.

    `path`: where it finds modules first, as another Spark."""
    own = {
        "spark.master": "local[2]",
        "spark.driver.memory": "1g",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        **settings,
    }
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TREATY_")}
    environment = {**clean, "SPARK_CONF_DIR": str(defaults(folder / "conf", own))}
    environment |= {"PYTHONPATH": os.pathsep.join(map(str, path))} if path else {}
    log = folder / "job.log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, program, str(folder)],
            cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True,
        )  # fmt: skip
    try:
        job = Job(process, log)
        assert job.answer() == spark_job.READY
        yield job
    finally:
        process.stdin.close() if process.stdin else None
        try:
            process.wait(30)
        finally:
            process.kill()
