"""The ten issues of the AVH paper's Appendix B: how many there are, what each does, and that a draw can be repeated."""

from collections import Counter
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng

from treaty.engine.programs.injected_issues import ISSUES, Variation, variations
from treaty.engine.statistics.column_values import column

NUMBERS = [float(each) for each in range(10, 210)]
TEXTS = [f"Item {each} ok" for each in range(200)]
OTHERS: dict[str, list[Any]] = {"numbers": [-7.5] * 9, "texts": ["elsewhere"] * 9}
SAME = {"numbers": NUMBERS, "texts": TEXTS}


def drawn(values: Any, neighbour: Any = None, seed: int = 1) -> list[Variation]:
    return list(variations(column(values, neighbour), default_rng(seed)))


def one(values: Any, name: str, *setting: Any, neighbour: Any = None) -> Any:
    found = [each for each in drawn(values, neighbour) if (each.issue.name, each.setting) == (name, setting)]
    return found[0].values.tolist() if found else None


def changed(values: list[Any], after: list[Any]) -> int:
    return sum(now != before for before, now in zip(values, after, strict=True))


def test_there_are_sixty_variations_of_ten_types_and_three_of_real_nulls_for_either_kind_of_column() -> None:
    def settings(of: str, *, nulls: bool) -> int:
        return sum(len(each.settings) for each in ISSUES if getattr(each, of) and (each.name == "nulls") is nulls)

    assert settings("of_numbers", nulls=False) + settings("of_texts", nulls=False) == 60
    assert (settings("of_numbers", nulls=True), settings("of_texts", nulls=True)) == (3, 3)
    assert {each.number for each in ISSUES} == set(range(1, 11))


@pytest.mark.parametrize(("kind", "count"), [("numbers", 30), ("texts", 36)])
def test_a_column_in_which_all_can_happen_has_every_one_of_its_type(kind: str, count: int) -> None:
    found = drawn(SAME[kind], OTHERS[kind])
    told = Counter(each.issue.name for each in found)
    assert len(found) == count
    assert told == {each.name: len(each.settings) for each in ISSUES if each.fits(column(SAME[kind]))}


ROWS = [
    ("numbers", "schema_change", (1,), 2),
    ("numbers", "schema_change", (100,), 200),
    ("texts", "schema_change", (10,), 20),
    ("numbers", "unit_change", (10, 100), 20),
    ("texts", "casing_change", (10, "upper"), 20),
    ("numbers", "blanks", (1,), 2),
    ("texts", "blanks", (50,), 100),
    ("numbers", "nulls", (50,), 100),
    ("texts", "nulls", (100,), 200),
    ("texts", "padding", (50, "leading"), 100),
    ("numbers", "misspelling", (100,), 200),
]


@pytest.mark.parametrize(("kind", "name", "setting", "rows"), ROWS)
def test_an_issue_is_in_as_many_rows_as_its_setting_says(
    kind: str, name: str, setting: tuple[Any, ...], rows: int
) -> None:
    assert changed(SAME[kind], one(SAME[kind], name, *setting, neighbour=OTHERS[kind])) == rows


VALUES = [
    ([5.0], "unit_change", (100, 1000), [5000.0]),
    (["De", None], "casing_change", (100, "lower"), ["de", None]),
    ([1.5, 2.5], "blanks", (100,), [0.0, 0.0]),
    (["a", "b"], "blanks", (100,), ["", ""]),
    (["a", "b"], "nulls", (100,), [None, None]),
    (["a", None], "padding", (100, "trailing"), ["a ", None]),
    ([1, 2], "volume_change", (2,), [1.0, 1.0, 2.0, 2.0]),
    ([3, 1, 2, 4], "distribution_change", (50, "first"), [1.0, 2.0, 1.0, 2.0]),
    (["c", None, "a"], "distribution_change", (50, "last"), ["c", None, "c"]),
]


@pytest.mark.parametrize(("values", "name", "setting", "after"), VALUES)
def test_an_issue_does_to_values_what_the_paper_says(
    values: list[Any], name: str, setting: tuple[Any, ...], after: list[Any]
) -> None:
    assert one(values, name, *setting) == after


def test_a_share_of_the_rows_is_kept_in_its_order() -> None:
    kept = one(NUMBERS, "volume_change", 0.1)
    assert len(kept) == 20
    assert kept == sorted(kept)


def test_a_misspelt_character_is_another_one_of_the_same_kind() -> None:
    for before, after in zip(TEXTS, one(TEXTS, "misspelling", 100), strict=True):
        for old, new in zip(before, after, strict=True):
            assert (old == new) == (old == " ")
            assert (old.isdigit(), old.isupper(), old.islower()) == (new.isdigit(), new.isupper(), new.islower())


def test_a_character_more_or_less_is_one_character_of_some_values() -> None:
    for name, more in (("insertion", 1), ("deletion", -1)):
        after = one(TEXTS, name, 50)
        lengths = Counter(len(new) - len(old) for old, new in zip(TEXTS, after, strict=True))
        assert set(lengths) == {0, more}
        assert 60 < lengths[more] < 140


def test_a_digit_more_leaves_a_number_and_its_sign() -> None:
    given = [-float(each) for each in range(10, 210)]
    assert all(after < 0 for after in one(given, "insertion", 50))


def test_a_number_without_its_only_digit_is_missing() -> None:
    after = one([7.0] * 50, "deletion", 50)
    assert {each for each in after if each == each} == {7.0}
    assert any(each != each for each in after)


def test_what_leaves_a_column_as_it_was_is_no_issue_of_it() -> None:
    assert drawn([]) == []
    assert not {"casing_change", "schema_change"} & {each.issue.name for each in drawn(["123"] * 3)}
    assert not {"unit_change", "blanks"} & {each.issue.name for each in drawn([0.0] * 3)}
    assert {each.issue.name for each in drawn([None] * 3)} == {"blanks", "volume_change"}


def test_a_neighbour_of_another_type_is_none() -> None:
    assert column(TEXTS, NUMBERS).neighbour is None
    assert column(NUMBERS, []).neighbour is None


TYPES = [
    ([1, None, True, 2.5], False),
    (["a", None], True),
    ([1, "a"], True),
    ([None, None], False),
    (numpy.array([1, 2], dtype="int32"), False),
    (numpy.array(["a", numpy.nan], dtype=object), True),
    (numpy.array(["2024-01-01"], dtype="datetime64[D]"), True),
    (numpy.array(["2024-01-01"], dtype="datetime64[ns]"), True),
]


@pytest.mark.parametrize(("values", "is_text"), TYPES)
def test_a_column_is_numbers_where_all_its_values_are(values: Any, is_text: bool) -> None:
    made = column(values)
    assert made.is_text is is_text
    assert len(made.present) == len(values)


ANY = st.one_of(
    st.lists(st.one_of(st.none(), st.floats(), st.integers(-(10**15), 10**15)), max_size=20),
    st.lists(st.one_of(st.none(), st.text(max_size=6)), max_size=20),
)


@given(ANY, ANY, st.integers(0, 2**32))
def test_a_draw_is_repeated_by_its_seed_and_leaves_the_column_as_it_is(
    values: list[Any], neighbour: list[Any], seed: int
) -> None:
    given_column = column(values, neighbour)
    before = given_column.values.copy()
    first = list(variations(given_column, default_rng(seed)))
    again = list(variations(column(values, neighbour), default_rng(seed)))
    assert [(each.issue, each.setting) for each in first] == [(each.issue, each.setting) for each in again]
    assert all(repr(one.values.tolist()) == repr(two.values.tolist()) for one, two in zip(first, again, strict=True))
    assert repr(before.tolist()) == repr(given_column.values.tolist())
    resized = {"volume_change"}
    assert all(len(each.values) == len(values) for each in first if each.issue.name not in resized)
    assert all(each.values.dtype == before.dtype for each in first)


@pytest.mark.parametrize(("values", "names"), [(NUMBERS, 7), (TEXTS, 8)])
def test_issues_of_few_rows_can_be_drawn_alone(values: list[Any], names: int) -> None:
    found = list(variations(column(values, values[::-1]), default_rng(1), 10))
    assert len({each.issue.name for each in found}) == names
    assert all(each.issue.is_random and each.setting[0] <= 10 and len(each.values) == len(values) for each in found)
