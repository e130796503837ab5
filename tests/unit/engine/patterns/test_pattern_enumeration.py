"""Enumeration: the rows that a pattern is said to match are those that its regular expression matches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treaty.engine.patterns.enumeration import MOST_PATTERNS, enumerate_patterns, groups, rows_of
from treaty.engine.patterns.language.parser import parse
from treaty.engine.patterns.language.pattern import compiled
from treaty.engine.patterns.language.pattern_ids import identity
from treaty.engine.patterns.language.tokenizer import by_words

LOOKS = ["2019-03-01", "12.50", "-3", "AB12", "ab 12", "a1b2", "00ff", "é-1", "x/y/z", "", " ", "1.2.3", "[a]+{b}"]
columns = st.lists(
    st.one_of(
        st.sampled_from(LOOKS), st.from_regex(r"[A-C]{1,2}[0-9]{1,3}", fullmatch=True), st.text("aB1-. ", max_size=5)
    ),
    min_size=1,
    max_size=12,
)


@given(columns)
def test_the_rows_of_a_pattern_are_those_that_its_regular_expression_matches(values: list[str]) -> None:
    for found in enumerate_patterns(rows_of(values), len(values), share=0.3):
        match = compiled(parse(found.text)).fullmatch
        assert [found.rows >> place & 1 for place in range(len(values))] == [match(each) is not None for each in values]


@given(columns)
def test_no_pattern_is_found_twice_and_its_id_is_that_of_its_text(values: list[str]) -> None:
    found = list(enumerate_patterns(rows_of(values), len(values), share=0.3))
    assert len({each.id for each in found}) == len(found)
    assert [identity(each.text) for each in found] == [each.id for each in found]
    assert all(parse(each.text).text == each.text for each in found)


FOUND = [
    (["9:07", "9:42"], {"9:<digit>{2}", "<digit>:<digit>+", "<digit>+:<digit>{2}", "<digit>+:<digit>+"}, {"9:07"}),
    (["GH12", "CD34"], {"<upper>{2}<digit>{2}", "<alphanum>{4}", "<alphanum>+"}, {"<letter>{2}<digit>{2}"}),
    (["1.5", "-2.25"], {"<num>"}, {"<digit>+.<digit>+"}),
    (["ff00", "1a2b"], {"<hex>{4}", "<hex>+"}, {"<digit>+"}),
    (["Zürich", "Genf"], {"<word>+"}, {"<letter>+"}),
]


@pytest.mark.parametrize(("values", "within", "without"), FOUND, ids=[each[0][0] for each in FOUND])
def test_a_group_has_the_patterns_that_all_its_values_have(
    values: list[str], within: set[str], without: set[str]
) -> None:
    every = (1 << len(values)) - 1
    texts = {each.text for each in enumerate_patterns(rows_of(values), len(values)) if each.rows == every}
    assert within <= texts
    assert not without & texts


def test_wide_and_varied_columns_have_a_bounded_number_of_patterns() -> None:
    values = [f"{n}-{n * 7}.{n % 3}a/b{n}:{n % 5}" for n in range(128)]
    assert 0 < len(list(enumerate_patterns(rows_of(values), 128, tokens=13, share=0.01))) <= 20 * MOST_PATTERNS


def test_ten_thousand_formats_have_no_pattern() -> None:
    values = ["-" * (n % 900) + "a" * (n // 900 + 1) + "." * (n // 900) for n in range(10_000)]
    assert not list(enumerate_patterns(rows_of(values), len(values)))


def test_too_long_values_are_in_no_group() -> None:
    assert not groups(rows_of(["a" * 1_000_000]), by_words)


def test_ids_are_the_same_in_every_process() -> None:
    assert identity("<digit>{4}-<digit>{2}") == 14600676679550568591
