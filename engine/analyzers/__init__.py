"""All analyzers: importing this package fills the table `ANALYZERS`."""

from engine.analyzers import (
    association,
    distinct,
    freshness,
    histogram,
    nulls,
    numbers,
    quantiles,
    queries,
    references,
    rows,
    schema,
    text,
    types,
    values,
)
from engine.analyzers.base import ANALYZERS

__all__ = [
    "ANALYZERS",
    "association",
    "distinct",
    "freshness",
    "histogram",
    "nulls",
    "numbers",
    "quantiles",
    "queries",
    "references",
    "rows",
    "schema",
    "text",
    "types",
    "values",
]
