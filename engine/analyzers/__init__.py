"""All analyzers: importing this package fills the table `ANALYZERS`."""

from engine.analyzers import association, distinct, nulls, numbers, quantiles, references, rows, text, values
from engine.analyzers.base import ANALYZERS

__all__ = [
    "ANALYZERS",
    "association",
    "distinct",
    "nulls",
    "numbers",
    "quantiles",
    "references",
    "rows",
    "text",
    "values",
]
