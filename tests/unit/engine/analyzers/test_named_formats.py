"""Named formats: their expressions are of the admitted subset, and say the same in Python as they are meant to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import ean, isbn, luhn
from stdnum.iso7064 import mod_97_10
from support.every import every
from support.format_texts import TEXTS

from treaty.contracts.limits.safe_regex import inspect_regex, tokens_of
from treaty.engine.analyzers.named_formats import FORMATS
from treaty.engine.analyzers.text import PatternMatch

GOOD = [(name, text) for name, (good, _) in TEXTS.items() for text in good]
# Where expression and check digits alone decide.
BAD = [
    (name, text) for name, (_, bad) in TEXTS.items() for text in bad if name == "iban" or not FORMATS[name].conditions
]


def test_every_format_has_at_least_fifteen_texts_of_either_kind() -> None:
    assert set(TEXTS) == set(FORMATS)
    assert all(len(set(good)) >= 15 and len(set(bad)) >= 15 for good, bad in TEXTS.values())
    assert not [name for name, (good, bad) in TEXTS.items() if set(good) & set(bad)]


# Of the expression of URLs the static bound is too high; bench/trust/regexes.py measures it.
MEASURED = frozenset({"url"})


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_an_expression_of_a_format_is_admitted(name: str) -> None:
    whole = f"^(?:{FORMATS[name].pattern})$"
    assert list(tokens_of(whole))
    if name not in MEASURED:
        inspect_regex(whole)


@every(("name", "text"), GOOD)
def test_a_text_of_the_format_has_its_shape(name: str, text: str) -> None:
    assert FORMATS[name].holds(text)


@every(("name", "text"), BAD)
def test_a_text_of_another_shape_is_refused(name: str, text: str) -> None:
    assert not FORMATS[name].holds(text)


DIGITS = st.text("0123456789", min_size=2, max_size=20)
SEPARATORS = st.sampled_from(("", " ", "-"))


@given(DIGITS, SEPARATORS, st.booleans())
def test_a_luhn_check_digit_is_that_of_an_independent_library(digits: str, separator: str, completed: bool) -> None:
    number = digits[:-1] + luhn.calc_check_digit(digits[:-1]) if completed else digits
    assert FORMATS["luhn"].holds(separator.join(number)) is luhn.is_valid(number)


@given(st.text("0123456789", min_size=6, max_size=15), SEPARATORS, st.booleans())
def test_an_ean_is_that_of_an_independent_library(digits: str, separator: str, completed: bool) -> None:
    number = digits[:-1] + ean.calc_check_digit(digits[:-1]) if completed else digits
    assert FORMATS["ean"].holds(separator.join(number)) is ean.is_valid(number)


@given(
    st.sampled_from(("", "978", "979")), st.text("0123456789", min_size=9, max_size=10), st.sampled_from("0123456789Xx")
)
def test_an_isbn_is_that_of_an_independent_library(prefix: str, digits: str, last: str) -> None:
    number = f"{prefix}{digits}{last}"
    assert FORMATS["isbn"].holds(number) is isbn.is_valid(number)
    if isbn.is_valid(number):
        assert FORMATS["isbn"].holds(isbn.format(number))


@given(st.text("0123456789ABCXYZ", min_size=18, max_size=18), st.booleans())
def test_an_iban_has_the_check_digits_of_an_independent_library(account: str, completed: bool) -> None:
    check = mod_97_10.calc_check_digits(f"{account}DE") if completed else "12"
    assert FORMATS["iban"].holds(f"DE{check}{account}") is mod_97_10.is_valid(f"{account}DE{check}")


def test_an_unknown_format_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ValueError, match=r"unknown format 'emial'.*email"):
        PatternMatch(column="a", format="emial")


@pytest.mark.parametrize("given", [{}, {"pattern": "a", "format": "email"}])
def test_a_pattern_or_a_format_is_given_not_both(given: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="give exactly one of pattern and format"):
        PatternMatch(column="a", **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("pattern", ["(a+)+", "(", "(?i)a", "a" * 513, r"\Aa", "(?=a)"])
def test_an_expression_outside_the_subset_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="the regular expression"):
        PatternMatch(column="a", pattern=pattern)
