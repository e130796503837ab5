"""Edit a suggestion on its card, compare it with the draft, and comment on it."""

from collections.abc import Mapping
from typing import Any

import streamlit as st
import yaml

from treaty.registry.schemas import ProposalOut, ReplayedCheckOut, SuggestionOut
from treaty.ui import texts as ui_texts
from treaty.ui.parts.review import partial_rerun
from treaty.ui.parts.review.evidence import EvidenceBasis
from treaty.ui.texts import review as texts
from treaty.ui.widgets import panels, step_runner, viewer

# Number of named partitions in a sentence.
NAMED = 5
# Length of the quoted suggestion in a comment.
ABOUT = 200


def patch(suggestion: SuggestionOut) -> Mapping[str, Any]:
    """Return the patch of the suggestion, edited if it was; {} if it has none."""
    content = suggestion.edited_patch or suggestion.content.get("patch")
    return content if isinstance(content, dict) else {}


def check_id(suggestion: SuggestionOut) -> str | None:
    """Return the id of the check in the patch; None for a column keyword, which cannot be edited."""
    quality = patch(suggestion).get("quality")
    identifier = quality.get("id") if isinstance(quality, dict) else None
    return str(identifier) if identifier else None


def editing_key(suggestion: SuggestionOut) -> str:
    """Return the session key that marks a card with an open form."""
    return f"editing-{suggestion.id}"


def is_open(suggestion: SuggestionOut) -> bool:
    """Return True if the card shows the form."""
    return bool(st.session_state.get(editing_key(suggestion)))


def start(suggestion: SuggestionOut) -> None:
    """Show the form on the card."""
    st.session_state[editing_key(suggestion)] = True


def stop(suggestion: SuggestionOut) -> None:
    """Hide the form on the card."""
    st.session_state.pop(editing_key(suggestion), None)


def form(suggestion: SuggestionOut) -> None:
    """Draw the check as YAML and a reason; the input stays until it is saved."""
    text = yaml.safe_dump(dict(patch(suggestion)), sort_keys=False, allow_unicode=True)
    st.text_area(texts.THE_CHECK, text, key=f"text-{suggestion.id}", height=220, on_change="ignore")
    st.text_input(texts.WHY_OPTIONAL, key=f"edit-reason-{suggestion.id}", max_chars=1000, on_change="ignore")
    with st.container(horizontal=True, key=f"edits-{suggestion.id}"):
        st.button(texts.ACCEPT_EDITED, key=f"save-{suggestion.id}", type="primary", icon=":material/check:",
                  on_click=partial_rerun.after, args=(save, suggestion))  # fmt: skip
        st.button(
            ui_texts.CANCEL, key=f"stop-{suggestion.id}", icon=":material/undo:", on_click=stop, args=(suggestion,)
        )


def save(suggestion: SuggestionOut) -> None:
    """Accept the suggestion as edited; on errors the form stays open."""
    try:
        typed = yaml.safe_load(str(st.session_state.get(f"text-{suggestion.id}") or ""))
    except (yaml.YAMLError, ValueError, RecursionError):
        typed = None
    if not isinstance(typed, dict):
        panels.flash(texts.NO_MAPPING, problem=True)
        return
    reason = str(st.session_state.get(f"edit-reason-{suggestion.id}") or "").strip() or None
    registry, proposal = viewer.registry(), viewer.current_proposal()
    revision = proposal.revision
    if step_runner.judge(lambda: registry.change(proposal.id, suggestion.id, typed, revision=revision, reason=reason)):
        stop(suggestion)


def changed(proposal: ProposalOut, suggestion: SuggestionOut, basis: EvidenceBasis) -> None:
    """Draw the edited check, and on request both versions on stored states."""
    if suggestion.edited_patch is None:
        return
    st.caption(texts.EDITED)
    panels.source(yaml.safe_dump(dict(suggestion.edited_patch), sort_keys=False, allow_unicode=True))
    with st.expander(texts.OLD_AGAINST_NEW, key=f"replay-{suggestion.id}", on_change="rerun") as opened:
        if opened.open:
            st.text(texts.as_drafted(basis.sentence.lower()))
            for sentence in basis.replay:
                st.text(texts.as_drafted_it(sentence))
            st.text(texts.as_edited(replayed(proposal, suggestion)))


def replayed(proposal: ProposalOut, suggestion: SuggestionOut) -> str:
    """Describe the replay of the edited check. Contains names of partitions."""
    edited_id = check_id(suggestion)
    replay = viewer.registry().replay(proposal.id)
    match = next((check for each in replay.objects for check in each.checks if check.check_id == edited_id), None)
    return replay_text(match) if match else texts.NOTHING_STORED


def replay_text(check: ReplayedCheckOut) -> str:
    """Describe the replay of the proposed check: its alerts, and the number of evaluations."""
    new = check.new
    if new is None or not new.evaluated:
        reasons = "; ".join(each.reason for each in new.not_evaluated) if new else ""
        return texts.not_judged(reasons)
    of = f"{new.evaluated:,} {new.unit}"
    if not new.alerts.count:
        return texts.alerts_on_none(of)
    more = ", ..." if new.alerts.count > NAMED else ""
    return texts.alerts_on(new.alerts.count, of, ", ".join(new.alerts.names[:NAMED]), more)


def may(proposal: ProposalOut, suggestion: SuggestionOut) -> bool:
    """Return True if the viewer may edit it: a check of its own that is not rejected."""
    return proposal.may_decide and check_id(suggestion) is not None and suggestion.decision != "rejected"


def discussion(proposal: ProposalOut) -> None:
    """Draw the discussion of the proposal, oldest comment first, with an input for more."""
    with st.expander(texts.DISCUSSION, key="discussion", icon=":material/forum:", on_change="rerun") as opened:
        if not opened.open:
            return
        for each in viewer.registry().comments(proposal.id):
            with st.container(border=True, gap=None):
                st.caption(ui_texts.esc(f"{each.author} · {ui_texts.age(each.created_at, now=viewer.now())}"))
                st.text(each.text)
        st.text_input(texts.SAY_SOMETHING, key="comment", max_chars=4000, on_change="ignore")
        st.button(texts.SAY_IT, key="say", on_click=post_comment, args=(proposal,))


def post_comment(proposal: ProposalOut) -> None:
    """Post the typed comment; on failure it stays in the input."""
    text = str(st.session_state.get("comment") or "").strip()
    if not text:
        panels.flash(texts.NOTHING_SAID, problem=True)
    elif step_runner.run_step(lambda: viewer.registry().add_comment(proposal.id, text)):
        st.session_state["comment"] = ""


def remark(proposal: ProposalOut, suggestion: SuggestionOut) -> None:
    """Draw the comment form on a suggestion's card; comments appear in the discussion."""
    with st.popover(texts.COMMENT, key=f"about-{suggestion.id}", icon=":material/comment:"):
        st.text_input(texts.WHAT_TO_SAY, key=remark_key(suggestion), max_chars=1000, on_change="ignore")
        st.button(
            texts.SAY_IT,
            key=f"say-{suggestion.id}",
            on_click=partial_rerun.after,
            args=(remarked, proposal, suggestion),
        )


def remark_key(suggestion: SuggestionOut) -> str:
    """Return the key of the card's comment input."""
    return f"remark-{suggestion.id}"


def remarked(proposal: ProposalOut, suggestion: SuggestionOut) -> None:
    """Post the typed comment with a quote of the suggestion; on failure it stays in the input."""
    text = str(st.session_state.get(remark_key(suggestion)) or "").strip()
    about = str(suggestion.content.get("sentence", ""))[:ABOUT]
    if not text:
        panels.flash(texts.NOTHING_SAID, problem=True)
    elif step_runner.run_step(
        lambda: viewer.registry().add_comment(proposal.id, f"“{about}”: {text}"), done=ui_texts.IN_DISCUSSION
    ):
        st.session_state[remark_key(suggestion)] = ""
