"""The shares that values have in two partitions, side by side, as far as they are known.

Exact from frequencies. Frequent values (`HeavyHitters`) are known between two bounds, and the others only together."""

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
    """The shares of some values: each about `at`, between `low` and `high`.

    `rest` is the share of all that may belong to other values, of which none has more than `most`."""

    at: Array
    low: Array
    high: Array
    rest: float = 0.0
    most: float = 0.0

    @classmethod
    def about(cls, at: Array, error: float) -> "ShareBounds":
        """Shares of which each may be wrong by the error, either way; together they are all."""
        return cls(at=at, low=numpy.maximum(at - error, 0.0), high=numpy.minimum(at + error, 1.0))

    @classmethod
    def at_least(cls, counts: Array, rows: int, error: int) -> "ShareBounds":
        """Shares of values that occur at least as often as counted, and at most `error` times more; as do others."""
        at = counts / rows
        rest = max(0.0, (rows - counts.sum()) / rows)
        most = min(rest, error / rows)
        return cls(at=at, low=at, high=at + most, rest=rest, most=most)

    @cached_property
    def loose(self) -> float:
        """The share of which is not known what value it belongs to."""
        return max(0.0, 1.0 - float(self.low.sum())) if (self.high > self.low).any() or self.rest else 0.0


@dataclass(frozen=True, eq=False)
class SharePair:
    """The shares of the same values in two partitions of so many rows."""

    left: ShareBounds
    right: ShareBounds
    left_rows: int
    right_rows: int

    @cached_property
    def exact(self) -> bool:
        """Whether all shares are known."""
        return not (self.left.loose or self.right.loose)

    @property
    def shares(self) -> "SharePair":
        """Itself: what numbers have only once they are put into bins."""
        return self


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """Values with how often they occur at least, as an Arrow table; `error`: how much more often, unlisted ones too."""

    table: Any
    rows: int
    error: int = 0


def exact_counts(state: FrequencyTable | None) -> ValueCounts | None:
    """The tally of a `Frequencies` state, exact; None for no rows."""
    return None if state is None else ValueCounts(state.table, occurrences(state))


def frequent(state: bytes | None) -> ValueCounts | None:
    """The tally of a `HeavyHitters` state; None for no values."""
    import pyarrow

    rows = HeavyHitters.rows(state)
    if not rows:
        return None
    values, error = HeavyHitters.values(state)
    counts = numpy.fromiter(values.values(), dtype=numpy.int64, count=len(values)) - error
    return ValueCounts(pyarrow.table({"k0": pyarrow.array(values, pyarrow.string()), "n": counts}), rows, error)


def pair_shares(left: ValueCounts | None, right: ValueCounts | None) -> SharePair | None:
    """Two tallies side by side: a value that one does not list has none there. None where one has no rows.

    Raises TypeError where the values of the two are not of one type."""
    if left is None or right is None:
        return None
    ours, theirs = _side_by_side(left.table, right.table)
    one, other = (
        ShareBounds.at_least(ours, left.rows, left.error),
        ShareBounds.at_least(theirs, right.rows, right.error),
    )
    return SharePair(one, other, left.rows, right.rows)


def _side_by_side(left: Any, right: Any) -> tuple[Array, Array]:
    """The counts in both tables of every value that either lists."""
    import pyarrow

    keys = [name for name in left.column_names if name != "n"]
    try:
        both = pyarrow.concat_tables(
            [_with_side(left, "left"), _with_side(right, "right")], promote_options="permissive"
        )
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
        raise TypeError("the two states cannot be compared: the column is not of one type in both") from None
    sums = both.group_by(keys, use_threads=False).aggregate([("left", "sum"), ("right", "sum")])
    ours, theirs = (sums[f"{side}_sum"].fill_null(0).to_numpy().astype(float) for side in ("left", "right"))
    return ours, theirs


def _with_side(table: Any, side: str) -> Any:
    return table.rename_columns([side if name == "n" else name for name in table.column_names])
