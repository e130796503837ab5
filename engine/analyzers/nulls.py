"""Metrics of missing values."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from treaty.contracts.assertions import Assertion
from treaty.contracts.schema import Schema
from treaty.engine.analyzers import violation_bounds
from treaty.engine.analyzers.arguments import ColumnName, ColumnNames, Missing
from treaty.engine.analyzers.base import Analyzer, NotApplicableToTable
from treaty.engine.analyzers.bound import Operands
from treaty.engine.analyzers.shares import InvalidRowCount
from treaty.engine.analyzers.violating_rows import ViolatingRows
from treaty.engine.components.base import Component, CountComponent, CountIfComponent
from treaty.engine.components.operands import Operand
from treaty.engine.components.sql_literals import equal_of

# Longer lists of columns are counted in sentences.
COLUMNS_SHOWN = 3


class RowShare(Analyzer):
    """Base class: share of rows counted by the component `present`. No value for an empty table."""

    unit = "share"

    def value(self, state: Any) -> float | None:
        return state.present / state.rows if state.rows else None

    def broken(self, state: Any) -> int:
        return int(state.rows - state.present)


class Completeness(RowShare):
    """Share of the values that are not null, between 0 and 1.

    After Deequ (VLDB 2018, Table 2). 0 if all values are null. No value for an empty table, or if no row matches
    `where`."""

    name = "completeness"
    value_template = "{value} of {counted} rows have {column}"
    requirement = "{column} is required"
    violation_phrase = "rows have no value"
    column: ColumnName
    present = CountComponent("{column}")

    def breaking(self, operands: Operands, assertion: Assertion) -> ViolatingRows | None:
        return violation_bounds.violating_rows(f"{operands['column'][0].sql} IS NOT NULL", assertion)


class CombinedCompleteness(RowShare):
    """Share of the rows in which all columns are not null (`of: any`: at least one).

    Between 0 and 1; 0 if all values are null. No value for an empty table, or if no row matches `where`."""

    name = "combined_completeness"
    value_template = "{value} of {counted} rows have {of} of {subject}"
    violation_phrase = "rows do not"
    columns: ColumnNames
    of: Literal["all", "any"] = Field(
        default="all", description="`all`: every column has a value; `any`: at least one has"
    )
    present = CountIfComponent("{complete}")

    def operands(self, schema: Schema) -> Operands:
        named = super().operands(schema)
        word = {"all": " AND ", "any": " OR "}[self.of]
        complete = word.join(f"{each.sql} IS NOT NULL" for each in named["columns"])
        return {**named, "complete": (Operand(sql=complete, type="boolean"),)}

    def breaking(self, operands: Operands, assertion: Assertion) -> ViolatingRows | None:
        return violation_bounds.violating_rows(operands["complete"][0].sql, assertion)


class MeanCompleteness(Analyzer):
    """Mean of the columns' completeness: the share of all their values that are not null, between 0 and 1.

    It shows losses that are small in each column but affect many. No value for an empty table, or if no row matches
    `where`."""

    name = "mean_completeness"
    unit = "share"
    columns: ColumnNames
    present = CountComponent("{columns}")

    @property
    def phrase(self) -> str:
        if len(self.columns) <= COLUMNS_SHOWN:
            return super().phrase
        return f"mean completeness of {len(self.columns)} columns" + (f" where {self.where}" if self.where else "")

    def parts(self) -> Mapping[str, Component]:
        return {name: CountComponent(f"{{{name}}}") for name in self._by_part}

    def operands(self, schema: Schema) -> Operands:
        named = super().operands(schema)
        return {**named, **{name: (each,) for name, each in zip(self._by_part, named["columns"], strict=True)}}

    @property
    def _by_part(self) -> Mapping[str, str]:
        return {f"present_{at}": column for at, column in enumerate(self.columns)}

    def value(self, state: Any) -> float | None:
        present = sum(getattr(state, name) for name in self._by_part)
        return present / (state.rows * len(self.columns)) if state.rows else None


class NullValues(InvalidRowCount):
    """Number of rows in which the column is null; 0 for an empty table. An empty text is not null.

    `count_in: percent` gives their share times 100, with no value for an empty table. No value if no row matches
    `where`."""

    name = "null_values"
    value_template = "{value} {count_in} of {counted} rows have no {column}"
    violation_phrase = "rows have no value"
    column: ColumnName

    def condition(self, named: Operands) -> Operand:
        return Operand(sql=f"{named['column'][0].sql} IS NULL", type="boolean")


class MissingValues(InvalidRowCount):
    """Number of rows that are null or have one of the `missing` values; 0 for an empty table.

    Texts among `missing` that the column's type cannot hold ('N/A' in a numeric column) are ignored. `count_in:
    percent` gives the share of the rows times 100, with no value for an empty table. No value if no row matches
    `where`."""

    name = "missing_values"
    value_template = "{value} {count_in} of {counted} rows are missing {column}"
    violation_phrase = "rows are missing it"
    column: ColumnName
    missing: Missing = ()

    def condition(self, named: Operands) -> Operand:
        operand = named["column"][0]
        literals = {each: equal_of(each, operand) for each in self.missing if each is not None}
        foreign = [each for each, sql in literals.items() if sql is None and not isinstance(each, str)]
        if foreign:
            raise NotApplicableToTable(
                f"{operand.sql} has type {operand.type}, which cannot have the value {foreign[0]!r}"
            )
        among = ", ".join(sql for sql in literals.values() if sql)
        either = f" OR {operand.sql} IN ({among})" if among else ""
        return Operand(sql=f"{operand.sql} IS NULL{either}", type="boolean")
