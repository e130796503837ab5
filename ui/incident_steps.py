"""What the buttons of an incident do: one step in the registry each, at the revision that was seen."""

from datetime import datetime

import streamlit as st

from registry.api.schemas import IncidentOut, Told
from ui import actions, panels, session

ASSIGNEE, REASON, COMMENT = "assignee", "reason", "comment"


def acknowledge(incident: IncidentOut) -> None:
    """Says that the viewer looks after it."""
    actions.attempt(
        lambda: session.registry().acknowledge_incident(incident.id, incident.revision), done="You look after it."
    )


def assign(incident: IncidentOut) -> None:
    """Gives it to whom the input names; to nobody where it is empty."""
    name = _typed(ASSIGNEE)
    actions.attempt(
        lambda: session.registry().assign_incident(incident.id, incident.revision, name or None),
        done=f"It is given to {name}." if name else "It is nobody's now.",
    )


def snooze(incident: IncidentOut, until: datetime) -> None:
    """Puts it off."""
    actions.attempt(
        lambda: session.registry().snooze_incident(incident.id, incident.revision, until),
        done="It is put off: nobody is told of it until then.",
    )


def resolve(incident: IncidentOut) -> None:
    """Ends it for the reason that was chosen."""
    reason: Told | None = st.session_state.get(REASON)
    if reason is None:
        panels.tell("Say why it is over", problem=True)
        return
    comment = _typed(COMMENT) or None
    actions.attempt(
        lambda: session.registry().resolve_incident(incident.id, incident.revision, reason, comment=comment),
        done="Resolved.",
    )


def reopen(incident: IncidentOut) -> None:
    """Opens it again."""
    actions.attempt(
        lambda: session.registry().reopen_incident(incident.id, incident.revision), done="It is open again."
    )


def _typed(key: str) -> str:
    return str(st.session_state.get(key, "")).strip()
