"""What a next version means, before it is decided: what changes, whom it breaks, when it would have alerted."""

from collections.abc import Sequence

import streamlit as st

from registry.api.schemas import DiffOut, ImpactOut, ListedOut, ProposalOut, ReplayedCheckOut, ReplayOut
from ui import actions, panels, session, words

DIRECTIONS = {
    "tightens": "promises more",
    "loosens": "promises less",
    "both": "promises something else",
    "undetermined": "cannot be told from the text",
    "untested": "says nothing of the data",
}
SHOWN = 5
# Where the last sentence is kept, with the revision that it is of.
SENTENCE = "_sentence"


def meaning(proposal: ProposalOut) -> None:
    """The three questions that an owner has of a proposal in review; nothing of one that has ended."""
    if proposal.state not in ("draft", "in_review"):
        return
    with st.expander(
        "What it changes, breaks and would have told",
        key="meaning",
        icon=":material/compare_arrows:",
        on_change="rerun",
    ) as opened:
        if not opened.open:
            return
        registry = session.registry()
        changes(registry.proposal_diff(proposal.id))
        consumers(registry.impact(proposal.id))
        replayed(registry.replay(proposal.id))
        st.session_state[actions.replayed_key(proposal)] = True


def sentence(proposal: ProposalOut) -> str:
    """What the version means, in a sentence: how large it is, what follows it, whom it breaks. It is told anew for each
    revision; "" for a proposal that has ended, and for the first version, which nobody can rely on yet."""
    if proposal.state not in ("draft", "in_review") or not proposal.active_version:
        return ""
    known = st.session_state.get(SENTENCE)
    if known is None or known[0] != (proposal.id, proposal.revision):
        known = (proposal.id, proposal.revision), _sentence(proposal)
        st.session_state[SENTENCE] = known
    return str(known[1])


def _sentence(proposal: ProposalOut) -> str:
    registry = session.registry()
    affected = registry.impact(proposal.id)
    broken = [each.subscriber for each in affected if each.affected]
    whom = f"breaks {words.listed(broken[:SHOWN])}" if broken else "breaks nobody"
    more = f" and {len(broken) - SHOWN:,} more" if len(broken) > SHOWN else ""
    return (
        f"{verdict(registry.proposal_diff(proposal.id))}; {whom}{more}, of {words.several(len(affected), 'consumer')}"
    )


def changes(found: DiffOut) -> None:
    """The verdict in a sentence, then each change with its direction, and the modes that are not kept."""
    if found.old is None:
        st.markdown("**The first version: there is none before it**")
        return
    st.markdown(f"**{words.esc(verdict(found))}**")
    for each in found.laws:
        if not each.kept:
            st.warning(f"{each.mode} of the {each.part} is not kept: {each.sentence}", icon=":material/warning:")
    rows = [
        {"What": each.sentence, "It": DIRECTIONS[each.direction], "Before": each.old or "", "After": each.new or ""}
        for each in found.changes
    ]
    if rows:
        panels.table(rows, key="changes", alt="Changes from the version before")


def verdict(found: DiffOut) -> str:
    """How large the change is, and whether its number says so."""
    told = f"{words.several(len(found.changes), 'change')} from version {found.old}: {found.bump}"
    return told if found.enough else f"{told}; {found.new} says less than that, {found.suggested} would not"


def consumers(found: Sequence[ImpactOut]) -> None:
    """Who subscribed, and whom it breaks."""
    broken = sum(each.affected for each in found)
    st.markdown(f"**{words.several(len(found), 'consumer')}, {broken} of them broken by it**")
    rows = [
        {"Consumer": each.subscriber, "Uses it for": each.purpose, "Breaks them": "; ".join(each.breaks)}
        for each in found
    ]
    if rows:
        panels.table(rows, key="impact", alt="What it means for consumers")


def replayed(found: ReplayOut) -> None:
    """What the checks of both versions say of all that is stored."""
    for each in found.objects:
        st.markdown(f"**{words.esc(each.sentence)}**")
        rows = [_row(check) for check in each.checks if _is_told(check)]
        if rows:
            panels.table(rows, key=f"replay-{words.slug(each.object)}", alt=f"Alerts on {each.object}")
    for difference in found.differences:
        st.caption(words.esc(f"{difference.sentence}: {difference.says}"))
    if not found.complete:
        st.caption("The time was over: these are the partitions that came first.")


def _is_told(check: ReplayedCheckOut) -> bool:
    return any(each.count for each in (check.appeared, check.gone, check.same)) or bool(
        check.new and check.new.unjudged
    )


def _row(check: ReplayedCheckOut) -> dict[str, str]:
    return {
        "Check": check.name or check.check_id,
        "New alerts": _names(check.appeared),
        "No longer": _names(check.gone),
        "Both": _names(check.same),
        "Not judged": "; ".join(each.reason for each in check.new.unjudged) if check.new else "",
    }


def _names(found: ListedOut) -> str:
    if not found.count:
        return ""
    more = ", ..." if found.count > min(len(found.names), SHOWN) else ""
    return f"{found.count}: {', '.join(found.names[:SHOWN])}{more}"
