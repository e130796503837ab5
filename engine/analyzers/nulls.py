"""Metrics of missing values."""

from typing import Any

from contracts.assertions import Assertion
from engine.analyzers.arguments import ColumnName
from engine.analyzers.base import Analyzer
from engine.analyzers.bound import Operands
from engine.analyzers.breaking import Breaking
from engine.analyzers.components import Count


class Completeness(Analyzer):
    """Share of the values that are not null, between 0 and 1 (Deequ, VLDB 2018, Table 2).

    No value for a table without rows."""

    name = "completeness"
    unit = "share"
    told = "{value} of {counted} rows have {column}"
    fault = "rows have none"
    column: ColumnName
    present = Count("{column}")
    rows = Count()

    def value(self, state: Any) -> float | None:
        return state.present / state.rows if state.rows else None

    def broken(self, state: Any) -> int:
        return int(state.rows - state.present)

    def breaking(self, operands: Operands, assertion: Assertion) -> Breaking:
        return Breaking(f"{operands['column'][0].sql} IS NULL")
