"""Find partitions that should not be learned from: far from the earlier ones of their series."""

from calendar import monthrange
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from math import sqrt
from typing import Any

import numpy
from numpy.typing import NDArray

from treaty.engine.statistics.summaries import NumberSummary, Summary

Array = NDArray[Any]

# Distance that sets a batch aside, as wide as the guard of completeness, and when a change is accepted; chosen by hand.
FAR, FAR_ROWS, LEAST_KEPT, LASTING = 10.0, 2.0, 5, 2
# A mean this far away belongs to other numbers: beyond the widest clause and the spread of the numbers. Chosen by hand.
FAR_MEAN = 80.0


def outliers(series: Sequence[Summary], least_rows: int) -> set[int]:
    """Return the positions of outliers in completeness or in the mean.

    `least_rows`: number of rows of the smallest batch."""
    odd = set_aside(_each(_complete, series), FAR, FAR_ROWS / max(1, least_rows))
    return odd | set_aside(_each(_mean, series), FAR_MEAN, float(numpy.median(_each(_deviation, series))))


def _complete(summary: Summary) -> float:
    return summary.present / summary.rows if summary.rows else numpy.nan


def _mean(summary: Summary) -> float:
    return summary.moments[1] if isinstance(summary, NumberSummary) and summary.present else numpy.nan


def _deviation(summary: Summary) -> float:
    deviation = summary.deviation if isinstance(summary, NumberSummary) else 0.0
    return deviation if numpy.isfinite(deviation) else 0.0


def _each(statistic: Callable[[Summary], float], summaries: Iterable[Summary]) -> Array:
    return numpy.array([statistic(summary) for summary in summaries])


def set_aside(values: Array, far: float, least: float) -> set[int]:
    """Return the positions of outliers, which should not be learned from.

    An outlier is more than `far` deviations away from the batches used before, and at least `least`. If the next
    batch is far too, the change is lasting: both are learned from, and later batches are compared with them alone.
    Non-finite values are ignored."""
    accepted = RunningMoments()
    outliers: set[int] = set()
    pending: list[int] = []
    for at in numpy.flatnonzero(numpy.isfinite(values)).tolist():
        value = float(values[at])
        if not accepted.is_far(value, far, least):
            accepted, pending = accepted.with_value(value), []
        elif len(pending) + 1 < LASTING:
            outliers.add(at)
            pending.append(at)
        else:
            outliers -= set(pending)
            accepted, pending = reduce(RunningMoments.with_value, values[[*pending, at]].tolist(), RunningMoments()), []
    return outliers


@dataclass(frozen=True)
class RunningMoments:
    """Count, mean and sum of squares, so that a long history takes linear time."""

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def with_value(self, value: float) -> "RunningMoments":
        """Return the moments with one more value."""
        count, away = self.count + 1, value - self.mean
        mean = self.mean + away / count
        return RunningMoments(count, mean, self.squares + away * (value - mean))

    def is_far(self, value: float, far: float, least: float) -> bool:
        """Return whether the value is more than `far` deviations and `least` away; False for few values."""
        if self.count < LEAST_KEPT:
            return False
        return abs(value - self.mean) > max(far * sqrt(self.squares / (self.count - 1)), least)


def recurring(odd: Iterable[int], times: Sequence[datetime | None]) -> set[int]:
    """Return the positions that share their day of the month with another position.

    Days are counted from the start or the end of the month. Values that recur at month end are not accidental and
    are learned from."""
    days: dict[tuple[str, int], set[int]] = defaultdict(set)
    for at in odd:
        if (time := times[at]) is not None:
            days["from the beginning", time.day].add(at)
            days["from the end", monthrange(time.year, time.month)[1] - time.day].add(at)
    return {at for positions in days.values() if len(positions) > 1 for at in positions}
