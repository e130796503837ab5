"""Metrics of texts: their lengths, and which share matches a pattern."""

from typing import Any

from contracts.assertions import Assertion
from engine.analyzers import limits
from engine.analyzers.arguments import ColumnName, Pattern
from engine.analyzers.base import Analyzer
from engine.analyzers.bound import Operands
from engine.analyzers.breaking import Breaking
from engine.analyzers.components import Count, Max, Min, Sum
from engine.analyzers.patterns import matching
from engine.analyzers.quoting import TEXT, Operand
from engine.analyzers.shares import ShareOfValues

LENGTH = "char_length({column})"


def _length(operands: Operands) -> Operand:
    return Operand(LENGTH.format(column=operands["column"][0].sql), "int")


class MinimumLength(Analyzer):
    """Length of the shortest text in code points; 0 for ''. Nulls are left out: completeness is another check.

    No value for an empty table, for nothing but nulls, for a filter that admits no row."""

    name = "minimum_length"
    unit = "characters"
    fault = "rows are shorter"
    column: ColumnName
    shortest = Min(LENGTH, type="int", takes=TEXT)

    def value(self, state: Any) -> int | None:
        return state.shortest  # type: ignore[no-any-return]

    def breaking(self, operands: Operands, assertion: Assertion) -> Breaking | None:
        return limits.too_small(_length(operands), assertion)


class MaximumLength(Analyzer):
    """Length of the longest text in code points. Nulls are left out: completeness is another check.

    No value for an empty table, for nothing but nulls, for a filter that admits no row."""

    name = "maximum_length"
    unit = "characters"
    fault = "rows are longer"
    column: ColumnName
    longest = Max(LENGTH, type="int", takes=TEXT)

    def value(self, state: Any) -> int | None:
        return state.longest  # type: ignore[no-any-return]

    def breaking(self, operands: Operands, assertion: Assertion) -> Breaking | None:
        return limits.too_large(_length(operands), assertion)


class MeanLength(Analyzer):
    """Mean length of the non-null texts in code points: the exact sum divided once.

    No value for an empty table, for nothing but nulls, for a filter that admits no row."""

    name = "mean_length"
    unit = "characters"
    column: ColumnName
    total = Sum(LENGTH, type="int", takes=TEXT)
    present = Count("{column}")

    def value(self, state: Any) -> float | None:
        return state.total / state.present if state.present else None

    def counted(self, state: Any) -> int:
        return int(state.present)


class PatternMatch(ShareOfValues):
    """Share of the non-null texts that match a regular expression as a whole, between 0 and 1.

    '' matches `.*`. A text of more than 1,024 characters is not evaluated and does not match. With `nulls: break` a
    null does not match. No value where nothing is left to judge. (Deequ searches within the text, counts a null and an
    empty match as not matching.)"""

    name = "pattern_match"
    told = "{value} of {counted} values of {column} match"
    fault = "rows do not match"
    column: ColumnName
    pattern: Pattern
    present = Count("{column}", takes=TEXT)

    def condition(self, named: Operands) -> Operand:
        return matching(named["column"][0], self.pattern)
