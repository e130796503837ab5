"""What a glance at first rows tells: which columns are mere texts, which tell rows apart."""

from collections.abc import Mapping, Sequence

import pytest

from treaty.engine.spark.profile.glance import chosen, is_text
from treaty.engine.suggestions.kinds.column_group_search import RowSample

MANY = range(100)
TEXTS: list[tuple[list[str], bool]] = [
    (["SKU-1", "blue"], True), (["new", "1", "x"], True), (["1", "x"], False), (["-1.5", "+2", ".5"], False),
    (["2026-0", "2026-1"], False), (["True", "FALSE"], False), (["falsel", "trues"], True), ([""], True), ([], False),
]  # fmt: skip


@pytest.mark.parametrize(("beginnings", "told"), TEXTS)
def test_texts_are_told_by_how_they_begin(beginnings: list[str], told: bool) -> None:
    assert is_text(beginnings) is told


CASES: list[tuple[str, Mapping[str, Sequence[int | None]], list[str]]] = [
    (
        "a key, and two more for rows further on",
        {"a": [1] * 100, "b": [2] * 100, "key": MANY, "c": [3] * 100},
        ["key", "a", "b"],
    ),
    ("the most telling first", {"few": [at % 2 for at in MANY], "ten": [at % 10 for at in MANY]}, ["ten", "few"]),
    (
        "as many as it takes",
        {f"digit{place}": [at >> place & 1 for at in MANY] for place in range(7)},
        [f"digit{place}" for place in range(7)],
    ),
    ("no rows", {"a": [], "b": []}, ["a", "b"]),
    ("nulls alone", {"a": [None] * 5}, ["a"]),
]


@pytest.mark.parametrize(("columns", "told"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_the_columns_that_tell_rows_apart_are_chosen(
    columns: Mapping[str, Sequence[int | None]], told: list[str]
) -> None:
    rows = len(next(iter(columns.values())))
    assert list(chosen(RowSample.of(columns, [0] * rows))) == told
