"""Start the Spark session: local by default, or a cluster or Spark Connect."""

from typing import Any

SETTINGS = {
    # Contract text must never be substituted with configuration or environment values.
    "spark.sql.variable.substitute": "false",
    "spark.sql.session.timeZone": "UTC",
    # A partition is named by its folder: month=01 stays '01'.
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    # Java does not compile longer methods; Spark then generates several shorter ones instead of one for a whole stage.
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
    """Return a Spark session with Treaty's settings.

    `remote`: a Spark Connect address (sc://...). `master`: a cluster, used if `remote` is None. If both are None, Spark
    runs locally on two cores with `memory` of heap. `extra`: further Spark settings, ignored with `remote`."""
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
    """Silence pyspark's loggers: they write messages of failed queries, with data values, to stderr."""
    from logging import CRITICAL

    from pyspark.logger import PySparkLogger

    for name in LOGGERS:
        PySparkLogger.getLogger(name).setLevel(CRITICAL)
