"""Metrics of distinct and duplicate values.

Several columns form one combined value, whatever their order. -0.0 equals 0.0, and all NaN are equal; text is
compared byte for byte. Rows in which all columns are null are excluded: nulls are not duplicates of each other. Only
primary_key evaluates those rows, too."""

from typing import Annotated, Any, Literal

from pydantic import Field

from treaty.contracts.assertions import Assertion
from treaty.contracts.schema import Schema
from treaty.engine.analyzers import violation_bounds
from treaty.engine.analyzers.arguments import ColumnName, ColumnNames, CountIn
from treaty.engine.analyzers.base import Analyzer, operand_of
from treaty.engine.analyzers.bound import Operands
from treaty.engine.analyzers.exact import ExactMetric, distinct_count, distinct_ratio
from treaty.engine.analyzers.violating_rows import ViolatingRows
from treaty.engine.components.base import CountComponent
from treaty.engine.components.frequencies import Frequencies, complete, groups, occurrences, singletons
from treaty.engine.components.sketches import DistinctSketch


class ApproxCountDistinct(Analyzer):
    """Number of distinct non-null values, estimated by HyperLogLog; 0 for none.

    Standard error 1.6 %, exact up to a few hundred values; bounds of three standard errors. -0.0 equals 0.0, and all
    NaN are equal; text is compared byte for byte. No value if no row matches `where`."""

    name = "approx_count_distinct"
    unit = "values"
    value_template = "{column} has about {value} distinct values"
    column: ColumnName
    distinct = DistinctSketch("{column}")

    def value(self, state: Any) -> int:
        return round(DistinctSketch.estimate(state.distinct))

    def bounds(self, state: Any) -> tuple[float, float] | None:
        return DistinctSketch.bounded(state.distinct).rounded

    def exact(self, operands: Operands) -> ExactMetric:
        return distinct_count(*operands["column"])


class ApproxDistinctness(Analyzer):
    """Number of distinct values per non-null value, estimated by HyperLogLog: `distinctness` without frequencies.

    1 means that every value differs; an estimate above 1 is 1. Standard error 1.6 % of the value, exact up to a few
    hundred distinct values; bounds of three standard errors. The states are those of `approx_count_distinct` and
    `completeness`, so next to them this metric adds nothing to a scan. -0.0 equals 0.0, and all NaN are equal; text is
    compared byte for byte. No value for an empty table, if all values are null, or if no row matches `where`."""

    name = "approx_distinctness"
    unit = "share"
    value_template = "{column} has about {value} distinct values per value in {counted} rows"
    column: ColumnName
    distinct = DistinctSketch("{column}")
    present = CountComponent("{column}")

    def value(self, state: Any) -> float | None:
        distinct = round(DistinctSketch.estimate(state.distinct))
        return _per_value(distinct, state.present) if state.present else None

    def bounds(self, state: Any) -> tuple[float, float] | None:
        counts = DistinctSketch.bounded(state.distinct).rounded
        return (_per_value(counts[0], state.present), _per_value(counts[1], state.present)) if counts else None

    def exact(self, operands: Operands) -> ExactMetric:
        return distinct_ratio(*operands["column"])

    def counted(self, state: Any) -> int:
        return int(state.present)


def _per_value(distinct: float, present: int) -> float:
    """Return the ratio, at most 1."""
    return min(1.0, distinct / present)


class CountDistinct(Analyzer):
    """Exact number of distinct values, for several columns of combined values; 0 for an empty table.

    Rows in which all columns are null are excluded, so a column of nulls has 0 (as in Deequ, whose histograms count
    null as a value). No value if no row matches `where`."""

    name = "count_distinct"
    unit = "values"
    value_template = "{subject} has {value} distinct values in {counted} rows"
    columns: ColumnNames
    frequencies = Frequencies("{columns}")

    def value(self, state: Any) -> int:
        return groups(state.frequencies)

    def counted(self, state: Any) -> int:
        return occurrences(state.frequencies)


class SharedValues(Analyzer):
    """Base class of the metrics of rows that share their values with other rows."""

    unit = "share"
    scope = "dataset"
    violation_phrase = "rows share their values with another row"
    columns: ColumnNames
    frequencies = Frequencies("{columns}")

    def counted(self, state: Any) -> int:
        return occurrences(state.frequencies)

    def broken(self, state: Any) -> int:
        return occurrences(state.frequencies) - singletons(state.frequencies)

    def breaking(self, operands: Operands, assertion: Assertion) -> ViolatingRows | None:
        return ViolatingRows(keys=_keys(operands)) if violation_bounds.lower(assertion) not in (None, 0) else None


def _keys(operands: Operands) -> tuple[str, ...]:
    return tuple(each.canonical() for each in operands["columns"])


class Uniqueness(SharedValues):
    """Share of the distinct values that occur exactly once, |{v: c_v = 1}| / |V|.

    After Deequ, VLDB 2018, section 3.1. 1 means no duplicates. Rows in which all columns are null are excluded, so
    nulls are not duplicates of each other. No value for an empty table, if all values are null, or if no row matches
    `where`. The same number as unique_value_ratio. Deequ's code divides by rows under the name Uniqueness; here that
    metric is unique_row_ratio."""

    name = "uniqueness"
    value_template = "{value} of the distinct values of {subject} occur exactly once"
    requirement = "{subject} is unique"

    def value(self, state: Any) -> float | None:
        distinct = groups(state.frequencies)
        return singletons(state.frequencies) / distinct if distinct else None


class UniqueValueRatio(Uniqueness):
    """Share of the distinct values that occur exactly once, |{v: c_v = 1}| / |V|; same as uniqueness.

    This is the name in Deequ's code for what its paper names Uniqueness. Rows in which all columns are null are
    excluded. No value for an empty table, if all values are null, or if no row matches `where` (Deequ fails there)."""

    name = "unique_value_ratio"


class UniqueRowRatio(SharedValues):
    """Share of the rows whose value occurs exactly once, |{v: c_v = 1}| / N.

    Deequ's code names this metric Uniqueness. 1 means no duplicates. N excludes rows in which all columns are null.
    No value for an empty table, if all values are null, or if no row matches `where`. (Deequ's paper uses the name
    unique row ratio for distinctness.)"""

    name = "unique_row_ratio"
    value_template = "{value} of {counted} rows have a unique value of {subject}"
    requirement = "{subject} is unique"

    def value(self, state: Any) -> float | None:
        rows = occurrences(state.frequencies)
        return singletons(state.frequencies) / rows if rows else None


class Distinctness(SharedValues):
    """Number of distinct values per row, |V| / N.

    After Deequ, VLDB 2018, section 3.1, which names it unique row ratio. 1 means no duplicates; 0.5 means that a
    value occurs twice on average. N excludes rows in which all columns are null (the paper counts them, Deequ's code
    does not). No value for an empty table, if all values are null, or if no row matches `where`."""

    name = "distinctness"
    value_template = "{subject} has {value} distinct values per row in {counted} rows"

    def value(self, state: Any) -> float | None:
        rows = occurrences(state.frequencies)
        return groups(state.frequencies) / rows if rows else None


class DuplicateRows(SharedValues):
    """Number of rows that have the same values as another row; 0 for an empty table.

    Compares the given columns, or all columns if none is given. `copies: all` counts every row that shares its
    values (as Deequ's DuplicateRowCount), `copies: extra` counts the rows beyond the first of each group: the rows
    to delete. Rows in which all columns are null are not duplicates. `count_in: percent` gives the share of all rows
    times 100, with no value for an empty table. No value if no row matches `where`."""

    name = "duplicate_rows"
    unit = "rows"
    value_template = "{phrase}: {value} {count_in} of {counted} rows"
    columns: ColumnNames = ()
    copies: Annotated[
        Literal["all", "extra"],
        Field(
            description="`all`: every row that shares its values; `extra`: only the rows beyond the first of each group"
        ),
    ] = "all"
    count_in: CountIn = "rows"

    def operands(self, schema: Schema) -> Operands:
        whole = tuple(operand_of(column.name, schema) for column in schema)
        return {"columns": whole, **super().operands(schema)}

    def value(self, state: Any) -> int | float | None:
        unshared = singletons if self.copies == "all" else groups
        duplicates = occurrences(state.frequencies) - unshared(state.frequencies)
        if self.count_in == "rows":
            return duplicates
        return 100 * duplicates / state.rows if state.rows else None

    def counted(self, state: Any) -> int:
        return int(state.rows)

    def breaking(self, operands: Operands, assertion: Assertion) -> ViolatingRows | None:
        return ViolatingRows(keys=_keys(operands)) if violation_bounds.upper(assertion) is not None else None


class PrimaryKey(SharedValues):
    """Share of the rows whose key has no null and occurs exactly once.

    1 means that the columns identify every row. A row whose key has a null is a violation (Deequ accepts it). 0 if
    all keys are null. No value for an empty table, or if no row matches `where`."""

    name = "primary_key"
    value_template = "{value} of {counted} rows have a complete and unique key {subject}"
    requirement = "{subject} is a key: required and unique"
    violation_phrase = "rows have an incomplete or duplicate key"

    def value(self, state: Any) -> float | None:
        return singletons(complete(state.frequencies)) / state.rows if state.rows else None

    def counted(self, state: Any) -> int:
        return int(state.rows)

    def broken(self, state: Any) -> int:
        return int(state.rows) - singletons(complete(state.frequencies))

    def breaking(self, operands: Operands, assertion: Assertion) -> ViolatingRows | None:
        incomplete = " OR ".join(f"{each.sql} IS NULL" for each in operands["columns"])
        shared = super().breaking(operands, assertion)
        return ViolatingRows(condition=incomplete, keys=shared.keys) if shared else None
