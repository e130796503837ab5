"""Metrics of missing values."""

from typing import Any

from engine.analyzers.base import Analyzer, ColumnName
from engine.analyzers.components import Count


class Completeness(Analyzer):
    """Share of the values that are not null, between 0 and 1 (Deequ, VLDB 2018, Table 2).

    No value for a table without rows."""

    name = "completeness"
    unit = "share"
    column: ColumnName
    present = Count("{column}")
    rows = Count()

    def value(self, state: Any) -> float | None:
        return state.present / state.rows if state.rows else None
