"""Parts of the review page: the card of a suggestion, and the bar that ends the review."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import streamlit as st

from treaty.registry.schemas import PreviewOut, ProposalOut, SuggestionOut
from treaty.ui import texts as ui_texts
from treaty.ui.parts.review import check_editor, partial_rerun, review_actions
from treaty.ui.parts.review.evidence import EvidenceBasis, read
from treaty.ui.texts import review as texts
from treaty.ui.texts import verdicts as of_verdicts
from treaty.ui.widgets import charts, panels, step_runner, viewer

# Shortcuts of both buttons. A modifier key is required: single letters would decide during dictation.
KEYS = ("Alt+A", "Alt+X")


def card(name: UUID, siblings: Sequence[UUID]) -> None:
    """Draw one suggestion: sentence, evidence and decision. `siblings`: ids of all suggestions on the page."""
    proposal = viewer.current_proposal()
    suggestion = partial_rerun.suggestion_by_id(proposal, name)
    basis = read(suggestion)
    with st.container(border=True, key=f"card-{suggestion.id}", gap="xsmall"):
        title(suggestion)
        details, shown = st.columns([3, 2], gap="medium", vertical_alignment="center")
        with details, st.container(gap="xsmall"):
            evidence(suggestion, basis)
            check_editor.changed(proposal, suggestion, basis)
            decision(proposal, suggestion, siblings)
        with shown:
            chart(suggestion, basis)


def title(suggestion: SuggestionOut) -> None:
    """Draw the sentence of the suggestion with its severity and decision."""
    severity = suggestion.content.get("severity")
    severities = [ui_texts.SEVERITIES.get(severity, ui_texts.UNKNOWN)] if severity else []
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", gap="small"):
        st.markdown(f"**{ui_texts.esc(suggestion.content.get('sentence', ''))}**", width="content")
        panels.status_line(*severities, ui_texts.DECISIONS[suggestion.decision])


def evidence(suggestion: SuggestionOut, basis: EvidenceBasis) -> None:
    """Draw the expression, and the data that the suggestion is based on."""
    panels.source(suggestion.content.get("expression", ""))
    st.caption(basis.sentence)
    if basis.failed_on:
        st.text(texts.not_held(list(basis.failed_on[:5])))
    for sentence in basis.replay:
        st.text(texts.on_stored(sentence))
    for sentence in basis.worth:
        st.text(sentence)


def chart(suggestion: SuggestionOut, basis: EvidenceBasis) -> None:
    """Draw the metric over the partitions with its limits, or the table of known values."""
    if basis.values:
        values(basis)
    elif basis.series:
        metric = str(suggestion.content.get("sentence", texts.METRIC))
        alt = charts.describe_chart(basis.series, basis.band, metric=metric)
        spec = charts.sparkline(basis.series, basis.band, marked=basis.tested_labels)
        panels.show_chart(spec, key=f"chart-{suggestion.id}", alt=alt)
        st.caption(caption(basis))


def values(basis: EvidenceBasis) -> None:
    """Draw the known values with their rows, four of them visible."""
    rows = [{ui_texts.VALUE: value, ui_texts.ROWS: count} for value, count in basis.values]
    grouped = st.column_config.NumberColumn(format="localized")
    height = 36 + 33 * min(4, len(rows))
    st.dataframe(rows, hide_index=True, height=height, column_config={ui_texts.ROWS: grouped}, alt=texts.KNOWN_VALUES)


def caption(basis: EvidenceBasis) -> str:
    """Describe the small chart in words. Contains no foreign text."""
    values = [point.value for point in basis.series]
    low, high = ui_texts.value(min(values)), ui_texts.value(max(values))
    observed = texts.seen_always(low) if low == high else texts.seen_between(low, high)
    allowed = ui_texts.limits(basis.band.lower, basis.band.upper)
    ringed = texts.RINGED if basis.tested else ""
    return texts.seen_and_allowed(observed, allowed, ringed) if allowed else observed


def decision(proposal: ProposalOut, suggestion: SuggestionOut, siblings: Sequence[UUID]) -> None:
    """Draw the decision and its reason, and the buttons if the viewer may decide."""
    if suggestion.rejected_before and suggestion.decision == "pending":
        st.caption(texts.REJECTED_BEFORE)
        if suggestion.new_evidence:
            st.text(texts.news(suggestion.new_evidence))
    if suggestion.decision != "pending":
        decided(suggestion)
    if suggestion.reason:
        st.text(f"“{suggestion.reason}”")
    if not proposal.may_decide:
        return
    if check_editor.is_open(suggestion):
        check_editor.form(suggestion)
    elif st.session_state.get(step_runner.asking_key(suggestion.id)) and suggestion.decision == "pending":
        reason(suggestion, siblings)
    else:
        buttons(proposal, suggestion, siblings)


def decided(suggestion: SuggestionOut) -> None:
    """Draw who decided, and when."""
    by = texts.by(ui_texts.esc(suggestion.decided_by)) if suggestion.decided_by else ""
    when = f", {ui_texts.age(suggestion.decided_at, now=viewer.now())}" if suggestion.decided_at else ""
    st.caption(
        f"{ui_texts.DECISIONS[suggestion.decision].word}{by}{when}", help=ui_texts.utc(suggestion.decided_at) or None
    )


def buttons(proposal: ProposalOut, suggestion: SuggestionOut, siblings: Sequence[UUID]) -> None:
    """Draw accept and reject while the suggestion is pending, else undo.

    The next suggestion to decide has keyboard shortcuts."""
    name, of_next = suggestion.id, partial_rerun.current(proposal, siblings) == suggestion.id
    with st.container(horizontal=True, key=f"buttons-{name}"):
        if suggestion.decision != "pending":
            _decide(f"undo-{name}", ui_texts.UNDO, "undo", step=step_runner.undo, on=(name, siblings))
        else:
            keys = KEYS if of_next else (None, None)
            _decide(f"accept-{name}", texts.ACCEPT, "check", step=step_runner.accept_one, on=(name, siblings),
                    type="primary", shortcut=keys[0])  # fmt: skip
        _edit(proposal, suggestion)
        if suggestion.decision == "pending":
            _button(f"reject-{name}", texts.ASK_REJECT, "close", step=step_runner.open_reason, args=(name,),
                    shortcut=keys[1])  # fmt: skip
        check_editor.remark(proposal, suggestion)


def _edit(proposal: ProposalOut, suggestion: SuggestionOut) -> None:
    if check_editor.may(proposal, suggestion):
        _button(f"edit-{suggestion.id}", texts.EDIT, "edit", step=check_editor.start, args=(suggestion,))


def _decide(
    key: str,
    label: str,
    icon: str,
    *,
    step: Callable[[ProposalOut, UUID], None],
    on: tuple[UUID, Sequence[UUID]],
    **look: Any,
) -> None:
    _button(key, label, icon, step=partial_rerun.after_deciding, args=(step, *on), **look)


def _button(key: str, label: str, icon: str, *, step: Callable[..., None], args: tuple[Any, ...], **look: Any) -> None:
    st.button(label, key=key, icon=f":material/{icon}:", on_click=step, args=args, wrap=False, **look)


def reason(suggestion: SuggestionOut, siblings: Sequence[UUID]) -> None:
    """Draw the input for the reason of a rejection; its text stays until the rejection is saved."""
    st.text_input(
        texts.WHY_REJECT,
        key=step_runner.reason_key(suggestion.id),
        placeholder=texts.NOT_AGAIN,
        max_chars=1000,
        on_change="ignore",
    )
    with st.container(horizontal=True, key=f"reasons-{suggestion.id}"):
        _decide(f"confirm-{suggestion.id}", texts.REJECT, "close", step=step_runner.reject,
                on=(suggestion.id, siblings), type="primary")  # fmt: skip
        _button(
            f"cancel-{suggestion.id}", ui_texts.CANCEL, "undo", step=step_runner.close_reason, args=(suggestion.id,)
        )


def progress() -> None:
    """Draw the number of decided suggestions, and what prevents an approval."""
    proposal = viewer.current_proposal()
    done, note = proposal.accepted + proposal.rejected, hint(proposal)
    if total := done + proposal.pending:
        st.progress(done / total, text=" · ".join(part for part in (texts.progress(done, total), note) if part))
    elif note:
        st.caption(note)


def ended(proposal: ProposalOut) -> None:
    """Draw how the review ended, and a link to the contract if there is one."""
    by = texts.by(ui_texts.esc(proposal.decided_by)) if proposal.decided_by else ""
    st.markdown(f"{ui_texts.PROPOSALS[proposal.state].badge}{by}", width="content")
    st.space("stretch")
    if proposal.active_version:
        panels.link("contract", ui_texts.open_contract(proposal.contract_id), id=proposal.contract_id)


def steps(proposal: ProposalOut, preview: PreviewOut | None) -> None:
    """Draw the actions that the viewer may take on the whole proposal."""
    if proposal.may_withdraw:
        st.button(texts.WITHDRAW, key="withdraw", on_click=step_runner.withdraw, args=(proposal,))
    if proposal.may_submit:
        st.button(texts.SUBMIT, key="submit", type="primary", on_click=step_runner.submit, args=(proposal,))
    if proposal.open and proposal.state != "draft":
        review_actions.draw(proposal)
    if proposal.may_reject:
        decline(proposal)
    if proposal.may_approve:
        approve(proposal, preview)


def hint(proposal: ProposalOut) -> str:
    """Return the reason why the viewer cannot approve yet; "" if they can."""
    if proposal.state == "draft":
        return texts.NOT_SUBMITTED
    if proposal.change_requests:
        return ui_texts.esc(of_verdicts.asked_by([each.author for each in proposal.change_requests]))
    if proposal.approvals:
        return texts.missing(ui_texts.esc("; ".join(proposal.approvals_missing)))
    if not proposal.may_approve:
        return texts.SOMEBODY_ELSE if proposal.may_withdraw else texts.OWNER_APPROVES
    return texts.ALL_NEEDED if proposal.pending else ""


def decline(proposal: ProposalOut) -> None:
    """Draw the form that rejects the whole proposal with a reason."""
    with st.popover(texts.ASK_REJECT_DRAFT, key="decline"):
        st.text_input(texts.AUTHOR_READS, key="decline-reason", max_chars=1000, on_change="ignore")
        st.button(
            texts.REJECT_DRAFT, key="decline-confirm", type="primary", on_click=step_runner.decline, args=(proposal,)
        )


def approve(proposal: ProposalOut, preview: PreviewOut | None) -> None:
    """Draw the button that approves exactly the previewed document."""
    st.button(
        texts.approve_version(ui_texts.esc(preview.version)) if preview else texts.APPROVE,
        key="approve",
        type="primary",
        icon=":material/verified:",
        disabled=preview is None,
        help=texts.approves_exactly(preview.fingerprint[:12]) if preview else None,
        on_click=review_actions.approve,
        args=(proposal, preview),
        wrap=False,
    )
