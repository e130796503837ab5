"""Select the newest partitions to learn programs from, as one series per segment."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import pairwise

from treaty.engine.anomaly.cadence import cadence
from treaty.engine.anomaly.partition_order import place

# Two months of days of any length, so that both month ends are included; more than a year of weeks. Chosen by hand.
TIMES = 62
# Three weeks of hours, or a day of minutes: a small rate of false alarms needs a long history. Chosen by hand.
HOURLY, FINER = 504, 1_500
# With more of daily partitions, one false alarm a quarter leaves no clause: each alarms on one clean one of 2,000.
MOST_SEGMENTS = 20
UNDATED = "programs need partitions that are ordered by time: partition the table by a date"
REPEATED = "programs need a single partition per time and segment: several share one, such as {} and {}"
SEGMENTED = (
    "programs support at most {} segments, and the table has {}: their share of the false-alarm budget would be too "
    "small. Draft without them, or partition the table by fewer columns"
)
Dated = list[tuple[datetime, str]]


def newest(names: Iterable[str], rows: Mapping[str, int] | None = None, times: int | None = None) -> Dated:
    """Return the partitions of the newest times, by segment, each oldest first.

    `rows`: number of rows by name; the segment with the most is last. None counts partitions instead. `times`: number
    of times; None means as many as the cadence needs. Raises ValueError if no partition has a time, if several of a
    segment share one, or for too many segments."""
    segments = _segments(names, times)
    if not segments:
        raise ValueError(UNDATED)
    if len(segments) > MOST_SEGMENTS:
        raise ValueError(SEGMENTED.format(MOST_SEGMENTS, len(segments)))
    weights = {segment: sum((rows or {}).get(name, 1) for _, name in dated) for segment, dated in segments.items()}
    order = sorted(segments, key=lambda each: (weights[each], each or ""))
    return [each for segment in order for each in segments[segment]]


def _segments(names: Iterable[str], number: int | None) -> dict[str | None, Dated]:
    """Return the partitions of the newest times by segment, oldest first."""
    dated = sorted((key.time, name, key.segment) for name in names if (key := place(name)).time is not None)
    times = _newest_times(sorted({time for time, *_ in dated}), number)
    segments: dict[str | None, Dated] = {}
    for time, name, segment in dated:
        if time >= times[0]:
            segments.setdefault(segment, []).append((time, name))
    _refuse_repeated(segments.values())
    return segments


def _refuse_repeated(segments: Iterable[Dated]) -> None:
    for dated in segments:
        for (time, name), (later, other) in pairwise(dated):
            if time == later:
                raise ValueError(REPEATED.format(name, other))


def _newest_times(times: list[datetime], number: int | None) -> list[datetime]:
    """Return the times to learn from: that many, or by the cadence of the newest ones."""
    if number:
        return times[-number:]
    newest_cadence = cadence(times[-TIMES:])
    if not newest_cadence.is_within_day:
        return times[-TIMES:]
    return times[-(HOURLY if newest_cadence.unit else FINER) :]
