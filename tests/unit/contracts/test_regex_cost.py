"""The work of a backtracking engine is bounded before an expression is accepted, and RE2 matches as Python does."""

import re
from itertools import islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.every import every

from bench.trust.regex_texts import CLASSIC, adversarial, hostile
from bench.trust.regexes import ENGINES, SEED, accepted, benign, milliseconds, searches
from treaty.contracts.limits import safe_regex
from treaty.contracts.limits.linear_match import matcher
from treaty.contracts.limits.safe_regex import UnsafeRegex, inspect_regex

EMPTY = ("()", "^", "$", r"\b", "(^|$)", "(|)", "(a{0})", "()()", r"(\b\b)*")
REFUSED = (
    "(-a?a?a?a?a?a?a?a?)*x", "(-(a|b|ab)*)*x", "a?" * 13 + "b", "((a|ab){0,9}b?){5}c", r"^\S+@\S+\.\S+$", "^.*a.*b.*c",
    "(a{100}){20}", "a{1000}" * 5, "((a?){9}){9}b", r"^\w+([.-]?\w+)*@\w+([.-]?\w+)*(\.\w{2,3})+$",
)  # fmt: skip
ACCEPTED = (
    r"^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}$", "^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,63}$",
    "^[A-Z&]{3,4}$", r"^[^\x00-\x1f]*$", r"\x41+", "^(jan|jun|jul)(,(jan|jun|jul))*$", "^.*a.*$", r".*\.csv",
    "(new|paid|sent|cancelled|returned|refunded)", "[=&]", "(ab|cd){0,9}", "(a{10}){100}",
)  # fmt: skip


@every("inner", EMPTY)
@pytest.mark.parametrize(
    "form", ["((({}){{1000}}){{1000}}){{1000}}", "(({}){{1000}}){{2}}", "((({}){{20}}){{20}}){{20}}"]
)
def test_repetitions_of_an_empty_match_count(inner: str, form: str) -> None:
    with pytest.raises(UnsafeRegex, match="repeats more than"):
        inspect_regex(form.format(inner))


@every("pattern", REFUSED)
def test_an_expression_that_takes_too_many_steps_is_refused(pattern: str) -> None:
    with pytest.raises(UnsafeRegex, match=r"too long on a text|repeats more than"):
        inspect_regex(pattern)


@every("pattern", ACCEPTED)
def test_an_expression_of_few_steps_is_accepted(pattern: str) -> None:
    inspect_regex(pattern)


def test_of_benign_expressions_at_most_one_in_a_hundred_is_refused() -> None:
    formats = benign()
    assert len(formats) == len(set(formats)) >= 200
    assert sum(not accepted(each) for each in formats) <= len(formats) / 100


@given(st.lists(st.sampled_from(["a*", "b*", "[ab]*", "a", "b"]), min_size=1, max_size=4), st.text("ab", max_size=6))
def test_no_more_ways_exist_than_are_counted(parts: list[str], text: str) -> None:
    """Divide the text between the parts in all ways, and compare with the piece's own number of ways."""
    whole = safe_regex._Reader(list(safe_regex.tokens_of("".join(parts)))).read()
    ends = {0: 1}
    for part in parts:
        following: dict[int, int] = {}
        for start, number in ends.items():
            for end in range(start, len(text) + 1):
                if re.fullmatch(part, text[start:end]):
                    following[end] = following.get(end, 0) + number
        ends = following
    assert sum(ends.values()) <= whole.ways
    assert ends.get(len(text), 0) <= whole.exact


def test_accepted_hostile_expressions_end_soon_on_adversarial_texts() -> None:
    """A child searches a share of the benchmark; it is ended if it does not end."""
    patterns = [each for each in hostile(300, seed=SEED) if accepted(each)]
    assert 50 < len(patterns) < 290
    wanted = [each for pattern in patterns for each in islice(searches([pattern]), 12)]
    assert len(milliseconds(ENGINES["Python"], wanted)) == len(wanted)


def test_most_classic_expressions_are_refused() -> None:
    assert sum(accepted(each) for each in CLASSIC) <= len(CLASSIC) / 4


@pytest.mark.parametrize("within", [False, True])
def test_a_linear_match_is_that_of_python(within: bool) -> None:
    random = Random(5)
    for pattern in [each for each in (*hostile(250, seed=3), *benign()) if accepted(each)]:
        compiled, linear = re.compile(pattern, re.ASCII), matcher(pattern, within=within)
        match = compiled.search if within else compiled.fullmatch
        for text in islice(adversarial(pattern, seed=SEED), 0, None, 7):
            for tried in (text, text[: random.randint(0, 40)], f"{text[:5]}\n"):
                assert linear(tried) == (match(tried) is not None), (pattern, tried)


@every("pattern, text, expected", [
    (r"a\s", "a\v", True), (r"[\s]", "\v", True), (r"a\S", "a\v", False), ("é.", "é€", True), ("a$", "a\n", False),
    (".", "\ud800", True), ("", "", True), (r"\\s", r"\s", True), (r"[\\s]", "s", True),
])  # fmt: skip
def test_a_linear_match_reads_blanks_line_ends_and_letters_as_python_does(
    pattern: str, text: str, expected: bool
) -> None:
    assert matcher(pattern)(text) is expected is (re.fullmatch(pattern, text, re.ASCII) is not None)


def test_a_match_within_a_text_may_end_before_its_last_line_break() -> None:
    assert matcher("a$", within=True)("a\n")
    assert not matcher("a$", within=True)("a\n\n")
