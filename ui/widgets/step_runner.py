"""What buttons do: one step in the registry each, and a sentence about how it ended."""

from collections.abc import Callable, Sequence
from uuid import UUID

import streamlit as st

from treaty.registry.client import ClientError
from treaty.registry.core.enums import Decision
from treaty.registry.schemas import ApprovalResultOut, PreviewOut, ProposalOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import review as texts
from treaty.ui.widgets import panels, viewer
from treaty.ui.widgets import undo as widgets_undo


def run_step(step: Callable[[], object], *, done: str = "") -> bool:
    """Takes the step. False when the registry refused it; the page then says why. `done` is said when it did not."""
    try:
        step()
    except ClientError as error:
        panels.flash(panels.sentence(error), problem=True)
        return False
    if done:
        panels.flash(done)
    return True


def judge(step: Callable[[], ProposalOut]) -> bool:
    """Takes a step of a review, as `attempt` does; the page then shows the proposal that it answered."""
    return run_step(lambda: viewer.keep(step()))


def decide(
    proposal: ProposalOut, suggestions: Sequence[UUID], decision: Decision, *, reason: str | None = None
) -> Callable[[], None] | None:
    """Decides about these suggestions, all or none; the way back, None where the registry refused."""
    registry, revision = viewer.registry(), proposal.revision
    if not judge(
        lambda: registry.decide(proposal.id, suggestions, decision, revision=revision, reason=reason, decided_only=True)
    ):
        return None
    said = f"{decision_text(decision, len(suggestions))} ({proposal.title or proposal.contract_id})"
    return widgets_undo.remember(said, lambda: _undecide(proposal.id, suggestions, decision))


def decision_text(decision: Decision, number: int) -> str:
    """What was decided, about how many."""
    return f"{ui_texts.DECISIONS[decision.value].word}: {ui_texts.suggestions(number)}"


def _undecide(proposal_id: UUID, suggestions: Sequence[UUID], decision: Decision) -> None:
    """Makes those pending again that are still so decided. Raises ClientError where the registry refuses."""
    registry = viewer.registry()
    seen = registry.proposal(proposal_id)
    if still := [each.id for each in seen.suggestions if each.id in suggestions and each.decision == decision]:
        registry.decide(proposal_id, still, Decision.PENDING, revision=seen.revision)


def accept(suggestions: Sequence[UUID]) -> None:
    """Accepts these suggestions of the proposal on the page, all or none, and says so, with the way back."""
    if undo := decide(viewer.current_proposal(), suggestions, Decision.ACCEPTED):
        panels.flash(f"{decision_text(Decision.ACCEPTED, len(suggestions))}.", undo=undo)


def accept_one(proposal: ProposalOut, suggestion: UUID) -> None:
    """Accepts the suggestion of a card, which then says so."""
    decide(proposal, [suggestion], Decision.ACCEPTED)


def reject(proposal: ProposalOut, suggestion: UUID) -> None:
    """Rejects the suggestion for the reason typed on its card, which stays there when that did not work."""
    reason = str(st.session_state.get(reason_key(suggestion), "")).strip()
    if not reason:
        panels.flash(texts.SAY_WHY, problem=True)
        return
    if decide(proposal, [suggestion], Decision.REJECTED, reason=reason):
        close_reason(suggestion)


def undo(proposal: ProposalOut, suggestion: UUID) -> None:
    """Makes the suggestion pending again."""
    registry, revision = viewer.registry(), proposal.revision
    judge(lambda: registry.decide(proposal.id, [suggestion], Decision.PENDING, revision=revision, decided_only=True))


def open_reason(suggestion: UUID) -> None:
    """Has the card ask for a reason."""
    st.session_state[asking_key(suggestion)] = True


def close_reason(suggestion: UUID) -> None:
    """Has the card ask no more."""
    st.session_state.pop(asking_key(suggestion), None)


def asking_key(suggestion: UUID) -> str:
    """Where it is kept that the card asks for a reason."""
    return f"asking-{suggestion}"


def reason_key(suggestion: UUID) -> str:
    """The card's input for the reason."""
    return f"reason-{suggestion}"


def replayed_key(proposal: ProposalOut) -> str:
    """Where it is kept that the viewer was shown the replay of the proposal as it is now."""
    return f"replayed-{proposal.id}-{proposal.revision}"


def submit(proposal: ProposalOut) -> None:
    """Puts the draft before the owners."""
    run_step(lambda: viewer.registry().submit(proposal.id), done=texts.SUBMITTED)


def approve(proposal: ProposalOut, preview: PreviewOut, comment: str | None = None) -> bool:
    """Approves exactly the document that was shown, with what there is to say of it; False where it was refused."""
    answers: list[ApprovalResultOut] = []
    registry = viewer.registry()
    if not run_step(
        lambda: answers.append(
            registry.approve(
                proposal.id,
                preview.fingerprint,
                revision=preview.revision,
                follows=preview.follows_version,
                comment=comment,
                replay=replayed_key(proposal) in st.session_state,
            )
        )
    ):
        return False
    panels.flash(approved(answers[0]))
    return True


def approved(answer: ApprovalResultOut) -> str:
    """What an approval came to, in a sentence."""
    if answer.version is None:
        return texts.still_missing(answer.missing)
    number = answer.version.version
    if answer.version.state == "approved":
        return texts.approved_for_later(number)
    return texts.active_now(number)


def decline(proposal: ProposalOut) -> None:
    """Rejects the whole proposal for the reason typed."""
    reason = str(st.session_state.get("decline-reason", "")).strip()
    if not reason:
        panels.flash(texts.SAY_WHY_DRAFT, problem=True)
        return
    run_step(lambda: viewer.registry().reject(proposal.id, reason), done=texts.DECLINED)


def withdraw(proposal: ProposalOut) -> None:
    """Takes the viewer's own proposal back."""
    run_step(lambda: viewer.registry().withdraw(proposal.id), done=texts.WITHDRAWN)


def forget(name: str) -> None:
    """Takes a word out of the address."""
    st.query_params.pop(name, None)
