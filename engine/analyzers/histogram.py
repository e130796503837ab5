"""Metric of the distribution of a column: by value, by bins of equal width or by explicit edges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import isfinite
from typing import Annotated, Any, Self

from pydantic import AliasChoices, BeforeValidator, Field, model_validator

from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers.arguments import Bound, ColumnName, Nulls, Scalar
from treaty.engine.analyzers.base import Analyzer, NotApplicableToTable
from treaty.engine.analyzers.bound import Operands
from treaty.engine.analyzers.values import among
from treaty.engine.components.base import Component, CountComponent, CountIfComponent
from treaty.engine.components.distributions import ValueDistribution, equal_width, of_bins, of_values, ordered, position
from treaty.engine.components.frequencies import Frequencies, occurrences
from treaty.engine.components.operands import NUMERIC, TEMPORAL, Operand
from treaty.engine.components.order_statistics import ranking
from treaty.engine.components.sql_literals import literal_of

MOST = 1000  # bins: each needs its own aggregate

Number = int | Annotated[float, Field(allow_inf_nan=False)]
Edges = Annotated[
    tuple[Bound, ...],
    BeforeValidator(lambda value: tuple(value) if isinstance(value, list) else value),
    Field(min_length=2, max_length=MOST + 1),
]


@dataclass(frozen=True)
class ValueBins:
    """One bin for each value of the column, from a GROUP BY."""

    def parts(self) -> Mapping[str, Component]:
        return {"frequencies": Frequencies("{column}", by_value=True)}

    def operands(self, column: Operand) -> Operands:
        return {}

    def present(self, state: Any) -> int:
        return occurrences(state.frequencies)

    def distribution(self, state: Any, column: Column) -> ValueDistribution | None:
        return of_values(state.frequencies, column, state.rows - self.present(state))


@dataclass(frozen=True)
class EqualWidthBins(ValueBins):
    """Bins of equal width between the extremes, which a GROUP BY determines."""

    bins: int
    value: Any

    def parts(self) -> Mapping[str, Component]:
        return {"frequencies": Frequencies("{column}", takes=NUMERIC, by_value=True)}

    def distribution(self, state: Any, column: Column) -> ValueDistribution | None:
        ranked, present = ranking(state.frequencies, column), self.present(state)
        if ranked is None or not isfinite(ranked.smallest) or not isfinite(ranked.largest):
            return None
        edges = equal_width(ranked.smallest, ranked.largest, self.bins)
        outside = {"below": 0, "above": present - ranked.rows, "null": state.rows - present}
        return of_bins(edges, ranked.between(edges), self.value, **outside)


@dataclass(frozen=True)
class SingleValueBins:
    """One value against all others, without a GROUP BY."""

    value: Any

    def parts(self) -> Mapping[str, Component]:
        return {"present": CountComponent("{column}"), "found": CountIfComponent("{found}")}

    def operands(self, column: Operand) -> Operands:
        return {"found": (among(column, (self.value,)),)}

    def present(self, state: Any) -> int:
        return int(state.present)

    def distribution(self, state: Any, column: Column) -> ValueDistribution | None:
        remainder = {"other": {"count": state.present - state.found}, "null": state.rows - state.present}
        values = [{"value": self.value, "count": state.found}]
        return ValueDistribution({"values": values, **remainder}, int(state.found > 0), state.found)


@dataclass(frozen=True)
class EdgeBins:
    """Bins between fixed edges: one condition each, without a GROUP BY."""

    edges: tuple[Any, ...]
    value: Any

    def parts(self) -> Mapping[str, Component]:
        return {
            "present": CountComponent("{column}"),
            **{name: CountIfComponent(f"{{{name}}}") for name in self._names},
        }

    @property
    def _names(self) -> list[str]:
        return ["below", *(f"bin{at}" for at in range(len(self.edges) - 1)), "above"]

    def operands(self, column: Operand) -> Operands:
        if column.base_type not in NUMERIC | TEMPORAL:
            raise NotApplicableToTable(f"{column.sql} cannot be divided into bins: its type is {column.type}")
        sql, literals = column.sql, [self._mark(edge, column) for edge in self.edges]
        inner = [f"{sql} >= {low} AND {sql} < {high}" for low, high in pairwise(literals[:-1])]
        last = f"{sql} >= {literals[-2]} AND {sql} <= {literals[-1]}"
        conditions = [f"{sql} < {literals[0]}", *inner, last, f"{sql} > {literals[-1]}"]
        return {name: (Operand(sql=each, type="boolean"),) for name, each in zip(self._names, conditions, strict=True)}

    def _mark(self, edge: Any, column: Operand) -> str:
        sql_literal = literal_of(edge, column)
        if sql_literal is None:
            raise NotApplicableToTable(
                f"{column.sql} has type {column.type}, which cannot be compared with the edge {edge!r}"
            )
        return sql_literal

    def present(self, state: Any) -> int:
        return int(state.present)

    def distribution(self, state: Any, column: Column) -> ValueDistribution | None:
        below, *counts, above = (getattr(state, name) for name in self._names)
        return of_bins(self.edges, counts, self.value, below=below, above=above, null=state.rows - state.present)


class Histogram(Analyzer):
    """Number of values or bins that occur; the distribution itself is in the details.

    Without further arguments each distinct value is counted; the details list the 1,000 most frequent values and the
    number of others. `bins` alone makes bins of equal width between the smallest and the largest number; `low` and
    `high` set other limits; `edges` sets the bins explicitly. A bin includes its lower edge and excludes its upper
    edge, except the last one, which includes both. Values outside are counted as `below` and `above` (`above`
    includes NaN). The forms without fixed edges (except `share_of` alone) need a GROUP BY.

    With `share_of` the number is the share, between 0 and 1, of rows with this value or in its bin: of non-null
    rows, or of all rows with `nulls: break` (as in Deequ, which counts null as the text NullValue; here null is no
    value and is counted separately). 0 for an empty table or if all values are null; a share then has no value. No
    value either if the extremes that define the bins do not exist or are infinite, or if no row matches `where`."""

    name = "histogram"
    unit = "bins"
    column: ColumnName
    bins: Annotated[int | None, Field(ge=1, le=MOST, description="number of bins of equal width")] = None
    low: Annotated[Number | None, Field(description="lower edge of the first bin")] = None
    high: Annotated[Number | None, Field(description="upper edge of the last bin")] = None
    edges: Edges | None = Field(default=None, description="edges of the bins, ascending; a bin includes its lower edge")
    share_of: Annotated[
        Scalar | None,
        Field(
            validation_alias=AliasChoices("share_of", "value"),
            description="the value, or a value in the bin, whose share is measured",
        ),
    ] = None
    nulls: Nulls = "ignore"
    frequencies = Frequencies("{column}", by_value=True)
    present = CountComponent("{column}")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.edges and self.bins:
            raise ValueError("give either bins or edges, not both")
        if (self.low is None) != (self.high is None) or (self.low is not None and not self.bins):
            raise ValueError("give low and high together, and only with bins")
        if self._stated:
            _check_edges(self._stated, self.share_of)
        return self

    @property
    def _stated(self) -> tuple[Any, ...]:
        """Return the edges that the arguments define; () if there are none or they depend on the data."""
        between = equal_width(self.low, self.high, self.bins) if self.bins and self.low is not None else ()
        return self.edges or between

    @cached_property
    def _way(self) -> ValueBins | SingleValueBins | EdgeBins:
        if self._stated:
            return EdgeBins(self._stated, self.share_of)
        if self.bins:
            return EqualWidthBins(self.bins, self.share_of)
        return ValueBins() if self.share_of is None else SingleValueBins(self.share_of)

    def parts(self) -> Mapping[str, Component]:
        return self._way.parts()

    def operands(self, schema: Schema) -> Operands:
        named = super().operands(schema)
        return {**named, **self._way.operands(named["column"][0])}

    def _distribution(self, state: Any) -> ValueDistribution | None:
        return self._way.distribution(state, state.schema.find(self.column))

    def value(self, state: Any) -> int | float | None:
        distribution, counted = self._distribution(state), self.counted(state)
        if self.share_of is None:
            return distribution.filled if distribution else None
        return distribution.named / counted if distribution and counted else None

    def counted(self, state: Any) -> int:
        return int(state.rows) if self.nulls == "break" else self._way.present(state)

    def details(self, state: Any) -> Mapping[str, Any] | None:
        distribution = self._distribution(state)
        return distribution.plain if distribution else None


def _check_edges(edges: Sequence[Any], value: Any) -> None:
    """Raise ValueError unless the edges ascend, are comparable and enclose the value."""
    try:
        ascending = all(ordered(low) < ordered(high) for low, high in pairwise(edges))
        within = value is None or position(edges, value) is not None
    except (TypeError, ValueError):
        raise ValueError("edges and share_of must be all numbers, or all dates or times as ISO 8601 text") from None
    if not ascending:
        raise ValueError("each edge must be greater than the previous one")
    if not within:
        raise ValueError("share_of must be in one of the bins")
