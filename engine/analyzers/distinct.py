"""Metrics of distinct values: how many there are, and how many rows have one of their own.

Several columns are judged as one combined value, whatever their order. -0.0 and 0.0 are one value, all NaN are one;
text is compared byte for byte. Rows whose columns are all null are left out: nulls are no duplicates of each other.
Only primary_key judges those too.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from treaty.contracts.assertions import Assertion
from treaty.contracts.schema import Schema
from treaty.engine.analyzers import violation_bounds
from treaty.engine.analyzers.arguments import ColumnName, ColumnNames, CountIn
from treaty.engine.analyzers.base import Analyzer, operand_of
from treaty.engine.analyzers.bound import Operands
from treaty.engine.analyzers.violating_rows import ViolatingRows
from treaty.engine.components.frequencies import Frequencies, complete, groups, occurrences, singletons
from treaty.engine.components.sketches import DistinctSketch


class ApproxCountDistinct(Analyzer):
    """Number of distinct non-null values, by HyperLogLog (standard error 1.6 %, exact to a few hundred). 0 for none.

    -0.0 and 0.0 are one value, all NaN are one; text is compared byte for byte. No value for a filter that admits no
    row."""

    name = "approx_count_distinct"
    unit = "values"
    column: ColumnName
    distinct = DistinctSketch("{column}")

    def value(self, state: Any) -> int:
        return round(DistinctSketch.estimate(state.distinct))


class CountDistinct(Analyzer):
    """Number of distinct values (of several columns: combined values), exactly; 0 for an empty table.

    Rows whose columns are all null are left out, so 0 where all are null (as in Deequ, whose histograms count null as a
    value). No value for a filter that admits no row."""

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
    """What the metrics of rows that share their values with others have in common."""

    unit = "share"
    scope = "dataset"
    violation_phrase = "rows share theirs with another"
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
    """Share of the distinct values that occur exactly once, |{v: c_v = 1}| / |V| (Deequ, VLDB 2018, section 3.1).

    1 means no duplicates. Rows whose columns are all null are left out, so nulls are no duplicates of each other. No
    value for an empty table, for nothing but nulls, for a filter that admits no row. The same number as
    unique_value_ratio; what Deequ's code names Uniqueness divides by rows: here that is unique_row_ratio."""

    name = "uniqueness"
    value_template = "{value} of the distinct values of {subject} occur once"

    def value(self, state: Any) -> float | None:
        distinct = groups(state.frequencies)
        return singletons(state.frequencies) / distinct if distinct else None


class UniqueValueRatio(Uniqueness):
    """Share of the distinct values that occur exactly once, |{v: c_v = 1}| / |V|: another name of uniqueness.

    It is the name that Deequ's code gives to what its paper names Uniqueness. Rows whose columns are all null are left
    out. No value for an empty table, for nothing but nulls, for a filter that admits no row (Deequ fails there)."""

    name = "unique_value_ratio"


class UniqueRowRatio(SharedValues):
    """Share of the rows whose value occurs exactly once, |{v: c_v = 1}| / N: what Deequ's code names Uniqueness.

    1 means no duplicates. N counts the rows that are left: those whose columns are all null are not. No value for an
    empty table, for nothing but nulls, for a filter that admits no row. (What Deequ's paper calls unique row ratio is
    distinctness.)"""

    name = "unique_row_ratio"
    value_template = "{value} of {counted} rows have a value of their own in {subject}"

    def value(self, state: Any) -> float | None:
        rows = occurrences(state.frequencies)
        return singletons(state.frequencies) / rows if rows else None


class Distinctness(SharedValues):
    """Number of distinct values per row, |V| / N (Deequ, VLDB 2018, section 3.1, there called unique row ratio).

    1 means no duplicates; 0.5 that a value occurs twice on average. N counts the rows that are left: those whose
    columns are all null are not (the paper counts them, Deequ's code does not). No value for an empty table, for
    nothing but nulls, for a filter that admits no row."""

    name = "distinctness"
    value_template = "{subject} has {value} distinct values per row in {counted} rows"

    def value(self, state: Any) -> float | None:
        rows = occurrences(state.frequencies)
        return groups(state.frequencies) / rows if rows else None


class DuplicateRows(SharedValues):
    """How many rows have the same values as another row: in these columns, in all where none is named; 0 for no rows.

    `copies: all` counts every row that shares its values (as Deequ's DuplicateRowCount), `copies: extra` those beyond
    the first of each: the rows to delete. Rows whose columns are all null count as no duplicates.
    `count_in: percent` gives the share of all rows times 100, and no value for a table without rows. No value for a
    filter that admits no row."""

    name = "duplicate_rows"
    unit = "rows"
    value_template = "{phrase}: {value} {count_in} of {counted} rows"
    columns: ColumnNames = ()
    copies: Annotated[
        Literal["all", "extra"], Field(description="`all` rows that share values, or the `extra` ones beyond the first")
    ] = "all"
    count_in: CountIn = "rows"

    def operands(self, schema: Schema) -> Operands:
        whole = tuple(operand_of(column.name, schema) for column in schema)
        return {"columns": whole, **super().operands(schema)}

    def value(self, state: Any) -> int | float | None:
        beyond = singletons if self.copies == "all" else groups
        found = occurrences(state.frequencies) - beyond(state.frequencies)
        if self.count_in == "rows":
            return found
        return 100 * found / state.rows if state.rows else None

    def counted(self, state: Any) -> int:
        return int(state.rows)

    def breaking(self, operands: Operands, assertion: Assertion) -> ViolatingRows | None:
        return ViolatingRows(keys=_keys(operands)) if violation_bounds.upper(assertion) is not None else None


class PrimaryKey(SharedValues):
    """Share of the rows whose key is complete (no column of it is null) and occurs exactly once.

    1 means that the columns identify every row. A row whose key has a null breaks it (Deequ lets those pass). No value
    for an empty table, for a filter that admits no row; 0 where all keys are null."""

    name = "primary_key"
    value_template = "{value} of {counted} rows have a complete key of their own in {subject}"
    violation_phrase = "rows lack a complete key of their own"

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
