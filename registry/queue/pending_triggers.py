"""Merge the payloads of triggers that no validation has covered: plain data, deduplicated, bounded."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

TriggerPayload = Mapping[str, Any]
# Above this number the payloads are replaced by {"all": True}.
MOST = 64
RUNS = "runs"
# Keys of the table's new columns and of the time they were declared.
COLUMNS, AT = "columns", "at"
# Payloads that agree in these keys are merged.
SAYS = ("dataset", "partitions", "reads", "streaming", "all")


def added(before: Sequence[TriggerPayload], extra: TriggerPayload, seq: int) -> list[dict[str, Any]]:
    """Return the payloads with that of a new trigger, ordered by `seq`.

    `runs` of a payload: ids of the runs that caused it; None if there is none, or too many."""
    item = {**extra, "seq": seq, RUNS: [extra["lineage_run_id"]] if "lineage_run_id" in extra else None}
    match = next((each for each in before if _says(each) == _says(item)), None)
    if match is not None:
        item |= {RUNS: _both(match[RUNS], item[RUNS])} | _defined(match, item)
    remaining = [dict(each) for each in before if each is not match]
    return (
        [*remaining, item]
        if len(remaining) < MOST
        else [{"all": True, "seq": seq, RUNS: None, "streaming": streams(remaining)}]
    )


def after(before: Iterable[TriggerPayload], seq: int) -> list[dict[str, Any]]:
    """Return the payloads of later triggers."""
    return [dict(each) for each in before if each["seq"] > seq]


def without(before: Iterable[TriggerPayload], run: UUID) -> list[dict[str, Any]]:
    """Return the payloads with that run removed from their causes; payloads without other causes are dropped."""
    remaining = ({**each, RUNS: each[RUNS] and [one for one in each[RUNS] if one != str(run)]} for each in before)
    return [each for each in remaining if each[RUNS] != []]


def streams(payloads: Iterable[TriggerPayload]) -> bool:
    """Return whether a payload is of data that is written continuously."""
    return any(each.get("streaming") for each in payloads)


def payload(payload: TriggerPayload) -> dict[str, Any]:
    """Return the task payload of a trigger payload."""
    return {key: value for key, value in payload.items() if key not in {"seq", RUNS, "all", COLUMNS, AT}}


def columns(payloads: Iterable[TriggerPayload]) -> list[tuple[str, str]] | None:
    """Return the latest declared columns by name and type.

    [] if the schema was declared without columns; None if it was not declared."""
    declared = [each for each in payloads if COLUMNS in each]
    latest = max(declared, key=_age, default=None)
    return [(str(name), str(kind)) for name, kind in latest[COLUMNS]] if latest else None


def _defined(one: TriggerPayload, other: TriggerPayload) -> dict[str, Any]:
    """Return the columns of the payload with the later declaration."""
    declared = [each for each in (one, other) if COLUMNS in each]
    latest = max(declared, key=_age, default={})
    return {key: latest[key] for key in (COLUMNS, AT) if key in latest}


def _age(payload: TriggerPayload) -> datetime:
    return datetime.fromisoformat(payload[AT])


def _says(payload: TriggerPayload) -> list[Any]:
    return [payload.get(key) for key in SAYS]


def _both(one: Sequence[str] | None, other: Sequence[str] | None) -> list[str] | None:
    merged = sorted({*one, *other}) if one is not None and other is not None else None
    return merged if merged is not None and len(merged) <= MOST else None
