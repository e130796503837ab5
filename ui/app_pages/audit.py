"""The audit: what was changed, by whom and when, and whether it is as it was written."""

import streamlit as st

from registry.api.schemas import AuditOut
from registry.words import Action
from ui import panels, session, words

SHOWN = 200
ALL = "All"


def page() -> None:
    """Draws the newest entries that the filters leave, and the proof."""
    st.title("Audit")
    proof()
    with st.container(horizontal=True, key="filters"):
        action = st.selectbox("What", [ALL, *(each.value for each in Action)], key="action", bind="query-params")
        subject = st.text_input("Of what, by its id", key="object", bind="query-params")
    wanted = None if action in (ALL, None) else action
    entries = session.registry().audit(action=wanted, object_id=subject or None, limit=SHOWN)
    if not entries:
        panels.empty("Nothing was changed", "No entry is of that kind, or about that object.")
        return
    st.caption(f"The newest {words.count(len(entries))} entries")
    panels.table([row(each) for each in entries], key="entries", alt="Entries of the audit")


def proof() -> None:
    """Reads the whole audit when it is asked to, and offers the head to keep."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Verify", key="verify", icon=":material/fact_check:"):
            _verified()
        head = session.registry().audit_head()
        st.download_button(
            "Keep the head",
            head.model_dump_json(indent=2),
            file_name="audit-head.json",
            mime="application/json",
            key="head",
            help="With it a later verification sees whether entries were cut off or written anew.",
        )
        st.caption(f"{words.count(head.position)} entries, {'signed' if head.signature else 'not signed'}")


def _verified() -> None:
    found = session.registry().audit_chain()
    if found.broken_at is None:
        st.success(f"{words.count(found.entries)} entries, all as they were written", icon=":material/verified:")
    else:
        st.error(words.esc(f"Entry {found.broken_at:,} {found.fault}"), icon=":material/error:")


def row(entry: AuditOut) -> dict[str, str]:
    """An entry as a row."""
    return {
        "Number": str(entry.position),
        "When": words.moment(entry.time, timezone=session.timezone()),
        "Who": entry.actor,
        "What": entry.action,
        "Of": entry.object_id,
        "Details": ", ".join(f"{key}: {value}" for key, value in sorted(entry.details.items())),
    }


page()
