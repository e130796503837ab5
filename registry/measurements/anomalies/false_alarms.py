"""Count false alarms reported for incidents, as evidence for drafts.

A check with false alarms is suggested with severity warning, and its evidence contains their number."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlmodel import Session, col, select

from treaty.registry.core.enums import Resolution
from treaty.registry.tables import IncidentObjectRow, IncidentRow

WARNING = "warning"


def false_alarms(session: Session, contract_id: str) -> Counter[tuple[str, str]]:
    """Count the false-alarm incidents in which each check of each object failed."""
    row = IncidentObjectRow
    query = select(row.object, row.failing_checks).join(IncidentRow, col(IncidentRow.id) == col(row.incident_id))
    matching = query.where(row.contract_id == contract_id, IncidentRow.resolution == Resolution.FALSE_ALARM)
    return Counter(
        (name, check) for name, failing in session.exec(matching) for check in {str(check) for check, _ in failing}
    )


def with_false_alarms(
    session: Session, contract_id: str, suggestions: Iterable[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """Return the suggestions with the number of false alarms in their evidence."""
    alarms = false_alarms(session, contract_id)
    return [_weighed(each, alarms) if alarms else each for each in suggestions]


def _weighed(suggestion: Mapping[str, Any], alarms: Counter[tuple[str, str]]) -> Mapping[str, Any]:
    count = max((alarms[suggestion.get("object") or "", check] for check in _checks(suggestion)), default=0)
    if not count:
        return suggestion
    evidence = {**(suggestion.get("evidence") or {}), "false_alarms": count}
    patch = suggestion["patch"]
    if "quality" not in patch:
        return {**suggestion, "evidence": evidence}
    downgraded = {**patch, "quality": {**patch["quality"], "severity": WARNING}}
    return {**suggestion, "evidence": evidence, "severity": WARNING, "patch": downgraded}


def _checks(suggestion: Mapping[str, Any]) -> Iterator[str]:
    """Yield the contract's ids of the suggested checks: their own, or derived from the column and key."""
    for key, value in suggestion["patch"].items():
        if key == "quality":
            yield str(value.get("id"))
        else:
            yield f"{suggestion.get('column')}-{key}"
