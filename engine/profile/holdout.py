"""Hold-out: what is learned on the older partitions must hold on the newer ones; then it is learned on all of them."""

from collections.abc import Mapping
from typing import Any

from contracts.fingerprint import fingerprint
from engine.profile.profile import ColumnProfile, History, plain
from engine.profile.suggestions import Candidate, OfHistory, candidates

LEARNED_SHARE = 0.7


def suggest(history: History, object_name: str) -> list[dict[str, Any]]:
    """Every suggestion that held on the newer partitions, as plain data with its evidence, in the columns' order."""
    found = (_judged(propose, history, object_name, kind, column) for kind, column, propose in candidates(history))
    return [suggestion for suggestion in found if suggestion is not None]


def learned(history: History) -> int:
    """How many of the partitions, from the oldest, are learned on; all where there are fewer than three."""
    count = len(history.partitions)
    return count if count < 3 else max(1, round(count * LEARNED_SHARE))


def _judged(
    propose: OfHistory,
    history: History,
    object_name: str,
    kind: str,
    column: ColumnProfile | None,
) -> dict[str, Any] | None:
    split = learned(history)
    first = propose(history.part(0, split))
    if first is None or not all(_holds(first, bag) for _, bag in history.part(split).partitions):
        return None
    final = propose(history)
    return _as_data(final, history, split, object_name, column) if final else None


def _holds(candidate: Candidate, bag: Any) -> bool:
    value = candidate.metric(bag)
    return value is None or candidate.assertion.holds(value)


def _as_data(
    candidate: Candidate, history: History, split: int, object_name: str, column: ColumnProfile | None
) -> dict[str, Any]:
    name = column.column.name if column else None
    return {
        "id": fingerprint([object_name, candidate.kind, name])[:16],
        "kind": candidate.kind,
        "object": object_name,
        "column": name,
        "sentence": candidate.sentence,
        "expression": candidate.expression,
        "severity": candidate.severity,
        "patch": _with_severity(candidate),
        "evidence": _evidence(candidate, history, split),
    }


def _with_severity(candidate: Candidate) -> dict[str, Any]:
    quality = candidate.patch.get("quality")
    return {"quality": {**quality, "severity": candidate.severity}} if quality else dict(candidate.patch)


def _evidence(candidate: Candidate, history: History, split: int) -> Mapping[str, Any]:
    values = [(name, candidate.metric(bag)) for name, bag in history.partitions]
    measured = [(name, value) for name, value in values if value is not None]
    failed = [name for name, value in measured if not candidate.assertion.holds(value)]
    return {
        "rows": sum(history.rows),
        "partitions": len(measured),
        "held": len(measured) - len(failed),
        "failed_on": failed,
        "learned_on": split,
        "judged_on": len(history.partitions) - split,
        "history": [[name, plain(value)] for name, value in measured],
        "limits": list(candidate.limits),
        "details": dict(candidate.details),
    }
