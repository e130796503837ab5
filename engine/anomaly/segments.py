"""Anomalies of segments: each is judged beside its own past, and they share what false alarms the check may raise."""

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
NO_SEGMENT = InsufficientHistory("learning: there is no segment, now or in the past")


@dataclass(frozen=True, kw_only=True)
class SegmentDetections:
    """What a detector says of each segment of a metric.

    `request`: the question about the metric as a whole; its past has the details. `details`: those of the point that is
    judged. At most so many segments are judged; `absent`: the metric of one without rows, None: it has none."""

    detector: Detector
    request: DetectionRequest
    details: Mapping[str, Any]
    most: int
    absent: float | None

    @cached_property
    def segments(self) -> tuple[str, ...]:
        """Those that are judged: of the most rows, now or in the newest of the past."""
        rows: dict[str, int] = {}
        newest = next((each.details for each in reversed(self.request.past.learned) if each.details), {})
        for details in (self.details, newest):
            for name, told in _segments_of(details).items():
                rows[name] = max(rows.get(name, 0), int(told["rows"]))
        return tuple(sorted(rows, key=lambda name: (-rows[name], name))[: self.most])

    @cached_property
    def results(self) -> Mapping[str, DetectorBand | InsufficientHistory]:
        """By segment, what is admitted of it, or why nothing is said yet."""
        many = max(1, len(self.segments))
        one, share = self.detector.among(many), self.request.false_alarms / many
        return {name: one.judge(self._question(name, share)) for name in self.segments}

    def _question(self, segment: str, alarms: float) -> DetectionRequest:
        # A segment begins with its first rows: that there were none before tells nothing of it.
        known = dropwhile(lambda each: segment not in _segments_of(each.details or {}), self.request.past.points)
        points = (replace(each, value=self._value(each, segment)) for each in known)
        return replace(self.request, past=Series(tuple(points)), false_alarms=alarms)

    def _value(self, point: SeriesPoint, segment: str) -> float | None:
        return None if point.details is None else _of(point.details, segment, self.absent)

    @cached_property
    def outside(self) -> Mapping[str, float]:
        """The segments that are an anomaly, with what they are."""
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
        """That none is an anomaly, with those that are in words; why nothing is said where all are still learned."""
        bands = {name: each for name, each in self.results.items() if isinstance(each, DetectorBand)}
        if not bands:
            return InsufficientHistory(next(iter(self.results.values()), NO_SEGMENT))
        promised = [each.per_year for each in bands.values() if each.per_year is not None]
        told = [f"{name} {figure(value)}, {_admitted(bands[name])}" for name, value in self.outside.items()]
        more = [f"{len(told) - NAMED} more"] if len(told) > NAMED else []
        learning = len(self.results) - len(bands)
        words = "; ".join([*told[:NAMED], *more, *([f"{learning} are still learned"] if learning else [])])
        points = max(each.points for each in bands.values())
        per_year = sum(promised) if promised else None
        return DetectorBand(
            lower=None,
            upper=0.0,
            expected=0.0,
            per_year=per_year,
            by=words or "each beside its own past",
            points=points,
        )

    @property
    def promise(self) -> Assertion | InsufficientHistory:
        """That there is no anomaly among them."""
        return self.band if isinstance(self.band, InsufficientHistory) else Assertion("mustBeLessOrEqualTo", 0.0)

    @property
    def elsewhere(self) -> str:
        """What is counted, in words."""
        return f"of {len(self.segments)} segments are anomalies"

    def observed(self, _: Any) -> Any:
        """How many of the segments are an anomaly."""
        return len(self.outside)


def _segments_of(details: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    found: Mapping[str, Mapping[str, Any]] = details.get("segments", {})
    return found


def _of(details: Mapping[str, Any], segment: str, absent: float | None) -> float | None:
    """The metric of the segment; None where it has none, and where it may be among those that are not listed."""
    found = _segments_of(details).get(segment)
    if found is not None:
        return finite(found["value"])
    return None if details.get("others") else absent


def _admitted(band: DetectorBand) -> str:
    edges = [f"at least {figure(band.lower)}"] if band.lower is not None else []
    edges += [f"at most {figure(band.upper)}"] if band.upper is not None else []
    return " and ".join(edges)
