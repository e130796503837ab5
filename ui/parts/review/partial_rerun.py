"""What of a review is drawn anew after a step: of one on a card that card and the counts, of others the whole page."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import streamlit as st

from treaty.registry.schemas import ProposalOut, SuggestionOut
from treaty.ui import texts as ui_texts
from treaty.ui.widgets import viewer

VERDICT, SAFE, PROGRESS = "part-verdict", "part-safe", "part-progress"
# What shows the document that each decision changes, while it is open.
OPENED = ("document", "meaning")
PROGRAM = "program"


def partial_rerun(key: str, draw: Callable[..., None], *given: Any) -> None:
    """Draws a part of the page, which can be drawn anew by itself: `draw` asks for the proposal as it is then."""
    st.fragment(draw, key=key)(*given)


def card_key(suggestion: UUID) -> str:
    """The part that is the card of that suggestion."""
    return f"part-{suggestion}"


def suggestion_by_id(proposal: ProposalOut, suggestion: UUID) -> SuggestionOut:
    """The suggestion of that id, which is one of the proposal's."""
    return next(each for each in proposal.suggestions if each.id == suggestion)


def current(proposal: ProposalOut, beside: Sequence[UUID]) -> UUID | None:
    """Which of those on the page is decided next; None where none waits."""
    waiting = {each.id for each in proposal.suggestions if each.decision == "pending"}
    return next((each for each in beside if each in waiting), None)


def after(step: Callable[..., object], *given: Any) -> None:
    """Takes the step, wherever its button stands, and has the whole page drawn anew."""
    step(*given)
    st.rerun()


def after_deciding(step: Callable[[ProposalOut, UUID], object], suggestion: UUID, beside: Sequence[UUID]) -> None:
    """Takes the step on that card, and has drawn anew what it changed: the whole page where that may be anywhere."""
    before = viewer.current_proposal()
    step(before, suggestion)
    decided = viewer.answered()
    if decided is None or _spreads(before, decided, suggestion_by_id(before, suggestion)):
        st.rerun()
        return
    cards = dict.fromkeys((suggestion, current(before, beside), current(decided, beside)))
    st.rerun([*(card_key(each) for each in cards if each), PROGRESS, SAFE, VERDICT])


def _spreads(before: ProposalOut, decided: ProposalOut, suggestion: SuggestionOut) -> bool:
    """Whether the decision shows elsewhere: in what is filtered, whether it can be approved, or a document."""
    filtered = st.session_state.get("show", ui_texts.ALL) != ui_texts.ALL
    opened = any(st.session_state.get(each) for each in OPENED)
    ended = not (before.pending and decided.pending) or before.change_requests != decided.change_requests
    return filtered or opened or ended or suggestion.content["kind"] == PROGRAM
