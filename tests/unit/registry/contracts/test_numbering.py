"""Version numbers: the next free one, the one that a change asks for, and whether one says enough."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treaty.contracts.comparison.compatibility import Bump
from treaty.registry.contracts.numbering import next_free, says_enough

NUMBERS = st.tuples(*[st.integers(0, 10**6)] * 3).map(lambda parts: ".".join(map(str, parts)))


@pytest.mark.parametrize(
    ("taken", "free"),
    [
        ([], "1.0.0"),
        (["1.0.0"], "1.1.0"),
        (["1.0.0", "1.1.0"], "1.2.0"),
        (["1.0.0", "2.3.4", "1.9.0"], "2.4.0"),
        (["v1.0.0"], "1.1.0"),
        (["2024-Q1"], "1.0.0"),
        (["2024-Q1", "1.0.0"], "1.1.0"),
        (["1.10.0", "1.9.0"], "1.11.0"),
        (["1.0"], "1.0.0"),
    ],
)
def test_it_is_the_next_minor_version_above_all_numbered_ones(taken: list[str], free: str) -> None:
    assert next_free(taken) == free


@given(st.lists(st.one_of(NUMBERS, st.text(max_size=10))))
def test_it_is_free_and_above_all_others(taken: list[str]) -> None:
    free = next_free(taken)
    assert free not in taken
    assert next_free([*taken, free]) != free


@pytest.mark.parametrize(
    ("taken", "bump", "after", "free"),
    [
        (["1.0.0", "2.0.0"], "minor", "1.0.0", "1.1.0"),
        (["1.0.0", "1.1.0", "2.0.0"], "minor", "1.0.0", "1.2.0"),
        (["1.0.0", "2.0.0"], "major", "1.0.0", "3.0.0"),
        (["1.0.0", "1.0.1"], "patch", "1.0.0", "1.0.2"),
        (["1.0.0"], "patch", "2024-Q1", "1.0.1"),
    ],
)
def test_the_free_number_says_the_size_of_the_change(taken: list[str], bump: str, after: str, free: str) -> None:
    assert next_free(taken, Bump(bump), after=after) == free


@pytest.mark.parametrize(
    ("old", "new", "bump", "enough"),
    [
        ("1.2.3", "2.0.0", "major", True),
        ("1.2.3", "1.3.0", "major", False),
        ("1.2.3", "1.3.0", "minor", True),
        ("1.2.3", "2.0.0", "patch", True),
        ("1.2.3", "1.2.4", "minor", False),
        ("1.2.3", "1.2.3", "patch", False),
        ("1.2.3", "1.1.0", "patch", False),
        ("2024-Q1", "2024-Q2", "major", True),
    ],
)
def test_a_number_that_says_less_than_the_change_is_known(old: str, new: str, bump: str, enough: bool) -> None:
    assert says_enough(old, new, Bump(bump)) is enough


@given(NUMBERS, st.sampled_from(Bump))
def test_the_number_that_a_change_asks_for_says_enough(current: str, bump: Bump) -> None:
    assert says_enough(current, next_free([current], bump), bump)
