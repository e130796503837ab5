"""Incidents: state, assignee, failing checks, downstream impact and resolution."""

import streamlit as st

from treaty.registry.core.enums import IncidentState, Permission
from treaty.registry.schemas import DownstreamDatasetOut, IncidentOut
from treaty.ui import texts as ui_texts
from treaty.ui.parts.inbox import failed_runs, incident_steps
from treaty.ui.texts import incidents as texts
from treaty.ui.texts import pages
from treaty.ui.widgets import panels, viewer

SHOWN = 50
STATE_FILTERS = {
    texts.OPEN: IncidentState.OPEN,
    texts.ACKNOWLEDGED: IncidentState.ACKNOWLEDGED,
    texts.RESOLVED: IncidentState.RESOLVED,
}


def page() -> None:
    """Draw the list, or the incident named by the URL."""
    st.title(pages.INCIDENTS)
    panels.show_flash()
    incident_id = viewer.asked_id("id")
    if incident_id is None:
        incident_list()
    else:
        one(viewer.registry().incident(incident_id))


def incident_list() -> None:
    """Draw the incidents of the selected state, newest first."""
    selected = st.segmented_control(
        texts.FILTER,
        [*STATE_FILTERS, texts.MINE],
        default=texts.OPEN,
        key="which",
        bind="query-params",
        label_visibility="collapsed",
    )
    state = STATE_FILTERS.get(selected or texts.OPEN)
    incidents = viewer.registry().incidents(state=state, mine=selected == texts.MINE, limit=SHOWN)
    if not incidents:
        panels.empty(texts.EMPTY, texts.HOW_THEY_COME)
    for incident in incidents:
        row(incident)


def row(incident: IncidentOut) -> None:
    """Draw an incident in the list."""
    failing = sum(len(part.failing_checks) for part in incident.objects if part.active)
    details = (texts.failing(failing) if failing else "", assigned(incident), snoozed(incident))
    about = " · ".join(part for part in details if part)
    with panels.row(
        ui_texts.INCIDENTS[incident.state], age=incident.opened_at, about=about, key=f"incident-{incident.id}"
    ):
        panels.link("incidents", incident_steps.name(incident), id=str(incident.id))


def assigned(incident: IncidentOut) -> str:
    """Return the assignee as text."""
    return texts.assigned(incident.assignee) if incident.assignee else texts.UNASSIGNED


def snoozed(incident: IncidentOut) -> str:
    """Return the end of the snooze as text; empty if the incident is not snoozed."""
    ahead = incident.snoozed_until is not None and incident.snoozed_until > viewer.now()
    return texts.snoozed(ui_texts.moment(incident.snoozed_until, timezone=viewer.timezone())) if ahead else ""


def one(incident: IncidentOut) -> None:
    """Draw an incident: state, facts, failing checks, actions and impact."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(ui_texts.esc(incident_steps.name(incident)), width="content")
        st.markdown(ui_texts.INCIDENTS[incident.state].badge, width="content")
    facts(incident)
    panels.link("contract", ui_texts.open_contract(incident.contract_id), id=incident.contract_id)
    failing(incident)
    if viewer.may(Permission.INCIDENTS):
        steps(incident)
    reached(incident)


def facts(incident: IncidentOut) -> None:
    """Draw the times and people of the incident."""
    with st.container(horizontal=True, gap="medium", key="facts"):
        panels.time(texts.BAD_DATA_SINCE, incident.started_at)
        panels.time(texts.OPENED, incident.opened_at)
        panels.fact(texts.LOOKED_AFTER_BY, incident.assignee or incident.acknowledged_by or ui_texts.NOBODY)
        if snoozed(incident):
            until = ui_texts.moment(incident.snoozed_until, timezone=viewer.timezone())
            panels.fact(ui_texts.SNOOZED, texts.until(until))
        if incident.reopen_count:
            panels.fact(texts.OPENED_AGAIN, texts.times(incident.reopen_count))
        if incident.growth_count:
            panels.fact(texts.GREW, texts.times(incident.growth_count))
        if incident.resolution:
            panels.fact(texts.ENDED, ui_texts.RESOLUTIONS[incident.resolution], help_text=incident.comment)
            panels.fact(texts.ENDED_BY, incident.resolved_by or texts.BY_ITSELF)


def failing(incident: IncidentOut) -> None:
    """Draw the failing checks by object, each with a link to its last report."""
    st.subheader(texts.WHAT_FAILS)
    for part in incident.objects:
        names = (
            f"{each.check} ({ui_texts.partition_label(each.partition)})" if each.partition else each.check
            for each in part.failing_checks
        )
        mark = ui_texts.VERDICTS["failed" if part.active else "passed"]
        slug = ui_texts.slug(f"{part.contract_id} {part.object}")
        with panels.row(mark, age=part.joined_at, about=", ".join(names), key=f"part-{slug}"):
            panels.link("run", f"{part.contract_id} · {part.object}", id=str(part.last_run_id))


def steps(incident: IncidentOut) -> None:
    """Draw the actions that the viewer may take."""
    if incident.state is IncidentState.RESOLVED:
        st.button(texts.OPEN_AGAIN, key="reopen", on_click=incident_steps.reopen, args=(incident,))
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="steps"):
        if incident.state is IncidentState.OPEN:
            st.button(texts.I_LOOK_AFTER_IT, key="acknowledge", on_click=incident_steps.acknowledge, args=([incident],))
        st.text_input(texts.ASSIGN_TO, value=incident.assignee or "", key=incident_steps.ASSIGNEE, on_change="ignore")
        st.button(texts.ASSIGN, key="assign", on_click=incident_steps.assign, args=([incident],))
        failed_runs.put_off([incident])
    with st.container(horizontal=True, vertical_alignment="bottom", key="end"):
        failed_runs.resolve([incident])
    st.caption(ui_texts.ENDS)


def reached(incident: IncidentOut) -> None:
    """Draw the downstream datasets that the bad data affects or may affect."""
    impact = viewer.registry().incident_impact(incident.id)
    st.subheader(texts.downstream(len(impact.datasets)))
    if not impact.datasets:
        panels.empty(texts.NOTHING_DOWNSTREAM, texts.NO_READER)
        return
    panels.table([entry(each) for each in impact.datasets], key="blast", alt=texts.DOWNSTREAM)


def entry(dataset: DownstreamDatasetOut) -> dict[str, str]:
    """Return a downstream dataset as a table row."""
    return {
        texts.DATASET: dataset.name,
        texts.BAD_DATA: ui_texts.SPREADS[dataset.contamination],
        ui_texts.SINCE: ui_texts.moment(dataset.reached_at, timezone=viewer.timezone()) if dataset.reached_at else "",
        texts.JOBS_AWAY: str(dataset.distance),
        texts.REACHED_BY: texts.BY_VALUES if dataset.is_direct else texts.BY_CONDITIONS,
        ui_texts.COLUMNS: ", ".join(dataset.columns)
        if dataset.columns
        else texts.UNKNOWN_COLUMNS
        if dataset.is_table_level
        else texts.ALL_COLUMNS,
        ui_texts.CONTRACTS: ", ".join(each.contract_id for each in dataset.contracts),
        ui_texts.CONSUMERS: ", ".join(name for each in dataset.contracts for name, _ in each.consumers),
        ui_texts.OWNERS: ", ".join(dict.fromkeys([*dataset.owners, *(each.owner for each in dataset.contracts)])),
        ui_texts.NAMESPACE: dataset.namespace,
    }


page()
