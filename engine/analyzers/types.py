"""Metrics of data types: which values of a text column read as numbers, booleans, dates or times."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from treaty.contracts.assertions import Assertion
from treaty.engine.analyzers import violation_bounds
from treaty.engine.analyzers.arguments import ColumnName
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.bound import Operands
from treaty.engine.analyzers.violating_rows import ViolatingRows
from treaty.engine.components.text_classes import CLASSES, TypeCounts, class_of

# Which classes of values read as a type.
READS = {
    "integer": ("integer",),
    "decimal": ("integer", "decimal"),
    "fractional": ("integer", "decimal", "fractional"),
    "number": ("integer", "decimal", "fractional"),
    "boolean": ("boolean",),
    "date": ("date",),
    "timestamp": ("date", "timestamp"),
    "string": ("other",),
}
TypeName = Literal["integer", "decimal", "fractional", "number", "boolean", "date", "timestamp", "string"]


# The types of which a column is one or another: the wider ones, so that 1 and 1.5 agree, and a day with a time.
KINDS = ("number", "boolean", "timestamp", "string")


class DataType(Analyzer):
    """Share of the non-null values that read as the type, between 0 and 1; a typed column is not looked at for it.

    integer: digits with or without a sign. decimal: that, or with a point. fractional, number: that, or with an
    exponent. boolean: true or false in any case. date: a day of the calendar as yyyy-MM-dd. timestamp: that, or with a
    time as ISO 8601 (T or a blank between, seconds, fraction and zone at will). string: a text that reads as nothing
    of this. Blanks before or after make a text a string. Distribution: the rows of each class and the nulls.

    No value for an empty table, for nothing but nulls, for a filter that admits no row. (Deequ: 0; it knows neither
    dates nor decimals without leading digits, and its fractional leaves integers out.)"""

    name = "data_type"
    unit = "share"
    value_template = "{value} of {counted} values of {column} read as {type}"
    violation_phrase = "rows do not"
    column: ColumnName
    type: TypeName = Field(description=", ".join(READS))
    classes = TypeCounts("{column}")

    def value(self, state: Any) -> float | None:
        counted = self.counted(state)
        return self._parsed_count(state) / counted if counted else None

    def counted(self, state: Any) -> int:
        return sum(state.classes)

    def broken(self, state: Any) -> int:
        return self.counted(state) - self._parsed_count(state)

    def details(self, state: Any) -> Mapping[str, Any]:
        return {"null": state.rows - sum(state.classes), **dict(zip(CLASSES, state.classes, strict=True))}

    def _parsed_count(self, state: Any) -> int:
        return sum(count for name, count in zip(CLASSES, state.classes, strict=True) if name in READS[self.type])

    def breaking(self, operands: Operands, assertion: Assertion) -> ViolatingRows | None:
        column = operands["column"][0]
        admitted = ", ".join(str(CLASSES.index(name)) for name in READS[self.type])
        return violation_bounds.violating_rows(f"{column.sql} IS NULL OR {class_of(column)} IN ({admitted})", assertion)


class TypeConsistency(Analyzer):
    """Largest share of the non-null values that read as one type, between 0 and 1 (Deequ, VLDB 2018, Table 1).

    The types are number (integers and fractions agree), boolean, timestamp (dates and times agree) and string, as
    `data_type` reads them; 1 for a typed column. Distribution: the rows of each class and the nulls.

    No value for an empty table, for nothing but nulls, for a filter that admits no row."""

    name = "type_consistency"
    unit = "share"
    value_template = "{value} of {counted} values of {column} read as one type"
    violation_phrase = "rows read as another"
    column: ColumnName
    classes = TypeCounts("{column}")

    def value(self, state: Any) -> float | None:
        counted = self.counted(state)
        return self._most(state) / counted if counted else None

    def counted(self, state: Any) -> int:
        return sum(state.classes)

    def broken(self, state: Any) -> int:
        return self.counted(state) - self._most(state)

    def details(self, state: Any) -> Mapping[str, Any]:
        return {"null": state.rows - sum(state.classes), **dict(zip(CLASSES, state.classes, strict=True))}

    def _most(self, state: Any) -> int:
        counts = dict(zip(CLASSES, state.classes, strict=True))
        return int(max(sum(counts[name] for name in READS[kind]) for kind in KINDS))
