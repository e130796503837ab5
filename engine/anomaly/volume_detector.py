"""Define the detector of row counts: what loads of a table do that other metrics do not."""

from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from math import inf

from pydantic import Field

from treaty.engine.anomaly.auto_detector import AutoDetector
from treaty.engine.anomaly.detector import DetectorBand, InsufficientHistory
from treaty.engine.anomaly.series import DetectionRequest, SeriesPoint

# A peak exceeds this many points on each side.
NEIGHBOURS = 3


class VolumeDetector(AutoDetector):
    """Band of `auto` for numbers of rows, widened by what loads do.

    It includes a tolerance to each side, and peaks on the same day of an earlier month: a peak, such as a month-end
    load, may recur on that day, counted from the start or the end of the month."""

    name = "volume"
    tolerance: float = Field(
        default=0.1, ge=0, le=1, description="share of the expected value that never alarms, to each side"
    )

    def band(self, request: DetectionRequest) -> DetectorBand | InsufficientHistory:
        band = super().band(request)
        if isinstance(band, InsufficientHistory) or band.expected is None:
            return band
        margin, peak = self.tolerance * abs(band.expected), (1 + self.tolerance) * self._peak(request)
        lower = -inf if band.lower is None else band.lower
        upper = inf if band.upper is None else band.upper
        return replace(band, lower=min(lower, band.expected - margin), upper=max(upper, band.expected + margin, peak))

    def _peak(self, request: DetectionRequest) -> float:
        """Return the highest peak on the same day of an earlier month; 0 if there is none."""
        peaks = (each for each in self._peaks(request.past.learned) if _recurs(each.time, request.at))
        return max((each.value or 0.0 for each in peaks), default=0.0)

    def _peaks(self, points: Sequence[SeriesPoint]) -> Iterator[SeriesPoint]:
        values = [each.value or 0.0 for each in points]
        for at, point in enumerate(points):
            around = values[max(0, at - NEIGHBOURS) : at] + values[at + 1 : at + 1 + NEIGHBOURS]
            if values[at] > (1 + self.tolerance) * max(around, default=inf):
                yield point


def _recurs(one: datetime, other: datetime) -> bool:
    """Return whether a peak of one time may recur at the other.

    Both are the same hour of a day of the month, counted from its start or its end."""
    return one.hour == other.hour and (one.day == other.day or _days_left(one) == _days_left(other))


def _days_left(time: datetime) -> int:
    return monthrange(time.year, time.month)[1] - time.day
