"""Evaluate row counts by their past: whether the detector `volume` says more than fixed bounds."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from treaty.contracts.comparison.threshold_order import NumericDomain
from treaty.engine.anomaly.detector import DetectorBand, between
from treaty.engine.anomaly.series import DetectionRequest, Series, SeriesPoint
from treaty.engine.anomaly.volume_detector import VolumeDetector

# Set by hand: number of partitions from which the past predicts; at most so many are evaluated.
LEAST, MOST_EVALUATED = 14, 20
# Set by hand: false alarms a year.
FALSE_ALARMS = 1.0
HALF = 0.5
# Set by hand: alarms on evaluated partitions that the owner may find right.
MOST_ALARMS = 1


@dataclass(frozen=True, eq=False, kw_only=True)
class Volume:
    """The row counts of a series of dated partitions, oldest first.

    `learned`: number of the oldest partitions that are only learned from. `false_alarms`: of the series, a year."""

    names: tuple[str, ...]
    times: tuple[datetime, ...]
    rows: tuple[int, ...]
    learned: int = LEAST
    false_alarms: float = FALSE_ALARMS

    @cached_property
    def evaluated(self) -> Mapping[str, DetectorBand]:
        """Return the bands of the newest partitions by name, each learned from those before."""
        first = max(self.learned, len(self.names) - MOST_EVALUATED)
        bands = {self.names[at]: self.band(at) for at in range(first, len(self.names))}
        return {name: band for name, band in bands.items() if band}

    @property
    def alarms(self) -> list[str]:
        """Return the evaluated partitions that would have alarmed."""
        return [name for name, band in self.evaluated.items() if not _admits(band, self._rows[name])]

    def misses_half(self, limits: Sequence[float | None]) -> bool:
        """Return whether half of an evaluated partition's rows would be within fixed bounds."""
        lower, upper = limits
        return any(between((lower, upper), HALF * self._rows[name]) for name in self.evaluated)

    @property
    def noticed(self) -> int:
        """Return the number of evaluated partitions that would alarm with half of their rows."""
        return sum(not _admits(band, HALF * self._rows[name]) for name, band in self.evaluated.items())

    def band(self, at: int) -> DetectorBand | None:
        """Return the band of a partition by its position; None while nothing is comparable."""
        return self.following(self.times[at], at) if at < len(self.times) else self.following()

    def following(self, time: datetime | None = None, many: int | None = None) -> DetectorBand | None:
        """Return the band of a partition after the oldest `many`; None while nothing is comparable.

        `time`: of its data; None means one step later. `many`: None means all."""
        counts = zip(self.times[:many], self.rows[:many], strict=True)
        past = Series.of(SeriesPoint(time=each, value=float(rows)) for each, rows in counts)
        request = DetectionRequest(
            past=past,
            at=time or self.times[-1] + past.step,
            false_alarms=self.false_alarms,
            domain=NumericDomain(least=0),
        )
        band = VolumeDetector().judge(request)
        return band if isinstance(band, DetectorBand) else None

    @cached_property
    def _rows(self) -> Mapping[str, int]:
        return dict(zip(self.names, self.rows, strict=True))


def _admits(band: DetectorBand, rows: float) -> bool:
    return between((band.lower, band.upper), rows)


def replaces(volumes: Collection[Volume], fixed: Iterable[Sequence[float | None]]) -> bool:
    """Return whether each segment's past should predict its rows in place of fixed bounds.

    Fixed bounds stay if half of the rows of every evaluated partition would violate them, if no partition could be
    evaluated, or if several of a segment would have alarmed."""
    if not any(each.evaluated for each in volumes):
        return False
    alarms = sum(len(each.alarms) for each in volumes)
    missed = all(any(each.misses_half(limits) for each in volumes) for limits in fixed)
    return missed and alarms <= MOST_ALARMS * len(volumes)
