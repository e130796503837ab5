"""Select the newest partitions to learn programs from, ordered by the time in their names."""

from collections.abc import Iterable
from datetime import datetime
from itertools import pairwise

from treaty.engine.anomaly.cadence import cadence
from treaty.engine.anomaly.series import partition_key

# Two months of days of any length, so that both month ends are included; more than a year of weeks. Chosen by hand.
PARTITIONS = 62
# Three weeks of hours, or a day of minutes: a small rate of false alarms needs a long history. Chosen by hand.
HOURLY, FINER = 504, 1_500
UNDATED = "programs need partitions that are ordered by time: partition the table by a date"
SEGMENTED = "programs need a single partition per time: several share one, such as {} and {}"


def newest(names: Iterable[str]) -> list[tuple[datetime, str]]:
    """Return the newest partitions with their times, oldest first.

    Raises ValueError if no partition has a time, or if several share one."""
    dated = sorted((time, name) for name in names if (time := partition_key(name).time) is not None)
    if not dated:
        raise ValueError(UNDATED)
    for (time, name), (later, other) in pairwise(dated):
        if time == later:
            raise ValueError(SEGMENTED.format(name, other))
    return dated[-_most([time for time, _ in dated]) :]


def _most(times: list[datetime]) -> int:
    """Return the number of partitions to learn from, by the cadence of the newest ones."""
    newest_cadence = cadence(times[-PARTITIONS:])
    if not newest_cadence.is_within_day:
        return PARTITIONS
    return HOURLY if newest_cadence.unit else FINER
