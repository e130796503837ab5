"""Metrics of single values: membership in a set, bounds, and order relative to another column."""

from collections.abc import Callable, Iterator
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from treaty.engine.analyzers.arguments import Bound, ColumnName, FormatName, Pattern, Values, Within
from treaty.engine.analyzers.base import NotApplicableToTable
from treaty.engine.analyzers.bound import Operands
from treaty.engine.analyzers.named_formats import FORMATS
from treaty.engine.analyzers.shares import InvalidRowCount, ValueShare
from treaty.engine.analyzers.text import like
from treaty.engine.components.base import CountIfComponent
from treaty.engine.components.operands import ANY, FRACTIONAL, NUMERIC, TEMPORAL, TEXT, Operand
from treaty.engine.components.sql_literals import equal_of, literal_of


class ContainedIn(ValueShare):
    """Share of the non-null values that are among `values`, between 0 and 1.

    Texts are compared by code point, numbers exactly. With `nulls: break` a null counts as not among them. No value
    for an empty table, if all values are null (unless `nulls: break`), or if no row matches `where`."""

    name = "contained_in"
    value_template = "{value} of {counted} values of {column} are among {values}"
    violation_phrase = "rows have another value"
    column: ColumnName
    values: Values

    def condition(self, named: Operands) -> Operand:
        return among(named["column"][0], self.values)


class InRange(ValueShare):
    """Share of the non-null values that are within the bounds, between 0 and 1.

    For numbers, dates, times, and texts by code point. NaN is never within bounds. If all bounds are numbers, a text
    column is parsed as doubles: a text that is no number is out of bounds and counts as not evaluated. With `nulls:
    break` a null is out of bounds. No value if nothing is left to evaluate."""

    name = "in_range"
    value_template = "{value} of {counted} values of {column} are within the bounds"
    violation_phrase = "rows are out of bounds"
    column: ColumnName
    minimum: Bound | None = Field(
        default=None, description="the smallest permitted value; a number, or text for texts, dates and times"
    )
    maximum: Bound | None = Field(default=None, description="the largest permitted value")
    exclusive_minimum: Bound | None = Field(default=None, description="values must be greater than this")
    exclusive_maximum: Bound | None = Field(default=None, description="values must be less than this")

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if not list(self._bounds()):
            raise ValueError("give at least one of minimum, maximum, exclusive_minimum, exclusive_maximum")
        return self

    def _bounds(self) -> Iterator[tuple[str, Any]]:
        bounds = (self.minimum, self.maximum, self.exclusive_minimum, self.exclusive_maximum)
        pairs = zip((">=", "<=", ">", "<"), bounds, strict=True)
        return ((sign, bound) for sign, bound in pairs if bound is not None)

    def condition(self, named: Operands) -> Operand:
        operand = _read_as_number(named["column"][0], [bound for _, bound in self._bounds()])
        parts = [f"{operand.sql} {sign} {_written(bound, operand)}" for sign, bound in self._bounds()]
        return Operand(sql=" AND ".join([*parts, *_no_nan(operand)]), type="boolean", errs=operand.errs)


class Comparison(ValueShare):
    """Share of the rows in which `column` and `other` satisfy `operator`, between 0 and 1.

    Rows in which either value is null are excluded, unless `nulls: break`. Numbers are compared with numbers, texts
    with texts by code point, times with times (a date is 00:00 UTC); NaN satisfies no comparison. No value if
    nothing is left to evaluate."""

    name = "comparison"
    value_template = "{value} of {counted} rows have {column} {operator} {other}"
    violation_phrase = "rows do not"
    column: ColumnName
    operator: Literal["=", "!=", "<", "<=", ">", ">="] = Field(description="= != < <= > >=")
    other: ColumnName
    present = CountIfComponent("{column} IS NOT NULL AND {other} IS NOT NULL", type="boolean", takes=ANY)

    def condition(self, named: Operands) -> Operand:
        left, right = _alike(named["column"][0], named["other"][0])
        parts = [f"{left.sql} {self.operator} {right.sql}", *_no_nan(left), *_no_nan(right)]
        return Operand(sql=" AND ".join(parts), type="boolean")


class InvalidValues(InvalidRowCount):
    """Number of rows with an invalid value: not in `valid_values`, or not of the `pattern` or `format`.

    0 for an empty table. A null is missing, not invalid. A text of more than 1,024 characters is too long to be
    matched and therefore invalid. `count_in: percent` gives the share of all rows times 100, with no value for an
    empty table. No value if no row matches `where`."""

    name = "invalid_values"
    value_template = "{value} {count_in} of {counted} rows have an invalid {column}"
    violation_phrase = "rows have an invalid value"
    column: ColumnName
    valid_values: Values | None = Field(default=None, description="the valid values")
    pattern: Pattern | None = Field(default=None, description="a regular expression that the whole text must match")
    format: FormatName | None = Field(default=None, description=f"one of {', '.join(FORMATS)}")
    within: Within = False

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(each is not None for each in (self.valid_values, self.pattern, self.format)) != 1:
            raise ValueError("give exactly one of valid_values, pattern and format")
        return self

    def condition(self, named: Operands) -> Operand:
        operand = named["column"][0]
        valid = self._valid(operand)
        return Operand(
            sql=f"{operand.sql} IS NOT NULL AND NOT coalesce({valid.sql}, false)", type="boolean", errs=valid.errs
        )

    def _valid(self, operand: Operand) -> Operand:
        if self.valid_values is not None:
            return among(operand, self.valid_values)
        return like(operand, self.pattern, self.format, within=self.within)


def among(operand: Operand, values: tuple[Any, ...]) -> Operand:
    """Return a boolean operand that is true for the given values, null for null.

    Raises NotApplicableToTable if a value cannot occur in the column's type."""
    members = ", ".join(_written(each, operand, equal_of) for each in values)
    return Operand(sql=f"{operand.sql} IN ({members})", type="boolean")


def _written(value: Any, operand: Operand, write: Callable[[Any, Operand], str | None] = literal_of) -> str:
    sql_literal = write(value, operand)
    if sql_literal is None:
        raise NotApplicableToTable(f"{operand.sql} has type {operand.type}, which cannot have the value {value!r}")
    return sql_literal


def _read_as_number(operand: Operand, bounds: list[Any]) -> Operand:
    if operand.base_type not in TEXT or any(isinstance(each, str) for each in bounds):
        return operand
    number = f"try_cast({operand.sql} AS DOUBLE)"
    return Operand(sql=number, type="double", errs=f"{operand.sql} IS NOT NULL AND {number} IS NULL")


def _no_nan(operand: Operand) -> list[str]:
    return [f"NOT isnan({operand.sql})"] if operand.base_type in FRACTIONAL else []


def _alike(left: Operand, right: Operand) -> tuple[Operand, Operand]:
    """Return both operands in a comparable form. Raises NotApplicableToTable for types that cannot be compared."""
    kinds = (NUMERIC, TEXT, TEMPORAL, frozenset({"boolean"}))
    if not any(left.base_type in kind and right.base_type in kind for kind in kinds):
        raise NotApplicableToTable(f"{left.sql} ({left.type}) and {right.sql} ({right.type}) cannot be compared")
    if left.base_type == right.base_type or left.base_type not in TEMPORAL:
        return left, right
    return Operand(sql=left.micros(), type="bigint"), Operand(sql=right.micros(), type="bigint")
