"""The words that the glossary replaces, and the old dialect, for the tests of pages and of texts."""

import re

WORDS = (
    r"tells|told|whoever|beside|anew|thereby|wherever|likewise|put(?:s|ting)? off|"
    r"look(?:s|ed|ing)? after|for so long|as far as|by itself|judge[sd]?|judg(?:ing|e?ments?)|promise[sd]?|blast|"
    r"dead letters? office|foreseen|no longer good|good for nothing"
)
# Whole words, in any case: in pages of the docs, and in texts of the pages of the registry.
BANNED_IN_PAGES = re.compile(rf"\b(?:{WORDS})\b", re.IGNORECASE)
REPLACED = re.compile(rf"\b(?:{WORDS}|tell|whom|nobody|somebody)\b", re.IGNORECASE)
