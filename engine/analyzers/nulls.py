"""Metrics of missing values."""

from typing import Any

from engine.analyzers.base import Analyzer, ColumnName
from engine.analyzers.components import Component, Count
from engine.analyzers.quoting import Operand


class Present(Count):
    """How many values of a column of any type, nested ones included, are not null."""

    kind = "present"
    accepts = Component.accepts | {"array", "map", "struct", "variant", "interval", "time", "void"}

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        return (f"count({operands[0].sql})",)


class Completeness(Analyzer):
    """Share of the values that are not null, between 0 and 1 (Deequ, VLDB 2018, Table 2).

    No value for a table without rows."""

    name = "completeness"
    unit = "share"
    column: ColumnName
    present = Present("{column}")
    rows = Count()

    def value(self, state: Any) -> float | None:
        return state.present / state.rows if state.rows else None
