"""Consequences of a failed run: its incident, and the downstream impact of the bad data."""

import streamlit as st

from treaty.registry.client import ClientError
from treaty.registry.schemas import DownstreamImpactOut, IncidentOut, RunOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import run as texts
from treaty.ui.widgets import panels, viewer

SHOWN = 20
NAMED = 5


def draw(run: RunOut) -> None:
    """Draw the incident with its assignee and impact; nothing for a run that did not fail."""
    if run.verdict != "failed":
        return
    st.subheader(texts.LED_TO)
    linked = incident(run)
    if linked is None:
        st.caption(texts.NO_INCIDENT)
        return
    about = " · ".join(
        (
            texts.looked_after_by(linked.assignee or linked.acknowledged_by),
            reached(linked),
        )
    )
    with panels.row(ui_texts.INCIDENTS[linked.state], age=linked.opened_at, about=about, key="incident"):
        panels.link("incidents", texts.incident(linked.contract_id, linked.object), id=str(linked.id))


def incident(run: RunOut) -> IncidentOut | None:
    """Return the newest incident that includes the run; None if there is none."""
    incidents = viewer.registry().incidents(contract_id=run.contract_id, limit=SHOWN)
    return next((each for each in incidents if _holds(each, run)), None)


def _holds(incident: IncidentOut, run: RunOut) -> bool:
    """Return True if the run is within the incident; ids of runs are ordered by time."""
    return any(
        (part.contract_id, part.object) == (run.contract_id, run.object)
        and part.first_run_id <= run.id <= part.last_run_id
        for part in incident.objects
    )


def reached(incident: IncidentOut) -> str:
    """Describe the downstream datasets and their consumers. Contains names of people."""
    try:
        blast = viewer.registry().incident_impact(incident.id)
    except ClientError:
        return texts.DOWNSTREAM_HIDDEN
    return impact_sentence(blast)


def impact_sentence(blast: DownstreamImpactOut) -> str:
    """Describe the downstream impact of bad data in words."""
    if not blast.datasets:
        return texts.NOTHING_DOWNSTREAM
    people = dict.fromkeys(
        name for each in blast.datasets for touched in each.contracts for name, _ in touched.consumers
    )
    named = list(people)[:NAMED]
    more = [ui_texts.and_more(len(people) - NAMED)] if len(people) > NAMED else []
    consumers = texts.used_by([*named, *more]) if named else ""
    return texts.downstream(len(blast.datasets), consumers)
