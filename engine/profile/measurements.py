"""What was measured of a history's partitions, read from their states once and then looked up."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from treaty.engine.core.results import Value
from treaty.engine.profile.table_profile import ColumnProfile, TableProfile
from treaty.engine.states.bag import StateBag

Counted = tuple[Mapping[str, int], int]


@dataclass(frozen=True, eq=False)
class HistorySlice:
    """The partitions of a history from `start` up to `end`, oldest first.

    `cache` is shared by all parts of the history: what one read is read for the others, too."""

    history: TableProfile
    start: int
    end: int
    cache: dict[Any, list[Any]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, history: TableProfile) -> "HistorySlice":
        """All of its partitions."""
        return cls(history, 0, len(history.partitions), history.read)

    def part(self, start: int, end: int | None = None) -> "HistorySlice":
        """Some of these partitions, by position."""
        return HistorySlice(self.history, self.start + start, self.end if end is None else self.start + end, self.cache)

    def __len__(self) -> int:
        return self.end - self.start

    @property
    def names(self) -> list[str]:
        """The names of the partitions."""
        return [name for name, _ in self.history.partitions[self.start : self.end]]

    @property
    def rows(self) -> list[int]:
        """Rows of each partition."""
        return self.read("rows", lambda bag: bag.rows)

    def each(self, column: ColumnProfile, metric: str) -> list[Value]:
        """The metric in each partition; None where it has no value."""
        if metric in column.quantiles:
            ranked = self.read((column.column.name, "quantiles", None), column.ranked)
            return [told[metric] for told in ranked]
        return self.read((column.column.name, metric), lambda bag: column.value(metric, bag))

    def series(self, column: ColumnProfile, metric: str) -> list[Any]:
        """The metric in each partition that has a value of it."""
        return [value for value in self.each(column, metric) if value is not None]

    def values(self, column: ColumnProfile) -> list[Counted]:
        """(frequent value -> count, greatest error of a count) of each partition."""
        return self.read((column.column.name, "values", None), column.values)

    def mask_counts(self, column: ColumnProfile) -> list[Counted]:
        """(mask -> count, greatest error of a count) of each partition."""
        key = (column.column.name, "looks", None)
        if key not in self.cache:
            every = zip(self.history.partitions, self._whole.values(column), strict=True)
            self.cache[key] = [column.mask_counts(bag, counted) for (_, bag), counted in every]
        return self.cache[key][self.start : self.end]

    @property
    def _whole(self) -> "HistorySlice":
        return HistorySlice(self.history, 0, len(self.history.partitions), self.cache)

    def all_values(self, column: ColumnProfile, most: int | None = None) -> Counted:
        """The values of all these partitions, added up; some of them where they are more than `most`."""
        return self._once(("values", column.column.name, most), lambda: sum_counts(self.values(column), most))

    def all_looks(self, column: ColumnProfile) -> Counted:
        """The masks of all these partitions, added up."""
        return self._once(("looks", column.column.name), lambda: sum_counts(self.mask_counts(column)))

    def _once(self, what: Any, tell: Callable[[], Counted]) -> Counted:
        key = (self.start, self.end, *what)
        if key not in self.cache:
            self.cache[key] = [tell()]
        return self.cache[key][0]  # type: ignore[no-any-return]

    def read(self, key: Any, measure: Callable[[StateBag], Any]) -> list[Any]:
        """What `measure` says of each partition. Of one key there is one measure."""
        if key not in self.cache:
            self.cache[key] = [measure(bag) for _, bag in self.history.partitions]
        return self.cache[key][self.start : self.end]


def sum_counts(counted: list[Counted], most: int | None = None) -> Counted:
    """The counts of all partitions added up; the greatest errors, too. Of more than `most` no more are told."""
    total: dict[str, int] = {}
    for counts, _ in counted:
        if most is not None and len(total) > most:
            break
        for value, count in counts.items():
            total[value] = total.get(value, 0) + count
    return total, sum(error for _, error in counted)
