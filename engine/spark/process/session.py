"""The Spark session: local by default, a cluster or Spark Connect when one is named."""

from typing import Any

SETTINGS = {
    # Text of contracts must never be substituted with configuration or environment values.
    "spark.sql.variable.substitute": "false",
    "spark.sql.session.timeZone": "UTC",
    # A partition is named by its folder: month=01 stays '01'.
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    # Java does not compile longer methods: Spark then generates shorter ones, in place of one for a whole stage.
    "spark.sql.codegen.hugeMethodLimit": "8000",
}
LOGGERS = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")
LOCAL = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
}


def start(
    *, remote: str | None = None, master: str | None = None, memory: str = "2g", extra: dict[str, str] | None = None
) -> Any:
    """A Spark session: Spark Connect at `remote` (sc://...), else `master` (a cluster), else local on two cores."""
    from pyspark.sql import SparkSession

    _silence()
    builder = SparkSession.builder.appName("treaty")
    if remote:
        builder = builder.remote(remote)
    else:
        local = {} if master else {**LOCAL, "spark.driver.memory": memory}
        builder = builder.master(master or "local[2]")
        builder = builder.config(map={**local, **SETTINGS, **(extra or {})})
    session = builder.getOrCreate()
    for name, setting in SETTINGS.items():
        session.conf.set(name, setting)
    return session


def _silence() -> None:
    """Pyspark writes the message of every failed query to stderr, with the data values that are in it."""
    from logging import CRITICAL

    from pyspark.logger import PySparkLogger

    for name in LOGGERS:
        PySparkLogger.getLogger(name).setLevel(CRITICAL)
