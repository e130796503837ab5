"""Metrics of single values: which share is among given ones, within bounds, in order with another column's."""

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
    """Share of the non-null values that are among the given ones, between 0 and 1.

    Texts are compared code point by code point, numbers exactly. With `nulls: break` a null counts as not among them.
    No value for an empty table, for nothing but nulls (unless they break), for a filter that admits no row."""

    name = "contained_in"
    value_template = "{value} of {counted} values of {column} are among {values}"
    violation_phrase = "rows have another"
    column: ColumnName
    values: Values

    def condition(self, named: Operands) -> Operand:
        return among(named["column"][0], self.values)


class InRange(ValueShare):
    """Share of the non-null values that lie within the bounds, between 0 and 1.

    Numbers, dates, times, and texts by code point. NaN lies within no bounds. A text column with bounds that are
    numbers is read as doubles: a text that is no number does not keep it and counts as not evaluated.
    With `nulls: break` a null does not keep it. No value where nothing is left to judge."""

    name = "in_range"
    value_template = "{value} of {counted} values of {column} are within its bounds"
    violation_phrase = "rows are beyond them"
    column: ColumnName
    minimum: Bound | None = Field(default=None, description="the least value within; a number, or text as for times")
    maximum: Bound | None = Field(default=None, description="the greatest value within")
    exclusive_minimum: Bound | None = Field(default=None, description="the greatest value that is too small")
    exclusive_maximum: Bound | None = Field(default=None, description="the least value that is too large")

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if not list(self._bounds()):
            raise ValueError("name at least one of minimum, maximum, exclusive_minimum, exclusive_maximum")
        return self

    def _bounds(self) -> Iterator[tuple[str, Any]]:
        bounds = (self.minimum, self.maximum, self.exclusive_minimum, self.exclusive_maximum)
        given = zip((">=", "<=", ">", "<"), bounds, strict=True)
        return ((sign, bound) for sign, bound in given if bound is not None)

    def condition(self, named: Operands) -> Operand:
        operand = _read_as_number(named["column"][0], [bound for _, bound in self._bounds()])
        parts = [f"{operand.sql} {sign} {_written(bound, operand)}" for sign, bound in self._bounds()]
        return Operand(sql=" AND ".join([*parts, *_no_nan(operand)]), type="boolean", errs=operand.errs)


class Comparison(ValueShare):
    """Share of the rows in which `column` and `other` are in the order that `operator` says, between 0 and 1.

    Rows in which either is null are not judged, unless `nulls: break`. Numbers are compared with numbers, texts with
    texts by code point, times with times (a date as its first moment in UTC); NaN is in no order with anything.
    No value where nothing is left to judge."""

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
    """How many rows have a value that is invalid: not among `valid_values`, or not of the `pattern` or `format`.

    A null is not invalid but missing. A text too long to be matched (1,024 characters) is invalid. 0 for an empty
    table; `count_in: percent` gives the share of all rows times 100, and no value for an empty table. No value for a
    filter that admits no row."""

    name = "invalid_values"
    value_template = "{value} {count_in} of {counted} rows have an invalid {column}"
    violation_phrase = "rows have an invalid one"
    column: ColumnName
    valid_values: Values | None = Field(default=None, description="all values that are valid")
    pattern: Pattern | None = Field(default=None, description="a regular expression that valid texts match as a whole")
    format: FormatName | None = Field(default=None, description=f"one of {', '.join(FORMATS)}")
    within: Within = False

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(each is not None for each in (self.valid_values, self.pattern, self.format)) != 1:
            raise ValueError("name one of valid_values, pattern, format")
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
    """True for the values given, null for null. Raises Unbindable where the column cannot have one of them."""
    members = ", ".join(_written(each, operand, equal_of) for each in values)
    return Operand(sql=f"{operand.sql} IN ({members})", type="boolean")


def _written(value: Any, operand: Operand, write: Callable[[Any, Operand], str | None] = literal_of) -> str:
    written = write(value, operand)
    if written is None:
        raise NotApplicableToTable(f"{operand.sql} is of type {operand.type}, which {value!r} is not")
    return written


def _read_as_number(operand: Operand, bounds: list[Any]) -> Operand:
    if operand.base_type not in TEXT or any(isinstance(each, str) for each in bounds):
        return operand
    number = f"try_cast({operand.sql} AS DOUBLE)"
    return Operand(sql=number, type="double", errs=f"{operand.sql} IS NOT NULL AND {number} IS NULL")


def _no_nan(operand: Operand) -> list[str]:
    return [f"NOT isnan({operand.sql})"] if operand.base_type in FRACTIONAL else []


def _alike(left: Operand, right: Operand) -> tuple[Operand, Operand]:
    """Both in a form in which they compare. Raises Unbindable for a number with a text, and the like."""
    kinds = (NUMERIC, TEXT, TEMPORAL, frozenset({"boolean"}))
    if not any(left.base_type in kind and right.base_type in kind for kind in kinds):
        raise NotApplicableToTable(f"{left.sql} ({left.type}) and {right.sql} ({right.type}) cannot be compared")
    if left.base_type == right.base_type or left.base_type not in TEMPORAL:
        return left, right
    return Operand(sql=left.micros(), type="bigint"), Operand(sql=right.micros(), type="bigint")
