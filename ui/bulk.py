"""Many suggestions at once: a table of them, and one decision about those that are chosen in it.

What needs a look of its own is decided on its card alone: the table says why, and leaves it out."""

from collections.abc import Sequence

import streamlit as st

from registry.api.schemas import ProposalOut, SuggestionOut
from registry.words import Decision
from ui import actions, panels, words
from ui.evidence import held_everywhere, read

CHOSEN = "chosen"
REASON = "chosen-reason"
HEIGHT = 560


def alone(suggestion: SuggestionOut) -> str:
    """Why it is decided on its card, and not with others; "" where it may be."""
    if suggestion.content.get("critical"):
        return "a critical data element"
    if suggestion.rejected_before:
        return "rejected before"
    if not read(suggestion).confirmed:
        return "nobody counted its values"
    return "" if held_everywhere(suggestion) else "did not hold everywhere"


def table(proposal: ProposalOut, shown: Sequence[SuggestionOut]) -> None:
    """The suggestions as rows; whoever may judge chooses some and decides about them."""
    if not shown:
        panels.empty("No suggestion matches", "Choose other filters.")
        return
    rows = panels.said([row(each) for each in shown])
    if not proposal.may_judge:
        st.dataframe(rows, hide_index=True, height=_height(rows), alt="The suggestions")
        return
    event = st.dataframe(
        rows,
        hide_index=True,
        height=_height(rows),
        key=f"{CHOSEN}-{proposal.revision}",
        on_select="rerun",
        selection_mode="multi-row",
        alt="The suggestions; choose rows to decide about them",
    )
    decide(proposal, [shown[at] for at in event.selection.rows if at < len(shown)])


def row(suggestion: SuggestionOut) -> dict[str, str]:
    """A suggestion as a row of plain texts."""
    content, found = suggestion.content, read(suggestion)
    return {
        "Promise": str(content.get("sentence", "")),
        "Kind": words.kind(str(content.get("kind", ""))),
        "Severity": words.SEVERITIES.get(str(content.get("severity")), words.UNKNOWN).word,
        "Held": f"{found.held:,} of {found.partitions:,}",
        "Decision": words.DECISIONS[suggestion.decision].word,
        "On its card": alone(suggestion),
        "Catches": "" if found.catches is None else f"{found.catches:.0%}",
        "Column": str(content.get("column") or ""),
    }


def decide(proposal: ProposalOut, chosen: Sequence[SuggestionOut]) -> None:
    """The steps for the chosen ones: each says how many of them it is about."""
    pending = [each for each in chosen if each.decision == "pending"]
    together = [each for each in pending if not alone(each)]
    with st.container(horizontal=True, vertical_alignment="bottom", key="bulk"):
        st.button(
            f"Accept {words.several(len(together), 'suggestion')}",
            key="accept-chosen",
            type="primary",
            icon=":material/done_all:",
            disabled=not together,
            on_click=judge,
            args=(proposal, chosen, together, Decision.ACCEPTED),
        )
        st.text_input("Why reject them?", key=REASON, max_chars=1000, on_change="ignore", width=320)
        st.button(
            f"Reject {words.several(len(pending), 'suggestion')}",
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
        panels.tell("Say why, so that the same suggestions do not come back", problem=True)
        return
    given = None if decision is Decision.ACCEPTED else reason
    left = [each for each in chosen if each not in about]
    names = [each.id for each in about]
    undo = actions.decide(proposal, names, decision, reason=given)
    if undo:
        panels.tell(told(decision, about, left), undo=undo)
        st.session_state.pop(REASON, None)


def told(decision: Decision, about: Sequence[SuggestionOut], left: Sequence[SuggestionOut]) -> str:
    """What was decided, and each that was not, with the reason."""
    done = f"{actions.judged(decision, len(about))}."
    why = [f"{each.content.get('sentence', '')} ({_left(each)})" for each in left]
    return f"{done} Left as they are: {'; '.join(why)}." if why else done


def _left(suggestion: SuggestionOut) -> str:
    return alone(suggestion) if suggestion.decision == "pending" else f"{suggestion.decision.value} already"


def _height(rows: Sequence[object]) -> int:
    return min(HEIGHT, 38 + 35 * len(rows))
