"""Estimate the false-alarm rate of pattern checks by replay over the columns of the lake.

The first rows of each column are learned from and the others evaluated, as in validation. Candidates with equal
traits form one cell, which counts how often more than each floor's share of the later rows did not conform. The
counts are sums, so calibrations add up and tables can be added or removed. A cell with few columns is shrunk to the
coarser cell above it.

The share of foreign columns that a pattern would accept is counted on a background: masks of values of other
columns, with `a` or `A` for each letter and `0` for each digit, so that no value is stored."""

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

# Shares of non-conforming values above which a check may raise an alarm.
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
    """For each cell, the number of replayed candidates and how many exceeded each floor."""

    cells: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def alarms(self, candidate: PatternCandidate) -> tuple[float, ...]:
        """Return the probability of a false alarm for each floor."""
        estimate = (FEARED,) * len(FLOORS)
        for count, *exceeded in (self.cells[key] for key in candidate.keys if key in self.cells):
            estimate = tuple(
                (alarmed + LEANS * above) / (count + LEANS) for alarmed, above in zip(exceeded, estimate, strict=True)
            )
        return estimate


def merge_calibrations(parts: Iterable[Calibration]) -> Calibration:
    """Add up the counts of all calibrations."""
    cells: dict[str, tuple[float, ...]] = {}
    for part in parts:
        for key, counts in part.cells.items():
            before = cells.get(key)
            cells[key] = tuple(map(sum, zip(before, counts, strict=True))) if before else counts
    return Calibration(cells)


@dataclass(frozen=True)
class ReplayedColumn:
    """The candidates of one column, each with the result of `exceeded`. `of`: number of values."""

    promises: tuple[tuple[PatternCandidate, tuple[float, ...]], ...]
    of: int = 0

    @property
    def counts(self) -> Calibration:
        """Return the results as counts that add up."""
        return Calibration({key: counts for candidate, counts in self.promises for key in candidate.keys})


def replay_column(values: Sequence[str], sums: PatternSums) -> ReplayedColumn | None:
    """Replay the candidates from a column's first rows on its later rows; None for too few values."""
    if len(values) < LEAST_ROWS:
        return None
    first = first_rows(len(values))
    later = Counter(values[first:])
    column_candidates = candidates(values[:first], known_to(sums, values[:first]))
    return ReplayedColumn(
        tuple((each, exceeded(each, matcher(each.pattern), later)) for each in column_candidates), len(values)
    )


def exceeded(candidate: PatternCandidate, match: Match, later: Counter[str]) -> tuple[float, ...]:
    """Return 1, and for each floor 1 if the later values would raise an alarm."""
    counts = nonconforming(match, later)
    least_significant = critical(candidate.trained, counts.of)
    significant = least_significant is not None and counts.bad >= least_significant
    return 1.0, *(float(significant and counts.share > floor) for floor in FLOORS)


@dataclass(frozen=True, eq=False)
class Background:
    """Masks of values of columns of the lake, by a stable hash of each column; the smallest hashes are stored."""

    columns: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    def passes(self, match: Match, floors: Sequence[float] = FLOORS) -> tuple[float, ...]:
        """Return for each floor the share of these columns that would pass the check.

        One column that never passes is added: in a lake with only one kind of column, no other column could be
        rejected."""
        masks, places, starts = self._laid_out
        if not len(starts):
            return (0.0,) * len(floors)
        strange = np.fromiter((not match(each) for each in masks), float, len(masks))
        shares = np.add.reduceat(strange[places], starts) / np.diff(np.append(starts, len(places)))
        passing = (shares[:, None] <= np.array(floors)).sum(axis=0)
        return tuple(float(count) / (len(starts) + 1) for count in passing)

    @cached_property
    def _laid_out(self) -> tuple[tuple[str, ...], Array, Array]:
        """Return the distinct masks, the masks' positions by column, and each column's start."""
        number = {mask: at for at, mask in enumerate(dict.fromkeys(chain(*self.columns.values())))}
        places = np.array([number[mask] for mask in chain(*self.columns.values())], int)
        lengths = [len(masks) for masks in self.columns.values()]
        return tuple(number), places, np.cumsum([0, *lengths])[:-1]


def background(columns: Iterable[Sequence[str]]) -> Background:
    """Return the masks of a stable selection of these columns."""
    return merge_backgrounds([Background({_number(values): _value_masks(values)}) for values in columns if values])


def merge_backgrounds(parts: Iterable[Background]) -> Background:
    """Merge the backgrounds and keep the columns with the smallest hashes."""
    merged = {number: masks for part in parts for number, masks in part.columns.items()}
    return Background({number: merged[number] for number in sorted(merged)[:BACKGROUND]})


def _number(values: Sequence[str]) -> int:
    text = "\0".join(sample_evenly(values, MASK_SAMPLES)).encode("utf-8", "replace")
    return int.from_bytes(blake2b(text, digest_size=8).digest())


def _value_masks(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(look, sample_evenly(values, MASK_SAMPLES)))


def look(value: str) -> str:
    """Return the mask of a value: `A`, `a`, `0` and `é` for letters, digits and characters beyond ASCII."""
    plain = _DIGIT.sub("0", _LOWER.sub("a", _UPPER.sub("A", value[:1024])))
    return _BEYOND.sub("é", plain)
