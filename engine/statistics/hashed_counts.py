"""How often the texts of a partition occur, each known by a hash: no text is kept, none compared letter by letter."""

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
    """How often texts occur at least, by ascending hashes; `error`: how much more often, those that are not listed too.

    `rows`: how many texts there are, those that are not listed too."""

    keys: Array
    counts: Array
    rows: int
    error: int = 0

    @property
    def recur(self) -> bool:
        """Whether every text is known to occur at least twice, and none is unlisted."""
        return not self.error and bool((self.counts > 1).all()) and self.counts.sum() >= self.rows

    @staticmethod
    def of(counts: Mapping[str, int], rows: int | None = None, error: int = 0) -> "HashedCounts":
        """The tally of texts that occur so often; `rows`: of so many, where some are not listed."""
        often = numpy.fromiter(counts.values(), dtype=numpy.int64, count=len(counts))
        return hash_counts(TerminatedCodePoints.of(list(counts)), often, rows, error)

    def paired(self, other: "HashedCounts") -> SharePair | None:
        """Both side by side: a text that one does not list has none there. None where one has no rows."""
        if not (self.rows and other.rows):
            return None
        at = numpy.searchsorted(other.keys, self.keys)
        known = at < len(other.keys)
        known[known] = other.keys[at[known]] == self.keys[known]
        ours = numpy.concatenate([numpy.zeros(len(other.keys)), self.counts[~known]])
        ours[at[known]] = self.counts[known]
        theirs = numpy.concatenate([other.counts, numpy.zeros(int((~known).sum()))])
        return SharePair(self._shares(ours), other._shares(theirs), self.rows, other.rows)

    def _shares(self, counts: Array) -> ShareBounds:
        if self.error or counts.sum() < self.rows:
            return ShareBounds.at_least(counts, self.rows, self.error)
        at = counts / self.rows
        return ShareBounds(at=at, low=at, high=at)


def hash_counts(texts: TerminatedCodePoints, often: Array, rows: int | None = None, error: int = 0) -> HashedCounts:
    """The tally of texts that occur so often each; several that are alike are one."""
    order = numpy.argsort(texts.hashes, kind="stable")
    keys, counts = texts.hashes[order], often[order]
    first = numpy.flatnonzero(numpy.append(True, keys[1:] != keys[:-1])) if len(keys) else order
    summed = numpy.add.reduceat(counts, first).astype(float) if len(keys) else counts.astype(float)
    return HashedCounts(keys[first], summed, int(counts.sum()) if rows is None else rows, error)
