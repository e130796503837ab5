"""The inbox: what the viewer decides, what they wait for, and what else affects them; the urgent first."""

from collections.abc import Sequence

import streamlit as st

from registry.api.schemas import AcknowledgementOut, InboxOut, ProposalSummary, SubscriptionOut
from registry.words import Answer
from ui import actions, attention, desk, panels, session, undoing, words

LAST = 3


def page() -> None:
    """Draws the inbox; says so where nothing waits."""
    found = session.inbox()
    st.title("Inbox")
    panels.told()
    undoing.draw()
    if desk.is_empty(found):
        nothing()
        return
    st.markdown(f"**{summary(found)}**")
    attention.draw(found)
    questions(desk.asked(found))
    proposals("You decide", found.to_decide, "These drafts are in review. You may approve them.")
    proposals("You wait for", found.waiting, "Your own. Somebody else decides about them.")
    proposals("It affects you", found.affecting, "For contracts that you own or use. Others decide about them.")
    behind(found.lagging)


def nothing() -> None:
    """What is said where nothing waits: that it does not, and what happened last."""
    panels.empty("Nothing waits for you", "New drafts to review and failed runs of your contracts appear here.")
    panels.link("start", "Getting started")
    if last := session.registry().runs(limit=LAST):
        st.subheader("What was judged last")
    for run in last:
        panels.run_row(run, named=True)


def summary(found: InboxOut) -> str:
    """What waits for the viewer, in a sentence. Holds no foreign text."""
    counts = (
        (len(found.failed_runs), "run", "to look at"),
        (len(desk.asked(found)), "version", "to answer"),
        (len(found.to_decide), "draft", "to decide"),
    )
    said = [f"{words.several(number, noun)} {todo}" for number, noun, todo in counts if number]
    return words.listed(said) or "Nothing waits for you"


def questions(asked: Sequence[AcknowledgementOut]) -> None:
    """Approved versions that break what the viewer builds on, each with its answer in place."""
    if asked:
        st.subheader(f"You answer ({len(asked)})", help="Approved versions wait until their consumers know of them.")
        for each in asked:
            question(each)


def question(asked: AcknowledgementOut) -> None:
    """One version: whom it breaks and until when, and both answers."""
    until = f"until {words.moment(asked.deadline, timezone=session.timezone())}" if asked.deadline else ""
    about = " · ".join(part for part in (asked.purpose, until, *asked.breaks) if part)
    with panels.row(words.BREAKS, age=asked.asked, about=about, key=f"asked-{asked.id}"):
        title = f"{asked.contract_id} {asked.version}"
        panels.link("contract", title, id=asked.contract_id, tab="Diff", newer=asked.version)
    with st.container(horizontal=True, key=f"answers-{asked.id}"):
        st.button("I know", key=f"know-{asked.id}", type="primary", on_click=answer, args=(asked, Answer.ACKNOWLEDGED))
        with st.popover("Object …", key=f"object-{asked.id}"):
            st.text_input("Why? The owner will read it.", key=f"why-{asked.id}", max_chars=1000, on_change="ignore")
            st.button("Object", key=f"objected-{asked.id}", on_click=answer, args=(asked, Answer.OBJECTED))


def answer(asked: AcknowledgementOut, given: Answer) -> None:
    """Answers; an objection with what was typed."""
    typed = str(st.session_state.get(f"why-{asked.id}") or "").strip()
    if given is Answer.OBJECTED and not typed:
        panels.tell("Say why: the owner will read it", problem=True)
        return
    said = "The owner sees that you know." if given is Answer.ACKNOWLEDGED else "The owner sees your objection."
    actions.attempt(lambda: session.registry().answer(asked.id, given, comment=typed or None), done=said)  # type: ignore[arg-type]


def proposals(title: str, listed: Sequence[ProposalSummary], about: str) -> None:
    """Proposals, each opening its review; the one that waits longest first."""
    if listed:
        st.subheader(f"{title} ({len(listed)})", help=about)
        for proposal in desk.oldest(listed):
            row(proposal)


def row(proposal: ProposalSummary) -> None:
    """One proposal: its state and title, how much of it is decided, its author and age."""
    about = f"{progress(proposal)} · by {proposal.author} · {proposal.contract_id}"
    mark = words.PROPOSALS[proposal.state]
    with panels.row(mark, age=proposal.created, about=about, key=f"proposal-{proposal.id}"):
        title, made = proposal.title or proposal.contract_id, panels.when(proposal.created)
        panels.link("review", title, help_text=made, proposal=str(proposal.id))


def progress(proposal: ProposalSummary) -> str:
    """How much of the proposal is decided, and whether an approval of the viewer's became void."""
    total = proposal.pending + proposal.accepted + proposal.rejected
    decided = total - proposal.pending
    said = f"{decided:,} of {words.several(total, 'suggestion')} decided" if total else "written by hand"
    return f"{said} · edited after you approved it" if proposal.voided else said


def behind(subscriptions: Sequence[SubscriptionOut]) -> None:
    """What the viewer builds on that is not in force any more."""
    if subscriptions:
        st.subheader(f"Behind ({len(subscriptions)})", help="You are pinned to what is not the newest.")
    for each in subscriptions:
        about = f"{each.purpose} · {each.lagging or ''}"
        with panels.row(words.BEHIND, age=each.created, about=about, key=f"behind-{each.id}"):
            panels.link("contract", each.contract_id, id=each.contract_id, tab="Versions")


page()
