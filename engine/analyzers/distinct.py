"""Metrics of distinct values."""

from typing import Any

from contracts.assertions import Assertion
from engine.analyzers.arguments import ColumnName, ColumnNames
from engine.analyzers.base import Analyzer
from engine.analyzers.bound import Operands
from engine.analyzers.breaking import Breaking
from engine.analyzers.frequencies import Frequencies, groups, occurrences, singletons
from engine.analyzers.sketches import Distinct


class ApproxCountDistinct(Analyzer):
    """Number of distinct non-null values, by HyperLogLog (standard error 1.6 %, exact to a few hundred). 0 for none.

    -0.0 and 0.0 are one value, all NaN are one; text is compared byte for byte."""

    name = "approx_count_distinct"
    unit = "values"
    column: ColumnName
    distinct = Distinct("{column}")

    def value(self, state: Any) -> int:
        return round(Distinct.estimate(state.distinct))


class Uniqueness(Analyzer):
    """Share of the distinct values that occur exactly once, |{v: c_v = 1}| / |V| (Deequ, VLDB 2018, section 4.1).

    1 means no duplicates. Several columns are judged as one combined value; rows whose columns are all null are left
    out, so nulls are no duplicates of each other. No value where nothing is left. (Deequ's code divides by rows.)"""

    name = "uniqueness"
    unit = "share"
    scope = "dataset"
    told = "{value} of the distinct values of {subject} occur once"
    fault = "rows share theirs with another"
    columns: ColumnNames
    frequencies = Frequencies("{columns}")

    def value(self, state: Any) -> float | None:
        distinct = groups(state.frequencies)
        return singletons(state.frequencies) / distinct if distinct else None

    def counted(self, state: Any) -> int:
        return occurrences(state.frequencies)

    def broken(self, state: Any) -> int:
        return occurrences(state.frequencies) - singletons(state.frequencies)

    def breaking(self, operands: Operands, assertion: Assertion) -> Breaking:
        return Breaking(keys=tuple(each.canonical() for each in operands["columns"]))
