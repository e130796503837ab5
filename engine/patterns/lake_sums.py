"""What the lake says of patterns, as sums over its columns: they add up, so that tables may come and go.

For each pattern (section 2 of the paper): in how many columns some of the values have it (`columns`, Cov), the sum of
their impurities (equation 4: FPR is impurity / columns), and beyond the paper a replay of what validation does: how
many columns would have had it learned from their first rows (`learned`), and of how many of these the other rows would
then have raised a false alarm (`failed`)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from treaty.engine.analyzers.conformity_test import ConformityCounts, critical
from treaty.engine.patterns.enumeration import TOKENS, Array, enumerate_patterns, rows_of

T = TypeVar("T")
ROWS = 128
LEARNED_SHARE = 0.1
LEAST_LEARNED = 10


@dataclass(frozen=True, eq=False, kw_only=True)
class PatternSums:
    """Sums of so many columns, by pattern id, ascending. `texts` writes the patterns, beside the ids."""

    size: int
    ids: Array
    columns: Array
    impurity: Array
    learned: Array
    failed: Array
    texts: Sequence[str]

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def fpr(self) -> Array:
        """FPR_T of each pattern: the mean impurity of the columns that have it."""
        mean: Array = self.impurity / self.columns
        return mean

    @cached_property
    def alarms(self) -> Array:
        """Of each pattern, the share of false alarms if learned from a column's first rows, shrunk to one in ten of
        five columns, for few say little."""
        share: Array = (self.failed + 0.5) / (self.learned + 5.0)
        return share

    def places(self, ids: Array) -> tuple[Array, Array]:
        """Where ids stand, and which of them do."""
        if not len(self.ids):
            return np.zeros(len(ids), int), np.zeros(len(ids), bool)
        places = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        return places, self.ids[places] == ids

    def frequent(self, least: int) -> "PatternSums":
        """Only patterns of at least so many columns. What is dropped is lost to later merging."""
        return self._chosen(np.flatnonzero(self.columns >= least))

    def _chosen(self, places: Array) -> "PatternSums":
        fields = {name: getattr(self, name)[places] for name in FIELDS}
        return replace(self, **fields, texts=tuple(self.texts[place] for place in places))


FIELDS = {"ids": np.uint64, "columns": np.int64, "impurity": np.float64, "learned": np.int64, "failed": np.int64}
Row = tuple[int, int, float, int, int, str]


def nothing() -> PatternSums:
    """The sums of no columns."""
    return _grouped(0, [])


def sums_of(columns: Iterable[Sequence[str]], *, tokens: int = TOKENS) -> PatternSums:
    """The sums of columns, each given by its values in their order. Of each at most 128 values are looked at, evenly
    spread over it: an impurity that is a mean over columns needs no more of each. Columns without values count
    nothing."""
    rows: list[Row] = []
    size = 0
    for values in columns:
        chosen = sample_evenly(values)
        size += bool(chosen)
        rows.extend(_rows(chosen, tokens))
    return _grouped(size, rows)


def sample_evenly(values: Sequence[T], most: int = ROWS) -> Sequence[T]:
    """At most so many of the values, evenly spread, in their order."""
    count = len(values)
    return values if count <= most else [values[place * count // most] for place in range(most)]


def first_rows(total: int) -> int:
    """How many of a column's rows the replay learns from."""
    return min(total, max(LEAST_LEARNED, round(LEARNED_SHARE * total)))


def _rows(values: Sequence[str], tokens: int) -> Iterator[Row]:
    total = len(values)
    first = first_rows(total)
    learned_from = (1 << first) - 1
    least_bad = critical(ConformityCounts(0, first), total - first) or total + 1
    for found in enumerate_patterns(rows_of(values), total, tokens=tokens):
        learned = found.rows & learned_from == learned_from
        missed = total - found.rows.bit_count()
        yield found.id, 1, missed / total, int(learned), int(learned and missed >= least_bad), found.text


def merge_sums(parts: Sequence[PatternSums]) -> PatternSums:
    """The sums of all columns of these."""
    if not parts:
        return nothing()
    fields = [np.concatenate([getattr(part, name) for part in parts]) for name in FIELDS]
    return _reduced(sum(part.size for part in parts), fields, [text for part in parts for text in part.texts])


def _grouped(size: int, rows: Sequence[Row]) -> PatternSums:
    listed = list(zip(*rows, strict=True)) if rows else [()] * 6
    fields = [np.array(values, dtype) for values, dtype in zip(listed, FIELDS.values(), strict=False)]
    return _reduced(size, fields, listed[5])


def _reduced(size: int, fields: Sequence[Array], texts: Sequence[str]) -> PatternSums:
    ids, first, places = np.unique(fields[0], return_index=True, return_inverse=True)
    columns, impurity, learned, failed = (
        np.bincount(places, field, len(ids)).astype(field.dtype) for field in fields[1:]
    )
    return PatternSums(
        size=size,
        ids=ids,
        columns=columns,
        impurity=impurity,
        learned=learned,
        failed=failed,
        texts=tuple(texts[place] for place in first),
    )
