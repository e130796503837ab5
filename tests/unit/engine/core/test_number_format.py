"""Values as people read them."""

from decimal import Decimal
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treaty.engine.core.number_format import exact, figure, visible

SHOWN = [
    (0, "0"),
    (-1234567, "-1,234,567"),
    (2**63 - 1, "9,223,372,036,854,775,807"),
    (True, "true"),
    (None, "none"),
    (Decimal("12345678901234567890.12"), "12,345,678,901,234,567,890.12"),
    (Decimal("1.10"), "1.10"),
    (Decimal(0), "0"),
    (Decimal("NaN"), "NaN"),
    (0.0, "0"),
    (-0.0, "0"),
    (0.9967, "0.9967"),
    (2 / 3, "0.666667"),
    (1 / 3 + 1, "1.33333"),
    (1234567.891, "1,234,568"),
    (1234.5678, "1,234.57"),
    (100.0, "100"),
    (1e14, "100,000,000,000,000"),
    (1e20, "1.00000e+20"),
    (0.0000123, "0.0000123"),
    (1.5e-9, "1.50000e-9"),
    (nan, "not a number"),
    (inf, "infinite"),
    (-inf, "negative infinity"),
    ("new", "new"),
    ("2026-01-01", "2026-01-01"),
    ("a\nb\x1b[31m\u200b\u202e", "a\\u000ab\\u001b[31m\\u200b\\u202e"),
    ("Größe 東京", "Größe 東京"),
    ("x" * 99, "x" * 59 + "…"),
]


@pytest.mark.parametrize(("value", "text"), SHOWN)
def test_a_value_is_readable(value: object, text: str) -> None:
    assert figure(value) == text


BESIDE = [
    (0.99999, 1, "0.99999"),
    (0.9999999, 1, "0.9999999"),
    (0.9999999999, 1, "0.9999999999"),
    (0.0000001, 0, "1.00000e-7"),
    (0.9499999, 0.95, "0.9499999"),
    (0.95, 0.95, "0.95"),
    (1 / 3, 0.333333, "0.3333333"),
    (1e20 + 2**14, 1e20, "1.0000000000000002e+20"),
]


@pytest.mark.parametrize(("value", "limit", "text"), BESIDE)
def test_a_value_is_not_rounded_onto_its_limit(value: float, limit: float, text: str) -> None:
    assert figure(value, alongside=[limit]) == text


NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(NUMBERS, st.one_of(NUMBERS, st.integers(), st.sampled_from([0, 1, 0.95])))
def test_what_is_shown_lies_on_the_same_side_of_the_limit_as_the_value(value: float, limit: float) -> None:
    shown = Decimal(figure(value, alongside=[limit]).replace(",", ""))
    assert (shown < exact(limit), shown > exact(limit)) == (exact(value) < exact(limit), exact(value) > exact(limit))


@given(st.text())
def test_everything_that_is_shown_can_be_seen(text: str) -> None:
    assert visible(text).isprintable()
