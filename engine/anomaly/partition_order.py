"""Order of a table's partitions by the time in their names, within each segment."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache

from treaty.engine.anomaly.series import partition_key
from treaty.engine.core.partitions.months import members

place = cache(partition_key)


@dataclass
class PartitionOrder:
    """Dated partitions by segment, oldest first; merged months are not included."""

    segments: dict[str | None, list[tuple[datetime, str]]] = field(default_factory=dict)

    @staticmethod
    def of(names: Iterable[str]) -> "PartitionOrder":
        """Return the order of these partitions, without those whose name has no time."""
        order = PartitionOrder()
        for name in names:
            order.add(name)
        return order

    def add(self, name: str) -> None:
        """Insert the partition at its time.

        Partitions without a time, merged months and known partitions are ignored."""
        key = place(name)
        if key.time is None or len(members(name)) > 1:
            return
        line, spot = self.segments.setdefault(key.segment, []), (key.time, name)
        at = bisect_left(line, spot)
        if line[at : at + 1] != [spot]:
            line.insert(at, spot)

    def before(self, partition: str | None) -> Iterator[str]:
        """Yield the earlier partitions of the same segment, newest first.

        Yields nothing for a partition without a time, or for None (all partitions together)."""
        here = place(partition)
        if here.time is not None:
            line = self.segments.get(here.segment, [])
            yield from (line[at][1] for at in reversed(range(bisect_left(line, (here.time, "")))))

    def times(self, segment: str | None) -> Mapping[str, datetime]:
        """Return the partitions of a segment with their times, oldest first."""
        return {name: time for time, name in self.segments.get(segment, ())}
