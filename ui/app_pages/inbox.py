"""The inbox: what the viewer decides, what they wait for, and what else affects them; the urgent first."""

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
    """Draws the inbox; says so where nothing waits."""
    found = viewer.inbox()
    st.title(pages.INBOX)
    panels.show_flash()
    undo.draw()
    if inbox_order.is_empty(found):
        nothing()
        return
    st.markdown(f"**{summary(found)}**")
    failed_runs.draw(found)
    questions(inbox_order.pending_acknowledgements(found))
    contract_requests.draw(found.contract_requests)
    proposal_list.draw(found)
    behind(found.outdated_pins)


def nothing() -> None:
    """What is said where nothing waits: that it does not, and what happened last."""
    panels.empty(texts.NOTHING_WAITS, texts.DRAFTS_APPEAR)
    panels.link("start", pages.START)
    if last := viewer.registry().runs(limit=LAST):
        st.subheader(texts.JUDGED_LAST)
    for run in last:
        panels.run_row(run, named=True)


def summary(found: InboxOut) -> str:
    """What waits for the viewer, in a sentence. Holds no foreign text."""
    counts = (
        (len(found.failed_runs), texts.to_look_at),
        (len(inbox_order.pending_acknowledgements(found)), texts.to_answer),
        (len(found.to_change), texts.to_change),
        (len(found.to_decide), texts.to_decide),
        (len(found.contract_requests), texts.to_draft),
    )
    said = [told(number) for number, told in counts if number]
    return ui_texts.join_list(said) or texts.NOTHING_WAITS


def questions(asked: Sequence[AcknowledgementOut]) -> None:
    """Approved versions that break what the viewer builds on, each with its answer in place."""
    if asked:
        st.subheader(texts.you_answer(len(asked)), help=texts.WAIT_FOR_CONSUMERS)
        for each in asked:
            question(each)


def question(asked: AcknowledgementOut) -> None:
    """One version: whom it breaks and until when, and both answers."""
    until = texts.until(ui_texts.moment(asked.due_at, timezone=viewer.timezone())) if asked.due_at else ""
    about = " · ".join(part for part in (asked.purpose, until, *asked.breaking_reasons) if part)
    with panels.row(ui_texts.BREAKS, age=asked.requested_at, about=about, key=f"asked-{asked.id}"):
        title = f"{asked.contract_id} {asked.version}"
        panels.link("contract", title, id=asked.contract_id, tab=of_contract.DIFF, newer=asked.version)
    with st.container(horizontal=True, key=f"answers-{asked.id}"):
        st.button(
            texts.I_KNOW,
            key=f"know-{asked.id}",
            type="primary",
            on_click=answer,
            args=(asked, AcknowledgementState.ACKNOWLEDGED),
        )
        with st.popover(texts.ASK_OBJECT, key=f"object-{asked.id}"):
            st.text_input(texts.OWNER_READS, key=f"why-{asked.id}", max_chars=1000, on_change="ignore")
            st.button(
                texts.OBJECT, key=f"objected-{asked.id}", on_click=answer, args=(asked, AcknowledgementState.OBJECTED)
            )


def answer(asked: AcknowledgementOut, given: AcknowledgementState) -> None:
    """Answers; an objection with what was typed."""
    typed = str(st.session_state.get(f"why-{asked.id}") or "").strip()
    if given is AcknowledgementState.OBJECTED and not typed:
        panels.flash(texts.SAY_WHY, problem=True)
        return
    said = texts.OWNER_SEES_YOU_KNOW if given is AcknowledgementState.ACKNOWLEDGED else texts.OWNER_SEES_OBJECTION
    registry = viewer.registry()
    if step_runner.run_step(lambda: registry.answer(asked.id, given, comment=typed or None)):  # type: ignore[arg-type]
        about = texts.answered(said, f"{asked.contract_id} {asked.version}")
        panels.flash(about, undo=undo.remember(about, lambda: registry.answer(asked.id, AcknowledgementState.PENDING)))


def behind(subscriptions: Sequence[SubscriptionOut]) -> None:
    """What the viewer builds on that is not in force any more."""
    if subscriptions:
        st.subheader(texts.behind(len(subscriptions)), help=texts.PINNED)
    for each in subscriptions:
        about = f"{each.purpose} · {each.outdated_reason or ''}"
        with panels.row(ui_texts.BEHIND, age=each.created_at, about=about, key=f"behind-{each.id}"):
            panels.link("contract", each.contract_id, id=each.contract_id, tab=of_contract.VERSIONS)


page()
