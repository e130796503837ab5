"""Detect anomalies of segments: each against its own history, with a shared false-alarm budget."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import dropwhile
from typing import Any

from treaty.contracts.assertions import Assertion
from treaty.engine.anomaly.detector import Detector, DetectorBand, InsufficientHistory
from treaty.engine.anomaly.series import DetectionRequest, Series, SeriesPoint, finite
from treaty.engine.core.number_format import figure

NAMED = 5
NO_SEGMENT = InsufficientHistory("learning: there are no segments, now or in the history")


@dataclass(frozen=True, kw_only=True)
class SegmentDetections:
    """A detector's results for each segment of a metric.

    `request`: request for the whole metric, whose history has the details. `details`: those of the point under
    evaluation. `most`: maximum number of segments that are evaluated. `absent`: metric of a segment without rows;
    None means that it has none."""

    detector: Detector
    request: DetectionRequest
    details: Mapping[str, Any]
    most: int
    absent: float | None

    @cached_property
    def segments(self) -> tuple[str, ...]:
        """Return the evaluated segments: those with the most rows, now or in the newest past point."""
        rows: dict[str, int] = {}
        newest = next((each.details for each in reversed(self.request.past.learned) if each.details), {})
        for details in (self.details, newest):
            for name, segment in _segments_of(details).items():
                rows[name] = max(rows.get(name, 0), int(segment["rows"]))
        return tuple(sorted(rows, key=lambda name: (-rows[name], name))[: self.most])

    @cached_property
    def results(self) -> Mapping[str, DetectorBand | InsufficientHistory]:
        """Return the band of each segment, or the reason why there is none yet."""
        many = max(1, len(self.segments))
        one, share = self.detector.among(many), self.request.false_alarms / many
        return {name: one.judge(self._question(name, share)) for name in self.segments}

    def _question(self, segment: str, alarms: float) -> DetectionRequest:
        # The history of a segment begins with its first rows; the time before says nothing about it.
        history = dropwhile(lambda each: segment not in _segments_of(each.details or {}), self.request.past.points)
        points = (replace(each, value=self._value(each, segment)) for each in history)
        return replace(self.request, past=Series(tuple(points)), false_alarms=alarms)

    def _value(self, point: SeriesPoint, segment: str) -> float | None:
        return None if point.details is None else _of(point.details, segment, self.absent)

    @cached_property
    def outside(self) -> Mapping[str, float]:
        """Return the segments that are anomalies, with their values."""
        return dict(self._outside())

    def _outside(self) -> Iterator[tuple[str, float]]:
        for name, band in self.results.items():
            value = _of(self.details, name, self.absent)
            if value is None or isinstance(band, InsufficientHistory):
                continue
            promise = self.detector.promise(band)
            if not isinstance(promise, InsufficientHistory) and not promise.holds(value):
                yield name, value

    @cached_property
    def band(self) -> DetectorBand | InsufficientHistory:
        """Return the band of the number of anomalies, with the anomalies in words.

        If every segment is still learning, the reason is returned instead."""
        bands = {name: each for name, each in self.results.items() if isinstance(each, DetectorBand)}
        if not bands:
            return InsufficientHistory(next(iter(self.results.values()), NO_SEGMENT))
        rates = [each.per_year for each in bands.values() if each.per_year is not None]
        anomalies = [f"{name} {figure(value)}, {_admitted(bands[name])}" for name, value in self.outside.items()]
        more = [f"{len(anomalies) - NAMED} more"] if len(anomalies) > NAMED else []
        learning = len(self.results) - len(bands)
        words = "; ".join([*anomalies[:NAMED], *more, *([f"{learning} still learning"] if learning else [])])
        points = max(each.points for each in bands.values())
        per_year = sum(rates) if rates else None
        return DetectorBand(
            lower=None,
            upper=0.0,
            expected=0.0,
            per_year=per_year,
            by=words or "each compared with its own history",
            points=points,
        )

    @property
    def promise(self) -> Assertion | InsufficientHistory:
        """Return the assertion that no segment is an anomaly."""
        return self.band if isinstance(self.band, InsufficientHistory) else Assertion("mustBeLessOrEqualTo", 0.0)

    @property
    def elsewhere(self) -> str:
        """Return the name of the quantity that is compared with the band."""
        return f"of {len(self.segments)} segments are anomalies"

    def observed(self, _: Any) -> Any:
        """Return the number of segments that are anomalies."""
        return len(self.outside)


def _segments_of(details: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    segments: Mapping[str, Mapping[str, Any]] = details.get("segments", {})
    return segments


def _of(details: Mapping[str, Any], segment: str, absent: float | None) -> float | None:
    """Return the metric of the segment; None if it has none.

    None, too, if the segment may be among those that the details do not list."""
    entry = _segments_of(details).get(segment)
    if entry is not None:
        return finite(entry["value"])
    return None if details.get("others") else absent


def _admitted(band: DetectorBand) -> str:
    edges = [f"at least {figure(band.lower)}"] if band.lower is not None else []
    edges += [f"at most {figure(band.upper)}"] if band.upper is not None else []
    return " and ".join(edges)
