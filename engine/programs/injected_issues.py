"""Inject the ten common data issues into a clean column (AVH paper, Appendix B).

There are the paper's 60 variations, 27 of numbers and 33 of texts, plus three of real nulls for each: the paper only
writes zeros and empty texts, which teach nothing about missing values. An issue is one function and one row."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import isnan
from typing import Any

import numpy
from numpy.random import Generator
from numpy.typing import NDArray

from treaty.engine.statistics.column_values import ColumnValues, objects

Array = NDArray[Any]
Setting = tuple[Any, ...]

DIGITS = (48, 10)
LETTERS = ((97, 26), (65, 26))
MINUS = 45
EVERY = 100.0


def schema_change(values: ColumnValues, generator: Generator, percent: float) -> Array:
    """Replace a share of the rows by random values of the neighbor column. Type 1."""
    changed = values.values.copy()
    if values.neighbour is not None:
        rows = _some(changed, percent, generator)
        changed[rows] = values.neighbour[generator.integers(0, len(values.neighbour), len(rows))]
    return changed


def unit_change(values: ColumnValues, generator: Generator, percent: float, factor: float) -> Array:
    """Multiply a share of the numbers by the factor. Type 2."""
    changed = values.values.copy()
    with numpy.errstate(over="ignore"):
        changed[_some(changed, percent, generator)] *= factor
    return changed


def casing_change(values: ColumnValues, generator: Generator, percent: float, case: str) -> Array:
    """Change a share of the texts to upper or lower case. Type 3."""
    return _each_text(values, _some(values.values, percent, generator), getattr(str, case))


def blanks(values: ColumnValues, generator: Generator, percent: float) -> Array:
    """Replace a share of the rows by 0 or an empty text. Type 4, as in the paper."""
    changed = values.values.copy()
    changed[_some(changed, percent, generator)] = "" if values.is_text else 0.0
    return changed


def nulls(values: ColumnValues, generator: Generator, percent: float) -> Array:
    """Replace a share of the rows by null. Type 4, as in real tables."""
    changed = values.values.copy()
    changed[_some(changed, percent, generator)] = None if values.is_text else numpy.nan
    return changed


def volume_change(values: ColumnValues, generator: Generator, factor: float) -> Array:
    """Repeat every row `factor` times; below 1, keep that share of the rows in order. Type 5."""
    if factor >= 1:
        return numpy.repeat(values.values, round(factor))
    positions = generator.permutation(len(values.values))[: max(1, int(len(values.values) * factor))]
    return values.values[numpy.sort(positions)]


def distribution_change(values: ColumnValues, generator: Generator, percent: float, end: str) -> Array:
    """Replace all values by the first or last `percent` of the sorted values, repeated. Type 6.

    The number of rows and of nulls stays the same, so neither shows the issue."""
    changed = values.values.copy()
    present = numpy.sort(changed[values.present])
    size = max(1, round(len(present) * percent / 100))
    biased = present[:size] if end == "first" else present[-size:]
    changed[values.present] = numpy.resize(biased, len(present))
    return changed


def misspelling(values: ColumnValues, generator: Generator, percent: float) -> Array:
    """Replace a share of all characters by another of their kind: ASCII digit, lower or upper case. Type 7."""
    text = _spelled(values)
    hit = generator.random(len(text.codes)) < percent / 100
    codes = text.codes.copy()
    for first, size in (DIGITS, *LETTERS) if values.is_text else (DIGITS,):
        places = numpy.flatnonzero(hit & (text.codes >= first) & (text.codes < first + size))
        offsets = generator.integers(1, size, len(places))
        codes[places] = first + (text.codes[places] - first + offsets) % size
    return _read_back(values, RowCodePoints(codes, text.lengths))


def insertion(values: ColumnValues, generator: Generator, percent: float) -> Array:
    """Insert a lower-case letter or a digit into each value with that probability. Type 8.

    Only digits are inserted into numbers."""
    text = _spelled(values)
    rows = numpy.flatnonzero(values.present & (generator.random(len(text.lengths)) < percent / 100))
    places = (generator.random(len(rows)) * (text.lengths[rows] + 1)).astype(numpy.int64)
    if not values.is_text and len(rows):
        places = numpy.maximum(places, text.codes[text.starts[rows]] == MINUS)
    pool = _codes("0123456789abcdefghijklmnopqrstuvwxyz" if values.is_text else "0123456789")
    codes = numpy.insert(text.codes, text.starts[rows] + places, pool[generator.integers(0, len(pool), len(rows))])
    return _read_back(values, RowCodePoints(codes, text.lengths + numpy.bincount(rows, minlength=len(text.lengths))))


def deletion(values: ColumnValues, generator: Generator, percent: float) -> Array:
    """Delete one character of each value with that probability. Type 9. A single-digit number becomes missing."""
    text = _spelled(values)
    rows = numpy.flatnonzero((text.lengths > 0) & (generator.random(len(text.lengths)) < percent / 100))
    places = (generator.random(len(rows)) * text.lengths[rows]).astype(numpy.int64)
    codes = numpy.delete(text.codes, text.starts[rows] + places)
    return _read_back(values, RowCodePoints(codes, text.lengths - numpy.bincount(rows, minlength=len(text.lengths))))


def padding(values: ColumnValues, generator: Generator, percent: float, side: str) -> Array:
    """Add a space before or after a share of the texts. Type 10."""
    template = " %s" if side == "leading" else "%s "
    return _each_text(values, _some(values.values, percent, generator), lambda text: template % text)


def _some(values: Array, percent: float, generator: Generator) -> Array:
    """Return the positions of a random share of the rows, at least one."""
    return generator.permutation(len(values))[: max(1, round(len(values) * percent / 100))]


def _each_text(values: ColumnValues, rows: Array, change: Callable[[str], str]) -> Array:
    changed = values.values.copy()
    changed[rows] = objects(None if text is None else change(text) for text in changed[rows])
    return changed


@dataclass(frozen=True, eq=False)
class RowCodePoints:
    """All values as one sequence of code points, with their number per row."""

    codes: Array
    lengths: Array

    @cached_property
    def starts(self) -> Array:
        """Return the start of each row."""
        return numpy.cumsum(self.lengths) - self.lengths

    def texts(self) -> list[str]:
        """Return the rows as texts."""
        whole = self.codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
        return [whole[start : start + size] for start, size in zip(self.starts, self.lengths, strict=True)]


def _codes(text: str) -> Array:
    return numpy.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(numpy.int64)


def _spelled(column_values: ColumnValues) -> RowCodePoints:
    values = column_values.values.tolist()
    texts = [value or "" for value in values] if column_values.is_text else [_digits(value) for value in values]
    lengths = numpy.fromiter(map(len, texts), dtype=numpy.int64, count=len(texts))
    return RowCodePoints(_codes("".join(texts)), lengths)


def _digits(number: float) -> str:
    """Return the shortest text that parses as that number; '' for a missing one."""
    return "" if isnan(number) else repr(number).removesuffix(".0")


def _read_back(values: ColumnValues, text: RowCodePoints) -> Array:
    """Parse the texts as values; missing if one was missing before, or if no number can be parsed."""
    texts = text.texts()
    if not values.is_text:
        return numpy.array([_number(each) for each in texts], dtype=numpy.float64)
    return objects(each if is_present else None for each, is_present in zip(texts, values.present, strict=True))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return numpy.nan


@dataclass(frozen=True, kw_only=True)
class Issue:
    """A type of issue: the paper's number, its name, its function and the settings to run it with.

    `is_random`: the first setting is the percentage of rows, drawn at random."""

    number: int
    name: str
    make: Callable[..., Array]
    settings: tuple[Setting, ...]
    of_texts: bool = True
    of_numbers: bool = True
    is_random: bool = True

    def fits(self, values: ColumnValues) -> bool:
        """Return whether columns of that type can have the issue."""
        return self.of_texts if values.is_text else self.of_numbers


def _each(*values: Any) -> tuple[Setting, ...]:
    return tuple((value,) for value in values)


ISSUES: tuple[Issue, ...] = (
    Issue(number=1, name="schema_change", make=schema_change, settings=_each(1, 10, 100)),
    Issue(
        number=2,
        name="unit_change",
        make=unit_change,
        settings=tuple(product((10, 100), (10, 100, 1000))),
        of_texts=False,
    ),
    Issue(
        number=3,
        name="casing_change",
        make=casing_change,
        settings=tuple(product((1, 10, 100), ("upper", "lower"))),
        of_numbers=False,
    ),
    Issue(number=4, name="blanks", make=blanks, settings=_each(1, 50, 100)),
    Issue(number=5, name="volume_change", make=volume_change, settings=_each(2, 10, 0.5, 0.1), is_random=False),
    Issue(
        number=6,
        name="distribution_change",
        make=distribution_change,
        settings=tuple(product((10, 50), ("first", "last"))),
        is_random=False,
    ),
    Issue(number=7, name="misspelling", make=misspelling, settings=_each(1, 10, 100)),
    Issue(number=8, name="insertion", make=insertion, settings=_each(10, 50)),
    Issue(number=9, name="deletion", make=deletion, settings=_each(10, 50)),
    Issue(
        number=10,
        name="padding",
        make=padding,
        settings=tuple(product((10, 50, 100), ("leading", "trailing"))),
        of_numbers=False,
    ),
    Issue(number=4, name="nulls", make=nulls, settings=_each(1, 50, 100)),
)


def variation_count(*, is_text: bool) -> int:
    """Return the largest number of variations of a column of that type."""
    return sum(len(each.settings) for each in ISSUES if (each.of_texts if is_text else each.of_numbers))


@dataclass(frozen=True, eq=False)
class Variation:
    """A column's values with one issue injected."""

    issue: Issue
    setting: Setting
    values: Array


def variations(values: ColumnValues, generator: Generator, most: float = EVERY) -> Iterator[Variation]:
    """Yield every issue in every setting that changes the column, in the order of `ISSUES`.

    The column itself is not modified. The result is the same for the same generator, even if issues are added at the
    end. Issues without an effect are left out: the case of a column without letters, a schema change without a
    neighbor. `most`: below 100, only random issues that affect at most this percentage of rows."""
    sources = iter(generator.spawn(sum(len(issue.settings) for issue in ISSUES)))
    for issue in ISSUES:
        for setting, source in zip(issue.settings, sources, strict=False):
            applies = issue.fits(values) and (most >= EVERY or (issue.is_random and setting[0] <= most))
            changed = issue.make(values, source, *setting) if applies else values.values
            if not _same(changed, values.values):
                yield Variation(issue, setting, changed)


def _same(one: Array, other: Array) -> bool:
    if one is other:
        return True
    return len(one) == len(other) and numpy.array_equal(one, other, equal_nan=one.dtype != object)
