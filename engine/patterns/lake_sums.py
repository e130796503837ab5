"""Pattern statistics of a lake as sums over its columns.

As sums, they permit adding and removing tables. For each pattern (section 2 of the paper): the number of columns in
which some values match it (`columns`, `Cov`), the sum of their impurities (equation 4: FPR is impurity / columns), and
beyond the paper a replay of validation: the number of columns that would have learned it from their first rows
(`learned`), and how many of these would have raised a false alarm on the other rows (`failed`)."""

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
    """Sums over `size` columns, by pattern id, ascending. `texts`: the pattern of each id."""

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
        """Return FPR_T of each pattern: the mean impurity of the columns that have it."""
        mean: Array = self.impurity / self.columns
        return mean

    @cached_property
    def alarms(self) -> Array:
        """Return each pattern's share of false alarms if learned from a column's first rows.

        Shrunk towards one in ten, with the weight of five columns."""
        share: Array = (self.failed + 0.5) / (self.learned + 5.0)
        return share

    def places(self, ids: Array) -> tuple[Array, Array]:
        """Return the positions of ids, and a mask of the ids that exist."""
        if not len(self.ids):
            return np.zeros(len(ids), int), np.zeros(len(ids), bool)
        places = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        return places, self.ids[places] == ids

    def frequent(self, least: int) -> "PatternSums":
        """Return only the patterns of at least `least` columns. A later merge cannot recover the others."""
        return self._chosen(np.flatnonzero(self.columns >= least))

    def _chosen(self, places: Array) -> "PatternSums":
        fields = {name: getattr(self, name)[places] for name in FIELDS}
        return replace(self, **fields, texts=tuple(self.texts[place] for place in places))


FIELDS = {"ids": np.uint64, "columns": np.int64, "impurity": np.float64, "learned": np.int64, "failed": np.int64}
Row = tuple[int, int, float, int, int, str]


def nothing() -> PatternSums:
    """Return the sums of no columns."""
    return _grouped(0, [])


def sums_of(columns: Iterable[Sequence[str]], *, tokens: int = TOKENS) -> PatternSums:
    """Return the sums of columns, each given by its values in their order.

    At most 128 evenly spread values of each column are used: an impurity that is averaged over columns needs no
    more. Columns without values do not count."""
    rows: list[Row] = []
    size = 0
    for values in columns:
        chosen = sample_evenly(values)
        size += bool(chosen)
        rows.extend(_rows(chosen, tokens))
    return _grouped(size, rows)


def sample_evenly(values: Sequence[T], most: int = ROWS) -> Sequence[T]:
    """Return at most `most` of the values, evenly spread, in their order."""
    count = len(values)
    return values if count <= most else [values[place * count // most] for place in range(most)]


def first_rows(total: int) -> int:
    """Return the number of rows that the replay learns from."""
    return min(total, max(LEAST_LEARNED, round(LEARNED_SHARE * total)))


def _rows(values: Sequence[str], tokens: int) -> Iterator[Row]:
    total = len(values)
    first = first_rows(total)
    learned_from = (1 << first) - 1
    least_bad = critical(ConformityCounts(0, first), total - first) or total + 1
    for enumerated in enumerate_patterns(rows_of(values), total, tokens=tokens):
        learned = enumerated.rows & learned_from == learned_from
        missed = total - enumerated.rows.bit_count()
        yield enumerated.id, 1, missed / total, int(learned), int(learned and missed >= least_bad), enumerated.text


def merge_sums(parts: Sequence[PatternSums]) -> PatternSums:
    """Add up the sums of several sets of columns."""
    if not parts:
        return nothing()
    fields = [np.concatenate([getattr(part, name) for part in parts]) for name in FIELDS]
    return _reduced(sum(part.size for part in parts), fields, [text for part in parts for text in part.texts])


def _grouped(size: int, rows: Sequence[Row]) -> PatternSums:
    transposed = list(zip(*rows, strict=True)) if rows else [()] * 6
    fields = [np.array(values, dtype) for values, dtype in zip(transposed, FIELDS.values(), strict=False)]
    return _reduced(size, fields, transposed[5])


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
