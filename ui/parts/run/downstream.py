"""What a failed run led to: the incident that it belongs to, and what lies downstream of the bad data."""

import streamlit as st

from treaty.registry.client import ClientError
from treaty.registry.schemas import DownstreamImpactOut, IncidentOut, RunOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import run as texts
from treaty.ui.widgets import panels, viewer

SHOWN = 20
NAMED = 5


def draw(run: RunOut) -> None:
    """The incident with its state and who looks after it, and whom it reaches; nothing for a run that did not fail."""
    if run.verdict != "failed":
        return
    st.subheader(texts.LED_TO)
    found = incident(run)
    if found is None:
        st.caption(texts.NO_INCIDENT)
        return
    about = " · ".join(
        (texts.looked_after_by(found.assignee or found.acknowledged_by or ui_texts.NOBODY), reached(found))
    )
    with panels.row(ui_texts.INCIDENTS[found.state], age=found.opened_at, about=about, key="incident"):
        panels.link("incidents", texts.incident(found.contract_id, found.object), id=str(found.id))


def incident(run: RunOut) -> IncidentOut | None:
    """The incident that the run belongs to, the newest where there are several; None for none."""
    found = viewer.registry().incidents(contract_id=run.contract_id, limit=SHOWN)
    return next((each for each in found if _holds(each, run)), None)


def _holds(found: IncidentOut, run: RunOut) -> bool:
    """Ids of runs are in the order of their times."""
    return any(
        (part.contract_id, part.object) == (run.contract_id, run.object)
        and part.first_run_id <= run.id <= part.last_run_id
        for part in found.objects
    )


def reached(found: IncidentOut) -> str:
    """How much lies downstream, and whose it is. Holds names of people."""
    try:
        blast = viewer.registry().incident_impact(found.id)
    except ClientError:
        return texts.DOWNSTREAM_HIDDEN
    return impact_sentence(blast)


def impact_sentence(blast: DownstreamImpactOut) -> str:
    """What bad data reach, in words."""
    if not blast.datasets:
        return texts.NOTHING_DOWNSTREAM
    people = dict.fromkeys(
        name for each in blast.datasets for touched in each.contracts for name, _ in touched.consumers
    )
    named = list(people)[:NAMED]
    more = ui_texts.and_more(len(people) - NAMED) if len(people) > NAMED else ""
    consumers = texts.used_by(named, more) if named else ""
    return texts.downstream(len(blast.datasets), consumers)
