"""Read measurements of a history's partitions from their states once, and cache them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from treaty.engine.core.results import Value
from treaty.engine.profile.table_profile import ColumnProfile, TableProfile
from treaty.engine.states.bag import StateBag

Counted = tuple[Mapping[str, int], int]
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class HistorySlice:
    """The partitions of a history from `start` to `end` (exclusive), oldest first.

    `cache` is shared by all slices of the history, so each value is read once."""

    history: TableProfile
    start: int
    end: int
    cache: dict[Any, list[Any]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, history: TableProfile) -> "HistorySlice":
        """Return the slice of all partitions."""
        return cls(history, 0, len(history.partitions), history.read)

    def part(self, start: int, end: int | None = None) -> "HistorySlice":
        """Return a part of this slice, by position."""
        return HistorySlice(self.history, self.start + start, self.end if end is None else self.start + end, self.cache)

    def __len__(self) -> int:
        return self.end - self.start

    @property
    def names(self) -> list[str]:
        """Return the names of the partitions."""
        return [name for name, _ in self.history.partitions[self.start : self.end]]

    @property
    def rows(self) -> list[int]:
        """Return the number of rows per partition."""
        return self.read("rows", lambda bag: bag.rows)

    def each(self, column: ColumnProfile, metric: str) -> list[Value]:
        """Return the metric per partition; None without a value."""
        if metric in column.quantiles:
            quantiles = self.read((column.column.name, "quantiles", None), column.ranked)
            return [values[metric] for values in quantiles]
        return self.read((column.column.name, metric), lambda bag: column.value(metric, bag))

    def series(self, column: ColumnProfile, metric: str) -> list[Any]:
        """Return the metric of the partitions that have a value."""
        return [value for value in self.each(column, metric) if value is not None]

    def values(self, column: ColumnProfile) -> list[Counted]:
        """Return (frequent value -> count, largest error of a count) per partition."""
        return self.read((column.column.name, "values", None), column.values)

    def mask_counts(self, column: ColumnProfile) -> list[Counted]:
        """Return (mask -> count, largest error of a count) per partition."""

        def of(whole: "HistorySlice") -> list[Counted]:
            pairs = zip(self.history.partitions, whole.values(column), strict=True)
            return [column.mask_counts(bag, counted) for (_, bag), counted in pairs]

        return self.of_whole((column.column.name, "looks", None), of)

    def of_whole(self, key: Any, measure: Callable[["HistorySlice"], list[T]]) -> list[T]:
        """Return what `measure` computes per partition from the whole history, cached by key."""
        if key not in self.cache:
            self.cache[key] = measure(HistorySlice(self.history, 0, len(self.history.partitions), self.cache))
        return self.cache[key][self.start : self.end]

    def all_values(self, column: ColumnProfile, most: int | None = None) -> Counted:
        """Return the values of all these partitions with their total counts.

        `most`: stop adding partitions once there are more distinct values than this; None means no limit."""
        return self._once(("values", column.column.name, most), lambda: sum_counts(self.values(column), most))

    def all_looks(self, column: ColumnProfile) -> Counted:
        """Return the masks of all these partitions with their total counts."""
        return self._once(("looks", column.column.name), lambda: sum_counts(self.mask_counts(column)))

    def _once(self, what: Any, count: Callable[[], Counted]) -> Counted:
        key = (self.start, self.end, *what)
        if key not in self.cache:
            self.cache[key] = [count()]
        return self.cache[key][0]  # type: ignore[no-any-return]

    def read(self, key: Any, measure: Callable[[StateBag], Any]) -> list[Any]:
        """Return what `measure` computes per partition, cached by key; use one function per key."""
        if key not in self.cache:
            self.cache[key] = [measure(bag) for _, bag in self.history.partitions]
        return self.cache[key][self.start : self.end]


def sum_counts(counted: list[Counted], most: int | None = None) -> Counted:
    """Add up the counts of all partitions, and their largest errors.

    `most`: stop adding partitions once there are more distinct values than this; None means no limit."""
    total: dict[str, int] = {}
    for counts, _ in counted:
        if most is not None and len(total) > most:
            break
        for value, count in counts.items():
            total[value] = total.get(value, 0) + count
    return total, sum(error for _, error in counted)
