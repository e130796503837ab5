"""When data come: from when they came so far, a service level that the clock can judge.

Data that came on every day are due by a time of day; others at least every so often. Either is learned on the older
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

# By hand: of fewer arrivals nothing is said; what comes by local clocks moves by an hour with summer time.
LEAST, SUMMER_TIME = 10, 90.0
# By hand: minutes to which times of day are rounded up, and how much longer than the longest silence one may be.
QUARTER, LONGER = 15, 0.25
DAY = 24 * 60


@dataclass(frozen=True)
class ArrivalTimes:
    """How data came, measured one by one: a name and a number for each, and the least that is left beyond these.

    `level` makes a service level of the greatest number that is promised, with its words; None where none can be."""

    kind: str
    measured: Sequence[tuple[str, float]]
    floor: float
    level: Callable[[float], tuple[Mapping[str, Any], str] | None]


def suggest(moments: Sequence[datetime], object_name: str) -> list[dict[str, Any]]:
    """The suggestion of a service level, as plain data with its evidence; [] where none holds.

    `moments`: when data came, in any order, with their zones."""
    ordered = sorted(each.astimezone(UTC) for each in moments)
    found = (_suggested(each, object_name) for each in (_by_day(ordered), _by_gap(ordered)) if each)
    return [each for each in found if each is not None][:1]


def _by_day(moments: Sequence[datetime]) -> ArrivalTimes | None:
    """Minutes after midnight (UTC) of each day's first arrival, where no day is without one."""
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
    """Hours between one arrival and the next, told by the day of the later one."""
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
    level, told = promised
    words = f"data of {object_name} come {told}"
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
    """(the greatest number that is promised, margin) of each margin with which what was learned held."""
    if len(numbers) < LEAST:
        return
    for margin in MARGINS:
        final = _most(numbers, margin, floor)
        kept = [(_most(numbers[:cut], margin, floor), numbers[cut:]) for cut in cuts_of(len(numbers))]
        if final is not None and all(
            most is not None and max(judged) <= most for most, judged in [*kept, (final, numbers)]
        ):
            yield final, margin


def _most(numbers: Sequence[float], margin: float, floor: float) -> float | None:
    found = limits(numbers, margin, floor)
    return found[1] if found else None


def _evidence(measured: Sequence[tuple[str, float]], margin: float) -> dict[str, Any]:
    learned = cuts_of(len(measured))[0]
    judged = len(measured) - learned
    holds = at_least(judged, judged)
    return {
        "rows": 0, "partitions": len(measured), "held": len(measured), "failed_on": [],
        "learned_on": learned, "judged_on": judged, "history": [list(each) for each in measured],
        "details": {"arrivals": len(measured)}, "since": None, "margin": margin,
        "holds": round(holds, 4), "likely": None, "confirmed": True, "catches": None, "issues": [],
        "worth": round(holds * UNKNOWN, 4), "counter_examples": [], "split_by": "time",
    }  # fmt: skip
