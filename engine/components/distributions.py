"""Distributions of a column's values or bins, as plain data and as two numbers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from itertools import pairwise
from math import isfinite
from typing import Any

from treaty.contracts.schema import Column
from treaty.engine.components.frequencies import FrequencyTable, groups, occurrences
from treaty.engine.components.operands import FRACTIONAL, INTEGRAL
from treaty.engine.components.order_statistics import displayed_value
from treaty.engine.core import clock

SHOWN = 1000  # values; the rest is counted under `other`


@dataclass(frozen=True)
class ValueDistribution:
    """A distribution. `plain`: its counts as plain data; `filled`: values or bins that occur; `named`: rows of the
    requested value or bin."""

    plain: Mapping[str, Any]
    filled: int
    named: int = 0


def of_values(counts: FrequencyTable | None, column: Column, nulls: int) -> ValueDistribution:
    """Return the distribution of values: the 1,000 most frequent ones and the number of others."""
    values = _most_frequent(counts, column) if counts else []
    rest = {
        "values": groups(counts) - len(values),
        "count": occurrences(counts) - sum(each["count"] for each in values),
    }
    return ValueDistribution({"values": values, "other": rest, "null": nulls}, groups(counts))


def _most_frequent(counts: FrequencyTable, column: Column) -> list[dict[str, Any]]:
    from pyarrow import compute

    by = [("n", "descending"), ("k0", "ascending")]
    chosen = counts.table.take(compute.select_k_unstable(counts.table, k=SHOWN, sort_keys=by))
    keys, counted = chosen["k0"].to_pylist(), chosen["n"].to_pylist()
    return [{"value": _readable(key, column), "count": n} for key, n in zip(keys, counted, strict=True)]


def _readable(key: Any, column: Column) -> Any:
    """Return a canonical key as plain data: numbers, dates and times as ISO 8601 text.

    Numbers that JSON cannot represent stay text."""
    reader = _READERS.get(column.base_type)
    return reader(key, column) if reader else key


def _double(key: str, _: Column) -> float | str:
    return float(key) if isfinite(float(key)) else key


_READERS: Mapping[str, Callable[[Any, Column], Any]] = {
    **dict.fromkeys(INTEGRAL, lambda key, _: int(key)),
    **dict.fromkeys(FRACTIONAL, _double),
    "boolean": lambda key, _: key == "true",
    "timestamp": displayed_value,
    "timestamp_ntz": lambda key, _: key.replace(" ", "T"),
}


def of_bins(edges: Sequence[Any], counts: Sequence[int], named: Any, **outside: int) -> ValueDistribution:
    """Return the distribution over the bins between the edges.

    `named`: a value in one of the bins; None means none. `outside`: further counts, for example of rows below the
    first edge."""
    bins = [{"from": low, "to": high, "count": n} for (low, high), n in zip(pairwise(edges), counts, strict=True)]
    at = None if named is None else position(edges, named)
    return ValueDistribution({"bins": bins, **outside}, sum(map(bool, counts)), 0 if at is None else counts[at])


def position(edges: Sequence[Any], value: Any) -> int | None:
    """Return the position of the bin that contains a value; None if none does.

    A bin includes its lower edge; the last bin also includes its upper edge."""
    at, marks = ordered(value), [ordered(edge) for edge in edges]
    if not marks[0] <= at <= marks[-1]:
        return None
    return min(sum(1 for mark in marks if mark <= at), len(edges) - 1) - 1


def ordered(edge: Any) -> Any:
    """Return an edge in a comparable form: an exact number, or a time in UTC for ISO 8601 text.

    Raises ValueError for a text that is no date or time."""
    if not isinstance(edge, str):
        return Fraction(repr(edge)) if isinstance(edge, float) else Fraction(edge)
    return clock.aware(datetime.fromisoformat(edge))


def equal_width(low: Any, high: Any, bins: int) -> tuple[Any, ...]:
    """Return the edges of bins of equal width between two numbers, each rounded once.

    One bin if both numbers are equal."""
    first, last = ordered(low), ordered(high)
    if first == last:
        return low, high
    return tuple(_number(first + (last - first) * at / bins) for at in range(bins + 1))


def _number(edge: Fraction) -> int | float:
    return int(edge) if edge.denominator == 1 else float(edge)
