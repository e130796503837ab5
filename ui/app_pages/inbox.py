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
    if not (found.to_decide or found.waiting or found.failed_runs):
        panels.empty("Nothing waits for you", "New drafts to review and failed runs of your contracts appear here.")
        return
    attention(found.failed_runs)
    proposals("You decide", found.to_decide, "These drafts are in review. You may approve them.")
    proposals("You wait for", found.waiting, "Your own. Somebody else decides about them.")


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
    with st.container(border=True, key=f"proposal-{proposal.id}", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(words.PROPOSALS.get(proposal.state, words.UNKNOWN).badge, width="content")
            panels.link("review", proposal.title or proposal.contract_id, proposal=str(proposal.id))
            st.space("stretch")
            st.caption(
                words.age(proposal.created, now=session.now()), width="content", help=words.utc(proposal.created)
            )
        st.caption(
            f"{words.esc(progress(proposal))} · by {words.esc(proposal.author)} · {words.esc(proposal.contract_id)}"
        )


def progress(proposal: ProposalSummary) -> str:
    """How much of the proposal is decided."""
    total = proposal.pending + proposal.accepted + proposal.rejected
    return (
        f"{total - proposal.pending:,} of {words.several(total, 'suggestion')} decided" if total else "written by hand"
    )


page()
