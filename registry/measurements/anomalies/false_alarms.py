"""False alarms: what people said of incidents, as drafts are told of it. A check that alarmed for nothing is suggested
as a warning, and says how often it did."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlmodel import Session, col, select

from treaty.registry.core.enums import Resolution
from treaty.registry.tables import IncidentObjectRow, IncidentRow

WARNING = "warning"


def false_alarms(session: Session, contract_id: str) -> Counter[tuple[str, str]]:
    """In how many incidents each check of each object failed of which somebody said that it was a false alarm."""
    row = IncidentObjectRow
    query = select(row.object, row.failing_checks).join(IncidentRow, col(IncidentRow.id) == col(row.incident_id))
    said = query.where(row.contract_id == contract_id, IncidentRow.resolution == Resolution.FALSE_ALARM)
    return Counter(
        (name, check) for name, failing in session.exec(said) for check in {str(check) for check, _ in failing}
    )


def with_false_alarms(
    session: Session, contract_id: str, suggestions: Iterable[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """The suggestions, with what is known of false alarms of the checks that they would be."""
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
    quieter = {**patch, "quality": {**patch["quality"], "severity": WARNING}}
    return {**suggestion, "evidence": evidence, "severity": WARNING, "patch": quieter}


def _checks(suggestion: Mapping[str, Any]) -> Iterator[str]:
    """The ids that the suggested checks have in a contract: an entry's own, or the column's with the word."""
    for word, value in suggestion["patch"].items():
        if word == "quality":
            yield str(value.get("id"))
        else:
            yield f"{suggestion.get('column')}-{word}"
