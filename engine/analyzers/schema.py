"""Metrics of the schema alone: no row is looked at."""

from typing import Any

from treaty.contracts.schema import Schema
from treaty.engine.analyzers.arguments import ColumnName
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.bound import Operands
from treaty.engine.components.base import CountComponent


class ColumnCount(Analyzer):
    """Number of columns of the table, nested fields not counted; the same for an empty table and with any filter."""

    name = "column_count"
    unit = "columns"
    defined_on_empty = True
    value_template = "{value} columns"
    rows = CountComponent()

    def value(self, state: Any) -> int:
        return len(state.schema.columns)


class ColumnExists(Analyzer):
    """1 where the table has the column or nested field, else 0; the same for an empty table and with any filter."""

    name = "column_exists"
    unit = "columns"
    defined_on_empty = True
    value_template = "{value} columns are named {column}"
    column: ColumnName
    rows = CountComponent()

    @property
    def columns_named(self) -> tuple[str, ...]:
        """None: that the column is not there is what a check of this finds, no mistake in it."""
        return ()

    def operands(self, schema: Schema) -> Operands:
        return {}

    def value(self, state: Any) -> int:
        return int(state.schema.find(self.column) is not None)
