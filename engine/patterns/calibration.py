"""How often promises like this one raised a false alarm: counted by replay over columns of the lake.

Of each column the first rows are learned from and the others judged, as validation would. Promises with equal traits
are one cell, and of each cell it is counted how often more than a given share of the later rows did not conform: sums
again, so that calibrations add up and tables may come and go. A cell of few columns leans on the coarser one above it.

What else a pattern would let pass is counted on a background: looks of values of other columns, in which each letter
is `a` or `A` and each digit `0`, so that no value is kept."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import chain

import numpy as np

from treaty.engine.analyzers.conformity_test import critical
from treaty.engine.patterns.candidates import Match, PatternCandidate, candidates, known_to, matcher, nonconforming
from treaty.engine.patterns.enumeration import Array
from treaty.engine.patterns.lake_sums import PatternSums, first_rows, sample_evenly

# The shares of non-conforming values above which a promise may alarm.
FLOORS = (0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9)
LEAST_ROWS = 40
LEANS = 10.0
FEARED = 0.1
BACKGROUND = 160
MASK_SAMPLES = 10
_UPPER, _LOWER, _DIGIT = re.compile("[A-Z]"), re.compile("[a-z]"), re.compile("[0-9]")
_BEYOND = re.compile("[\u00a1-\U0010ffff]")


@dataclass(frozen=True)
class Calibration:
    """For each cell how many promises were replayed, and of how many the later rows exceeded each floor."""

    cells: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def alarms(self, candidate: PatternCandidate) -> tuple[float, ...]:
        """For each floor the chance of a false alarm."""
        estimate = (FEARED,) * len(FLOORS)
        for count, *exceeded in (self.cells[key] for key in candidate.keys if key in self.cells):
            estimate = tuple(
                (alarmed + LEANS * above) / (count + LEANS) for alarmed, above in zip(exceeded, estimate, strict=True)
            )
        return estimate


def merge_calibrations(parts: Iterable[Calibration]) -> Calibration:
    """All their columns together."""
    cells: dict[str, tuple[float, ...]] = {}
    for part in parts:
        for key, counts in part.cells.items():
            before = cells.get(key)
            cells[key] = tuple(map(sum, zip(before, counts, strict=True))) if before else counts
    return Calibration(cells)


@dataclass(frozen=True)
class ReplayedColumn:
    """One column's promises, each with what `exceeded` says of it. `of`: how many values it has."""

    promises: tuple[tuple[PatternCandidate, tuple[float, ...]], ...]
    of: int = 0

    @property
    def counts(self) -> Calibration:
        """As counts that add up."""
        return Calibration({key: counts for candidate, counts in self.promises for key in candidate.keys})


def replay_column(values: Sequence[str], sums: PatternSums) -> ReplayedColumn | None:
    """What a column's later rows make of what its first rows promise; None for a column of too few values."""
    if len(values) < LEAST_ROWS:
        return None
    first = first_rows(len(values))
    later = Counter(values[first:])
    found = candidates(values[:first], known_to(sums, values[:first]))
    return ReplayedColumn(tuple((each, exceeded(each, matcher(each.pattern), later)) for each in found), len(values))


def exceeded(candidate: PatternCandidate, match: Match, later: Counter[str]) -> tuple[float, ...]:
    """1, and for each floor 1 where the later values would alarm, else 0."""
    judged = nonconforming(match, later)
    least = critical(candidate.trained, judged.of)
    significant = least is not None and judged.bad >= least
    return 1.0, *(float(significant and judged.share > floor) for floor in FLOORS)


@dataclass(frozen=True, eq=False)
class Background:
    """Looks of values of columns of the lake, by a stable number for each column: those of the smallest numbers."""

    columns: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    def passes(self, match: Match) -> tuple[float, ...]:
        """For each floor the share of these columns that a promise would let pass in place of its own.

        One column that never passes is added: of a lake of one kind of column alone nothing else would be caught."""
        looks, places, starts = self._laid_out
        if not len(starts):
            return (0.0,) * len(FLOORS)
        strange = np.fromiter((not match(each) for each in looks), float, len(looks))
        shares = np.add.reduceat(strange[places], starts) / np.diff(np.append(starts, len(places)))
        passing = (shares[:, None] <= np.array(FLOORS)).sum(axis=0)
        return tuple(float(count) / (len(starts) + 1) for count in passing)

    @cached_property
    def _laid_out(self) -> tuple[tuple[str, ...], Array, Array]:
        """The distinct looks, for each look of each column its place among them, and where each column begins."""
        number = {look: at for at, look in enumerate(dict.fromkeys(chain(*self.columns.values())))}
        places = np.array([number[look] for look in chain(*self.columns.values())], int)
        lengths = [len(looks) for looks in self.columns.values()]
        return tuple(number), places, np.cumsum([0, *lengths])[:-1]


def background(columns: Iterable[Sequence[str]]) -> Background:
    """The looks of a stable choice of these columns."""
    return merge_backgrounds([Background({_number(values): _value_masks(values)}) for values in columns if values])


def merge_backgrounds(parts: Iterable[Background]) -> Background:
    """The choice of all their columns together."""
    together = {number: looks for part in parts for number, looks in part.columns.items()}
    return Background({number: together[number] for number in sorted(together)[:BACKGROUND]})


def _number(values: Sequence[str]) -> int:
    text = "\0".join(sample_evenly(values, MASK_SAMPLES)).encode("utf-8", "replace")
    return int.from_bytes(blake2b(text, digest_size=8).digest())


def _value_masks(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(look, sample_evenly(values, MASK_SAMPLES)))


def look(value: str) -> str:
    """A value with `A`, `a`, `0` and `é` in place of its letters, digits and what lies beyond ASCII."""
    plain = _DIGIT.sub("0", _LOWER.sub("a", _UPPER.sub("A", value[:1024])))
    return _BEYOND.sub("é", plain)
