"""Contract requests: list, form, and the actions of requesters and deciders."""

from collections.abc import Sequence

import streamlit as st

from treaty.registry.core.enums import Permission
from treaty.registry.schemas import ContractRequestOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import requests as texts
from treaty.ui.widgets import panels, people_forms, step_runner, viewer

NAME, NAMESPACE, WHY = "wanted-name", "wanted-namespace", "wanted-why"
# Key suffix of a form without a given dataset: it is typed there.
ANY = "any"


def draw(requests: Sequence[ContractRequestOut]) -> None:
    """Draw the contract requests for the viewer, if there are any."""
    if requests:
        st.subheader(texts.asked_for(len(requests)), help=texts.WHO_IS_TOLD)
    for each in requests:
        row(each)


def contract_requests_panel(namespace: str, name: str, every: Sequence[ContractRequestOut]) -> None:
    """Draw the requests for a dataset without a contract, and the form for another one."""
    requests = [each for each in every if node(each.namespace, each.name) == node(namespace, name)]
    for each in requests:
        row(each)
    if not any(each.is_own for each in requests):
        form(namespace, name)


def node(namespace: str, name: str) -> str:
    """Return the id of the dataset in URLs of the lineage page."""
    return f"dataset:{namespace}:{name}"


def row(request: ContractRequestOut) -> None:
    """Draw a request with the actions that the viewer may take."""
    about = texts.why(request.author, request.purpose)
    with panels.row(ui_texts.REQUESTED, age=request.created_at, about=about, key=f"wanted-{request.id}"):
        node_id = node(request.namespace, request.name)
        panels.link("lineage", request.name, help_text=request.namespace, node=node_id)
    with st.container(horizontal=True, vertical_alignment="center", key=f"answer-{request.id}"):
        if viewer.may(Permission.DRAFT):
            panels.link("draft", texts.DRAFT_IT, location=request.location)
        if request.is_own:
            st.button(texts.TAKE_BACK, key=f"back-{request.id}", on_click=end, args=(request, texts.TAKEN_BACK))
        elif request.can_decide:
            decline(request)


def decline(request: ContractRequestOut) -> None:
    """Draw the form that declines the request with a reason."""
    with st.popover(texts.ASK_DECLINE, key=f"decline-{request.id}"):
        st.text_input(texts.READ_BY_AUTHOR, key=f"no-{request.id}", max_chars=1000, on_change="ignore")
        st.button(texts.DECLINE, key=f"declined-{request.id}", on_click=end, args=(request, texts.DECLINED))


def end(request: ContractRequestOut, done: str) -> None:
    """Withdraw the viewer's own request; decline another's with the typed reason."""
    reason = people_forms.input_text(f"no-{request.id}")
    if not (request.is_own or reason):
        panels.flash(texts.SAY_WHY, problem=True)
        return
    step_runner.run_step(lambda: viewer.registry().close_contract_request(request.id, reason or None), done=done)


def form(namespace: str = "", name: str = "") -> None:
    """Draw the form that requests a contract, if the viewer may propose.

    Without `name` the dataset is typed in the form."""
    if not viewer.may(Permission.PROPOSE):
        return
    key = ui_texts.slug(f"{namespace} {name}") if name else ANY
    with st.popover(texts.REQUEST, key=f"request-{key}", icon=":material/contract:", on_change="rerun") as opened:
        if opened.open:
            inputs(key, namespace, name)


def inputs(key: str, namespace: str, name: str) -> None:
    """Draw the inputs: the reason, and the dataset if none is given."""
    with st.form(f"wanted-{key}", border=False, width=480):
        if not name:
            st.text_input(texts.DATASET, key=f"{NAME}-{key}", placeholder=texts.DATASET_EXAMPLE, max_chars=2000)
            st.text_input(ui_texts.NAMESPACE, key=f"{NAMESPACE}-{key}", value=texts.FILES, max_chars=200)
        st.text_input(texts.WHY, key=f"{WHY}-{key}", placeholder=texts.WHY_EXAMPLE, max_chars=1000)
        st.caption(texts.WHO_IS_TOLD)
        st.form_submit_button(texts.SUBMIT, type="primary", on_click=submit_request, args=(key, namespace, name))


def submit_request(key: str, namespace: str, name: str) -> None:
    """Submit the request as typed."""
    space = namespace or people_forms.input_text(f"{NAMESPACE}-{key}")
    dataset, why = name or people_forms.input_text(f"{NAME}-{key}"), people_forms.input_text(f"{WHY}-{key}")
    if not (space and dataset and why):
        panels.flash(texts.MISSING, problem=True)
        return
    step_runner.run_step(
        lambda: viewer.registry().request_contract(dataset, why, namespace=space), done=texts.SUBMITTED
    )
