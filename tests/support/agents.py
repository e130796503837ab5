"""The jars that `make agents` fetches: where they lie, and the settings of a Spark that has Delta."""

from pathlib import Path

from support.required import require

JARS = Path(__file__).parents[2] / ".agents" / "jars"
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
