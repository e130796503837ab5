"""Audit log: who changed what and when, and the verification of its hash chain."""

import streamlit as st

from treaty.registry.core.audit_actions import FORMER_ACTIONS, AuditAction
from treaty.registry.schemas import AuditOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import audit as texts
from treaty.ui.texts import pages
from treaty.ui.widgets import panels, viewer

SHOWN = 200


def page() -> None:
    """Draw the verification, and the newest entries that match the filters."""
    st.title(pages.AUDIT)
    proof()
    with st.container(horizontal=True, key="filters"):
        action = st.selectbox(
            texts.ACTION,
            [ui_texts.ALL, *(each.value for each in AuditAction)],
            key="action",
            bind="query-params",
        )
        subject = st.text_input(texts.OBJECT_ID, key="object", bind="query-params")
    selected = None if action in (ui_texts.ALL, None) else action
    entries = viewer.registry().audit(action=selected, object_id=subject or None, limit=SHOWN)
    if not entries:
        panels.empty(texts.EMPTY, texts.NO_ENTRY)
        return
    st.caption(texts.newest(len(entries)))
    panels.table([row(each) for each in entries], key="entries", alt=texts.ENTRIES)


def proof() -> None:
    """Verify the whole log on request, and offer the head for download."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(texts.VERIFY, key="verify", icon=":material/fact_check:"):
            _verified()
        head = viewer.registry().audit_head()
        st.download_button(
            texts.KEEP_HEAD,
            head.model_dump_json(indent=2),
            file_name="audit-head.json",
            mime="application/json",
            key="head",
            help=texts.HEAD_IS_FOR,
        )
        st.caption(texts.length(head.position, texts.SIGNED if head.signature else texts.NOT_SIGNED))


def _verified() -> None:
    chain = viewer.registry().audit_chain()
    if chain.broken_at is None:
        st.success(texts.intact(chain.entries), icon=":material/verified:")
    else:
        st.error(ui_texts.esc(texts.broken(chain.broken_at, chain.fault)), icon=":material/error:")


def row(entry: AuditOut) -> dict[str, str]:
    """Return an entry as a table row."""
    return {
        texts.NUMBER: str(entry.position),
        ui_texts.WHEN: ui_texts.moment(entry.time, timezone=viewer.timezone()),
        ui_texts.WHO: entry.actor,
        texts.ACTION: texts.action(entry.action, FORMER_ACTIONS.get(entry.action)),
        texts.OF: entry.object_id,
        texts.DETAILS: ", ".join(f"{key}: {value}" for key, value in sorted(entry.details.items())),
    }


page()
