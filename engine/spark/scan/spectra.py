"""Merge frequencies of many partitions in Spark and return only their spectrum.

Used when they are too large for one process."""

from functools import reduce
from typing import Any

from treaty.engine.components.frequencies import FrequencySpectrum
from treaty.engine.core.errors import EngineError
from treaty.engine.protocol.requests import SpectraRequest
from treaty.engine.spark.process.errors import is_cancelled, safe_message


def spectra(session: Any, request: SpectraRequest) -> dict[str, FrequencySpectrum]:
    """Return how many combinations of each state occur how often. Raises EngineError if files cannot be read."""
    return {key: _spectrum(session, key, request.state_url, names) for key, names in request.files.items()}


def _spectrum(session: Any, key: str, url: str, names: tuple[str, ...]) -> FrequencySpectrum:
    try:
        rows = _counted(session, [f"{url.rstrip('/')}/{name}" for name in names]).collect()
    except Exception as error:
        if is_cancelled(error):
            raise
        raise EngineError(f"stored frequencies cannot be merged: {safe_message(error)}") from error
    times: dict[int, int] = {}
    for count, _, many in rows:
        times[count] = times.get(count, 0) + many
    return FrequencySpectrum(times, {count: many for count, complete, many in rows if complete}, key)


def _counted(session: Any, paths: list[str]) -> Any:
    """Return rows of (count, whether no key is null, number of combinations)."""
    from pyspark.sql import functions

    pieces = session.read.parquet(*paths)
    keys = [name for name in pieces.columns if name != "n"]
    whole = reduce(lambda one, other: one & other, (functions.col(name).isNotNull() for name in keys))
    summed = pieces.groupBy(*keys).agg(functions.sum("n").alias("n"))
    return summed.groupBy("n", whole.alias("complete")).count()
