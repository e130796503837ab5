"""What a Spark job is to be set to, so that OpenLineage's listener in it tells this registry what it writes."""

from collections.abc import Mapping

# For Spark 4; tests run real jobs with this one.
PACKAGE = "io.openlineage:openlineage-spark_2.13:1.53.0"
CLASS = "io.openlineage.spark.agent.OpenLineageSparkListener"


def settings(url: str, token: str, jar: str | None = None) -> dict[str, str]:
    """Spark's settings, by name. `url`, `token`: where the registry's API is, and a token that may send lineage. `jar`:
    where the listener lies; None: Spark fetches it by its Maven name."""
    return {
        **({"spark.jars": jar} if jar else {"spark.jars.packages": PACKAGE}),
        "spark.extraListeners": CLASS,
        "spark.openlineage.transport.type": "http",
        "spark.openlineage.transport.url": url,
        "spark.openlineage.transport.auth.type": "api_key",
        "spark.openlineage.transport.auth.apiKey": token,
    }


def properties(found: Mapping[str, str]) -> str:
    """The settings as a file that Spark reads, a line each."""
    longest = max(map(len, found), default=0)
    return "".join(f"{name:<{longest}}  {value}\n" for name, value in found.items())
