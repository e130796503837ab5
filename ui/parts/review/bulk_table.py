"""Table of suggestions with bulk decisions.

Suggestions that need individual attention are excluded, with the reason."""

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
    """Return the reason to decide it on its own card; "" if bulk decisions are allowed."""
    if suggestion.content.get("critical"):
        return texts.CRITICAL
    if suggestion.rejected_before:
        return texts.WAS_REJECTED
    basis = read(suggestion)
    if not basis.confirmed:
        return texts.NOT_COUNTED
    return "" if held_everywhere(suggestion) or not basis.is_about_values else texts.NOT_EVERYWHERE


def table(proposal: ProposalOut, shown: Sequence[SuggestionOut]) -> None:
    """Draw the suggestions as rows, and the bulk decisions if the viewer may decide."""
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
    """Return a suggestion as a table row of plain text."""
    content, evidence = suggestion.content, read(suggestion)
    return {
        ui_texts.PROMISE: str(content.get("sentence", "")),
        ui_texts.KIND: ui_texts.kind(str(content.get("kind", ""))),
        ui_texts.SEVERITY: severity(content.get("severity")),
        texts.HOLDOUT: ui_texts.part(evidence.passing, evidence.partitions),
        ui_texts.DECISION: ui_texts.DECISIONS[suggestion.decision].word,
        texts.ON_ITS_CARD: single_card_reason(suggestion),
        texts.CATCHES: "" if evidence.catches is None else ui_texts.percent(evidence.catches),
        ui_texts.COLUMN: str(content.get("column") or ""),
    }


def severity(name: str | None) -> str:
    """Return the word for a severity; '' for a suggestion that is no check."""
    return ui_texts.SEVERITIES.get(name, ui_texts.UNKNOWN).word if name else ""


def decide(proposal: ProposalOut, chosen: Sequence[SuggestionOut]) -> None:
    """Draw the buttons for the selected suggestions, with their numbers."""
    pending = [each for each in chosen if each.decision == "pending"]
    acceptable = [each for each in pending if not single_card_reason(each)]
    with st.container(horizontal=True, vertical_alignment="bottom", key="bulk"):
        st.button(
            texts.accept_chosen(len(acceptable)),
            key="accept-chosen",
            type="primary",
            icon=":material/done_all:",
            disabled=not acceptable,
            on_click=judge,
            args=(proposal, chosen, acceptable, Decision.ACCEPTED),
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
    """Decide on these suggestions, all or none, and report the selected ones left out."""
    reason = str(st.session_state.get(REASON, "")).strip() or None
    if decision is Decision.REJECTED and reason is None:
        panels.flash(texts.SAY_WHY_ALL, problem=True)
        return
    rejection = None if decision is Decision.ACCEPTED else reason
    left = [each for each in chosen if each not in about]
    names = [each.id for each in about]
    undo = step_runner.decide(proposal, names, decision, reason=rejection)
    if undo:
        panels.flash(bulk_summary(decision, about, left), undo=undo)
        st.session_state.pop(REASON, None)


def bulk_summary(decision: Decision, about: Sequence[SuggestionOut], left: Sequence[SuggestionOut]) -> str:
    """Describe the decision, and why each excluded suggestion was left out."""
    done = f"{step_runner.decision_text(decision, len(about))}."
    why = [f"{each.content.get('sentence', '')} ({_left(each)})" for each in left]
    return texts.left_out(done, why) if why else done


def _left(suggestion: SuggestionOut) -> str:
    return (
        single_card_reason(suggestion) if suggestion.decision == "pending" else texts.already(suggestion.decision.value)
    )


def _height(rows: Sequence[object]) -> int:
    return min(HEIGHT, 38 + 35 * len(rows))
