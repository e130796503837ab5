"""The next free version of a contract."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.versions import next_free

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
