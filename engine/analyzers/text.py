"""Metrics of texts: their lengths and the share that matches a pattern."""

from typing import Any, Self

from pydantic import Field, model_validator

from treaty.contracts.assertions import Assertion
from treaty.contracts.limits.regex_cost import MAX_SUBJECT
from treaty.engine.analyzers import violation_bounds
from treaty.engine.analyzers.arguments import ColumnName, FormatName, Pattern, Within
from treaty.engine.analyzers.base import Analyzer, NotApplicableToTable
from treaty.engine.analyzers.bound import Operands
from treaty.engine.analyzers.check_digits import with_one
from treaty.engine.analyzers.named_formats import FORMATS, matches
from treaty.engine.analyzers.shares import ValueShare
from treaty.engine.analyzers.violating_rows import ViolatingRows
from treaty.engine.components.base import CountComponent, MaxComponent, MinComponent, SumComponent
from treaty.engine.components.operands import INTEGRAL, TEXT, Operand

LENGTH = "char_length({column})"


def _length(operands: Operands) -> Operand:
    return Operand(sql=LENGTH.format(column=operands["column"][0].sql), type="int")


class MinimumLength(Analyzer):
    """Length of the shortest text in code points; 0 for ''. Nulls are ignored: see completeness.

    No value for an empty table, if all values are null, or if no row matches `where`."""

    name = "minimum_length"
    unit = "characters"
    violation_phrase = "rows are shorter"
    column: ColumnName
    shortest = MinComponent(LENGTH, type="int", takes=TEXT)

    def value(self, state: Any) -> int | None:
        return state.shortest  # type: ignore[no-any-return]

    def breaking(self, operands: Operands, assertion: Assertion) -> ViolatingRows | None:
        return violation_bounds.too_small(_length(operands), assertion)


class MaximumLength(Analyzer):
    """Length of the longest text in code points. Nulls are ignored: see completeness.

    No value for an empty table, if all values are null, or if no row matches `where`."""

    name = "maximum_length"
    unit = "characters"
    violation_phrase = "rows are longer"
    column: ColumnName
    longest = MaxComponent(LENGTH, type="int", takes=TEXT)

    def value(self, state: Any) -> int | None:
        return state.longest  # type: ignore[no-any-return]

    def breaking(self, operands: Operands, assertion: Assertion) -> ViolatingRows | None:
        return violation_bounds.too_large(_length(operands), assertion)


class MeanLength(Analyzer):
    """Mean length of the non-null texts in code points: the exact sum divided once.

    No value for an empty table, if all values are null, or if no row matches `where`."""

    name = "mean_length"
    unit = "characters"
    column: ColumnName
    total = SumComponent(LENGTH, type="int", takes=TEXT)
    present = CountComponent("{column}")

    def value(self, state: Any) -> float | None:
        return state.total / state.present if state.present else None

    def counted(self, state: Any) -> int:
        return int(state.present)


class PatternMatch(ValueShare):
    """Share of the non-null texts that match a regular expression or a named format.

    Between 0 and 1. The whole text must match; '' matches `.*`. With `within: true` the expression may match
    anywhere in the text, as in JSON Schema and in the data contract standard. A text of more than 1,024 characters
    is not evaluated and does not match. The formats with check digits except `iban` also match whole numbers, `ean` and
    `isbn` with the zeros that a number has lost at the left. With `nulls: break` a null does not match. No value if
    nothing is left to evaluate. (Deequ searches within the text, and counts a null and an empty match as not
    matching.)"""

    name = "pattern_match"
    value_template = "{value} of {counted} values of {column} match"
    violation_phrase = "rows do not match"
    column: ColumnName
    pattern: Pattern | None = Field(default=None, description="a regular expression of the supported subset")
    format: FormatName | None = Field(default=None, description=f"one of {', '.join(FORMATS)}")
    within: Within = False
    present = CountComponent("{column}", takes=TEXT | INTEGRAL | {"decimal"})

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.pattern is None) == (self.format is None):
            raise ValueError("give exactly one of pattern and format")
        return self

    def condition(self, named: Operands) -> Operand:
        return like(named["column"][0], self.pattern, self.format, within=self.within)


def like(operand: Operand, pattern: str | None, name: str | None, *, within: bool = False) -> Operand:
    """Return a boolean operand that is true for texts of the pattern or the format.

    The whole text must match ('' may match, too). `pattern`: regular expression; None means that `name` is a named
    format. `within`: the pattern may match anywhere. Null for null, and for texts of more than MAX_SUBJECT
    characters, which count as not evaluated. Raises NotApplicableToTable if the column is neither text nor, for a
    format with check digits, of whole numbers, KeyError for an unknown name."""
    if pattern is None and name and (digits := _digits(operand, name)):
        return Operand(sql=with_one(digits, FORMATS[name].condition("it")), type="boolean")
    if operand.base_type not in TEXT:
        raise NotApplicableToTable(f"{operand.sql} has type {operand.type}, but patterns match only text")
    text = operand.sql
    condition = FORMATS[name or ""].condition(text) if pattern is None else matches(text, pattern, within=within)
    # The length in bytes is cheap and proves that most texts are short enough.
    short = f"(octet_length({operand.sql}) <= {MAX_SUBJECT} OR char_length({operand.sql}) <= {MAX_SUBJECT})"
    return Operand(sql=f"CASE WHEN {short} THEN {condition} END", type="boolean", errs=f"NOT coalesce({short}, true)")


def _digits(operand: Operand, name: str) -> str | None:
    """Return SQL of the digits of whole numbers that may have the format; None for other columns and formats."""
    whole = operand.base_type in INTEGRAL or (operand.base_type == "decimal" and not operand.scale)
    check = FORMATS[name].check if whole else None
    return check.text_of(operand.sql) if check and check.lengths is not None else None
