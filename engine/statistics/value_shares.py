"""Pair the shares that values have in two partitions, with bounds.

Exact from frequencies. Frequent values (`HeavyHitters`) are known within two bounds, all others only in total."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy
from numpy.typing import NDArray

from treaty.engine.components.frequencies import FrequencyTable, occurrences
from treaty.engine.components.sketches import HeavyHitters

Array = NDArray[numpy.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class ShareBounds:
    """The shares of some values: about `at`, between `low` and `high`.

    `rest`: share that may belong to other values. `most`: maximum share of each other value."""

    at: Array
    low: Array
    high: Array
    rest: float = 0.0
    most: float = 0.0

    @classmethod
    def about(cls, at: Array, error: float) -> "ShareBounds":
        """Return shares that add up to 1 and may each be off by `error`."""
        return cls(at=at, low=numpy.maximum(at - error, 0.0), high=numpy.minimum(at + error, 1.0))

    @classmethod
    def at_least(cls, counts: Array, rows: int, error: int) -> "ShareBounds":
        """Return shares of values that occur at least as often as counted.

        `error`: maximum number of further occurrences, also of unlisted values."""
        at = counts / rows
        rest = max(0.0, (rows - counts.sum()) / rows)
        most = min(rest, error / rows)
        return cls(at=at, low=at, high=at + most, rest=rest, most=most)

    @cached_property
    def loose(self) -> float:
        """Return the share that cannot be attributed to a value."""
        return max(0.0, 1.0 - float(self.low.sum())) if (self.high > self.low).any() or self.rest else 0.0


@dataclass(frozen=True, eq=False)
class SharePair:
    """The shares of the same values in two partitions, with their numbers of rows."""

    left: ShareBounds
    right: ShareBounds
    left_rows: int
    right_rows: int

    @cached_property
    def exact(self) -> bool:
        """Return True if all shares are exact."""
        return not (self.left.loose or self.right.loose)

    @property
    def shares(self) -> "SharePair":
        """Return the pair itself, as `CurvePair.shares` returns binned numbers."""
        return self


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """Values with their minimum counts, as an Arrow table.

    `error`: how much higher a count may be, also that of an unlisted value. `rows`: number of all values."""

    table: Any
    rows: int
    error: int = 0


def exact_counts(state: FrequencyTable | None) -> ValueCounts | None:
    """Return the exact counts of a `Frequencies` state; None without rows."""
    return None if state is None else ValueCounts(state.table, occurrences(state))


def frequent(state: bytes | None) -> ValueCounts | None:
    """Return the counts of a `HeavyHitters` state; None without values."""
    import pyarrow

    rows = HeavyHitters.rows(state)
    if not rows:
        return None
    values, error = HeavyHitters.values(state)
    counts = numpy.fromiter(values.values(), dtype=numpy.int64, count=len(values)) - error
    return ValueCounts(pyarrow.table({"k0": pyarrow.array(values, pyarrow.string()), "n": counts}), rows, error)


def pair_shares(left: ValueCounts | None, right: ValueCounts | None) -> SharePair | None:
    """Pair two counts by value: an unlisted value counts 0. None if one has no rows.

    Raises TypeError if the values have different types."""
    if left is None or right is None:
        return None
    left_counts, right_counts = _side_by_side(left.table, right.table)
    left_shares, right_shares = (
        ShareBounds.at_least(left_counts, left.rows, left.error),
        ShareBounds.at_least(right_counts, right.rows, right.error),
    )
    return SharePair(left_shares, right_shares, left.rows, right.rows)


def _side_by_side(left: Any, right: Any) -> tuple[Array, Array]:
    """Return the counts in both tables of every value that either lists."""
    import pyarrow

    keys = [name for name in left.column_names if name != "n"]
    try:
        both = pyarrow.concat_tables(
            [_with_side(left, "left"), _with_side(right, "right")], promote_options="permissive"
        )
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
        raise TypeError("the two states cannot be compared: the column has different types") from None
    sums = both.group_by(keys, use_threads=False).aggregate([("left", "sum"), ("right", "sum")])
    left_counts, right_counts = (
        sums[f"{side}_sum"].fill_null(0).to_numpy().astype(float) for side in ("left", "right")
    )
    # Sums of doubles differ in the last digits by order, and the tables may be in any.
    order = numpy.lexsort((right_counts, left_counts))
    return left_counts[order], right_counts[order]


def _with_side(table: Any, side: str) -> Any:
    return table.rename_columns([side if name == "n" else name for name in table.column_names])
