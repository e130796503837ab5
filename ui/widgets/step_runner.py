"""Run the steps of buttons: one request to the registry each, then a message."""

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
    """Run the step; return False and show the error if the registry refuses it.

    `done`: message after success; empty means none."""
    try:
        step()
    except ClientError as error:
        panels.flash(panels.sentence(error), problem=True)
        return False
    if done:
        panels.flash(done)
    return True


def judge(step: Callable[[], ProposalOut]) -> bool:
    """Run a step of a review, as `run_step` does; the page then shows the returned proposal."""
    return run_step(lambda: viewer.keep(step()))


def decide(
    proposal: ProposalOut, suggestions: Sequence[UUID], decision: Decision, *, reason: str | None = None
) -> Callable[[], None] | None:
    """Decide on these suggestions, all or none.

    Returns a function that undoes the decision; None if the registry refused it."""
    registry, revision = viewer.registry(), proposal.revision
    if not judge(
        lambda: registry.decide(proposal.id, suggestions, decision, revision=revision, reason=reason, decided_only=True)
    ):
        return None
    message = f"{decision_text(decision, len(suggestions))} ({proposal.title or proposal.contract_id})"
    return widgets_undo.remember(message, lambda: _undecide(proposal.id, suggestions, decision))


def decision_text(decision: Decision, number: int) -> str:
    """Describe a decision on that many suggestions."""
    return f"{ui_texts.DECISIONS[decision.value].word}: {ui_texts.suggestions(number)}"


def _undecide(proposal_id: UUID, suggestions: Sequence[UUID], decision: Decision) -> None:
    """Reset the suggestions that still have this decision to pending. Raises ClientError if the registry refuses."""
    registry = viewer.registry()
    proposal = registry.proposal(proposal_id)
    if still := [each.id for each in proposal.suggestions if each.id in suggestions and each.decision == decision]:
        registry.decide(proposal_id, still, Decision.PENDING, revision=proposal.revision)


def accept(suggestions: Sequence[UUID]) -> None:
    """Accept these suggestions, all or none, and show a message with an undo button."""
    if undo := decide(viewer.current_proposal(), suggestions, Decision.ACCEPTED):
        panels.flash(f"{decision_text(Decision.ACCEPTED, len(suggestions))}.", undo=undo)


def accept_one(proposal: ProposalOut, suggestion: UUID) -> None:
    """Accept the suggestion of a card, which then shows the decision."""
    decide(proposal, [suggestion], Decision.ACCEPTED)


def reject(proposal: ProposalOut, suggestion: UUID) -> None:
    """Reject the suggestion with the reason typed on its card; on failure the reason stays there."""
    reason = str(st.session_state.get(reason_key(suggestion), "")).strip()
    if not reason:
        panels.flash(texts.SAY_WHY, problem=True)
        return
    if decide(proposal, [suggestion], Decision.REJECTED, reason=reason):
        close_reason(suggestion)


def undo(proposal: ProposalOut, suggestion: UUID) -> None:
    """Reset the suggestion to pending."""
    registry, revision = viewer.registry(), proposal.revision
    judge(lambda: registry.decide(proposal.id, [suggestion], Decision.PENDING, revision=revision, decided_only=True))


def open_reason(suggestion: UUID) -> None:
    """Show the input for a reason on the card."""
    st.session_state[asking_key(suggestion)] = True


def close_reason(suggestion: UUID) -> None:
    """Hide the input for a reason on the card."""
    st.session_state.pop(asking_key(suggestion), None)


def asking_key(suggestion: UUID) -> str:
    """Return the session key that marks a card with an open reason input."""
    return f"asking-{suggestion}"


def reason_key(suggestion: UUID) -> str:
    """Return the key of the card's reason input."""
    return f"reason-{suggestion}"


def replayed_key(proposal: ProposalOut) -> str:
    """Return the session key that marks the replay of this revision as viewed."""
    return f"replayed-{proposal.id}-{proposal.revision}"


def submit(proposal: ProposalOut) -> None:
    """Submit the draft for review."""
    run_step(lambda: viewer.registry().submit(proposal.id, etag=proposal.etag), done=texts.SUBMITTED)


def approve(proposal: ProposalOut, preview: PreviewOut, comment: str | None = None) -> bool:
    """Approve exactly the previewed document, with an optional comment; False if it was refused."""
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
    """Describe the result of an approval in a sentence."""
    if answer.version is None:
        return texts.still_missing(answer.missing)
    number = answer.version.version
    if answer.version.state == "approved":
        return texts.approved_for_later(number)
    return texts.active_now(number)


def decline(proposal: ProposalOut) -> None:
    """Reject the whole proposal with the typed reason."""
    reason = str(st.session_state.get("decline-reason", "")).strip()
    if not reason:
        panels.flash(texts.SAY_WHY_DRAFT, problem=True)
        return
    run_step(lambda: viewer.registry().reject(proposal.id, reason, etag=proposal.etag), done=texts.DECLINED)


def withdraw(proposal: ProposalOut) -> None:
    """Withdraw the viewer's own proposal."""
    run_step(lambda: viewer.registry().withdraw(proposal.id, etag=proposal.etag), done=texts.WITHDRAWN)


def forget(name: str) -> None:
    """Remove a parameter from the URL."""
    st.query_params.pop(name, None)
