"""Reasons of missing states: stored as codes, read as sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treaty.engine.states.bag import StateBag
from treaty.engine.states.missing_states import NEVER_STORED, SENTENCES, MissingState, is_unlike, sentence, unlike_types


@pytest.mark.parametrize("code", list(MissingState))
def test_a_code_has_no_words_and_its_sentence_has(code: MissingState) -> None:
    assert " " not in code
    assert " " in sentence(unlike_types("amount") if code is MissingState.UNLIKE_TYPES else code)


@given(st.text())
def test_a_column_is_named_whatever_it_is_called(column: str) -> None:
    assert sentence(unlike_types(column)) == f"{column} is not of one type in all partitions"
    assert is_unlike(unlike_types(column))


@pytest.mark.parametrize("stored", ["Spark could not compute it: DIVIDE_BY_ZERO", "", "unlike", *SENTENCES.values()])
def test_what_is_no_code_stays_as_it_is(stored: str) -> None:
    assert (sentence(stored), is_unlike(stored)) == (stored, False)


@pytest.mark.parametrize("code", sorted(NEVER_STORED))
def test_a_bag_stores_the_code_and_says_the_sentence(code: MissingState) -> None:
    bag = StateBag({}, failures={"count x": code})
    assert (bag.failures["count x"], bag.failure("count x")) == (code.value, SENTENCES[code])
