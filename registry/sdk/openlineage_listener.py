"""Spark settings that make OpenLineage's listener send lineage events to the registry."""

from collections.abc import Mapping

# For Spark 4; the tests run real jobs with this version.
PACKAGE = "io.openlineage:openlineage-spark_2.13:1.53.0"
CLASS = "io.openlineage.spark.agent.OpenLineageSparkListener"


def settings(url: str, token: str, jar: str | None = None) -> dict[str, str]:
    """Return the Spark settings by name.

    `url`: address of the registry's API. `token`: a token with the permission to send lineage events.
    `jar`: path of the listener; None makes Spark download it from Maven."""
    return {
        **({"spark.jars": jar} if jar else {"spark.jars.packages": PACKAGE}),
        "spark.extraListeners": CLASS,
        "spark.openlineage.transport.type": "http",
        "spark.openlineage.transport.url": url,
        "spark.openlineage.transport.auth.type": "api_key",
        "spark.openlineage.transport.auth.apiKey": token,
    }


def properties(settings_map: Mapping[str, str]) -> str:
    """Format the settings as a Spark properties file, one per line."""
    longest = max(map(len, settings_map), default=0)
    return "".join(f"{name:<{longest}}  {value}\n" for name, value in settings_map.items())
