"""Counts asked together: what a row adds to several counts is one number, and one histogram counts these numbers.

Beside sketches every aggregate is paid for row by row (measured: 18 ns each); there a histogram costs less than three
counts. It never puts two numbers into one bin: it has two bins for each. Where it puts two bins of one number together
it takes their weighted mean, which rounding leaves a hair beside the number; whole numbers are found again."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from treaty.engine.analyzers.bound import BoundComponent
from treaty.engine.components.base import ALWAYS

NUMBERS = 512
FEWEST = 8
# Java does not compile methods above 8,000 bytes, and what computes the digits is one: a token makes about nine bytes,
# each other aggregate as many as 13 tokens.
TOKENS, TOKENS_OF_OTHERS = 820, 13

_TOKEN = re.compile(r"'(?:[^'\\]|\\.)*'|`[^`]*`|\w+|[^\w\s]")


@dataclass(frozen=True)
class PackedCounts:
    """Counts whose digits make one number, the first the lowest: below NUMBERS."""

    parts: tuple[BoundComponent, ...]

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """What a one in the digit of each part is worth."""
        found = [1]
        for part in self.parts:
            found.append(found[-1] * _base(part))
        return tuple(found[:-1])

    @property
    def sql(self) -> str:
        """The number of a row, as a double: of integers the histogram would cut off what is a hair below."""
        digits = (f"{weight} * ({part.digit})" for part, weight in zip(self.parts, self.weights, strict=True))
        return f"cast({' + '.join(digits)} as double)"

    @staticmethod
    def aggregates(column: str) -> tuple[str, str]:
        """The numbers that occur in that column, and how often each; one of them may stand there several times."""
        histogram = f"histogram_numeric({column}, {2 * NUMBERS})"
        return f"{histogram}.x", f"{histogram}.y"

    def read(self, numbers: Sequence[float] | None, counts: Sequence[float] | None) -> dict[str, Any]:
        """The state of each part by its key, from the aggregates' values: null or empty where there were no rows."""
        import numpy

        told = numpy.rint(numpy.asarray(numbers or [], dtype=float)).astype(int)
        often = numpy.asarray(counts or [], dtype=float)
        found = {}
        for part, weight in zip(self.parts, self.weights, strict=True):
            each = numpy.bincount(told // weight % _base(part), weights=often, minlength=_base(part))
            found[part.key] = part.read(tuple(int(count) for count in each[1:]))
        return found


@dataclass(frozen=True)
class PackedQuery:
    """How parts are asked of a table: `words` as columns of their own that are counted, `rest` as they are."""

    words: tuple[PackedCounts, ...]
    rest: tuple[BoundComponent, ...]

    @classmethod
    def of(cls, parts: Sequence[BoundComponent]) -> "PackedQuery":
        """The question that asks these parts."""
        packed = words(parts)
        among = {part.key for word in packed for part in word.parts}
        return cls(packed, tuple(part for part in parts if part.key not in among))

    def columns(self, prefix: str) -> dict[str, str]:
        """The SQL of the words' columns by their names, which begin with `prefix`."""
        return {f"{prefix}{at}": word.sql for at, word in enumerate(self.words)}

    def aggregates(self, prefix: str) -> list[str]:
        """The SQL of all aggregates."""
        counted = (sql for column in self.columns(prefix) for sql in PackedCounts.aggregates(column))
        return [*(sql for part in self.rest for sql in part.aggregates), *counted]

    def read(self, values: Sequence[Any]) -> dict[str, Any]:
        """The states by component key from the aggregates' values."""
        states, left = {}, iter(values)
        for part in self.rest:
            states[part.key] = part.read(tuple(islice(left, len(part.aggregates))))
        for word in self.words:
            states |= word.read(next(left), next(left))
        return states


def words(parts: Sequence[BoundComponent]) -> tuple[PackedCounts, ...]:
    """The counts among the parts that are asked together; none where there is no sketch, or where they are few."""
    if not any(part.component.uses_sketch for part in parts):
        return ()
    chosen = _chosen(parts)
    return tuple(_packed(chosen)) if sum(_base(part) - 1 for part in chosen) >= FEWEST else ()


def _chosen(parts: Sequence[BoundComponent]) -> list[BoundComponent]:
    """Those that save most for the length of their digits, until the code is long enough."""
    able = [part for part in parts if part.digit not in (None, ALWAYS)]
    room = TOKENS - TOKENS_OF_OTHERS * sum(len(part.aggregates) for part in parts if part not in able)
    chosen = []
    for part in sorted(able, key=lambda each: _tokens(each) / (_base(each) - 1)):
        room -= _tokens(part)
        if room < 0:
            break
        chosen.append(part)
    return chosen


def _packed(parts: Iterable[BoundComponent]) -> list[PackedCounts]:
    packed: list[list[BoundComponent]] = []
    room = 0
    for part in parts:
        if room < _base(part):
            packed.append([])
            room = NUMBERS
        packed[-1].append(part)
        room //= _base(part)
    return [PackedCounts(tuple(each)) for each in packed]


def _base(part: BoundComponent) -> int:
    return len(part.aggregates) + 1


def _tokens(part: BoundComponent) -> int:
    return len(_TOKEN.findall(part.digit or ""))
