"""Metrics of the schema alone, which read no rows."""

from typing import Any

from treaty.contracts.schema import Schema
from treaty.engine.analyzers.arguments import ColumnName
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.bound import Operands
from treaty.engine.components.base import CountComponent


class ColumnCount(Analyzer):
    """Number of columns of the table, without nested fields.

    The value is the same for an empty table and with any `where`."""

    name = "column_count"
    unit = "columns"
    defined_on_empty = True
    value_template = "{value} columns"
    rows = CountComponent()

    def value(self, state: Any) -> int:
        return len(state.schema.columns)


class ColumnExists(Analyzer):
    """1 if the table has the column or nested field, else 0.

    The value is the same for an empty table and with any `where`."""

    name = "column_exists"
    unit = "columns"
    defined_on_empty = True
    value_template = "{value} columns are named {column}"
    column: ColumnName
    rows = CountComponent()

    @property
    def columns_named(self) -> tuple[str, ...]:
        """Return no columns: a missing column is a result of this check, not a fault of it."""
        return ()

    def operands(self, schema: Schema) -> Operands:
        return {}

    def value(self, state: Any) -> int:
        return int(state.schema.find(self.column) is not None)
