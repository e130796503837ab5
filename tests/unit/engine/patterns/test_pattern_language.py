"""The pattern language: what is written is read back; matching from the parts is what the regular expression does."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treaty.engine.patterns.language.parser import parse
from treaty.engine.patterns.language.pattern import (
    CLASSES,
    CharacterToken,
    LiteralToken,
    NumberToken,
    Part,
    Pattern,
    PatternError,
    Repetition,
    Stretch,
    compiled,
    joined,
    union,
)

READ = [
    ("2019-<digit>{2}-<digit>{2}", "2019-[0-9]{2}-[0-9]{2}", ["2019-03-01"], ["2019-3-01", "2019-03-01 "]),
    ("<num> kg|<upper>+", r"-?[0-9]+(?:\.[0-9]+)? kg|[A-Z]+", ["-1.5 kg", "0 kg", "KG"], [".5 kg", "1. kg", ""]),
    ("(/<alphanum>+){1,3}", "(?:/[0-9A-Za-z]+){1,3}", ["/a", "/a/b2/c"], ["", "/", "/a/b/c/d"]),
    ("[<letter> .]{3,5}", "[A-Za-z .]{3,5}", ["A B", "a.b.c"], ["ab", "abcdef", "a-b"]),
    (r"C\+\+(<digit>{2})?", r"C\+\+(?:[0-9]{2})?", ["C++", "C++17"], ["C+", "C++1"]),
    ("<hex>{4}", "[0-9a-f]{4}", ["00ff"], ["00FF", "00fg"]),
    ("<word>*", "[0-9A-Za-z\u00a1-\U0010ffff]*", ["", "Zürich", "مرحبا", "東京"], ["a b", "a-b"]),
    ("[<digit>\\[^-]+", r"[0-9\[\^\-]+", ["1-[^"], ["]"]),
    ("", "", [""], [" "]),
]


@pytest.mark.parametrize(("text", "regex", "matched", "others"), READ, ids=[each[0] or "empty" for each in READ])
def test_a_pattern_is_read_written_and_matched(text: str, regex: str, matched: list[str], others: list[str]) -> None:
    pattern = parse(text)
    assert (pattern.text, pattern.regex) == (text, regex)
    assert all(pattern.matches(each) for each in matched)
    assert not any(pattern.matches(each) for each in others)


WRONG = [
    ("<digits>", "character 1 of the pattern does not begin a class"),
    ("a<digit>{2}b+", "character 13 of the pattern needs a backslash"),
    ("[<digit>", "the bracket at character 1 of the pattern is not closed"),
    ("(ab", "the parenthesis at character 1 of the pattern is not closed"),
    ("ab)", "character 3 of the pattern closes a parenthesis that is not open"),
    ("a{2}", "character 2 of the pattern needs a backslash"),
]


@pytest.mark.parametrize(("text", "told"), WRONG, ids=[each[0] for each in WRONG])
def test_what_is_no_pattern_is_refused_where_it_is_none(text: str, told: str) -> None:
    with pytest.raises(PatternError, match=re.escape(told)):
        parse(text)


def test_patterns_are_joined_and_united() -> None:
    one, other = parse("ab<digit>"), parse("-cd")
    assert joined([one, other]).text == "ab<digit>-cd"
    assert union([one, other, one]).text == "ab<digit>|-cd"


SIGNS = "ab1Z-. /é\n\\[^]"
times = st.sampled_from(
    [
        Repetition(),
        Repetition(2, 2),
        Repetition(1, None),
        Repetition(0, None),
        Repetition(0, 1),
        Repetition(1, 3),
        Repetition(2, None),
    ]
)
literals = st.text(SIGNS, min_size=1, max_size=3).map(LiteralToken)
runs = st.builds(
    CharacterToken,
    st.lists(st.sampled_from(sorted(set(CLASSES) - {"any"})), min_size=1, max_size=2, unique=True).map(tuple),
    times,
    st.text("-. [^]\\", max_size=2).map(lambda each: "".join(sorted(set(each)))),
)
plain: st.SearchStrategy[Part] = st.one_of(literals, runs, st.just(NumberToken()))
stretches = st.builds(Stretch, st.tuples(literals, runs), times)
sequences = st.lists(st.one_of(plain, stretches), max_size=4).map(
    lambda parts: joined([Pattern(((each,),)) for each in parts])
)
patterns = st.lists(sequences, min_size=1, max_size=3).map(union)


@given(patterns)
def test_what_is_written_is_read_back(pattern: Pattern) -> None:
    assert parse(pattern.text) == pattern


@given(patterns, st.lists(st.text(SIGNS, max_size=6), max_size=8))
def test_matching_from_the_parts_is_what_the_regular_expression_does(pattern: Pattern, values: list[str]) -> None:
    found = compiled(pattern)
    assert [pattern.matches(each) for each in values] == [found.fullmatch(each) is not None for each in values]
