"""Metrics of data types: which values of a text column parse as numbers, booleans, dates or times."""

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

# Classes of values that parse as each type.
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


# Types that type_consistency distinguishes: wide ones, so that 1 and 1.5 agree, and a date with a timestamp.
KINDS = ("number", "boolean", "timestamp", "string")


class DataType(Analyzer):
    """Share of the non-null values that parse as the type, between 0 and 1.

    integer: digits with or without a sign. decimal: integer, or with a decimal point. fractional, number: decimal,
    or with an exponent. boolean: true or false in any case. date: a valid calendar day as yyyy-MM-dd. timestamp:
    date, or with a time as ISO 8601 (separated by T or a blank; seconds, fraction and zone are optional). string: a
    text that parses as none of these. Leading or trailing blanks make a text a string. The values of a typed column
    are not parsed: its type decides. Details: the rows of each class and the nulls.

    No value for an empty table, if all values are null, or if no row matches `where`. (Deequ: 0; Deequ supports
    neither dates nor decimals without leading digits, and its fractional excludes integers.)"""

    name = "data_type"
    unit = "share"
    value_template = "{value} of {counted} values of {column} parse as {type}"
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
    """Largest share of the non-null values that parse as one type.

    After Deequ (VLDB 2018, Table 1). Between 0 and 1; 1 for a typed column. The types are number (integers and
    fractions agree), boolean, timestamp (dates and times agree) and string, parsed as by `data_type`. Details: the
    rows of each class and the nulls.

    No value for an empty table, if all values are null, or if no row matches `where`."""

    name = "type_consistency"
    unit = "share"
    value_template = "{value} of {counted} values of {column} parse as one type"
    violation_phrase = "rows parse as another type"
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
