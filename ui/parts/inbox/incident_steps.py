"""Actions on incidents: one request each, at the displayed revision, with undo.

Undo fails if the incident has changed since the action."""

from collections.abc import Callable, Sequence
from datetime import datetime

import streamlit as st

from treaty.registry.client import Client, ClientError
from treaty.registry.core.enums import IncidentState, ManualResolution
from treaty.registry.schemas import IncidentOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import incidents as texts
from treaty.ui.widgets import bulk_steps, panels, viewer

ASSIGNEE, REASON, COMMENT = "assignee", "reason", "comment"
Incidents = Sequence[IncidentOut]
Step = Callable[[Client, IncidentOut], IncidentOut]


def acknowledge(incidents: Incidents) -> None:
    """Acknowledge the open incidents, which assigns them to the viewer."""
    fresh = [each for each in incidents if each.state is IncidentState.OPEN]
    _take(fresh, _acknowledged, back=lambda _: _reopened, message=texts.you_look_after)


def assign(incidents: Incidents) -> None:
    """Assign the incidents to the typed user, or unassign them if the input is empty."""
    name = bulk_steps.input_text(ASSIGNEE) or None
    result = texts.given_to(name) if name else texts.GIVEN_TO_NOBODY
    _take(
        incidents,
        _assigned(name),
        back=lambda old: _assigned(old.assignee),
        message=lambda names: texts.impact_line(names, result),
    )


def snooze(incidents: Incidents, until: datetime) -> None:
    """Snooze the incidents."""
    result = texts.told_later(ui_texts.moment(until, timezone=viewer.timezone()))
    _take(
        incidents,
        _snoozed(until),
        back=lambda old: _snoozed(_ahead(old)),
        message=lambda names: texts.impact_line(names, result),
    )


def resolve(incidents: Incidents) -> None:
    """Resolve the incidents with the selected reason."""
    reason: ManualResolution | None = st.session_state.get(REASON)
    if reason is None:
        panels.flash(texts.SAY_WHY_OVER, problem=True)
        return
    comment = bulk_steps.input_text(COMMENT) or None
    _take(
        incidents,
        lambda registry, each: registry.resolve_incident(each.id, each.revision, reason, comment=comment),
        back=lambda _: _reopened,
        message=texts.resolved,
    )


def reopen(incident: IncidentOut) -> None:
    """Reopen the incident."""
    _take([incident], _reopened, back=None, message=texts.open_now)


def name(incident: IncidentOut) -> str:
    """Return the display name of an incident."""
    return f"{incident.contract_id} · {incident.object}"


def _acknowledged(registry: Client, each: IncidentOut) -> IncidentOut:
    return registry.acknowledge_incident(each.id, each.revision)


def _reopened(registry: Client, each: IncidentOut) -> IncidentOut:
    return registry.reopen_incident(each.id, each.revision)


def _assigned(to: str | None) -> Step:
    return lambda registry, each: registry.assign_incident(each.id, each.revision, to)


def _snoozed(until: datetime | None) -> Step:
    return lambda registry, each: registry.snooze_incident(each.id, each.revision, until)


def _ahead(incident: IncidentOut) -> datetime | None:
    """Return the end of the snooze; None if it is over."""
    until = incident.snoozed_until
    return until if until and until > viewer.now() else None


def _take(
    incidents: Incidents, step: Step, *, back: Callable[[IncidentOut], Step] | None, message: Callable[[str], str]
) -> None:
    registry = viewer.registry()
    undo = None if back is None else lambda before, after: _put_back(before, after, back)
    bulk_steps.run_bulk_step(incidents, bulk_steps.BulkStep(lambda each: step(registry, each), name, message, undo))


def _put_back(before: IncidentOut, after: IncidentOut, back: Callable[[IncidentOut], Step]) -> None:
    """Undo the action. Raises ClientError if the incident has changed since."""
    registry = viewer.registry()
    now = registry.incident(after.id)
    if _state_of(now) != _state_of(after):
        raise ClientError(409, texts.changed_since(name(now)))
    back(before)(registry, now)


def _state_of(incident: IncidentOut) -> tuple[object, ...]:
    return incident.state, incident.assignee, incident.acknowledged_by, incident.snoozed_until, incident.resolution
