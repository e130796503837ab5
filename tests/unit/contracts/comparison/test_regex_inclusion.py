"""Which texts regular expressions match: a table of pairs, and texts that are tried on both."""

import re
import time
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treaty.contracts.comparison.directions import Direction, of_sets
from treaty.contracts.comparison.regex_inclusion import RegexPattern, of_patterns
from treaty.contracts.limits.safe_regex import UnsafeRegex, inspect_regex


@pytest.mark.parametrize(
    ("old", "new", "direction"),
    [
        ("a|b", "b|a", "untested"),
        ("a|b", "a|b|c", "loosens"),
        ("a|b", "[ab]", "untested"),
        ("[a-z]+", "[a-z]*", "loosens"),
        ("[a-z]{2,4}", "[a-z]{3}", "tightens"),
        ("[a-z]{2}", "[a-z]{3}", "both"),
        ("aa*", "a+", "untested"),
        ("(ab)*a", "a(ba)*", "untested"),
        (r"\d{5}", r"[0-9]{5}", "untested"),
        (r"\d{5}", r"\d{5}(-\d{4})?", "loosens"),
        (r"\w+@\w+", r"\w+@[a-z]+", "tightens"),
        ("[^a]", ".", "both"),
        ("a.c", "a[^\\n]c", "untested"),
        ("^a$", "a", "untested"),
        ("a{0}b", "b", "untested"),
        ("a*?", "a*", "untested"),
        ("[A-Z]{2}[0-9]{4}", "[A-Z]{2}[0-9]{4,6}", "loosens"),
        # Not decided: anchors amid, boundaries, letters beyond ASCII, more than is walked.
        ("^a|b$", "a|b", "undetermined"),
        (r"\bab", "ab", "undetermined"),
        ("\u00e9", "\u00fc", "undetermined"),
        ("[a-z]{300}", "[a-z]{301}", "undetermined"),
        ("(?=a)", "a", "undetermined"),
    ],
)
def test_expressions_are_compared_by_the_texts_that_they_match(old: str, new: str, direction: str) -> None:
    assert of_patterns(RegexPattern(old), RegexPattern(new)) is Direction(direction)
    assert of_patterns(RegexPattern(new), RegexPattern(old)) is Direction(direction).mirrored


@pytest.mark.parametrize(
    ("old", "new", "direction"),
    [
        (RegexPattern("ab", is_search=True), RegexPattern("b", is_search=True), "loosens"),
        (RegexPattern("^ab", is_search=True), RegexPattern("ab", is_search=True), "loosens"),
        (RegexPattern("a", is_search=True), RegexPattern("a"), "tightens"),
        (RegexPattern("^a", is_search=True), RegexPattern("a.*"), "tightens"),
        (RegexPattern("a$", is_search=True), RegexPattern("a\\n?$", is_search=True), "loosens"),
        (RegexPattern("x*", is_search=True), RegexPattern("y*", is_search=True), "untested"),
    ],
)
def test_it_matters_where_a_text_is_matched(old: RegexPattern, new: RegexPattern, direction: str) -> None:
    assert of_patterns(old, new) is Direction(direction)


ATOMS = st.sampled_from(["a", "b", "[ab]", "[^a]", ".", "\\w", "\\d"])
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("(?:{0[0]}|{0[1]})".format),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{2,}"])).map("(?:{0[0]}){0[1]}".format),
    ),
    max_leaves=4,
)
TEXTS = ["".join(letters) for length in range(5) for letters in product("ab\n1", repeat=length)]


@given(PATTERNS, PATTERNS, st.booleans())
def test_texts_agree_with_the_direction(old: str, new: str, within: bool) -> None:
    found = of_patterns(RegexPattern(old, within), RegexPattern(new, within))
    match = re.search if within else re.fullmatch
    seen = of_sets(*([text for text in TEXTS if match(each, text, re.ASCII)] for each in (old, new)))
    # Short texts may not show all that differs, but never show what does not.
    allowed = {Direction.BOTH: set(Direction), Direction.UNTESTED: {Direction.UNTESTED}}
    assert found is not Direction.UNDETERMINED
    assert seen in allowed.get(found, {found, Direction.UNTESTED})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[ab]*a[ab]{12}", "[ab]*b[ab]{12}"),
        ("([a-z]{1,9}-){1,9}[a-z]{1,9}", "([a-z]{1,8}-){1,9}[a-z]{1,9}"),
        ("(a?){16}", "(a?){15}"),
        (".{1,255}", ".{1,254}"),
    ],
)
def test_expressions_that_grow_beyond_bounds_end_soon(old: str, new: str) -> None:
    begun = time.process_time()
    of_patterns(RegexPattern(old, is_search=True), RegexPattern(new, is_search=True))
    of_patterns(RegexPattern(old), RegexPattern(new))
    assert time.process_time() - begun < 5


def test_what_is_not_admitted_is_not_compared() -> None:
    with pytest.raises(UnsafeRegex):
        inspect_regex("a(?!b)")
    assert of_patterns(RegexPattern("a(?!b)"), RegexPattern("a")) is Direction.UNDETERMINED
