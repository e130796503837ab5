"""Hold the values of a column in memory, as numbers or texts.

Accepts arrays, lists and columns of pandas, Arrow and polars, of integers, decimals, booleans, times, texts and bytes,
with any representation of a missing value."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from math import inf
from numbers import Real
from typing import Any

import numpy
from numpy.typing import NDArray

Array = NDArray[Any]
# Methods that convert an Arrow, pandas, numpy or polars column to Python values.
TO_LIST = ("to_pylist", "tolist", "to_list")
# The name of the only column of an array or a series.
ONLY = "values"


@dataclass(frozen=True, eq=False)
class ColumnValues:
    """The values of a column, one per row.

    Numbers are float64 with NaN for missing; texts have dtype object with None for missing. `neighbour`: the values of
    another column of the same type; None if there is none."""

    values: Array
    neighbour: Array | None = None

    @cached_property
    def is_text(self) -> bool:
        """Return True if the values are texts."""
        return self.values.dtype == object

    @cached_property
    def present(self) -> Array:
        """Return for each row whether it has a value."""
        if self.is_text:
            return numpy.array([value is not None for value in self.values], dtype=bool)
        return ~numpy.isnan(self.values)


def column(values: Iterable[Any], neighbour: Iterable[Any] | None = None, *, is_text: bool = False) -> ColumnValues:
    """Return the column of these values: numbers if all present values are numbers or booleans, else texts.

    `is_text`: convert to texts in any case, with integers without decimals. None, NaN and values that do not equal
    themselves are missing. Integers beyond 2^53 lose digits; those beyond the range of a double become infinite. A
    neighbor of the other type or another length is dropped. Raises ValueError for more than one dimension."""
    own = _typed(values, is_text=is_text)
    other = None if neighbour is None else _typed(neighbour, is_text=is_text)
    return ColumnValues(own, other if other is not None and other.dtype == own.dtype and len(other) else None)


def columns(frame: Any) -> Iterator[tuple[str, ColumnValues]]:
    """Yield the name and the values of each column.

    `frame`: a pandas, Arrow or polars frame, a mapping of columns, or a structured array; a single column (array, list
    or series) is named `values`. Raises ValueError for an array of more dimensions."""
    names = _column_names(frame)
    if names is None:
        yield ONLY, column(frame)
        return
    for name in names:
        yield str(name), column(frame[name])


def _column_names(frame: Any) -> Iterable[Any] | None:
    """Return the names of the columns; None for a single column."""
    if isinstance(frame, Mapping):
        return frame
    of_array = getattr(getattr(frame, "dtype", None), "names", None)
    return of_array or getattr(frame, "column_names", getattr(frame, "columns", None))


def objects(values: Iterable[str | None]) -> Array:
    """Return texts and None as an array."""
    items = list(values)
    array = numpy.empty(len(items), dtype=object)
    array[:] = items
    return array


def _typed(values: Iterable[Any], *, is_text: bool) -> Array:
    plain = type(values) is numpy.ndarray
    if plain and values.dtype.kind in "biuf" and values.ndim == 1 and not is_text:  # type: ignore[attr-defined]
        return values.astype(numpy.float64)  # type: ignore[attr-defined,no-any-return]
    items = [None if is_missing(value) else value for value in _value_list(values)]
    if not is_text and all(value is None or _is_number(value) for value in items):
        return numpy.array([numpy.nan if value is None else _number(value) for value in items], dtype=numpy.float64)
    return objects(None if value is None else text(value) for value in items)


def _value_list(values: Any) -> list[Any]:
    """Return the values as a list, times as texts, which can represent all of them."""
    if getattr(values, "ndim", 1) != 1:
        raise ValueError(f"a column must have one dimension, but these values have the shape {values.shape}")
    if isinstance(values, numpy.ndarray) and values.dtype.kind in "mM":
        texts = numpy.ma.getdata(values).astype(str).tolist()
        return [None if gone else each for each, gone in zip(texts, numpy.isnat(values), strict=True)]
    to_list = next((way for name in TO_LIST if (way := getattr(values, name, None))), None)
    return to_list() if to_list else list(values)


def is_missing(value: Any) -> bool:
    """Return True for None, any NaN, and values whose comparison with themselves fails (pandas' NA)."""
    if value is None or isinstance(value, Decimal):
        return value is None or value.is_nan()
    try:
        return bool(value != value)  # noqa: PLR0124
    except TypeError:
        return True
    except ValueError:  # A container of several values.
        return False


def _is_number(value: Any) -> bool:
    return isinstance(value, Real | Decimal | numpy.bool_)


def _number(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def text(value: Any) -> str:
    """Return the value as a text: bytes as UTF-8, integers without decimals, very large ones in hexadecimal."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float | numpy.floating):
        return str(value).removesuffix(".0")
    try:
        return str(value)
    except ValueError:  # An integer with more digits than Python converts.
        return hex(value)
