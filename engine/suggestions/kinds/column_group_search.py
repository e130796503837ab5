"""Search for checks on several columns: determinations, composite keys and orders.

A bounded sample of hashed rows selects candidates for counting; suggestions are counted exactly. Combinations that may
hold for no reason are not counted: independent columns must have them with a probability below `CHANCE` (`by_chance`,
`pairs_by_chance`)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice, permutations
from math import log
from typing import Any

from treaty.contracts.schema import Schema
from treaty.engine.analyzers.association import Determination
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.distinct import Uniqueness
from treaty.engine.analyzers.values import Comparison
from treaty.engine.components.operands import INTEGRAL, NUMERIC, TEMPORAL, TEXT
from treaty.engine.profile.facts import bound
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnGroup, ColumnProfile, TableProfile
from treaty.engine.suggestions.keys.candidates import KeyNames
from treaty.engine.suggestions.kinds.uniqueness import uniqueness

# Set by hand, as all numbers here: rows and columns of the sample. Every pair of columns is tested.
ROWS, COLUMNS = 5000, 60
# Rows of a first, quick test.
FIRST = 300
CHANCE = 1e-9
# Columns tried as parts of a key, the likeliest by name; combinations that are counted, and the largest table for that:
# each count is as large as the table.
PARTS, KEYS, MOST_ROWS = 12, 3, 1_000_000
# Determined columns that are counted, and timestamps that are compared.
DETERMINED, MOMENTS = 12, 5
HASHED = NUMERIC | TEMPORAL | TEXT | {"boolean"}


@dataclass(frozen=True, eq=False)
class RowSample:
    """A sample of rows with numbered values: -1 for null, and the number of each row's partition."""

    columns: Mapping[str, Any]
    partition: Any

    @classmethod
    def of(cls, hashes: Mapping[str, Any], partition: Any) -> "RowSample":
        """Number the hashes of columns (int64, None for null) and of partitions."""
        return cls({name: _numbered(values) for name, values in hashes.items()}, _numbered(partition))

    def both(self, left: Any, right: Any) -> Any:
        """Return the numbered combinations of two columns."""
        return _numbered_whole(left * (int(right.max(initial=0)) + 2) + right)


def _numbered(values: Any) -> Any:
    import numpy

    present = numpy.array([value is not None for value in values], dtype=bool)
    numbers = numpy.full(len(present), -1, dtype=numpy.int64)
    numbers[present] = _numbered_whole(numpy.array([value for value in values if value is not None], dtype=numpy.int64))
    return numbers


def _numbered_whole(values: Any) -> Any:
    import numpy

    return numpy.unique(values, return_inverse=True)[1].reshape(-1)


def sampled_columns(history: TableProfile) -> list[ColumnProfile]:
    """Return the columns to sample: the first `COLUMNS` that can be hashed and have two values."""
    usable = [each for each in history.columns if each.column.base_type in HASHED and not each.classified]
    return [each for each in usable if float(each.value("approx_count_distinct", history.whole) or 0) >= 2][:COLUMNS]


Find = Callable[[TableProfile, RowSample, KeyNames], Iterator[tuple[str | None, tuple[str, ...], Analyzer]]]


def column_groups(history: TableProfile, rows: RowSample, schema: Schema, names: KeyNames) -> tuple[ColumnGroup, ...]:
    """Return the column groups worth counting; () for an empty sample."""
    matches = (
        ((kind, *each) for kind, find in FINDS.items() for each in find(history, rows, names))
        if len(rows.partition)
        else ()
    )
    bound_matches = (
        (kind, column, other_columns, bound(analyzer, schema)) for kind, column, other_columns, analyzer in matches
    )
    return tuple(
        ColumnGroup(kind, column, other_columns, each) for kind, column, other_columns, each in bound_matches if each
    )


def with_group_counts(
    history: TableProfile, counted: tuple[ColumnGroup, ...], states: Mapping[str, Any]
) -> TableProfile:
    """Return the history with the counts of column groups by partition."""
    return replace(history.with_states(states), column_groups=counted)


def determinations(
    history: TableProfile, rows: RowSample, _: KeyNames
) -> Iterator[tuple[str, tuple[str, ...], Analyzer]]:
    """Yield each column that another determines, with the one of fewest values.

    Of columns that determine each other, the first determines the rest."""
    sizes = {name: int(values.max()) + 1 for name, values in rows.columns.items()}
    candidates = sorted(_repeated(history) & rows.columns.keys(), key=lambda one: (sizes[one], one))
    pairs = ((name, _teller(name, candidates, sizes, rows)) for name in rows.columns if sizes[name] > 1)
    determined = ((name, by) for name, by in pairs if by is not None)
    yield from ((name, (by,), Determination(column=by, other=name)) for name, by in islice(determined, DETERMINED))


def _teller(name: str, determining: Sequence[str], sizes: Mapping[str, int], rows: RowSample) -> str | None:
    """Return the column of fewest values that determines `name`; None if there is none.

    Of columns with equally many values only earlier ones are considered."""
    places = {each: at for at, each in enumerate(rows.columns)}
    usable = (each for each in determining if (-sizes[each], places[each]) < (-sizes[name], places[name]))
    return next((each for each in usable if _determines(rows, each, name)), None)


def _repeated(history: TableProfile) -> frozenset[str]:
    """Return columns whose values occur twice per partition on average.

    A key would otherwise determine every column that has not changed yet, in a table that is rewritten each day."""
    part = HistorySlice.of(history)
    rows = sum(part.rows)
    distinct = {each.column.name: part.series(each, "approx_count_distinct") for each in history.columns}
    return frozenset(name for name, counts in distinct.items() if 2 * sum(map(float, counts)) <= rows)


def _determines(rows: RowSample, column: str, other: str) -> bool:
    """Return True if the column determines the other in the sample, beyond chance."""
    import numpy

    own, dependent = rows.columns[column], rows.columns[other]
    present = (own >= 0) & (dependent >= 0)
    own, dependent = own[present], dependent[present]
    if not len(own) or not all(_is_function(rows, own[:most], dependent[:most]) for most in (FIRST, ROWS * 2)):
        return False
    return by_chance(numpy.bincount(own), numpy.bincount(dependent)) < log(CHANCE)


def _is_function(rows: RowSample, own: Any, other: Any) -> bool:
    import numpy

    return int(rows.both(own, other).max()) + 1 == len(numpy.unique(own))


def by_chance(groups: Any, values: Any) -> float:
    """Return the log probability that every group has a single value by chance.

    It assumes that values are independent of groups. `groups`: number of rows per group. `values`: number of
    occurrences per value."""
    import numpy

    shares = values[values > 0] / values.sum()
    sizes, times = numpy.unique(groups[groups > 1], return_counts=True)
    return float(sum(count * numpy.log((shares**size).sum()) for size, count in zip(sizes, times, strict=True)))


def composite_keys(
    history: TableProfile, rows: RowSample, keys: KeyNames
) -> Iterator[tuple[None, tuple[str, ...], Analyzer]]:
    """Yield pairs of columns without equal rows in a partition, else triples.

    The least likely by chance come first. Yields nothing if a single column is unique or if the table is too large
    to be counted."""
    alone = sum(history.rows) > MOST_ROWS or any(_is_unique(each, history) for each in history.columns)
    parts = [] if alone else _parts(history, rows, keys)
    for size in (2, 3):
        alike = {names: _alike(history, rows, names) for names in combinations(parts, size)}
        fits = sorted((names for names in alike if alike[names] > -log(CHANCE)), key=lambda names: -alike[names])
        yield from ((None, names, Uniqueness(columns=names)) for names in fits[:KEYS])
        if fits:
            return


def _is_unique(column: ColumnProfile, history: TableProfile) -> bool:
    """Return True if the values were counted and are unique in each partition."""
    shares = [uniqueness(column, bag) for _, bag in history.partitions]
    return bool(shares) and set(shares) == {1.0}


def _parts(history: TableProfile, rows: RowSample, names: KeyNames) -> list[str]:
    """Return the columns that may be part of a key, the likeliest by name first."""
    part = HistorySlice.of(history)
    usable = [
        each
        for each in history.columns
        if each.column.name in rows.columns
        and each.column.base_type in INTEGRAL | TEXT | TEMPORAL
        and min(part.series(each, "completeness"), default=0) == 1
    ]
    ordered = sorted(usable, key=lambda each: -names.likely(each, history).probability)
    return [each.column.name for each in ordered[:PARTS]]


def _alike(history: TableProfile, rows: RowSample, names: tuple[str, ...]) -> float:
    """Return the number of equal row pairs expected by chance; 0 if the sample has any."""
    import numpy

    combined = rows.partition
    for name in names:
        combined = rows.both(combined, rows.columns[name])
    once = len(numpy.unique(combined)) == len(combined)
    return pairs_by_chance(rows, names, history.rows) if once else 0.0


def pairs_by_chance(rows: RowSample, names: tuple[str, ...], sizes: list[int]) -> float:
    """Return the expected number of row pairs of a partition equal in all columns.

    It assumes that the columns are independent."""
    import numpy

    pairs = sum(size * (size - 1) / 2 for size in sizes)
    within = _pairs(numpy.bincount(rows.partition))
    for name in names:
        alike = _pairs(numpy.bincount(rows.both(rows.partition, rows.columns[name])))
        pairs *= alike / within if within else 0.0
    return float(pairs)


def _pairs(counts: Any) -> float:
    return float((counts * (counts - 1.0) / 2).sum())


def orders(history: TableProfile, _: RowSample, __: KeyNames) -> Iterator[tuple[str, tuple[str, ...], Analyzer]]:
    """Yield pairs of timestamp columns whose first may always be the earlier one.

    Decided by the extremes of each partition."""
    moments = [each for each in history.columns if each.column.base_type in TEMPORAL and not each.classified][:MOMENTS]
    part = HistorySlice.of(history)
    for early, late in permutations(moments, 2):
        if early.column.base_type == late.column.base_type and _may_be_earlier(early, late, part):
            names = early.column.name, late.column.name
            yield names[1], (names[0],), Comparison(column=names[0], operator="<=", other=names[1])


def _may_be_earlier(early: ColumnProfile, late: ColumnProfile, part: HistorySlice) -> bool:
    extremes = [(part.each(early, metric), part.each(late, metric)) for metric in ("minimum", "maximum")]
    pairs = [pair for left, right in extremes for pair in zip(left, right, strict=True) if None not in pair]
    return (
        bool(pairs)
        and all(str(one) <= str(other) for one, other in pairs)
        and any(one != other for one, other in pairs)
    )


FINDS: Mapping[str, Find] = {"determined": determinations, "composite_key": composite_keys, "in_order": orders}
