"""What columns may promise together: which determine others, which are a key only together, which are in order.

A bounded sample of rows, each value of it a hash, says what is worth counting; what is suggested is counted exactly.
What could well hold for no reason is not counted: columns that had nothing to do with each other would have to be as
they are by a chance of less than `CHANCE` (`by_chance`, `pairs_by_chance`)."""

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
from treaty.engine.suggestions.key_candidates import likely_key
from treaty.engine.suggestions.kinds.uniqueness import uniqueness

# All by hand. Rows that are looked at, and columns of which they are: each pair is looked at.
ROWS, COLUMNS = 5000, 60
# What so many rows refute is looked at no further.
FIRST = 300
CHANCE = 1e-9
# Columns that are tried as parts of a key, the likeliest by name; how many combinations are counted, and of how many
# rows: each is as large as the table.
PARTS, KEYS, MOST_ROWS = 12, 3, 1_000_000
# Columns that are counted as determined, and moments that are held against each other.
DETERMINED, MOMENTS = 12, 5
HASHED = NUMERIC | TEMPORAL | TEXT | {"boolean"}


@dataclass(frozen=True, eq=False)
class RowSample:
    """A sample of rows: of each column its values by number, -1 for null, and of each row its partition by number."""

    columns: Mapping[str, Any]
    partition: Any

    @classmethod
    def of(cls, hashes: Mapping[str, Any], partition: Any) -> "RowSample":
        """The sample of hashes, int64 with None for null, and of the partitions' hashes."""
        return cls({name: _numbered(values) for name, values in hashes.items()}, _numbered(partition))

    def both(self, left: Any, right: Any) -> Any:
        """The two together, by number."""
        return _numbered_whole(left * (int(right.max(initial=0)) + 2) + right)


def _numbered(values: Any) -> Any:
    import numpy

    present = numpy.array([value is not None for value in values], dtype=bool)
    found = numpy.full(len(present), -1, dtype=numpy.int64)
    found[present] = _numbered_whole(numpy.array([value for value in values if value is not None], dtype=numpy.int64))
    return found


def _numbered_whole(values: Any) -> Any:
    import numpy

    return numpy.unique(values, return_inverse=True)[1].reshape(-1)


def sampled_columns(history: TableProfile) -> list[ColumnProfile]:
    """The columns of which a sample is looked at: those that can be hashed and have two values, the first `COLUMNS`."""
    usable = [each for each in history.columns if each.column.base_type in HASHED and not each.classified]
    return [each for each in usable if float(each.value("approx_count_distinct", history.whole) or 0) >= 2][:COLUMNS]


Find = Callable[[TableProfile, RowSample, str], Iterator[tuple[str | None, tuple[str, ...], Analyzer]]]


def column_groups(history: TableProfile, rows: RowSample, schema: Schema, table: str) -> tuple[ColumnGroup, ...]:
    """What is worth counting; () for a sample without rows."""
    found = (
        ((kind, *each) for kind, find in FINDS.items() for each in find(history, rows, table))
        if len(rows.partition)
        else ()
    )
    made = ((kind, column, others, bound(analyzer, schema)) for kind, column, others, analyzer in found)
    return tuple(ColumnGroup(kind, column, others, each) for kind, column, others, each in made if each)


def with_group_counts(
    history: TableProfile, counted: tuple[ColumnGroup, ...], states: Mapping[str, Any]
) -> TableProfile:
    """The history with what was counted of several columns, by partition."""
    return replace(history.with_states(states), column_groups=counted)


def determinations(history: TableProfile, rows: RowSample, _: str) -> Iterator[tuple[str, tuple[str, ...], Analyzer]]:
    """Each column that another one determines, by the one of fewest values; of columns that determine each other, by
    the first of them."""
    sizes = {name: int(values.max()) + 1 for name, values in rows.columns.items()}
    tell = sorted(_repeated(history) & rows.columns.keys(), key=lambda one: (sizes[one], one))
    found = ((name, _teller(name, tell, sizes, rows)) for name in rows.columns if sizes[name] > 1)
    told = ((name, by) for name, by in found if by is not None)
    yield from ((name, (by,), Determination(column=by, other=name)) for name, by in islice(told, DETERMINED))


def _teller(name: str, tell: Sequence[str], sizes: Mapping[str, int], rows: RowSample) -> str | None:
    """The column of fewest values that determines it; of those with as many as it has only what stands before it."""
    places = {each: at for at, each in enumerate(rows.columns)}
    usable = (each for each in tell if (-sizes[each], places[each]) < (-sizes[name], places[name]))
    return next((each for each in usable if _determines(rows, each, name)), None)


def _repeated(history: TableProfile) -> frozenset[str]:
    """The columns of which a value is that of two rows of a partition or more on average: a key determines all that did
    not change yet, in a table that is told anew each day."""
    part = HistorySlice.of(history)
    rows = sum(part.rows)
    distinct = {each.column.name: part.series(each, "approx_count_distinct") for each in history.columns}
    return frozenset(name for name, counts in distinct.items() if 2 * sum(map(float, counts)) <= rows)


def _determines(rows: RowSample, column: str, other: str) -> bool:
    """Whether it does in the sample, and would not by chance."""
    import numpy

    own, told = rows.columns[column], rows.columns[other]
    known = (own >= 0) & (told >= 0)
    own, told = own[known], told[known]
    if not len(own) or not all(_is_function(rows, own[:most], told[:most]) for most in (FIRST, ROWS * 2)):
        return False
    return by_chance(numpy.bincount(own), numpy.bincount(told)) < log(CHANCE)


def _is_function(rows: RowSample, own: Any, told: Any) -> bool:
    import numpy

    return int(rows.both(own, told).max()) + 1 == len(numpy.unique(own))


def by_chance(groups: Any, values: Any) -> float:
    """The logarithm of the chance that all rows of each group have one value, if values had nothing to do with groups.

    `groups`: how many rows each has; `values`: how often each value occurs."""
    import numpy

    shares = values[values > 0] / values.sum()
    sizes, times = numpy.unique(groups[groups > 1], return_counts=True)
    return float(sum(count * numpy.log((shares**size).sum()) for size, count in zip(sizes, times, strict=True)))


def composite_keys(
    history: TableProfile, rows: RowSample, table: str
) -> Iterator[tuple[None, tuple[str, ...], Analyzer]]:
    """The pairs of columns that no two rows of a partition have alike, the least likely by chance first; triples where
    there are none. None where a column alone is unique, and of tables that are too large to be counted."""
    alone = sum(history.rows) > MOST_ROWS or any(_is_unique(each, history) for each in history.columns)
    parts = [] if alone else _parts(history, rows, table)
    for size in (2, 3):
        alike = {names: _alike(history, rows, names) for names in combinations(parts, size)}
        fits = sorted((names for names in alike if alike[names] > -log(CHANCE)), key=lambda names: -alike[names])
        yield from ((None, names, Uniqueness(columns=names)) for names in fits[:KEYS])
        if fits:
            return


def _is_unique(column: ColumnProfile, history: TableProfile) -> bool:
    """Whether its values were counted, and are unique in each partition."""
    found = [uniqueness(column, bag) for _, bag in history.partitions]
    return bool(found) and set(found) == {1.0}


def _parts(history: TableProfile, rows: RowSample, table: str) -> list[str]:
    """The columns that may be parts of a key, the likeliest by name first."""
    part = HistorySlice.of(history)
    usable = [
        each
        for each in history.columns
        if each.column.name in rows.columns
        and each.column.base_type in INTEGRAL | TEXT | TEMPORAL
        and min(part.series(each, "completeness"), default=0) == 1
    ]
    ordered = sorted(usable, key=lambda each: -likely_key(each, history, table).probability)
    return [each.column.name for each in ordered[:PARTS]]


def _alike(history: TableProfile, rows: RowSample, names: tuple[str, ...]) -> float:
    """How many pairs of rows chance would have alike in these columns; 0 where the sample has any that are."""
    import numpy

    combined = rows.partition
    for name in names:
        combined = rows.both(combined, rows.columns[name])
    once = len(numpy.unique(combined)) == len(combined)
    return pairs_by_chance(rows, names, history.rows) if once else 0.0


def pairs_by_chance(rows: RowSample, names: tuple[str, ...], sizes: list[int]) -> float:
    """How many pairs of rows of a partition would be alike in all the columns, if those were independent."""
    import numpy

    pairs = sum(size * (size - 1) / 2 for size in sizes)
    within = _pairs(numpy.bincount(rows.partition))
    for name in names:
        alike = _pairs(numpy.bincount(rows.both(rows.partition, rows.columns[name])))
        pairs *= alike / within if within else 0.0
    return float(pairs)


def _pairs(counts: Any) -> float:
    return float((counts * (counts - 1.0) / 2).sum())


def orders(history: TableProfile, _: RowSample, __: str) -> Iterator[tuple[str, tuple[str, ...], Analyzer]]:
    """Pairs of moments of which the extremes of every partition let the first be no later than the second."""
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
