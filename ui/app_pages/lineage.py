"""Lineage: what producers sent and what became of it, what was refused, and what has no contract."""

import streamlit as st

from registry.api.schemas import EventOut, InboxCounts, RefusedOut
from registry.words import InboxState
from ui import panels, session, words

SHOWN = 50
TABS = ("Events", "Refused")


def page() -> None:
    """Draws the tab that is open; only that one asks the registry."""
    st.title("Lineage")
    panels.told()
    for tab, draw in zip(st.tabs(TABS, key="tab", on_change="rerun", bind="query-params"), DRAWS, strict=True):
        if tab.open:
            with tab:
                draw()


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


DRAWS = (events, refused)
page()
