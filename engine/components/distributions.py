"""Distributions: how often the values of a column, or its bins, occur; as plain data and in two numbers."""

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

SHOWN = 1000  # values; the others are told together


@dataclass(frozen=True)
class ValueDistribution:
    """`plain`: the counts as plain data; `filled`: how many values or bins occur; `named`: rows of the one asked."""

    plain: Mapping[str, Any]
    filled: int
    named: int = 0


def of_values(counts: FrequencyTable | None, column: Column, nulls: int) -> ValueDistribution:
    """The values that occur, the most frequent first (1,000 of them), and how many others there are."""
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
    keys, found = chosen["k0"].to_pylist(), chosen["n"].to_pylist()
    return [{"value": _readable(key, column), "count": n} for key, n in zip(keys, found, strict=True)]


def _readable(key: Any, column: Column) -> Any:
    """A canonical key as plain data: numbers as such, what JSON has no number for as text, dates and times ISO 8601."""
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
    """The bins between the edges with their counts; `named` is a value in one of them, or None."""
    bins = [{"from": low, "to": high, "count": n} for (low, high), n in zip(pairwise(edges), counts, strict=True)]
    at = None if named is None else position(edges, named)
    return ValueDistribution({"bins": bins, **outside}, sum(map(bool, counts)), 0 if at is None else counts[at])


def position(edges: Sequence[Any], value: Any) -> int | None:
    """In which bin a value lies: from each edge on, the last bin closed; None where it lies in none of them."""
    at, marks = ordered(value), [ordered(edge) for edge in edges]
    if not marks[0] <= at <= marks[-1]:
        return None
    return min(sum(1 for mark in marks if mark <= at), len(edges) - 1) - 1


def ordered(edge: Any) -> Any:
    """An edge as what compares: numbers as written, exactly; ISO 8601 texts as moments in UTC. Raises ValueError."""
    if not isinstance(edge, str):
        return Fraction(repr(edge)) if isinstance(edge, float) else Fraction(edge)
    return clock.aware(datetime.fromisoformat(edge))


def equal_width(low: Any, high: Any, bins: int) -> tuple[Any, ...]:
    """The edges of bins of equal width between two numbers, each rounded once. One bin where they are equal."""
    first, last = ordered(low), ordered(high)
    if first == last:
        return low, high
    return tuple(_number(first + (last - first) * at / bins) for at in range(bins + 1))


def _number(edge: Fraction) -> int | float:
    return int(edge) if edge.denominator == 1 else float(edge)
