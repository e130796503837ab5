"""Texts of the audit page."""

from treaty.ui.texts.formatting import count

OBJECT_ID = "Of what, by its id"
EMPTY = "Nothing was changed"
NO_ENTRY = "No entry is of that kind, or about that object."
ENTRIES = "Entries of the audit"

VERIFY = "Verify"
KEEP_HEAD = "Keep the head"
HEAD_IS_FOR = "With it a later verification sees whether entries were cut off or written anew."
SIGNED = "signed"
NOT_SIGNED = "not signed"

NUMBER = "Number"
OF = "Of"
DETAILS = "Details"


def newest(entries: int) -> str:
    return f"The newest {count(entries)} entries"


def length(entries: int, signed: str) -> str:
    return f"{count(entries)} entries, {signed}"


def intact(entries: int) -> str:
    return f"{count(entries)} entries, all as they were written"


def broken(position: int, fault: str | None) -> str:
    return f"Entry {position:,} {fault}"
