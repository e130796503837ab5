"""Failed runs in the inbox, and bulk actions on their incidents."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import streamlit as st

from treaty.registry.core.enums import ManualResolution, Permission
from treaty.registry.schemas import InboxOut, IncidentOut, RunSummaryOut
from treaty.ui import texts as ui_texts
from treaty.ui.parts.inbox import inbox_order, incident_steps
from treaty.ui.texts import incidents as texts
from treaty.ui.widgets import panels, viewer

SNOOZES = {texts.HOUR: timedelta(hours=1), texts.DAY: timedelta(days=1), texts.WEEK: timedelta(weeks=1)}
REASONS = [each for each in ManualResolution if each is not ManualResolution.DUPLICATE]


def draw(inbox: InboxOut) -> None:
    """Draw the last failed or unevaluated runs, and the actions on selected ones."""
    runs = inbox_order.failed(inbox)
    if not runs:
        return
    st.subheader(texts.need_attention(len(runs)), help=texts.CONCERN_YOU)
    of, place = inbox_order.incidents(inbox), st.container()
    may = bool(of) and viewer.may(Permission.INCIDENTS)
    chosen = {each.id: each for run in runs if (each := row(run, of.get(run.id) if may else None))}
    if may:
        with place:
            steps(list(chosen.values()))


def row(run: RunSummaryOut, incident: IncidentOut | None) -> IncidentOut | None:
    """Draw a run, with a checkbox if it has an incident; return the incident if it is selected."""
    if incident is None:
        panels.run_row(run, named=True)
        return None
    with st.container(horizontal=True, vertical_alignment="center", gap="small", wrap=False, key=f"needs-{run.id}"):
        name = ui_texts.esc(texts.choose(incident_steps.name(incident)))
        chosen = st.checkbox(name, key=f"choose-{run.id}", label_visibility="collapsed", width=24)
        with st.container(gap=None):
            panels.run_row(run, named=True, more=assignee_text(incident))
    return incident if chosen else None


def assignee_text(incident: IncidentOut) -> str:
    """Return the assignee of the incident as text."""
    who = incident.assignee or incident.acknowledged_by
    return texts.looked_after(who) if who else texts.NOBODY_LOOKS_AFTER_IT


def steps(chosen: Sequence[IncidentOut]) -> None:
    """Draw the actions on the selected incidents; disabled if none is selected."""
    none = not chosen
    with st.container(horizontal=True, vertical_alignment="center", key="steps"):
        st.button(
            texts.I_LOOK_AFTER_IT,
            key="acknowledge",
            icon=":material/visibility:",
            disabled=none,
            on_click=incident_steps.acknowledge,
            args=(chosen,),
        )
        put_off(chosen)
        with st.popover(texts.GIVE_TO, key="give", disabled=none):
            st.text_input(texts.ASSIGNEE, key=incident_steps.ASSIGNEE, max_chars=200, on_change="ignore")
            st.button(texts.GIVE, key="assign", on_click=incident_steps.assign, args=(chosen,))
        with st.popover(texts.DONE, key="over", disabled=none):
            resolve(chosen)
        st.caption(texts.chosen(len(chosen)) if chosen else texts.CHOOSE)


def put_off(chosen: Sequence[IncidentOut]) -> None:
    """Draw the snooze menu of the incidents."""
    snoozing("snooze", lambda until: incident_steps.snooze(chosen, until), disabled=not chosen)


def snoozing(key: str, step: Callable[[datetime], None], *, disabled: bool) -> None:
    """Draw a snooze menu; `step` is called with the end of the snooze."""

    def later() -> None:
        step(viewer.now() + SNOOZES[st.session_state[key]])

    icon = ":material/snooze:"
    st.menu_button(ui_texts.PUT_OFF, list(SNOOZES), key=key, icon=icon, disabled=disabled, on_click=later)


def resolve(chosen: Sequence[IncidentOut]) -> None:
    """Draw the form that resolves the incidents; a reason is required."""
    st.selectbox(texts.WHY_OVER, REASONS, index=None, key=incident_steps.REASON, format_func=ui_texts.RESOLUTIONS.get)
    st.text_input(texts.COMMENT, key=incident_steps.COMMENT, max_chars=1000, on_change="ignore")
    st.button(texts.RESOLVE, key="resolve", type="primary", on_click=incident_steps.resolve, args=(chosen,))
