"""Contracts that are asked for: who asks and why, and what can be done about it, by who asks and by who decides."""

from collections.abc import Sequence

import streamlit as st

from treaty.registry.core.enums import Permission
from treaty.registry.schemas import ContractRequestOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import requests as texts
from treaty.ui.widgets import panels, people_forms, step_runner, viewer

NAME, NAMESPACE, WHY = "wanted-name", "wanted-namespace", "wanted-why"
# In place of a dataset, in keys: it is typed.
ANY = "any"


def draw(found: Sequence[ContractRequestOut]) -> None:
    """What others ask of the viewer; nothing where that is nothing."""
    if found:
        st.subheader(texts.asked_for(len(found)), help=texts.WHO_IS_TOLD)
    for each in found:
        row(each)


def contract_requests_panel(namespace: str, name: str, every: Sequence[ContractRequestOut]) -> None:
    """Who asks for a contract of the dataset, which has none, and the form to ask for one."""
    found = [each for each in every if node(each.namespace, each.name) == node(namespace, name)]
    for each in found:
        row(each)
    if not any(each.is_own for each in found):
        form(namespace, name)


def node(namespace: str, name: str) -> str:
    """How the page of a dataset names it in its address."""
    return f"dataset:{namespace}:{name}"


def row(request: ContractRequestOut) -> None:
    """A request, with what the viewer can do about it."""
    about = texts.why(request.author, request.purpose)
    with panels.row(ui_texts.REQUESTED, age=request.created_at, about=about, key=f"wanted-{request.id}"):
        asked = node(request.namespace, request.name)
        panels.link("lineage", request.name, help_text=request.namespace, node=asked)
    with st.container(horizontal=True, vertical_alignment="center", key=f"answer-{request.id}"):
        if viewer.may(Permission.DRAFT):
            panels.link("draft", texts.DRAFT_IT, location=request.location)
        if request.is_own:
            st.button(texts.TAKE_BACK, key=f"back-{request.id}", on_click=end, args=(request, texts.TAKEN_BACK))
        elif request.can_decide:
            decline(request)


def decline(request: ContractRequestOut) -> None:
    """The way to say that there will be none, and why."""
    with st.popover(texts.ASK_DECLINE, key=f"decline-{request.id}"):
        st.text_input(texts.READ_BY_AUTHOR, key=f"no-{request.id}", max_chars=1000, on_change="ignore")
        st.button(texts.DECLINE, key=f"declined-{request.id}", on_click=end, args=(request, texts.DECLINED))


def end(request: ContractRequestOut, done: str) -> None:
    """Takes the viewer's own request back; declines another's, for what was typed."""
    reason = people_forms.input_text(f"no-{request.id}")
    if not (request.is_own or reason):
        panels.flash(texts.SAY_WHY, problem=True)
        return
    step_runner.run_step(lambda: viewer.registry().close_contract_request(request.id, reason or None), done=done)


def form(namespace: str = "", name: str = "") -> None:
    """Asks for a contract: of that dataset, or of the one that is typed; not for who may propose nothing."""
    if not viewer.may(Permission.PROPOSE):
        return
    key = ui_texts.slug(f"{namespace} {name}") if name else ANY
    with st.popover(texts.REQUEST, key=f"request-{key}", icon=":material/contract:", on_change="rerun") as opened:
        if opened.open:
            inputs(key, namespace, name)


def inputs(key: str, namespace: str, name: str) -> None:
    """What is to be said: why, and of which dataset where none is given."""
    with st.form(f"wanted-{key}", border=False, width=480):
        if not name:
            st.text_input(texts.DATASET, key=f"{NAME}-{key}", placeholder=texts.DATASET_EXAMPLE, max_chars=2000)
            st.text_input(ui_texts.NAMESPACE, key=f"{NAMESPACE}-{key}", value=texts.FILES, max_chars=200)
        st.text_input(texts.WHY, key=f"{WHY}-{key}", placeholder=texts.WHY_EXAMPLE, max_chars=1000)
        st.caption(texts.WHO_IS_TOLD)
        st.form_submit_button(texts.SUBMIT, type="primary", on_click=submit_request, args=(key, namespace, name))


def submit_request(key: str, namespace: str, name: str) -> None:
    """Asks for the contract, as typed."""
    space = namespace or people_forms.input_text(f"{NAMESPACE}-{key}")
    dataset, why = name or people_forms.input_text(f"{NAME}-{key}"), people_forms.input_text(f"{WHY}-{key}")
    if not (space and dataset and why):
        panels.flash(texts.MISSING, problem=True)
        return
    step_runner.run_step(
        lambda: viewer.registry().request_contract(dataset, why, namespace=space), done=texts.SUBMITTED
    )
