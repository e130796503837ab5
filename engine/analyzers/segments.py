"""A metric of each segment: of rows that share a value of a column, whether the table is partitioned by it or not."""

from collections.abc import Mapping, Sequence
from functools import reduce
from math import isfinite
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from treaty.contracts.schema import Schema
from treaty.engine.analyzers.arguments import ArgumentRole, ColumnName, InputColumns
from treaty.engine.analyzers.base import Analyzer, NotApplicableToTable, operand_of
from treaty.engine.analyzers.bound import Operands
from treaty.engine.components.base import Component
from treaty.engine.components.frequencies import Frequencies
from treaty.engine.components.operands import NUMERIC, Operand

MAX_SEGMENTS = 1000  # segments in the details; the others are counted there
Metric = Literal["size", "completeness", "mean"]


class Segments(Analyzer):
    """How many segments the rows have: combinations of values of the columns `by`; the details have a metric of each.

    The metric is the `size` of the segment, the `completeness` of a column or its `mean`. With `mustHaveNoAnomalies`
    each segment is judged beside its own past, also one that has no rows any more, and the check fails where any is an
    anomaly (Deequ, VLDB 2018, section 5.4: the mean controversiality of each subreddit). `most` segments are judged,
    those of the most rows, and share what false alarms the check may raise.

    Kept is how often each value of the column occurs in each segment: as much as the column has different values there.
    Rows with a null in any column of `by` are in no segment; the mean is of the non-null values, as doubles. 0 for an
    empty table, and for a filter that admits no row. Columns `by` that are classified are refused, and so is a mean of
    one that is."""

    name = "segments"
    unit = "values"
    defined_on_empty = True
    value_template = "{phrase}: there are {value}"
    by: Annotated[InputColumns, Field(description="the columns whose values make a segment: one or a list")]
    metric: Metric = Field(default="size", description="what is told of each: size, completeness or mean")
    column: Annotated[ColumnName | None, ArgumentRole.COLUMN] = Field(
        default=None, description="of what completeness and mean are told"
    )
    most: int = Field(default=200, ge=1, le=MAX_SEGMENTS, description="how many segments are judged")
    frequencies = Frequencies("{by}", by_value=True)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.metric == "size") is not (self.column is None):
            raise ValueError("completeness and mean need a column, size has none")
        if self.column in self.by:
            raise ValueError("the column is one of those that make the segments")
        return self

    @property
    def judged_segments(self) -> int:
        return self.most

    @property
    def of_absent(self) -> float | None:
        return 0.0 if self.metric == "size" else None

    def parts(self) -> Mapping[str, Component]:
        columns = ("{by}", *(("{column}",) if self.column else ()))
        return {"frequencies": Frequencies(*columns, by_value=True)}

    def operands(self, schema: Schema) -> Operands:
        named = super().operands(schema)
        if any(each.classified for each in named["by"]):
            raise NotApplicableToTable("a column that makes the segments is classified: its values are told to nobody")
        if self.metric == "mean":
            _refuse(named["column"][0])
        return named

    def value(self, state: Any) -> int:
        return len(self._segment_values(state))

    def details(self, state: Any) -> Mapping[str, Any]:
        found = self._segment_values(state)
        listed = sorted(found.items(), key=lambda each: (-each[1]["rows"], each[0]))[:MAX_SEGMENTS]
        return {"segments": dict(listed), "others": len(found) - len(listed)}

    def _segment_values(self, state: Any) -> dict[str, dict[str, Any]]:
        """By segment, its rows and the metric's value."""
        return {} if state.frequencies is None else self._values_of_table(state.frequencies.table, state.schema)

    def _values_of_table(self, table: Any, schema: Schema) -> dict[str, dict[str, Any]]:
        places = _places((*self.by, *((self.column,) if self.column else ())), schema)
        keys = [f"k{places[name]}" for name in self.by]
        whole = table.filter(_all_valid([table[key] for key in keys]))
        values = whole[f"k{places[self.column]}"] if self.column else None
        return _by_segment(_weighed(whole, values, self.metric), keys, self.by, self.metric)


def _refuse(column: Operand) -> None:
    """Raises Unbindable for what has no mean, and where that of a segment of one row would be somebody's value."""
    if column.base_type not in NUMERIC:
        raise NotApplicableToTable(f"segments have no mean of {column.sql}: its type is {column.type}")
    if column.classified:
        raise NotApplicableToTable("segments tell no mean of a classified column: of one row it would be the value")


def _all_valid(columns: Sequence[Any]) -> Any:
    from pyarrow import compute

    return reduce(compute.and_, map(compute.is_valid, columns))


def _weighed(table: Any, values: Any, metric: Metric) -> Any:
    """The table with `present`, the rows that have a value, and for a mean `total`, the sum of these values."""
    from pyarrow import compute

    if values is None:
        return table
    present = compute.if_else(compute.is_valid(values), table["n"], 0)
    told = table.append_column("present", present)
    if metric != "mean":
        return told
    numbers = compute.fill_null(compute.cast(values, "float64"), 0.0)
    return told.append_column("total", compute.multiply(numbers, compute.cast(present, "float64")))


def _places(columns: tuple[str, ...], schema: Schema) -> dict[str, int]:
    """At which key of the grouping each column stands: these are in the order of their SQL."""
    sql = {name: operand_of(name, schema).canonical() for name in columns}
    order = sorted(set(sql.values()))
    return {name: order.index(each) for name, each in sql.items()}


def _by_segment(table: Any, keys: list[str], by: tuple[str, ...], metric: Metric) -> dict[str, dict[str, Any]]:
    sums = [name for name in ("n", "present", "total") if name in table.column_names]
    found = table.group_by(keys, use_threads=False).aggregate([(name, "sum") for name in sums])
    rows = zip(*(found[key].to_pylist() for key in keys), strict=True)
    told = (found[f"{name}_sum"].to_pylist() for name in sums)
    return {
        _name(by, values): {"rows": each[0], "value": _value(metric, *each)}
        for values, *each in zip(rows, *told, strict=True)
    }


def _value(metric: Metric, rows: int, present: int = 0, total: float = 0.0) -> float | int | None:
    if metric == "size":
        return rows
    if metric == "completeness":
        return present / rows
    # What JSON has no number for is no value: nothing is learned from it either.
    return total / present if present and isfinite(total) else None


def _name(by: tuple[str, ...], values: tuple[Any, ...]) -> str:
    return ", ".join(f"{column}={value}" for column, value in zip(by, values, strict=True))
