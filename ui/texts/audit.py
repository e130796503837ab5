"""Texts of the audit page."""

from treaty.ui.texts.formatting import pluralize

OBJECT_ID = "Object id"
EMPTY = "No entries"
NO_ENTRY = "No entry matches these filters. Choose another action, or clear the object id."
ENTRIES = "Audit log entries"

VERIFY = "Verify"
KEEP_HEAD = "Download head"
HEAD_IS_FOR = (
    "Store the head outside the registry. A later verification compares it with the log to detect removed or "
    "rewritten entries."
)
SIGNED = "signed"
NOT_SIGNED = "not signed"

NUMBER = "Number"
ACTION = "Action"
OF = "Object"
DETAILS = "Details"


def action(stored: str, current: str | None) -> str:
    return f"{current} (stored as {stored})" if current else stored


def newest(entries: int) -> str:
    return f"Latest {pluralize(entries, 'entry', 'entries')}"


def length(entries: int, signed: str) -> str:
    return f"{pluralize(entries, 'entry', 'entries')}, {signed}"


def intact(entries: int) -> str:
    return f"Verified {pluralize(entries, 'entry', 'entries')}: the chain is intact"


def broken(position: int, fault: str | None) -> str:
    return f"Entry {position:,} {fault}"
