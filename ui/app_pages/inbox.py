"""The inbox: what the viewer decides, what they wait for, and which of their runs need attention."""

from collections.abc import Sequence

import streamlit as st

from registry.api.schemas import ProposalSummary, RunSummary
from ui import panels, session, words


def page() -> None:
    """Draws the inbox; says so where nothing waits."""
    found = session.inbox()
    st.title("Inbox")
    panels.told()
    if not (found.to_decide or found.waiting or found.affecting or found.failed_runs):
        panels.empty("Nothing waits for you", "New drafts to review and failed runs of your contracts appear here.")
        return
    attention(found.failed_runs)
    proposals("You decide", found.to_decide, "These drafts are in review. You may approve them.")
    proposals("You wait for", found.waiting, "Your own. Somebody else decides about them.")
    proposals("It affects you", found.affecting, "For contracts that you own or use. Others decide about them.")


def attention(runs: Sequence[RunSummary]) -> None:
    """The last runs that failed or could not be evaluated."""
    if runs:
        st.subheader(f"Needs attention ({len(runs)})")
        for run in runs:
            panels.run_row(run, named=True)


def proposals(title: str, listed: Sequence[ProposalSummary], about: str) -> None:
    """Proposals, each opening its review."""
    if listed:
        st.subheader(f"{title} ({len(listed)})", help=about)
        for proposal in listed:
            row(proposal)


def row(proposal: ProposalSummary) -> None:
    """One proposal: its state and title, how much of it is decided, its author and age."""
    about = f"{progress(proposal)} · by {proposal.author} · {proposal.contract_id}"
    mark = words.PROPOSALS[proposal.state]
    with panels.row(mark, age=proposal.created, about=about, key=f"proposal-{proposal.id}"):
        title, made = proposal.title or proposal.contract_id, panels.when(proposal.created)
        panels.link("review", title, help_text=made, proposal=str(proposal.id))


def progress(proposal: ProposalSummary) -> str:
    """How much of the proposal is decided."""
    total = proposal.pending + proposal.accepted + proposal.rejected
    return (
        f"{total - proposal.pending:,} of {words.several(total, 'suggestion')} decided" if total else "written by hand"
    )


page()
