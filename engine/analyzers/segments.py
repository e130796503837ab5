"""Metric of segments: rows that share the values of one or more columns."""

from collections.abc import Mapping, Sequence
from functools import reduce
from math import isfinite
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from treaty.contracts.comparison.threshold_order import ANY, NumericDomain
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.arguments import ArgumentRole, ColumnName, InputColumns
from treaty.engine.analyzers.base import DOMAINS, Analyzer, NotApplicableToTable, operand_of
from treaty.engine.analyzers.bound import Operands
from treaty.engine.components.base import Component
from treaty.engine.components.frequencies import Frequencies
from treaty.engine.components.operands import NUMERIC, Operand

MAX_SEGMENTS = 1000  # segments in the details; the rest is counted under `others`
Metric = Literal["size", "completeness", "mean"]


class Segments(Analyzer):
    """Number of segments: distinct value combinations of the columns `by`.

    The details have a metric of each segment: its `size`, or the `completeness` or `mean` of a column. With
    `mustHaveNoAnomalies` each segment is evaluated against its own history, even if it has no rows any more, and the
    check fails if any segment is an anomaly (Deequ, VLDB 2018, section 5.4: the mean controversiality of each
    subreddit). At most `most` segments are evaluated, those with the most rows; they share the false-alarm budget of
    the check.

    The state stores how often each value of the column occurs in each segment, so it grows with the number of
    distinct values. Segments need not be partitions. Rows with a null in any column of `by` belong to no segment;
    the mean is over non-null values, as doubles. 0 for an empty table, or if no row matches `where`. Classified
    columns are not supported in `by`, nor is the mean of a classified column."""

    name = "segments"
    unit = "values"
    defined_on_empty = True
    value_template = "{phrase}: {value}"
    by: Annotated[
        InputColumns, Field(description="the columns whose values form a segment: one column or a list of columns")
    ]
    metric: Metric = Field(default="size", description="the metric of each segment: `size`, `completeness` or `mean`")
    column: Annotated[ColumnName | None, ArgumentRole.COLUMN] = Field(
        default=None, description="the column of `completeness` or `mean`"
    )
    most: int = Field(default=200, ge=1, le=MAX_SEGMENTS, description="maximum number of segments that are evaluated")
    frequencies = Frequencies("{by}", by_value=True)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.metric == "size") is not (self.column is None):
            raise ValueError("completeness and mean need a column; size must not have one")
        if self.column in self.by:
            raise ValueError("the column must not be one of the columns in by")
        return self

    @property
    def judged_segments(self) -> int:
        return self.most

    @property
    def of_absent(self) -> float | None:
        return 0.0 if self.metric == "size" else None

    @property
    def detected_domain(self) -> NumericDomain:
        """Return the values that the metric of a segment can have."""
        return {"size": DOMAINS["rows"], "completeness": DOMAINS["share"]}.get(self.metric, ANY)

    def parts(self) -> Mapping[str, Component]:
        columns = ("{by}", *(("{column}",) if self.column else ()))
        return {"frequencies": Frequencies(*columns, by_value=True)}

    def operands(self, schema: Schema) -> Operands:
        named = super().operands(schema)
        if any(each.classified for each in named["by"]):
            raise NotApplicableToTable("a column in by is classified: the names of segments would reveal its values")
        if self.metric == "mean":
            _refuse(named["column"][0])
        return named

    def value(self, state: Any) -> int:
        return len(self._segment_values(state))

    def details(self, state: Any) -> Mapping[str, Any]:
        segments = self._segment_values(state)
        largest = sorted(segments.items(), key=lambda each: (-each[1]["rows"], each[0]))[:MAX_SEGMENTS]
        return {"segments": dict(largest), "others": len(segments) - len(largest)}

    def _segment_values(self, state: Any) -> dict[str, dict[str, Any]]:
        """Return the rows and the metric's value by segment."""
        return {} if state.frequencies is None else self._values_of_table(state.frequencies.table, state.schema)

    def _values_of_table(self, table: Any, schema: Schema) -> dict[str, dict[str, Any]]:
        places = _places((*self.by, *((self.column,) if self.column else ())), schema)
        keys = [f"k{places[name]}" for name in self.by]
        whole = table.filter(_all_valid([table[key] for key in keys]))
        values = whole[f"k{places[self.column]}"] if self.column else None
        return _by_segment(_weighed(whole, values, self.metric), keys, self.by, self.metric)


def _refuse(column: Operand) -> None:
    """Raise NotApplicableToTable for a column without a mean, or a classified one."""
    if column.base_type not in NUMERIC:
        raise NotApplicableToTable(f"segments cannot have a mean of {column.sql}: its type is {column.type}")
    if column.classified:
        raise NotApplicableToTable(
            "segments cannot have a mean of a classified column: for a segment of one row it would reveal the value"
        )


def _all_valid(columns: Sequence[Any]) -> Any:
    from pyarrow import compute

    return reduce(compute.and_, map(compute.is_valid, columns))


def _weighed(table: Any, values: Any, metric: Metric) -> Any:
    """Add the number of values as `present` and, for a mean, their sum as `total`."""
    from pyarrow import compute

    if values is None:
        return table
    present = compute.if_else(compute.is_valid(values), table["n"], 0)
    counted = table.append_column("present", present)
    if metric != "mean":
        return counted
    numbers = compute.fill_null(compute.cast(values, "float64"), 0.0)
    return counted.append_column("total", compute.multiply(numbers, compute.cast(present, "float64")))


def _places(columns: tuple[str, ...], schema: Schema) -> dict[str, int]:
    """Return the position of each column among the keys, which are sorted by their SQL."""
    sql = {name: operand_of(name, schema).canonical() for name in columns}
    order = sorted(set(sql.values()))
    return {name: order.index(each) for name, each in sql.items()}


def _by_segment(table: Any, keys: list[str], by: tuple[str, ...], metric: Metric) -> dict[str, dict[str, Any]]:
    sums = [name for name in ("n", "present", "total") if name in table.column_names]
    totals = table.group_by(keys, use_threads=False).aggregate([(name, "sum") for name in sums])
    rows = zip(*(totals[key].to_pylist() for key in keys), strict=True)
    columns = (totals[f"{name}_sum"].to_pylist() for name in sums)
    return {
        _name(by, values): {"rows": each[0], "value": _value(metric, *each)}
        for values, *each in zip(rows, *columns, strict=True)
    }


def _value(metric: Metric, rows: int, present: int = 0, total: float = 0.0) -> float | int | None:
    if metric == "size":
        return rows
    if metric == "completeness":
        return present / rows
    # JSON cannot represent infinity and NaN, and detectors cannot learn from them: they are no value.
    return total / present if present and isfinite(total) else None


def _name(by: tuple[str, ...], values: tuple[Any, ...]) -> str:
    return ", ".join(f"{column}={value}" for column, value in zip(by, values, strict=True))
