"""Expressions in the syntax of ECMA-262: the same matches, or none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.every import every

from treaty.contracts.document.ecma_regex import ecma_regex
from treaty.contracts.document.logical_type_options import means_whole
from treaty.contracts.limits.linear_match import matcher
from treaty.contracts.limits.safe_regex import UnsafeRegex, inspect_regex

# The pattern of a whole text, and what it is there: node has confirmed 4,805 drawn ones, with and without its flag u.
WRITTEN = {
    "": "^$", "a": "^a$", "^a$": "^a$", "a|b": "^(?:a|b)$", "^(a|b)$": "^(a|b)$", "(?:ab){2,3}?c": "^(?:ab){2,3}?c$",
    r"\d\w\D\W": r"^\d\w\D\W$", r"\s+": r"^[ \t\n\r\f\x0b]+$", r"\S": r"^[^ \t\n\r\f\x0b]$", "a.b": r"^a[^\n]b$",
    r"[\s.]": r"^[ \t\n\r\f\x0b.]$", "[]a]": r"^[\]a]$", "[^]a]": r"^[^\]a]$", r"[a\-z]": r"^[a\-z]$",
    r"\-\_\ \"": r'^-_ "$', r"\.\/\$": r"^\.\/\$$", r"\x41\t": r"^\x41\t$", r"[\\s]": r"^[\\s]$",
    "^a$|^b$": None, r"a\b": None, r"\Ba": None, r"[\S]": None, "\U0001f600": None, "a^b": None, "a$b": None,
}  # fmt: skip
ATOMS = st.sampled_from(
    ["a", "b", r"\d", r"\w", r"\s", r"\S", ".", "[a-c]", r"[^a\s]", "[]x]", r"\-", r"\.", "(?:a|b)"]
)
PATTERNS = st.lists(st.tuples(ATOMS, st.sampled_from(["", "", "*", "+", "?", "{1,2}"])), min_size=1, max_size=4)
TEXTS = st.text("ab5 .-]x\n\r\t\x0b\u00a0\u2028\u00e9", max_size=4)


@every("pattern", WRITTEN)
def test_a_pattern_of_a_whole_text_is_written_with_the_same_meaning(pattern: str) -> None:
    assert ecma_regex(pattern) == WRITTEN[pattern]


@pytest.mark.parametrize(
    ("pattern", "expected"), [("a|b", "a|b"), (r"\s", r"[ \t\n\r\f\x0b]"), ("^a", None), ("^a$", None)]
)
def test_a_pattern_within_a_text_is_not_anchored(pattern: str, expected: str | None) -> None:
    assert ecma_regex(pattern, within=True) == expected


@given(PATTERNS, TEXTS)
def test_what_is_written_matches_the_same_texts_when_it_is_read_again(parts: list[tuple[str, str]], text: str) -> None:
    pattern = "".join(map("".join, parts))
    try:
        inspect_regex(pattern)
    except UnsafeRegex:
        return
    written = ecma_regex(pattern)
    assert written is not None
    assert means_whole(written)
    assert matcher(written)(text) is matcher(pattern)(text)
