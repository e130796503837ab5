"""Measure how much of each partition is new: rows and values that the partition before did not have."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from treaty.engine.components.sketches import DistinctSketch
from treaty.engine.profile.measurements import HistorySlice, sum_counts
from treaty.engine.profile.table_profile import ColumnProfile, state_of

# Set by hand: least share of distinct values of a nearly unique column; sketches have an error of 5 %, three standard
# errors.
NEARLY_UNIQUE = 0.9
# Standard errors of an estimate that are no growth.
ERRORS = 3.0


def distinct_share(column: ColumnProfile, part: HistorySlice) -> float:
    """Return the least share of distinct values in a partition: a unique column is unique in each of them."""
    counts = zip(part.each(column, "approx_count_distinct"), part.rows, strict=True)
    return min((float(count or 0) / rows for count, rows in counts if rows), default=0.0)


def is_nearly_unique(column: ColumnProfile, part: HistorySlice) -> bool:
    """Return whether nearly all values of every partition are distinct, as those of a key."""
    return distinct_share(column, part) >= NEARLY_UNIQUE


def new_rows(part: HistorySlice) -> list[float]:
    """Return the estimated number of rows that each partition adds to the one before.

    Rows stay the same while the values of some nearly unique column stay. Without one, the column with the most new
    values decides. The first partition has as many as the others in the mean."""
    return part.of_whole("new rows", _new_rows)


def _new_rows(whole: HistorySlice) -> list[float]:
    keys = [each for each in whole.history.columns if is_nearly_unique(each, whole)]
    gains = [new_shares(each, whole)[1:] for each in keys or whole.history.columns]
    later = [(min if keys else max)(shares) for shares in zip(*gains, strict=True)]
    first = sum(later) / len(later) if later else 0.0
    return [share * rows for share, rows in zip([first, *later], whole.rows, strict=True)]


def new_shares(column: ColumnProfile, part: HistorySlice) -> list[float]:
    """Return the share of each partition's rows that bring a value or more of it; 1 for the first partition."""
    return part.of_whole((column.column.name, "new"), lambda whole: [1.0, *_gains(column, whole)][: len(whole)])


def _gains(column: ColumnProfile, whole: HistorySlice) -> list[float]:
    counted = whole.values(column)
    if any(counts for counts, _ in counted) and not any(error for _, error in counted):
        return [_gain(before, now) for (before, _), (now, _) in pairwise(counted)]
    measured = column.metrics.get("approx_count_distinct")
    parts = measured.parts.values() if measured else ()
    part = next((each for each in parts if isinstance(each.component, DistinctSketch)), None)
    states = [state_of(part, bag) for _, bag in whole.history.partitions]
    return [_sketched_gain(*pair, rows) for pair, rows in zip(pairwise(states), whole.rows[1:], strict=True)]


def _gain(before: Mapping[str, int], now: Mapping[str, int]) -> float:
    rows = sum(now.values())
    return sum(_increments(before, now).values()) / rows if rows else 0.0


def _increments(before: Mapping[str, int], now: Mapping[str, int]) -> dict[str, int]:
    """Return by how much the count of each value grew, for those that grew."""
    return {value: count - before.get(value, 0) for value, count in now.items() if count > before.get(value, 0)}


def _sketched_gain(before: bytes | None, now: bytes | None, rows: int) -> float:
    if not rows or before is None or now is None:
        return 0.0
    both = DistinctSketch.estimate(DistinctSketch().union(before, now))
    gain = both - DistinctSketch.estimate(before) - ERRORS * DistinctSketch.deviation(both)
    return min(1.0, max(0.0, gain / rows))


def arrivals(counted: Sequence[Mapping[str, int]]) -> Mapping[str, int]:
    """Return how often each value arrived: its rows in the first partition, later its additional ones."""
    gains = (_increments(before, now) for before, now in pairwise(counted))
    return sum_counts([(counts, 0) for counts in [*counted[:1], *gains]])[0]
