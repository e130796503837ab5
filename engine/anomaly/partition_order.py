"""Which partitions of a table came before which: those that a time dates, by segment, in the order of their times."""

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
    """Partitions by segment, oldest first, each with its time; months of merged states are of no single day."""

    segments: dict[str | None, list[tuple[datetime, str]]] = field(default_factory=dict)

    @staticmethod
    def of(names: Iterable[str]) -> "PartitionOrder":
        """The succession of these partitions; what no time dates is left out."""
        made = PartitionOrder()
        for name in names:
            made.add(name)
        return made

    def add(self, name: str) -> None:
        """Enters the partition where its name says; one that is there already stays."""
        its = place(name)
        if its.time is None or len(members(name)) > 1:
            return
        line, spot = self.segments.setdefault(its.segment, []), (its.time, name)
        at = bisect_left(line, spot)
        if line[at : at + 1] != [spot]:
            line.insert(at, spot)

    def before(self, partition: str | None) -> Iterator[str]:
        """The earlier partitions of that one's segment, newest first; none of what no time dates, nor of all
        partitions together."""
        here = place(partition)
        if here.time is not None:
            line = self.segments.get(here.segment, [])
            yield from (line[at][1] for at in reversed(range(bisect_left(line, (here.time, "")))))

    def times(self, segment: str | None) -> Mapping[str, datetime]:
        """The partitions of a segment with their times, oldest first."""
        return {name: time for time, name in self.segments.get(segment, ())}
