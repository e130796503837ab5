"""Suggest to compare the number of rows with its past.

On weekly, noisy and growing tables, fixed bounds that admit all past partitions admit those that lost most rows."""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from treaty.contracts.assertions import ANOMALIES
from treaty.contracts.editing.check_entry import check
from treaty.contracts.fingerprint import short_fingerprint
from treaty.engine.anomaly.partition_order import PartitionOrder
from treaty.engine.anomaly.volume_history import FALSE_ALARMS, LEAST, Volume, replaces
from treaty.engine.profile.confidence_intervals import at_least
from treaty.engine.profile.table_profile import TableProfile
from treaty.engine.programs.newest_partitions import MOST_SEGMENTS
from treaty.engine.suggestions.selection.holdout_test import learned_of
from treaty.engine.suggestions.selection.issue_detection import UNKNOWN

KIND = "volume"
FIXED, PROGRAM = "row_count_band", "program"
WORDS = "a partition has about as many rows as earlier partitions predict"


def volumes_of(history: TableProfile) -> list[Volume]:
    """Return the row counts of each segment; empty unless all partitions are dated.

    Segments with too few partitions are left out, and all if there are too many of them. They share the false
    alarms."""
    rows = {name: bag.rows for name, bag in history.partitions}
    segments = PartitionOrder.of(rows).segments.values()
    if sum(len({time for time, _ in dated}) for dated in segments) < len(rows) or len(segments) > MOST_SEGMENTS:
        return []
    return [_volume(dated, rows, FALSE_ALARMS / len(segments)) for dated in segments if len(dated) >= LEAST]


def _volume(dated: Sequence[tuple[datetime, str]], rows: Mapping[str, int], false_alarms: float) -> Volume:
    return Volume(
        names=tuple(name for _, name in dated),
        times=tuple(time for time, _ in dated),
        rows=tuple(rows[name] for _, name in dated),
        learned=learned_of(len(dated)),
        false_alarms=false_alarms,
    )


def with_volume(suggestions: Sequence[dict[str, Any]], history: TableProfile, object_name: str) -> list[dict[str, Any]]:
    """Return the suggestions, with the volume in place of fixed bounds.

    Fixed bounds stay if the volume cannot be learned, or would not be better."""
    fixed = [each for each in suggestions if _is_fixed(each)]
    volumes = volumes_of(history)
    if not replaces(volumes, [each["evidence"]["limits"] for each in fixed]):
        return list(suggestions)
    place = suggestions.index(fixed[0]) if fixed else len(suggestions)
    others = [each for each in suggestions if not _is_fixed(each)]
    return [*others[:place], _suggestion(volumes, object_name), *others[place:]]


def _is_fixed(suggestion: Mapping[str, Any]) -> bool:
    """Return whether a suggestion has fixed bounds of the number of rows."""
    if suggestion["kind"] != PROGRAM:
        return bool(suggestion["kind"] == FIXED)
    return bool(suggestion["patch"]["quality"]["implementation"]["analyzer"] == "size")


def _suggestion(volumes: Sequence[Volume], object_name: str) -> dict[str, Any]:
    limit = {"detector": KIND, "false_alarms": round(volumes[0].false_alarms, 4)}
    implementation = {"analyzer": "size", ANOMALIES: limit}
    return {
        "id": short_fingerprint([object_name, KIND, None]),
        "kind": KIND,
        "object": object_name,
        "column": None,
        "sentence": WORDS,
        "expression": _expression(volumes),
        "severity": "error",
        "patch": {"quality": {**check("row-count", WORDS, "coverage", implementation), "severity": "error"}},
        "evidence": _evidence(volumes),
    }


def _expression(volumes: Sequence[Volume]) -> str:
    """Describe the check by its next band, because it has no lasting one."""
    if len(volumes) > 1:
        return f"size is as predicted, for each of {len(volumes)} segments from its own past"
    following = volumes[0].following()
    if following is None or following.lower is None or following.upper is None:
        return "size is as predicted"
    lower, upper = math.ceil(following.lower), math.floor(following.upper)
    return f"size is as predicted: in the next partition between {lower:,} and {upper:,} ({following.by})"


def _evidence(volumes: Sequence[Volume]) -> dict[str, Any]:
    evaluated, noticed = sum(len(each.evaluated) for each in volumes), sum(each.noticed for each in volumes)
    alarms = [name for each in volumes for name in each.alarms]
    history = [[*pair] for each in volumes for pair in zip(each.names, each.rows, strict=True)]
    holds = at_least(evaluated - len(alarms), evaluated)
    return {
        "rows": sum(rows for _, rows in history), "partitions": len(history), "held": len(history) - len(alarms),
        "failed_on": alarms, "learned_on": len(history) - evaluated, "judged_on": evaluated, "back_test": alarms,
        "history": history, "limits": [None, None], "details": {"half_noticed": round(noticed / evaluated, 4)},
        "since": None, "margin": 0.0, "holds": round(holds, 4), "likely": None, "confirmed": True, "catches": None,
        "issues": ["volume_change"], "worth": round(holds * UNKNOWN, 4), "counter_examples": [], "split_by": "time",
    }  # fmt: skip
