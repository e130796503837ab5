"""What assertions admit: the direction between two of them is that of the values which keep them."""

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treaty.contracts.assertions import OPERATORS, PAIRED, Assertion, ReferenceLimit
from treaty.contracts.comparison.directions import Direction, of_sets
from treaty.contracts.comparison.threshold_order import ANY, NumericDomain, admits_only, compare_thresholds, rising

LIMITS = st.sampled_from([-1, 0, 0.5, 1, 1.5, 2, 3])
SAMPLES = [Fraction(each, 4) for each in range(-8, 17)]
DOMAINS = st.sampled_from(
    [
        ANY,
        NumericDomain(0),
        NumericDomain(0, 1),
        NumericDomain(0, whole=True),
        NumericDomain(whole=True),
        NumericDomain(0, 100),
    ]
)


def assertions(limits: st.SearchStrategy[Any]) -> st.SearchStrategy[Assertion]:
    single = st.builds(Assertion, st.sampled_from(sorted(OPERATORS.keys() - PAIRED)), limits)
    pair = st.tuples(limits, limits).map(lambda each: tuple(sorted(each)))
    return single | st.builds(Assertion, st.sampled_from(sorted(PAIRED)), pair)


def sampled(domain: NumericDomain) -> list[Any]:
    wide = [*SAMPLES, Fraction(-1000), Fraction(1000)]
    return [each for each in wide if domain.holds(each) and (each.denominator == 1 or not domain.whole)]


@given(st.lists(assertions(LIMITS), max_size=2), st.lists(assertions(LIMITS), max_size=2), DOMAINS)
def test_the_direction_is_that_of_the_values_which_keep_them(
    old: list[Assertion], new: list[Assertion], domain: NumericDomain
) -> None:
    kept = [
        [value for value in sampled(domain) if all(each.holds(value) for each in assertions)]
        for assertions in (old, new)
    ]
    assert compare_thresholds(old, new, domain) is of_sets(*kept)
    assert compare_thresholds(new, old, domain) is compare_thresholds(old, new, domain).mirrored


@given(assertions(LIMITS), DOMAINS)
def test_a_value_that_grows_keeps_what_it_is_said_to_keep(assertion: Assertion, domain: NumericDomain) -> None:
    values = sampled(domain)
    grown = [(assertion.holds(low), assertion.holds(high)) for low, high in product(values, values) if low <= high]
    loosens, tightens = all(after or not before for before, after in grown), all(b or not a for b, a in grown)
    expected = {
        (True, True): Direction.UNTESTED, (True, False): Direction.LOOSENS, (False, True): Direction.TIGHTENS
    }  # fmt: skip
    assert rising(assertion, domain) is expected.get((loosens, tightens), Direction.UNDETERMINED)


@given(assertions(st.sampled_from(["a", "ab", "b"])), assertions(st.sampled_from(["a", "ab", "b"])))
def test_texts_are_in_the_order_of_their_characters(old: Assertion, new: Assertion) -> None:
    texts = ["", "A", "a", "a\0", "aa", "ab", "ab\0", "aba", "b", "b\0", "ba", "c"]
    assert compare_thresholds([old], [new]) is of_sets(
        *([each for each in texts if one.holds(each)] for one in (old, new))
    )


TITLES = ReferenceLimit("titles", "size")


@pytest.mark.parametrize(
    ("old", "new", "direction"),
    [
        (Assertion("mustBe", 1), Assertion("mustBe", "1"), "undetermined"),
        (Assertion("mustBe", True), Assertion("mustBe", False), "both"),
        (Assertion("mustBe", True), Assertion("mustNotBe", False), "untested"),
        (Assertion("mustBeLessThan", TITLES), Assertion("mustBeLessThan", TITLES), "untested"),
        (Assertion("mustBeLessThan", TITLES), Assertion("mustBeLessOrEqualTo", TITLES), "undetermined"),
        (Assertion("mustBeLessThan", TITLES), Assertion("mustBeLessThan", 5), "undetermined"),
        (Assertion("mustBeLessThan", 0.1), Assertion("mustBeLessThan", 0.10), "untested"),
        (Assertion("mustBeLessThan", 10**40), Assertion("mustBeLessThan", 10**40 + 1), "loosens"),
        (Assertion("mustBeLessThan", "2026-01-01"), Assertion("mustBeLessThan", "2026-02-01"), "loosens"),
        (Assertion("mustBeLessThan", "2026-01-01"), Assertion("mustBeLessThan", "2026-02-01T00:00:00"), "undetermined"),
        (
            Assertion("mustBeLessThan", "2026-01-01T00:00:00+01:00"),
            Assertion("mustBeLessThan", "2026-01-01T00:00:00+02:00"),
            "undetermined",
        ),
    ],
)
def test_limits_are_compared_where_they_can_be(old: Assertion, new: Assertion, direction: str) -> None:
    assert compare_thresholds([old], [new]) is Direction(direction)


def test_of_a_share_only_one_keeps_that_it_is_at_least_one() -> None:
    assert admits_only(Assertion("mustBeGreaterOrEqualTo", 1), 1, NumericDomain(0, 1))
    assert not admits_only(Assertion("mustBeGreaterOrEqualTo", 1), 1)
