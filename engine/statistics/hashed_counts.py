"""Count the texts of a partition by hash, without storing a text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from treaty.engine.statistics.code_points import TerminatedCodePoints
from treaty.engine.statistics.value_shares import ShareBounds, SharePair

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class HashedCounts:
    """Minimum counts of texts, by ascending hash.

    `error`: how much higher a count may be, also that of an unlisted text. `rows`: number of texts, unlisted ones
    included."""

    keys: Array
    counts: Array
    rows: int
    error: int = 0

    @property
    def recur(self) -> bool:
        """Return True if every text certainly occurs at least twice and all are listed."""
        return not self.error and bool((self.counts > 1).all()) and self.counts.sum() >= self.rows

    @staticmethod
    def of(counts: Mapping[str, int], rows: int | None = None, error: int = 0) -> "HashedCounts":
        """Count texts from their occurrences. `rows`: number of all texts, if some are not listed."""
        often = numpy.fromiter(counts.values(), dtype=numpy.int64, count=len(counts))
        return hash_counts(TerminatedCodePoints.of(list(counts)), often, rows, error)

    def paired(self, other: "HashedCounts") -> SharePair | None:
        """Pair both counts by text: an unlisted text counts 0. None if one has no rows."""
        if not (self.rows and other.rows):
            return None
        at = numpy.searchsorted(other.keys, self.keys)
        matched = at < len(other.keys)
        matched[matched] = other.keys[at[matched]] == self.keys[matched]
        own_counts = numpy.concatenate([numpy.zeros(len(other.keys)), self.counts[~matched]])
        own_counts[at[matched]] = self.counts[matched]
        other_counts = numpy.concatenate([other.counts, numpy.zeros(int((~matched).sum()))])
        return SharePair(self._shares(own_counts), other._shares(other_counts), self.rows, other.rows)

    def _shares(self, counts: Array) -> ShareBounds:
        if self.error or counts.sum() < self.rows:
            return ShareBounds.at_least(counts, self.rows, self.error)
        at = counts / self.rows
        return ShareBounds(at=at, low=at, high=at)


def hash_counts(texts: TerminatedCodePoints, often: Array, rows: int | None = None, error: int = 0) -> HashedCounts:
    """Return the counts by hash, merging equal texts. `often`: occurrences of each text."""
    order = numpy.argsort(texts.hashes, kind="stable")
    keys, counts = texts.hashes[order], often[order]
    first = numpy.flatnonzero(numpy.append(True, keys[1:] != keys[:-1])) if len(keys) else order
    summed = numpy.add.reduceat(counts, first).astype(float) if len(keys) else counts.astype(float)
    return HashedCounts(keys[first], summed, int(counts.sum()) if rows is None else rows, error)
