"""All analyzers: importing this package fills the table `ANALYZERS`."""

from engine.analyzers import (
    association,
    characters,
    distinct,
    freshness,
    histogram,
    keys,
    nulls,
    numbers,
    predictability,
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
    "characters",
    "distinct",
    "freshness",
    "histogram",
    "keys",
    "nulls",
    "numbers",
    "predictability",
    "quantiles",
    "queries",
    "references",
    "rows",
    "schema",
    "text",
    "types",
    "values",
]
