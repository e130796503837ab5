"""Metrics of distinct values."""

from typing import Any

from engine.analyzers.base import Analyzer, ColumnName, ColumnNames
from engine.analyzers.components import Distinct
from engine.analyzers.frequencies import Frequencies, groups, singletons


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
    columns: ColumnNames
    frequencies = Frequencies("{columns}")

    def value(self, state: Any) -> float | None:
        distinct = groups(state.frequencies)
        return singletons(state.frequencies) / distinct if distinct else None
