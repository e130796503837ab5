"""Suggest to compare the number of rows with its past.

On weekly, noisy and growing tables, fixed bounds that admit all past partitions admit those that lost most rows."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from treaty.contracts.assertions import ANOMALIES
from treaty.contracts.comparison.threshold_order import NumericDomain
from treaty.contracts.editing.check_entry import check
from treaty.contracts.fingerprint import short_fingerprint
from treaty.engine.anomaly.detector import DetectorBand, between
from treaty.engine.anomaly.partition_order import PartitionOrder
from treaty.engine.anomaly.series import DetectionRequest, Series, SeriesPoint
from treaty.engine.anomaly.volume_detector import VolumeDetector
from treaty.engine.profile.confidence_intervals import at_least
from treaty.engine.profile.table_profile import TableProfile
from treaty.engine.suggestions.selection.holdout_test import learned_of
from treaty.engine.suggestions.selection.issue_detection import UNKNOWN

KIND = "volume"
FIXED, PROGRAM = "row_count_band", "program"
# Set by hand: number of partitions from which the past predicts; at most so many are evaluated.
LEAST, MOST_EVALUATED = 14, 20
# Set by hand: false alarms a year.
FALSE_ALARMS = 1.0
HALF = 0.5
# Set by hand: alarms on evaluated partitions that the owner may find right.
MOST_ALARMS = 1
WORDS = "a partition has about as many rows as earlier partitions predict"


@dataclass(frozen=True, eq=False)
class Volume:
    """The row counts of dated partitions, oldest first."""

    names: tuple[str, ...]
    times: tuple[datetime, ...]
    rows: tuple[int, ...]

    @staticmethod
    def of(history: TableProfile) -> "Volume | None":
        """Return the row counts; None unless all partitions are dated and of one segment."""
        rows = {name: bag.rows for name, bag in history.partitions}
        segments = PartitionOrder.of(rows).segments
        dated = next(iter(segments.values())) if len(segments) == 1 else []
        if len({time for time, _ in dated}) < max(len(rows), 1):
            return None
        return Volume(
            names=tuple(name for _, name in dated),
            times=tuple(time for time, _ in dated),
            rows=tuple(rows[name] for _, name in dated),
        )

    @cached_property
    def evaluated(self) -> Mapping[str, DetectorBand]:
        """Return the bands of the newest partitions by name, each learned from those before."""
        first = max(learned_of(len(self.names)), len(self.names) - MOST_EVALUATED)
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
    def noticed(self) -> float:
        """Return the share of evaluated partitions that would alarm with half of their rows."""
        caught = [not _admits(band, HALF * self._rows[name]) for name, band in self.evaluated.items()]
        return sum(caught) / max(1, len(caught))

    def band(self, at: int) -> DetectorBand | None:
        """Return the band of a partition by its position; None while nothing is comparable."""
        counts = zip(self.times[:at], self.rows[:at], strict=True)
        past = Series.of(SeriesPoint(time=time, value=float(rows)) for time, rows in counts)
        time = self.times[at] if at < len(self.times) else self.times[-1] + past.step
        request = DetectionRequest(past=past, at=time, false_alarms=FALSE_ALARMS, domain=NumericDomain(least=0))
        band = VolumeDetector().judge(request)
        return band if isinstance(band, DetectorBand) else None

    @cached_property
    def _rows(self) -> Mapping[str, int]:
        return dict(zip(self.names, self.rows, strict=True))


def _admits(band: DetectorBand, rows: float) -> bool:
    return between((band.lower, band.upper), rows)


def with_volume(suggestions: Sequence[dict[str, Any]], history: TableProfile, object_name: str) -> list[dict[str, Any]]:
    """Return the suggestions, with the volume in place of fixed bounds.

    Fixed bounds stay if they would not miss half of the rows of a partition, if the volume cannot be learned, or
    if it would have alarmed on several newer partitions."""
    fixed = [each for each in suggestions if _is_fixed(each)]
    volume = Volume.of(history) if len(history.partitions) >= LEAST else None
    if volume is None or not volume.evaluated or len(volume.alarms) > MOST_ALARMS:
        return list(suggestions)
    if any(not volume.misses_half(each["evidence"]["limits"]) for each in fixed):
        return list(suggestions)
    place = suggestions.index(fixed[0]) if fixed else len(suggestions)
    others = [each for each in suggestions if not _is_fixed(each)]
    return [*others[:place], _suggestion(volume, object_name), *others[place:]]


def _is_fixed(suggestion: Mapping[str, Any]) -> bool:
    """Return whether a suggestion has fixed bounds of the number of rows."""
    return suggestion["kind"] == FIXED or (suggestion["kind"] == PROGRAM and suggestion["column"] is None)


def _suggestion(volume: Volume, object_name: str) -> dict[str, Any]:
    implementation = {"analyzer": "size", ANOMALIES: {"detector": KIND, "false_alarms": FALSE_ALARMS}}
    return {
        "id": short_fingerprint([object_name, KIND, None]),
        "kind": KIND,
        "object": object_name,
        "column": None,
        "sentence": WORDS,
        "expression": _expression(volume.band(len(volume.names))),
        "severity": "error",
        "patch": {"quality": {**check("row-count", WORDS, "coverage", implementation), "severity": "error"}},
        "evidence": _evidence(volume),
    }


def _expression(following: DetectorBand | None) -> str:
    """Describe the check by its next band, because it has no lasting one."""
    if following is None or following.lower is None or following.upper is None:
        return "size is as predicted"
    lower, upper = math.ceil(following.lower), math.floor(following.upper)
    return f"size is as predicted: in the next partition between {lower:,} and {upper:,} ({following.by})"


def _evidence(volume: Volume) -> dict[str, Any]:
    evaluated, alarms = len(volume.evaluated), volume.alarms
    holds = at_least(evaluated - len(alarms), evaluated)
    return {
        "rows": sum(volume.rows), "partitions": len(volume.rows), "held": len(volume.rows) - len(alarms),
        "failed_on": alarms, "learned_on": len(volume.rows) - evaluated, "judged_on": evaluated, "back_test": alarms,
        "history": [list(each) for each in zip(volume.names, volume.rows, strict=True)],
        "limits": [None, None], "details": {"half_noticed": round(volume.noticed, 4)},
        "since": None, "margin": 0.0, "holds": round(holds, 4), "likely": None, "confirmed": True, "catches": None,
        "issues": ["volume_change"], "worth": round(holds * UNKNOWN, 4), "counter_examples": [], "split_by": "time",
    }  # fmt: skip
