"""Inbox: decisions of the viewer, pending decisions of others, and related changes, most urgent first."""

from collections.abc import Sequence

import streamlit as st

from treaty.registry.core.enums import AcknowledgementState
from treaty.registry.schemas import AcknowledgementOut, InboxOut, SubscriptionOut
from treaty.ui import texts as ui_texts
from treaty.ui.parts.inbox import contract_requests, failed_runs, inbox_order, proposal_list
from treaty.ui.texts import contract as of_contract
from treaty.ui.texts import inbox as texts
from treaty.ui.texts import pages
from treaty.ui.widgets import panels, step_runner, undo, viewer

LAST = 3


def page() -> None:
    """Draw the inbox, or its empty state."""
    inbox = viewer.inbox()
    st.title(pages.INBOX)
    panels.show_flash()
    undo.draw()
    if inbox_order.is_empty(inbox):
        nothing()
        return
    st.markdown(f"**{summary(inbox)}**")
    failed_runs.draw(inbox)
    questions(inbox_order.pending_acknowledgements(inbox))
    contract_requests.draw(inbox.contract_requests)
    proposal_list.draw(inbox)
    behind(inbox.outdated_pins)


def nothing() -> None:
    """Draw the empty state with the last runs."""
    panels.empty(texts.NOTHING_WAITS, texts.DRAFTS_APPEAR)
    panels.link("start", pages.START)
    if last := viewer.registry().runs(limit=LAST):
        st.subheader(texts.JUDGED_LAST)
    for run in last:
        panels.run_row(run, named=True)


def summary(inbox: InboxOut) -> str:
    """Summarize the open items in a sentence. Contains no foreign text."""
    counts = (
        (len(inbox.failed_runs), texts.to_look_at),
        (len(inbox_order.pending_acknowledgements(inbox)), texts.to_answer),
        (len(inbox.to_change), texts.to_change),
        (len(inbox.to_decide), texts.to_decide),
        (len(inbox.contract_requests), texts.to_draft),
    )
    parts = [describe(number) for number, describe in counts if number]
    return ui_texts.join_list(parts) or texts.NOTHING_WAITS


def questions(acknowledgements: Sequence[AcknowledgementOut]) -> None:
    """Draw approved versions that break the viewer's use, each with its answers."""
    if acknowledgements:
        st.subheader(texts.you_answer(len(acknowledgements)), help=texts.WAIT_FOR_CONSUMERS)
        for each in acknowledgements:
            question(each)


def question(acknowledgement: AcknowledgementOut) -> None:
    """Draw one version: reasons, deadline, and both answers."""
    until = (
        texts.until(ui_texts.moment(acknowledgement.due_at, timezone=viewer.timezone()))
        if acknowledgement.due_at
        else ""
    )
    about = " · ".join(part for part in (acknowledgement.purpose, until, *acknowledgement.breaking_reasons) if part)
    with panels.row(ui_texts.BREAKS, age=acknowledgement.requested_at, about=about, key=f"asked-{acknowledgement.id}"):
        title = f"{acknowledgement.contract_id} {acknowledgement.version}"
        panels.link(
            "contract", title, id=acknowledgement.contract_id, tab=of_contract.DIFF, newer=acknowledgement.version
        )
    with st.container(horizontal=True, key=f"answers-{acknowledgement.id}"):
        st.button(
            texts.I_KNOW,
            key=f"know-{acknowledgement.id}",
            type="primary",
            on_click=answer,
            args=(acknowledgement, AcknowledgementState.ACKNOWLEDGED),
        )
        with st.popover(texts.ASK_OBJECT, key=f"object-{acknowledgement.id}"):
            st.text_input(texts.OWNER_READS, key=f"why-{acknowledgement.id}", max_chars=1000, on_change="ignore")
            st.button(
                texts.OBJECT,
                key=f"objected-{acknowledgement.id}",
                on_click=answer,
                args=(acknowledgement, AcknowledgementState.OBJECTED),
            )


def answer(acknowledgement: AcknowledgementOut, state: AcknowledgementState) -> None:
    """Send the answer; an objection needs the typed comment."""
    typed = str(st.session_state.get(f"why-{acknowledgement.id}") or "").strip()
    if state is AcknowledgementState.OBJECTED and not typed:
        panels.flash(texts.SAY_WHY, problem=True)
        return
    result = texts.OWNER_SEES_YOU_KNOW if state is AcknowledgementState.ACKNOWLEDGED else texts.OWNER_SEES_OBJECTION
    registry = viewer.registry()
    if step_runner.run_step(lambda: registry.answer(acknowledgement.id, state, comment=typed or None)):  # type: ignore[arg-type]
        about = texts.answered(result, f"{acknowledgement.contract_id} {acknowledgement.version}")
        panels.flash(
            about, undo=undo.remember(about, lambda: registry.answer(acknowledgement.id, AcknowledgementState.PENDING))
        )


def behind(subscriptions: Sequence[SubscriptionOut]) -> None:
    """Draw the viewer's subscriptions that are pinned to an outdated version."""
    if subscriptions:
        st.subheader(texts.behind(len(subscriptions)), help=texts.PINNED)
    for each in subscriptions:
        about = f"{each.purpose} · {each.outdated_reason or ''}"
        with panels.row(ui_texts.BEHIND, age=each.created_at, about=about, key=f"behind-{each.id}"):
            panels.link("contract", each.contract_id, id=each.contract_id, tab=of_contract.VERSIONS)


page()
