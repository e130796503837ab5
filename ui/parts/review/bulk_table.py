"""Many suggestions at once: a table of them, and one decision about those that are chosen in it.

What needs a look of its own is decided on its card alone: the table says why, and leaves it out."""

from collections.abc import Sequence

import streamlit as st

from treaty.registry.core.enums import Decision
from treaty.registry.schemas import ProposalOut, SuggestionOut
from treaty.ui import texts as ui_texts
from treaty.ui.parts.review.evidence import held_everywhere, read
from treaty.ui.texts import review as texts
from treaty.ui.widgets import panels, step_runner

CHOSEN = "chosen"
REASON = "chosen-reason"
HEIGHT = 560


def single_card_reason(suggestion: SuggestionOut) -> str:
    """Why it is decided on its card, and not with others; "" where it may be."""
    if suggestion.content.get("critical"):
        return texts.CRITICAL
    if suggestion.rejected_before:
        return texts.WAS_REJECTED
    if not read(suggestion).confirmed:
        return texts.NOT_COUNTED
    return "" if held_everywhere(suggestion) else texts.NOT_EVERYWHERE


def table(proposal: ProposalOut, shown: Sequence[SuggestionOut]) -> None:
    """The suggestions as rows; whoever may judge chooses some and decides about them."""
    if not shown:
        panels.empty(texts.NO_MATCH, texts.OTHER_FILTERS)
        return
    rows = panels.without_empty_columns([row(each) for each in shown])
    if not proposal.may_decide:
        st.dataframe(rows, hide_index=True, height=_height(rows), alt=texts.SUGGESTIONS)
        return
    event = st.dataframe(
        rows,
        hide_index=True,
        height=_height(rows),
        key=f"{CHOSEN}-{proposal.revision}",
        on_select="rerun",
        selection_mode="multi-row",
        alt=texts.CHOOSE_ROWS,
    )
    decide(proposal, [shown[at] for at in event.selection.rows if at < len(shown)])


def row(suggestion: SuggestionOut) -> dict[str, str]:
    """A suggestion as a row of plain texts."""
    content, found = suggestion.content, read(suggestion)
    return {
        ui_texts.PROMISE: str(content.get("sentence", "")),
        ui_texts.KIND: ui_texts.kind(str(content.get("kind", ""))),
        ui_texts.SEVERITY: ui_texts.SEVERITIES.get(str(content.get("severity")), ui_texts.UNKNOWN).word,
        texts.HOLDOUT: ui_texts.part(found.held, found.partitions),
        ui_texts.DECISION: ui_texts.DECISIONS[suggestion.decision].word,
        texts.ON_ITS_CARD: single_card_reason(suggestion),
        texts.CATCHES: "" if found.catches is None else f"{found.catches:.0%}",
        ui_texts.COLUMN: str(content.get("column") or ""),
    }


def decide(proposal: ProposalOut, chosen: Sequence[SuggestionOut]) -> None:
    """The steps for the chosen ones: each says how many of them it is about."""
    pending = [each for each in chosen if each.decision == "pending"]
    together = [each for each in pending if not single_card_reason(each)]
    with st.container(horizontal=True, vertical_alignment="bottom", key="bulk"):
        st.button(
            texts.accept_chosen(len(together)),
            key="accept-chosen",
            type="primary",
            icon=":material/done_all:",
            disabled=not together,
            on_click=judge,
            args=(proposal, chosen, together, Decision.ACCEPTED),
        )
        st.text_input(texts.WHY_REJECT_THEM, key=REASON, max_chars=1000, on_change="ignore", width=320)
        st.button(
            texts.reject_chosen(len(pending)),
            key="reject-chosen",
            icon=":material/close:",
            disabled=not pending,
            on_click=judge,
            args=(proposal, chosen, pending, Decision.REJECTED),
        )


def judge(
    proposal: ProposalOut, chosen: Sequence[SuggestionOut], about: Sequence[SuggestionOut], decision: Decision
) -> None:
    """Decides about them, all or none, and says of the chosen ones that were left out why."""
    reason = str(st.session_state.get(REASON, "")).strip() or None
    if decision is Decision.REJECTED and reason is None:
        panels.flash(texts.SAY_WHY_ALL, problem=True)
        return
    given = None if decision is Decision.ACCEPTED else reason
    left = [each for each in chosen if each not in about]
    names = [each.id for each in about]
    undo = step_runner.decide(proposal, names, decision, reason=given)
    if undo:
        panels.flash(bulk_summary(decision, about, left), undo=undo)
        st.session_state.pop(REASON, None)


def bulk_summary(decision: Decision, about: Sequence[SuggestionOut], left: Sequence[SuggestionOut]) -> str:
    """What was decided, and each that was not, with the reason."""
    done = f"{step_runner.decision_text(decision, len(about))}."
    why = [f"{each.content.get('sentence', '')} ({_left(each)})" for each in left]
    return texts.left_out(done, why) if why else done


def _left(suggestion: SuggestionOut) -> str:
    return (
        single_card_reason(suggestion) if suggestion.decision == "pending" else texts.already(suggestion.decision.value)
    )


def _height(rows: Sequence[object]) -> int:
    return min(HEIGHT, 38 + 35 * len(rows))
