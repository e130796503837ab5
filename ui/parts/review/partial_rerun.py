"""Redraw only the parts of a review that a step changed: a card and the counts, or the page."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import streamlit as st

from treaty.registry.schemas import ProposalOut, SuggestionOut
from treaty.ui import texts as ui_texts
from treaty.ui.widgets import viewer

VERDICT, SAFE, PROGRESS = "part-verdict", "part-safe", "part-progress"
# Sections with the document, which every decision changes while they are open.
OPENED = ("document", "meaning")
PROGRAM = "program"


def partial_rerun(key: str, draw: Callable[..., None], *arguments: Any) -> None:
    """Draw a part of the page that can be redrawn on its own; `draw` reads the current proposal."""
    st.fragment(draw, key=key)(*arguments)


def card_key(suggestion: UUID) -> str:
    """Return the key of the part with that suggestion's card."""
    return f"part-{suggestion}"


def suggestion_by_id(proposal: ProposalOut, suggestion: UUID) -> SuggestionOut:
    """Return the proposal's suggestion with that id."""
    return next(each for each in proposal.suggestions if each.id == suggestion)


def current(proposal: ProposalOut, siblings: Sequence[UUID]) -> UUID | None:
    """Return the next suggestion on the page to decide; None if none is pending."""
    waiting = {each.id for each in proposal.suggestions if each.decision == "pending"}
    return next((each for each in siblings if each in waiting), None)


def after(step: Callable[..., object], *arguments: Any) -> None:
    """Run the step and redraw the whole page."""
    step(*arguments)
    st.rerun()


def after_deciding(step: Callable[[ProposalOut, UUID], object], suggestion: UUID, siblings: Sequence[UUID]) -> None:
    """Run the step of a card and redraw what changed, or the whole page."""
    before = viewer.current_proposal()
    step(before, suggestion)
    decided = viewer.answered()
    if decided is None or _spreads(before, decided, suggestion_by_id(before, suggestion)):
        st.rerun()
        return
    cards = dict.fromkeys((suggestion, current(before, siblings), current(decided, siblings)))
    st.rerun([*(card_key(each) for each in cards if each), PROGRESS, SAFE, VERDICT])


def _spreads(before: ProposalOut, decided: ProposalOut, suggestion: SuggestionOut) -> bool:
    """Return True if the decision shows elsewhere: filters, approval, an open document or a program."""
    filtered = st.session_state.get("show", ui_texts.ALL) != ui_texts.ALL
    opened = any(st.session_state.get(each) for each in OPENED)
    ended = not (before.pending and decided.pending) or before.change_requests != decided.change_requests
    return filtered or opened or ended or suggestion.content["kind"] == PROGRAM
