"""Metric defined by a SQL query that returns one number."""

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from treaty.contracts.queries import parser
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.arguments import ColumnName
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.bound import Operands
from treaty.engine.components.operands import Operand
from treaty.engine.components.separate_statement import QueryNumber
from treaty.engine.core.results import Value

SHOWN = 80


class Sql(Analyzer):
    """Number returned by a query over this table (ODCS quality of `type: sql`).

    The query is one SELECT of aggregates, with WHERE, FILTER, CASE, and nested SELECTs with GROUP BY and HAVING.
    `{object}` (or `{table}`) is the table, `{property}` (or `{column}`) the column. A check of scope delta runs it
    on each partition that arrived, a check of scope dataset once on the whole table; `where` filters the rows before
    it runs. Null follows SQL: count(*) of an empty table is 0, the sum of no values is null, which is no value. If
    any row cannot be evaluated (an invalid cast, a division by zero), the check is not evaluated."""

    name = "sql"
    unit = "value"
    defined_on_empty = True
    value_template = "the query returns {value}"
    query: Annotated[
        str, Field(description="one SELECT that returns one number, for example SELECT count(*) FROM {object}")
    ]
    column: Annotated[ColumnName | None, Field(description="the column that {property} refers to")] = None
    tables: Annotated[tuple[str, ...], Field(description="further names of the table in the query")] = ()
    answer = QueryNumber("{query}")

    @model_validator(mode="after")
    def _admitted(self) -> Self:
        try:
            parser.parse(self.query, tables=self.tables, column=self.column)
        except parser.QueryError as error:
            raise ValueError("; ".join(map(str, error.faults))) from None
        return self

    @property
    def phrase(self) -> str:
        text = " ".join(self.query.split())
        shown = text if len(text) <= SHOWN else f"{text[:SHOWN]} ..."
        return f"the result of {shown}" + (f" where {self.where}" if self.where else "")

    def operands(self, schema: Schema) -> Operands:
        query = parser.parse(self.query, tables=self.tables, column=self.column, schema=schema)
        classified = any(schema.names_along(column) in schema.classified for column in query.columns)
        return {"query": (Operand(sql=query.sql, type="query", classified=classified),)}

    def value(self, state: Any) -> Value:
        return state.answer  # type: ignore[no-any-return]
