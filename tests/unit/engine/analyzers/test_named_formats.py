"""Named formats: their expressions are of the admitted subset, and say the same in Python as they are meant to."""

import re

import pytest
from support.every import every
from support.format_texts import TEXTS

from treaty.contracts.limits.safe_regex import inspect_regex, tokens_of
from treaty.engine.analyzers.named_formats import FORMATS
from treaty.engine.analyzers.text import PatternMatch

GOOD = [(name, text) for name, (good, _) in TEXTS.items() for text in good]
# Where the expression alone decides.
BAD = [(name, text) for name, (_, bad) in TEXTS.items() for text in bad if not FORMATS[name].conditions]


def matches(name: str, text: str) -> bool:
    flags = re.ASCII if FORMATS[name].exact_case else re.ASCII | re.IGNORECASE
    return re.fullmatch(FORMATS[name].pattern, text, flags) is not None


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
    assert matches(name, text)


@every(("name", "text"), BAD)
def test_a_text_of_another_shape_is_refused_by_the_expression_alone(name: str, text: str) -> None:
    assert not matches(name, text)


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
