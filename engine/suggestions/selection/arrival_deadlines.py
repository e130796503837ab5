"""Suggest a service level for arrivals from past arrival times.

Data that arrived every day is due by a time of day; other data at least at an interval. Both are learned on older
arrivals and must hold for all newer ones."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from treaty.contracts.fingerprint import short_fingerprint
from treaty.engine.profile.confidence_intervals import at_least
from treaty.engine.suggestions.selection.holdout_test import cuts_of
from treaty.engine.suggestions.selection.issue_detection import UNKNOWN
from treaty.engine.suggestions.tolerances import MARGINS, limits

# Set by hand: LEAST arrivals are required; SUMMER_TIME covers the hour by which local clocks shift.
LEAST, SUMMER_TIME = 10, 90.0
# Set by hand: times of day are rounded up to QUARTER minutes; a gap may exceed the longest one by the share LONGER.
QUARTER, LONGER = 15, 0.25
DAY = 24 * 60


@dataclass(frozen=True)
class ArrivalTimes:
    """Past arrivals as numbers with a name each.

    `floor`: least distance of the deadline from the largest number. `level`: turns that number into a service level and
    its description; None if there can be none."""

    kind: str
    measured: Sequence[tuple[str, float]]
    floor: float
    level: Callable[[float], tuple[Mapping[str, Any], str] | None]


def suggest(moments: Sequence[datetime], object_name: str) -> list[dict[str, Any]]:
    """Return the suggested service level with its evidence as a dict, in a list; [] if none holds.

    `moments`: arrival times with time zones, in any order."""
    ordered = sorted(each.astimezone(UTC) for each in moments)
    levels = (_suggested(each, object_name) for each in (_by_day(ordered), _by_gap(ordered)) if each)
    return [each for each in levels if each is not None][:1]


def _by_day(moments: Sequence[datetime]) -> ArrivalTimes | None:
    """Return minutes after midnight (UTC) of each day's first arrival; None if a day has none."""
    first: dict[Any, datetime] = {}
    for each in moments:
        first.setdefault(each.date(), each)
    if any(later - earlier != timedelta(days=1) for earlier, later in pairwise(first)):
        return None
    measured = [(str(day), 60.0 * at.hour + at.minute) for day, at in first.items()]
    return ArrivalTimes("arrives_by", measured, SUMMER_TIME, _time_of_day)


def _time_of_day(minutes: float) -> tuple[Mapping[str, Any], str] | None:
    whole = math.ceil(minutes / QUARTER) * QUARTER
    if whole >= DAY:
        return None
    by = f"{whole // 60:02d}:{whole % 60:02d}"
    return {"property": "timeOfAvailability", "value": f"{by}Z"}, f"by {by} UTC each day"


def _by_gap(moments: Sequence[datetime]) -> ArrivalTimes:
    """Return the hours between consecutive arrivals, named by the day of the later one."""
    measured = [(str(b.date()), (b - a) / timedelta(hours=1)) for a, b in pairwise(moments)]
    return ArrivalTimes(
        "arrives_every", measured, LONGER * max((hours for _, hours in measured), default=0.0), _frequency
    )


def _frequency(hours: float) -> tuple[Mapping[str, Any], str]:
    whole = math.ceil(hours)
    return {"property": "frequency", "value": whole, "unit": "h"}, f"at least every {whole} hours"


def _suggested(arrivals: ArrivalTimes, object_name: str) -> dict[str, Any] | None:
    numbers = [number for _, number in arrivals.measured]
    most, margin = next(_holding_bounds(numbers, arrivals.floor), (None, 0.0))
    promised = arrivals.level(most) if most is not None else None
    if promised is None:
        return None
    level, wording = promised
    words = f"data of {object_name} arrives {wording}"
    return {
        "id": short_fingerprint([object_name, arrivals.kind, None]),
        "kind": arrivals.kind,
        "object": object_name,
        "column": None,
        "sentence": words,
        "expression": words,
        "severity": "error",
        "patch": {"slaProperties": {"id": f"{object_name}-arrival", **level, "element": object_name}},
        "evidence": {**_evidence(arrivals.measured, margin), "limits": [None, most]},
    }


def _holding_bounds(numbers: Sequence[float], floor: float) -> Iterator[tuple[float, float]]:
    """Yield (deadline, margin) of each margin with which the learned deadline held."""
    if len(numbers) < LEAST:
        return
    for margin in MARGINS:
        final = _most(numbers, margin, floor)
        learned = [(_most(numbers[:cut], margin, floor), numbers[cut:]) for cut in cuts_of(len(numbers))]
        if final is not None and all(
            most is not None and max(tested) <= most for most, tested in [*learned, (final, numbers)]
        ):
            yield final, margin


def _most(numbers: Sequence[float], margin: float, floor: float) -> float | None:
    bounds = limits(numbers, margin, floor)
    return bounds[1] if bounds else None


def _evidence(measured: Sequence[tuple[str, float]], margin: float) -> dict[str, Any]:
    learned = cuts_of(len(measured))[0]
    tested = len(measured) - learned
    holds = at_least(tested, tested)
    return {
        "rows": 0, "partitions": len(measured), "held": len(measured), "failed_on": [],
        "learned_on": learned, "judged_on": tested, "history": [list(each) for each in measured],
        "details": {"arrivals": len(measured)}, "since": None, "margin": margin,
        "holds": round(holds, 4), "likely": None, "confirmed": True, "catches": None, "issues": [],
        "worth": round(holds * UNKNOWN, 4), "counter_examples": [], "split_by": "time",
    }  # fmt: skip
