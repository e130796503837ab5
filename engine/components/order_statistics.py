"""Order statistics of numbers and times, computed from exact frequencies."""

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
    """Distinct values in ascending order, never empty. `cumulative`: number of rows up to and including each."""

    values: Any
    cumulative: Any

    @cached_property
    def rows(self) -> int:
        """Return the number of ranked rows."""
        return int(self.cumulative[-1].as_py())

    def at(self, share: Fraction) -> Any:
        """Return the nearest rank (inclusive) of a share of the rows.

        It is the smallest value v such that at least that share of the rows is <= v."""
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
        """Return the number of rows in each bin of the edges, which enclose all values.

        A bin includes its lower edge; the last bin also includes its upper edge."""
        upto = [0, *(self._below(edge) for edge in edges[1:-1]), self.rows]
        return [high - low for low, high in pairwise(upto)]

    def _below(self, edge: Any) -> int:
        from pyarrow import compute

        distinct = compute.sum(compute.less(self.values, _ceiling(edge, self.values.type))).as_py()
        return int(self.cumulative[distinct - 1].as_py()) if distinct else 0


def _ceiling(edge: Any, kind: Any) -> Any:
    """Return the smallest value of an Arrow type that is not below the edge.

    The number of values below it is the same, and it can be compared with them."""
    import pyarrow

    if pyarrow.types.is_decimal(kind):
        return pyarrow.scalar(Decimal(ceil(Fraction(repr(edge)) * 10**kind.scale)).scaleb(-kind.scale, EXACT), kind)
    return ceil(edge) if pyarrow.types.is_integer(kind) else float(edge)


def rankable(operand: Operand) -> Operand:
    """Return the operand to rank: dates and times as whole microseconds, as timestamps always are."""
    converted = operand.base_type in TEMPORAL - {"timestamp"}
    return replace(operand, sql=operand.micros(), type="bigint") if converted else operand


def ranking(counts: FrequencyTable | None, column: Column) -> OrderStatistics | None:
    """Return the counted values of a column in order, without NaN; None if none are left."""
    if counts is None:
        return None
    from pyarrow import compute

    ordered = _numbers(counts, column).sort_by("value").combine_chunks()
    return OrderStatistics(ordered["value"], compute.cumulative_sum(ordered["n"])) if ordered.num_rows else None


def ranked_rows(counts: FrequencyTable | None, column: Column) -> int:
    """Return the number of rows with a ranked value; 0 for none."""
    if counts is None:
        return 0
    from pyarrow import compute

    return int(compute.sum(_numbers(counts, column)["n"]).as_py() or 0)


def _numbers(counts: FrequencyTable, column: Column) -> Any:
    import pyarrow
    from pyarrow import compute

    numbers = counts.table["k0"].cast(_arrow_type(column))
    counted = pyarrow.table({"value": numbers, "n": counts.table["n"]})
    return counted.filter(compute.invert(compute.is_nan(numbers))) if column.base_type in FRACTIONAL else counted


def _arrow_type(column: Column) -> Any:
    import pyarrow

    if column.base_type in FRACTIONAL:
        return pyarrow.float64()
    if column.base_type == "decimal":
        return pyarrow.decimal128(*map(int, re.findall(r"\d+", column.type)))
    return pyarrow.int64()


def displayed_value(value: Any, column: Column) -> Value:
    """Return a ranked value in the format of measurements: dates and times as ISO 8601 text."""
    if column.base_type not in TEMPORAL:
        return value  # type: ignore[no-any-return]
    moment = EPOCH + timedelta(microseconds=value)
    if column.base_type == "date":
        return moment.date().isoformat()
    return (moment.replace(tzinfo=UTC) if column.base_type == "timestamp" else moment).isoformat()
