"""All analyzers: importing this package fills the table `ANALYZERS`."""

from engine.analyzers import distinct, nulls, numbers, quantiles, references, rows, text, values
from engine.analyzers.base import ANALYZERS

__all__ = ["ANALYZERS", "distinct", "nulls", "numbers", "quantiles", "references", "rows", "text", "values"]
