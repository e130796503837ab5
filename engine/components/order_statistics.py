"""The numbers and times of a column in order, from exact frequencies."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil
from typing import Any

from treaty.contracts.schema import Column
from treaty.engine.components.base import EPOCH, EXACT
from treaty.engine.components.frequencies import FrequencyTable
from treaty.engine.components.operands import FRACTIONAL, TEMPORAL, Operand
from treaty.engine.core.results import Value


@dataclass(frozen=True)
class OrderStatistics:
    """Distinct values in ascending order: `cumulative` says how many rows have at most each of them. Never empty."""

    values: Any
    cumulative: Any

    @cached_property
    def rows(self) -> int:
        """How many rows are ranked."""
        return int(self.cumulative[-1].as_py())

    def at(self, share: Fraction) -> Any:
        """The smallest value that at least that share of the rows have or lie below: the nearest rank, inclusive."""
        return self.values[self._first(max(1, ceil(share * self.rows)))].as_py()

    def _first(self, rows: int) -> int:
        from pyarrow import compute

        return int(compute.index(compute.greater_equal(self.cumulative, rows), True).as_py())

    @property
    def smallest(self) -> Any:
        return self.values[0].as_py()

    @property
    def largest(self) -> Any:
        return self.values[-1].as_py()

    def between(self, edges: Sequence[Any]) -> list[int]:
        """How many rows lie in each bin of the edges, which hold all values: from each edge on, the last bin closed."""
        upto = [0, *(self._below(edge) for edge in edges[1:-1]), self.rows]
        return [high - low for low, high in pairwise(upto)]

    def _below(self, edge: Any) -> int:
        from pyarrow import compute

        distinct = compute.sum(compute.less(self.values, _ceiling(edge, self.values.type))).as_py()
        return int(self.cumulative[distinct - 1].as_py()) if distinct else 0


def _ceiling(edge: Any, kind: Any) -> Any:
    """The smallest value of an Arrow type that is not below the edge: it has as many values below, and compares."""
    import pyarrow

    if pyarrow.types.is_decimal(kind):
        return pyarrow.scalar(Decimal(ceil(Fraction(repr(edge)) * 10**kind.scale)).scaleb(-kind.scale, EXACT), kind)
    return ceil(edge) if pyarrow.types.is_integer(kind) else float(edge)


def rankable(operand: Operand) -> Operand:
    """The operand as what is ranked: dates and times are counted as whole microseconds, as timestamps always are."""
    counted = operand.base_type in TEMPORAL - {"timestamp"}
    return replace(operand, sql=operand.micros(), type="bigint") if counted else operand


def ranking(counts: FrequencyTable | None, column: Column) -> OrderStatistics | None:
    """The counted values of a column in order, exactly; NaN is left out. None where none is left."""
    if counts is None:
        return None
    from pyarrow import compute

    ordered = _numbers(counts, column).sort_by("value").combine_chunks()
    return OrderStatistics(ordered["value"], compute.cumulative_sum(ordered["n"])) if ordered.num_rows else None


def ranked_rows(counts: FrequencyTable | None, column: Column) -> int:
    """How many rows have a value that is ranked; 0 for none."""
    if counts is None:
        return 0
    from pyarrow import compute

    return int(compute.sum(_numbers(counts, column)["n"]).as_py() or 0)


def _numbers(counts: FrequencyTable, column: Column) -> Any:
    import pyarrow
    from pyarrow import compute

    numbers = counts.table["k0"].cast(_arrow_type(column))
    found = pyarrow.table({"value": numbers, "n": counts.table["n"]})
    return found.filter(compute.invert(compute.is_nan(numbers))) if column.base_type in FRACTIONAL else found


def _arrow_type(column: Column) -> Any:
    import pyarrow

    if column.base_type in FRACTIONAL:
        return pyarrow.float64()
    if column.base_type == "decimal":
        return pyarrow.decimal128(*map(int, re.findall(r"\d+", column.type)))
    return pyarrow.int64()


def displayed_value(value: Any, column: Column) -> Value:
    """A ranked value as a measurement shows it: dates and times as ISO 8601 text."""
    if column.base_type not in TEMPORAL:
        return value  # type: ignore[no-any-return]
    moment = EPOCH + timedelta(microseconds=value)
    if column.base_type == "date":
        return moment.date().isoformat()
    return (moment.replace(tzinfo=UTC) if column.base_type == "timestamp" else moment).isoformat()
