"""Values as people read them."""

from decimal import Decimal
from math import inf, nan

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from treaty.engine.core.number_format import exact, figure, measured_text, percentage, visible

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
    (2 / 3, "0.6667"),
    (1 / 3 + 1, "1.333"),
    (1234567.891, "1,234,568"),
    (1234.5678, "1,235"),
    (100.0, "100"),
    (1e14, "100,000,000,000,000"),
    (1e20, "1e+20"),
    (0.0000123, "0.0000123"),
    (0.00000123, "0.00000123"),
    (7.95e-11, "7.95e-11"),
    (1.5e-9, "1.5e-9"),
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
    (0.0000001, 0, "1e-7"),
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
    assume(exact(value) != exact(limit))
    shown = Decimal(figure(value, alongside=[limit]).replace(",", ""))
    assert (shown < exact(limit), shown > exact(limit)) == (exact(value) < exact(limit), exact(value) > exact(limit))


@given(NUMBERS, NUMBERS)
def test_two_numbers_that_are_shown_together_look_as_they_compare(first: float, second: float) -> None:
    shown = [
        Decimal(figure(mine, alongside=[other]).replace(",", "")) for mine, other in ((first, second), (second, first))
    ]
    assert (shown[0] < shown[1], shown[0] > shown[1]) == (exact(first) < exact(second), exact(first) > exact(second))


@pytest.mark.parametrize(
    ("text", "unit", "shown"),
    [
        ("0.5397", "share", "54.0 %"),
        ("1", "share", "100.0 %"),
        ("0.99999", "share", "99.999 %"),
        ("1626", "rows", "1,626"),
        ("1.9437", "value", "1.944"),
        ("104.63333333333334", "value", "104.6"),
        ("7.95000e-11", "value", "7.95e-11"),
        ("2026-01-01", "time", "2026-01-01"),
        ("NaN", "share", "not a number"),
    ],
)
def test_a_stored_value_is_shown_in_its_unit(text: str, unit: str, shown: str) -> None:
    assert measured_text(text, unit) == shown


@given(st.floats(0, 1))
def test_a_percentage_looks_whole_only_if_it_is(share: float) -> None:
    shown = percentage(share)
    assert (shown == "0.0 %", shown == "100.0 %") == (share == 0, share == 1)


@given(st.text())
def test_everything_that_is_shown_can_be_seen(text: str) -> None:
    assert visible(text).isprintable()
