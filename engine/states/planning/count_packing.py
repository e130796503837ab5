"""Pack several counts into one number per row, computed by one histogram aggregate.

With sketches in the query, every aggregate costs time per row (measured: 18 ns each); a histogram then costs less
than three counts. It never merges two different numbers into one bin, because it has two bins for each. Merging two
bins of one number takes their weighted mean, which may be off by rounding; rounding to whole numbers restores it."""

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
# Java does not compile methods above 8,000 bytes, and the code that computes the digits is one method: a token takes
# about nine bytes, each other aggregate as much as 13 tokens.
TOKENS, TOKENS_OF_OTHERS = 820, 13

_TOKEN = re.compile(r"'(?:[^'\\]|\\.)*'|`[^`]*`|\w+|[^\w\s]")


@dataclass(frozen=True)
class PackedCounts:
    """Counts packed as digits of one number below NUMBERS, the first as the lowest digit."""

    parts: tuple[BoundComponent, ...]

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """Return the weight of each part's digit."""
        powers = [1]
        for part in self.parts:
            powers.append(powers[-1] * _base(part))
        return tuple(powers[:-1])

    @property
    def sql(self) -> str:
        """Return the SQL of a row's number, as a double: with integers the histogram would truncate values slightly too
        low."""
        digits = (f"{weight} * ({part.digit})" for part, weight in zip(self.parts, self.weights, strict=True))
        return f"cast({' + '.join(digits)} as double)"

    @staticmethod
    def aggregates(column: str) -> tuple[str, str]:
        """Return SQL for the numbers in that column and their counts; a number may occur several times."""
        histogram = f"histogram_numeric({column}, {2 * NUMBERS})"
        return f"{histogram}.x", f"{histogram}.y"

    def read(self, numbers: Sequence[float] | None, counts: Sequence[float] | None) -> dict[str, Any]:
        """Decode the state of each part from the aggregates' values; null or empty means no rows."""
        import numpy

        values = numpy.rint(numpy.asarray(numbers or [], dtype=float)).astype(int)
        occurrences = numpy.asarray(counts or [], dtype=float)
        states = {}
        for part, weight in zip(self.parts, self.weights, strict=True):
            each = numpy.bincount(values // weight % _base(part), weights=occurrences, minlength=_base(part))
            states[part.key] = part.read(tuple(int(count) for count in each[1:]))
        return states


@dataclass(frozen=True)
class PackedQuery:
    """The query for some parts: `words` as columns with packed counts, `rest` as plain aggregates."""

    words: tuple[PackedCounts, ...]
    rest: tuple[BoundComponent, ...]

    @classmethod
    def of(cls, parts: Sequence[BoundComponent]) -> "PackedQuery":
        """Build the query for these parts."""
        packed = words(parts)
        packed_keys = {part.key for word in packed for part in word.parts}
        return cls(packed, tuple(part for part in parts if part.key not in packed_keys))

    def columns(self, prefix: str) -> dict[str, str]:
        """Return the SQL of the packed columns by name; names begin with `prefix`."""
        return {f"{prefix}{at}": word.sql for at, word in enumerate(self.words)}

    def aggregates(self, prefix: str) -> list[str]:
        """Return the SQL of all aggregates."""
        counted = (sql for column in self.columns(prefix) for sql in PackedCounts.aggregates(column))
        return [*(sql for part in self.rest for sql in part.aggregates), *counted]

    def read(self, values: Sequence[Any]) -> dict[str, Any]:
        """Return the states by component key from the aggregates' values."""
        states, remaining = {}, iter(values)
        for part in self.rest:
            states[part.key] = part.read(tuple(islice(remaining, len(part.aggregates))))
        for word in self.words:
            states |= word.read(next(remaining), next(remaining))
        return states


def words(parts: Sequence[BoundComponent]) -> tuple[PackedCounts, ...]:
    """Pack the counts among the parts; empty without a sketch, or if the counts are few."""
    if not any(part.component.uses_sketch for part in parts):
        return ()
    chosen = _chosen(parts)
    return tuple(_packed(chosen)) if sum(_base(part) - 1 for part in chosen) >= FEWEST else ()


def _chosen(parts: Sequence[BoundComponent]) -> list[BoundComponent]:
    """Select the counts that save most per length of code, up to the limit."""
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
