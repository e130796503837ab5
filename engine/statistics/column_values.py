"""The values of a column in memory: numbers, or texts.

Whatever they are given as becomes one of the two: arrays, lists and frames' columns of whole numbers, decimals, truths,
times, texts and bytes, with any of what stands for a missing value."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from math import inf
from numbers import Real
from typing import Any

import numpy
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class ColumnValues:
    """The values of a column, one a row, and those of another column of its type, where there is one.

    Numbers are float64 with NaN where one is missing; texts are of dtype object with None."""

    values: Array
    neighbour: Array | None = None

    @cached_property
    def is_text(self) -> bool:
        """Whether its values are texts."""
        return self.values.dtype == object

    @cached_property
    def present(self) -> Array:
        """In which rows there is a value."""
        if self.is_text:
            return numpy.array([value is not None for value in self.values], dtype=bool)
        return ~numpy.isnan(self.values)


def column(values: Iterable[Any], neighbour: Iterable[Any] | None = None, *, is_text: bool = False) -> ColumnValues:
    """The column of these values: numbers where all that are present are numbers or booleans, else texts.

    `is_text`: texts in any case, whole numbers without decimals. None, NaN and what else is unlike itself are missing.
    Whole numbers beyond 2^53 lose digits; those that no double holds are infinite. A neighbour of the other type is
    left out. Raises ValueError for more than one dimension."""
    own = _typed(values, is_text=is_text)
    other = None if neighbour is None else _typed(neighbour, is_text=is_text)
    return ColumnValues(own, other if other is not None and other.dtype == own.dtype and len(other) else None)


def objects(values: Iterable[str | None]) -> Array:
    """Texts, and None, as an array."""
    listed = list(values)
    made = numpy.empty(len(listed), dtype=object)
    made[:] = listed
    return made


def _typed(values: Iterable[Any], *, is_text: bool) -> Array:
    plain = type(values) is numpy.ndarray
    if plain and values.dtype.kind in "biuf" and values.ndim == 1 and not is_text:  # type: ignore[attr-defined]
        return values.astype(numpy.float64)  # type: ignore[attr-defined,no-any-return]
    listed = [None if is_missing(value) else value for value in _value_list(values)]
    if not is_text and all(value is None or _is_number(value) for value in listed):
        return numpy.array([numpy.nan if value is None else _number(value) for value in listed], dtype=numpy.float64)
    return objects(None if value is None else text(value) for value in listed)


def _value_list(values: Any) -> list[Any]:
    """The values one by one, times as texts: no other form has all of them."""
    if getattr(values, "ndim", 1) != 1:
        raise ValueError(f"a column has one dimension: these values have the shape {values.shape}")
    if isinstance(values, numpy.ndarray) and values.dtype.kind in "mM":
        texts = numpy.ma.getdata(values).astype(str).tolist()
        return [None if gone else each for each, gone in zip(texts, numpy.isnat(values), strict=True)]
    return values.tolist() if hasattr(values, "tolist") else list(values)


def is_missing(value: Any) -> bool:
    """Whether it stands for no value: None, NaN of any kind, and what cannot say whether it is itself (pandas' NA)."""
    if value is None or isinstance(value, Decimal):
        return value is None or value.is_nan()
    try:
        return bool(value != value)  # noqa: PLR0124
    except TypeError:
        return True
    except ValueError:  # of several values
        return False


def _is_number(value: Any) -> bool:
    return isinstance(value, Real | Decimal | numpy.bool_)


def _number(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def text(value: Any) -> str:
    """The value as a text: bytes as UTF-8, whole numbers without decimals, very large ones in hexadecimal digits."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float | numpy.floating):
        return str(value).removesuffix(".0")
    try:
        return str(value)
    except ValueError:  # whole numbers of more digits than Python writes
        return hex(value)
