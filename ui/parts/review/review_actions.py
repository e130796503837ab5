"""Comment on a proposal, or request changes before it can be approved."""

from collections.abc import Callable

import streamlit as st

from treaty.registry.schemas import ChangeRequestOut, PreviewOut, ProposalOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import verdicts as texts
from treaty.ui.widgets import panels, step_runner, undo, viewer

SUMMARY = "summary"


def requests(proposal: ProposalOut) -> None:
    """Draw the open change requests; each author can withdraw their own."""
    for at, each in enumerate(proposal.change_requests):
        with st.container(border=True, key=f"request-{at}", gap="xsmall"):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.markdown(ui_texts.PROPOSALS["changes_requested"].badge, width="content")
                st.caption(ui_texts.esc(request_text(each)), width="content")
            st.text(each.text)
            if each.is_own:
                st.button(texts.ASK_NO_LONGER, key="take-changes-back", icon=":material/undo:",
                          on_click=take_back, args=(proposal,))  # fmt: skip
    if proposal.change_requests:
        st.caption(texts.NOBODY_APPROVES)


def request_text(request: ChangeRequestOut) -> str:
    """Describe the author, age and revision of the request."""
    age = ui_texts.age(request.created_at, now=viewer.now())
    return texts.change_request_line(None if request.is_own else request.author, age, request.revision)


def draw(proposal: ProposalOut) -> None:
    """Draw the summary of the review and its buttons; an approval includes the summary."""
    if not proposal.may_comment:
        return
    with st.popover(texts.REVIEW, key="verdict", icon=":material/rate_review:"):
        st.text_area(texts.SUMMARY, key=SUMMARY, max_chars=4000, height=110, on_change="ignore")
        st.caption(texts.CONSUMERS_READ if proposal.may_approve else texts.OTHERS_READ)
        with st.container(horizontal=True, key="verdicts"):
            st.button(
                texts.COMMENT, key="verdict-comment", icon=":material/comment:", on_click=comment, args=(proposal,)
            )
            if proposal.may_request:
                st.button(texts.REQUEST_CHANGES, key="request-changes", icon=":material/edit_note:",
                          on_click=request_changes, args=(proposal,))  # fmt: skip


def summary() -> str | None:
    """Return the typed summary; None if it is empty."""
    return str(st.session_state.get(SUMMARY) or "").strip() or None


def clear() -> None:
    """Clear the summary after it was sent."""
    st.session_state[SUMMARY] = ""


def approve(proposal: ProposalOut, preview: PreviewOut) -> None:
    """Approve the previewed document with the typed summary."""
    if step_runner.approve(proposal, preview, summary()):
        clear()


def comment(proposal: ProposalOut) -> None:
    """Post the typed summary as a comment."""
    _submit_comment(lambda text: viewer.registry().add_comment(proposal.id, text), done=ui_texts.IN_DISCUSSION)


def request_changes(proposal: ProposalOut) -> None:
    """Request the typed changes; until they are made, the proposal cannot be approved."""
    about, registry = proposal.title or proposal.contract_id, viewer.registry()
    done = texts.you_ask(about)
    if _submit_comment(
        lambda text: registry.request_changes(proposal.id, text, revision=viewer.current_proposal().revision)
    ):
        panels.flash(done, undo=undo.remember(done, lambda: registry.withdraw_change_request(proposal.id)))


def take_back(proposal: ProposalOut) -> None:
    """Withdraw the viewer's change request."""
    step_runner.run_step(lambda: viewer.registry().withdraw_change_request(proposal.id), done=texts.ASKED_NO_LONGER)


def _submit_comment(step: Callable[[str], object], *, done: str = "") -> bool:
    """Run the step with the typed summary; on failure the text stays in the input."""
    text = summary()
    if text is None:
        panels.flash(texts.NOTHING_SAID, problem=True)
        return False
    if not step_runner.run_step(lambda: step(text), done=done):
        return False
    clear()
    return True
