"""Proposals in the inbox: those for the viewer with bulk actions, and those for others."""

from collections.abc import Callable, Sequence

import streamlit as st

from treaty.registry.schemas import InboxOut, ProposalSummaryOut
from treaty.ui import texts as ui_texts
from treaty.ui.parts.inbox import failed_runs, inbox_order, proposal_steps
from treaty.ui.texts import drafts as texts
from treaty.ui.texts import incidents
from treaty.ui.widgets import panels

Steps = Callable[[Sequence[ProposalSummaryOut]], None]


def draw(inbox: InboxOut) -> None:
    """Draw each list that is not empty, those for the viewer first."""
    waiting(texts.CHANGE, inbox.to_change, texts.CHANGE_HELP, lambda chosen: put_off(chosen, key="change"))
    waiting(texts.DECIDE, inbox.to_decide, texts.DECIDE_HELP, deciding)
    proposal_rows(texts.WAIT, inbox.awaiting_others, texts.WAIT_HELP)
    proposal_rows(texts.AFFECTS, inbox.affecting, texts.AFFECTS_HELP)
    later(inbox.snoozed)


def waiting(title: str, summaries: Sequence[ProposalSummaryOut], about: str, steps: Steps) -> None:
    """Draw proposals with checkboxes, and above them the actions on selected ones."""
    if not summaries:
        return
    st.subheader(texts.counted(title, len(summaries)), help=about)
    place = st.container()
    chosen = [each for each in inbox_order.oldest(summaries) if choosable(each)]
    with place, st.container(horizontal=True, vertical_alignment="center", key=f"steps-{ui_texts.slug(title)}"):
        steps(chosen)
        st.caption(incidents.chosen(len(chosen)) if chosen else texts.CHOOSE)


def choosable(proposal: ProposalSummaryOut) -> bool:
    """Draw the proposal's row; return True if it is selected."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", wrap=False, key=f"of-{proposal.id}"):
        name = ui_texts.esc(incidents.choose(proposal_steps.name(proposal)))
        chosen = st.checkbox(name, key=f"choose-{proposal.id}", label_visibility="collapsed", width=24)
        with st.container(gap=None):
            row(proposal)
    return bool(chosen)


def deciding(chosen: Sequence[ProposalSummaryOut]) -> None:
    """Draw the actions on proposals that the viewer may decide."""
    put_off(chosen, key="decide")
    with st.popover(incidents.GIVE_TO, key="hand", disabled=not chosen):
        st.text_input(incidents.ASSIGNEE, key=proposal_steps.DECIDER, max_chars=200, on_change="ignore")
        st.caption(texts.WHO_MAY)
        st.button(incidents.GIVE, key="hand-over", on_click=proposal_steps.assign, args=(chosen,))


def put_off(chosen: Sequence[ProposalSummaryOut], *, key: str) -> None:
    """Draw the snooze menu of the proposals."""
    failed_runs.snoozing(f"later-{key}", lambda until: proposal_steps.snooze(chosen, until), disabled=not chosen)


def proposal_rows(title: str, summaries: Sequence[ProposalSummaryOut], about: str) -> None:
    """Draw proposals with links to their reviews, oldest first."""
    if summaries:
        st.subheader(texts.counted(title, len(summaries)), help=about)
    for each in inbox_order.oldest(summaries):
        row(each)


def later(summaries: Sequence[ProposalSummaryOut]) -> None:
    """Draw the snoozed proposals, collapsed, each with a button that ends the snooze."""
    if not summaries:
        return
    with st.expander(
        texts.counted(ui_texts.SNOOZED, len(summaries)), key="put-off", icon=":material/snooze:", on_change="rerun"
    ) as opened:
        for each in inbox_order.oldest(summaries) if opened.open else ():
            row(each)
            st.button(texts.BRING_BACK, key=f"back-{each.id}", on_click=proposal_steps.bring_back, args=(each,))


def row(proposal: ProposalSummaryOut) -> None:
    """Draw one proposal: state, title, progress, author and age."""
    mark, about = ui_texts.PROPOSALS[proposal.state], " · ".join(row_details(proposal))
    with panels.row(mark, age=proposal.created_at, about=about, key=f"proposal-{proposal.id}"):
        title, created = proposal_steps.name(proposal), panels.when(proposal.created_at)
        panels.link("review", title, help_text=created, proposal=str(proposal.id))


def row_details(proposal: ProposalSummaryOut) -> list[str]:
    """Return the details below the title of a row."""
    asking = ui_texts.join_list([each.author for each in proposal.change_requests])
    parts = (
        texts.asked_by(asking) if asking else "",
        progress(proposal),
        texts.by(proposal.author),
        texts.with_whom(proposal.assignee) if proposal.assignee else "",
        proposal.contract_id,
    )
    return [part for part in parts if part]


def progress(proposal: ProposalSummaryOut) -> str:
    """Describe how many suggestions are decided, and whether the viewer's approval became void."""
    total = proposal.pending + proposal.accepted + proposal.rejected
    text = texts.decided(total - proposal.pending, total) if total else texts.BY_HAND
    return f"{text} · {texts.VOIDED}" if proposal.voided_approvals else text
