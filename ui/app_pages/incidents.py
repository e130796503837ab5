"""Incidents: what is wrong now, who looks after it, what it has reached, and how it ends."""

import streamlit as st

from registry.api.schemas import BlastEntry, IncidentOut
from registry.words import IncidentState, Permission
from ui import attention, incident_steps, panels, session, words

SHOWN = 50
MINE = "Mine"
WHICH = {"Open": IncidentState.OPEN, "Acknowledged": IncidentState.ACKNOWLEDGED, "Resolved": IncidentState.RESOLVED}


def page() -> None:
    """Draws the list, or the incident that the address names."""
    st.title("Incidents")
    panels.told()
    incident_id = session.asked_id("id")
    if incident_id is None:
        listed()
    else:
        one(session.registry().incident(incident_id))


def listed() -> None:
    """Incidents of one kind, newest first."""
    which = st.segmented_control(
        "Which", [*WHICH, MINE], default="Open", key="which", bind="query-params", label_visibility="collapsed"
    )
    state = WHICH.get(which or "Open")
    found = session.registry().incidents(state=state, mine=which == MINE, limit=SHOWN)
    if not found:
        panels.empty("No incident", "A violation opens one; it closes by itself when good data come.")
    for incident in found:
        row(incident)


def row(incident: IncidentOut) -> None:
    """An incident in the list."""
    failing = sum(len(part.failing) for part in incident.parts if part.active)
    said = (words.several(failing, "failing check") if failing else "", assigned(incident), snoozed(incident))
    about = " · ".join(part for part in said if part)
    with panels.row(words.INCIDENTS[incident.state], age=incident.opened, about=about, key=f"incident-{incident.id}"):
        panels.link("incidents", incident_steps.name(incident), id=str(incident.id))


def assigned(incident: IncidentOut) -> str:
    """Who looks after it."""
    return f"assigned to {incident.assignee}" if incident.assignee else "assigned to nobody"


def snoozed(incident: IncidentOut) -> str:
    """Until when it is put off, where it is."""
    ahead = incident.snoozed_until is not None and incident.snoozed_until > session.now()
    return f"put off until {words.moment(incident.snoozed_until, timezone=session.timezone())}" if ahead else ""


def one(incident: IncidentOut) -> None:
    """An incident: its state, what fails, what can be done, and what it has reached."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(words.esc(incident_steps.name(incident)), width="content")
        st.markdown(words.INCIDENTS[incident.state].badge, width="content")
    facts(incident)
    panels.link("contract", f"Open the contract {incident.contract_id}", id=incident.contract_id)
    failing(incident)
    if session.may(Permission.INCIDENTS):
        steps(incident)
    reached(incident)


def facts(incident: IncidentOut) -> None:
    """When and who."""
    with st.container(horizontal=True, gap="medium", key="facts"):
        panels.time("Bad data since", incident.since)
        panels.time("Opened", incident.opened)
        panels.fact("Looked after by", incident.assignee or incident.acknowledged_by or "nobody")
        if snoozed(incident):
            panels.fact("Put off", snoozed(incident))
        if incident.reopened:
            panels.fact("Opened again", words.several(incident.reopened, "time"))
        if incident.resolution:
            panels.fact("Ended", words.RESOLUTIONS[incident.resolution], help_text=incident.comment)
            panels.fact("By", incident.resolved_by or "itself")


def failing(incident: IncidentOut) -> None:
    """What fails in it, each part opening its last report."""
    st.subheader("What fails")
    for part in incident.parts:
        told = (f"{each.check} ({each.partition})" if each.partition else each.check for each in part.failing)
        mark = words.VERDICTS["failed" if part.active else "passed"]
        slug = words.slug(f"{part.contract_id} {part.object}")
        with panels.row(mark, age=part.joined, about=", ".join(told), key=f"part-{slug}"):
            panels.link("run", f"{part.contract_id} · {part.object}", id=str(part.last_run_id))


def steps(incident: IncidentOut) -> None:
    """What the viewer may do now."""
    if incident.state is IncidentState.RESOLVED:
        st.button("Open again", key="reopen", on_click=incident_steps.reopen, args=(incident,))
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="steps"):
        if incident.state is IncidentState.OPEN:
            st.button("I look after it", key="acknowledge", on_click=incident_steps.acknowledge, args=([incident],))
        st.text_input("Assign to", value=incident.assignee or "", key=incident_steps.ASSIGNEE, on_change="ignore")
        st.button("Assign", key="assign", on_click=incident_steps.assign, args=([incident],))
        attention.put_off([incident])
    with st.container(horizontal=True, vertical_alignment="bottom", key="end"):
        attention.resolve([incident])
    st.caption(words.ENDS)


def reached(incident: IncidentOut) -> None:
    """What the bad data came to downstream, and may come to."""
    found = session.registry().incident_blast(incident.id)
    st.subheader(f"Downstream ({len(found.entries)})")
    if not found.entries:
        panels.empty("Nothing lies downstream", "No job was seen reading these data.")
        return
    panels.table([entry(each) for each in found.entries], key="blast", alt="Datasets downstream of the incident")


def entry(found: BlastEntry) -> dict[str, str]:
    """A dataset downstream, as a row."""
    return {
        "Dataset": found.name,
        "Bad data": words.SPREADS[found.spread],
        "Since": words.moment(found.since, timezone=session.timezone()) if found.since else "",
        "Jobs away": str(found.distance),
        "By": "values" if found.direct else "conditions",
        "Columns": ", ".join(found.columns) if found.columns else "unknown" if found.coarse else "all",
        "Contracts": ", ".join(each.contract_id for each in found.contracts),
        "Consumers": ", ".join(name for each in found.contracts for name, _ in each.consumers),
        "Owners": ", ".join(dict.fromkeys([*found.owners, *(each.owner for each in found.contracts)])),
        "Namespace": found.namespace,
    }


page()
