"""Lineage: the graph around a dataset, what producers sent and what became of it, and what has no contract."""

import streamlit as st

from registry.api.schemas import EventOut, InboxCounts, RefusedOut, UnmatchedOut
from registry.client import ClientError
from registry.words import InboxState
from ui import graphs, panels, session, words

SHOWN = 50
DEPTHS = (1, 2, 3, 5, 10, 20)
TABS = ("Graph", "Events", "Refused", "Without contract")
NOT_FOUND, MALFORMED = 404, 422


def page() -> None:
    """Draws the tab that is open; only that one asks the registry."""
    st.title("Lineage")
    panels.told()
    for tab, draw in zip(st.tabs(TABS, key="tab", on_change="rerun", bind="query-params"), DRAWS, strict=True):
        if tab.open:
            with tab:
                draw()


def graph() -> None:
    """What lies up and down from the dataset or the job that the address names."""
    with st.container(horizontal=True, key="filters"):
        node = st.text_input("Dataset or job", key="node", bind="query-params", placeholder="dataset:file:/lake/orders")
        depth = st.selectbox("How many jobs further", DEPTHS, index=1, key="depth", width=200)
    if not node:
        panels.empty("No dataset named", "Open one from a contract, or write dataset:, its namespace, : and its name.")
        return
    try:
        found = session.registry().lineage(node, depth=depth)
    except ClientError as error:
        if error.status not in {NOT_FOUND, MALFORMED}:
            raise
        panels.empty("Lineage knows nothing of that", "Write dataset:, then its namespace, : and its name.")
        return
    shown, every = graphs.nodes(found, node), graphs.every(found, node)
    panels.drawn(graphs.picture(shown), key="graph", alt="The lineage graph, as the table says it")
    if len(shown) < len(every):
        st.caption(f"{words.count(len(every))} nodes: those far away are drawn as groups. The table has them all.")
    if not found.whole:
        st.caption("There is more than the registry tells at once. Go less far, or open a node, to see all around it.")
    link = st.column_config.LinkColumn("Open", display_text="Open")
    panels.table(graphs.rows(every), key="nodes", alt="Datasets and jobs of the graph, the nearest first", Open=link)


def events() -> None:
    """How far the inbox is, and the newest events."""
    registry = session.registry()
    counts(registry.inbox_counts())
    found = registry.events(limit=SHOWN)
    if not found:
        panels.empty("Nothing came yet", "Point a job's OpenLineage transport at this registry, with an API token.")
        return
    parked = [each for each in found if each.state == InboxState.PARKED]
    if parked:
        st.warning(f"{words.several(len(parked), 'event')} could not be read", icon=":material/warning:")
    panels.table([event(each) for each in found], key="events", alt="The newest lineage events")


def counts(found: InboxCounts) -> None:
    """What lies in the inbox, in figures."""
    with st.container(horizontal=True, gap="medium", key="facts"):
        for state in InboxState:
            panels.fact(words.INBOX[state].word, words.count(found.events.get(state, 0)))
        panels.fact("Came again", words.count(found.repeats))
        panels.fact("Refused", words.count(sum(found.refused.values())))
        panels.time("Oldest that waits", found.oldest)


def event(found: EventOut) -> dict[str, str]:
    """An event as a row."""
    more = f" and {found.written - len(found.outputs)} more" if found.written > len(found.outputs) else ""
    return {
        "Came": words.moment(found.received, timezone=session.timezone()),
        "State": words.glyph(words.INBOX[found.state]),
        "Kind": found.kind,
        "Job": found.job,
        "Wrote": ", ".join(found.outputs) + more,
        "Sent by": found.producer,
        "Times": str(found.duplicates + 1) if found.duplicates else "",
        "Why": found.error or "",
        "Noted": "; ".join(found.diagnostics),
    }


def refused() -> None:
    """What was refused, and why."""
    found = session.registry().refused(limit=SHOWN)
    if not found:
        panels.empty("Nothing was refused", "Bodies that are no lineage events appear here, with the reason.")
        return
    panels.table([refusal(each) for each in found], key="refused", alt="Refused bodies")


def refusal(found: RefusedOut) -> dict[str, str]:
    """A refused body as a row."""
    return {
        "Came": words.moment(found.time, timezone=session.timezone()),
        "Sent by": found.producer,
        "Status": str(found.status),
        "Why": found.reason,
        "Id": str(found.id),
    }


def unmatched() -> None:
    """What runs write and nobody promises anything about, each with the commands to change that."""
    found = session.registry().unmatched(limit=SHOWN)
    if not found:
        panels.empty("Every dataset has a contract", "What runs write and no contract is about appears here.")
        return
    for each in found:
        without_contract(each)


def without_contract(found: UnmatchedOut) -> None:
    """A dataset without a contract."""
    written = f"written {words.several(found.times, 'time')}"
    about = " · ".join(part for part in (found.namespace, written, f"by {found.job}" if found.job else "") if part)
    with st.container(border=True, key=f"unmatched-{words.slug(f'{found.namespace} {found.name}')}"):
        st.markdown(f"**{words.esc(found.name)}**")
        st.caption(f"{words.esc(about)} · {words.age(found.last_seen, now=session.now())}")
        if found.columns:
            st.text(f"Columns: {', '.join(found.columns)}")
        with st.expander("Make a contract, or an alias", key=f"how-{words.slug(f'{found.namespace} {found.name}')}"):
            panels.commands(*found.remedies)


DRAWS = (graph, events, refused, unmatched)
page()
