"""The partitions that programs are learned from: the newest, in the order of the times that their names say."""

from collections.abc import Iterable
from datetime import datetime
from itertools import pairwise

from treaty.engine.anomaly.series import partition_key

# Two months of days, however long, so that the ends of both are among them; more than a year of weeks. By hand.
PARTITIONS = 62
UNDATED = "programs are learned from partitions in the order of their time: partition the table by a date"
SEGMENTED = "programs are learned from one partition at a time: several are of one moment, such as {} and {}"


def newest(names: Iterable[str]) -> list[tuple[datetime, str]]:
    """The newest partitions with their times, oldest first. Raises ValueError where no time orders them, or one has
    several."""
    found = sorted((time, name) for name in names if (time := partition_key(name).time) is not None)
    if not found:
        raise ValueError(UNDATED)
    for (time, name), (later, other) in pairwise(found):
        if time == later:
            raise ValueError(SEGMENTED.format(name, other))
    return found[-PARTITIONS:]
