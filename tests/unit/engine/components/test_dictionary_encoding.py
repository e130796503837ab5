"""Rows of keys as numbers: equal rows have the same number, whatever their types, and the numbers keep their order."""

from typing import Any

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treaty.engine.components import dictionary_encoding

WHOLE = st.none() | st.integers(-3, 3) | st.sampled_from([-(2**63), 2**63 - 1])
TEXT = st.none() | st.sampled_from(["", "a", "b", "\u00e9", "Z", "aa"])
ROWS = st.lists(st.tuples(TEXT, WHOLE, TEXT), min_size=1, max_size=30)
LIMITS = [{}, {"MOST_WHOLE": 2}, {"MOST_NUMBERS": 4}, {"MOST_WHOLE": 2, "MOST_NUMBERS": 4}]


def keys(rows: list[tuple[Any, ...]]) -> Any:
    types = (pyarrow.string(), pyarrow.int64(), pyarrow.string())
    columns = zip(*rows, strict=True)
    named = {f"k{at}": pyarrow.array(column, types[at]) for at, column in enumerate(columns)}
    return dictionary_encoding.encode_texts(pyarrow.table(named))


def place(row: tuple[Any, ...]) -> tuple[tuple[bool, Any], ...]:
    """Nulls come last, texts in the order of their bytes."""
    return tuple((each is None, each.encode() if isinstance(each, str) else each or 0) for each in row)


@pytest.mark.parametrize("limits", LIMITS)
@given(ROWS)
def test_equal_rows_have_one_number_and_numbers_are_in_the_order_of_the_rows(
    limits: dict[str, int], rows: list[tuple[Any, ...]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name, limit in limits.items():
            patch.setattr(dictionary_encoding, name, limit)
        numbers = dictionary_encoding.row_numbers(dictionary_encoding.sort_codes(keys(rows))).tolist()
    ranks = {row: at for at, row in enumerate(sorted(set(rows), key=place))}
    dense = {number: at for at, number in enumerate(sorted(set(numbers)))}
    assert [dense[number] for number in numbers] == [ranks[row] for row in rows]


@given(ROWS)
def test_what_was_coded_is_plain_again(rows: list[tuple[Any, ...]]) -> None:
    given_back = dictionary_encoding.plain(dictionary_encoding.sort_codes(keys(rows))).to_pylist()
    assert [tuple(row.values()) for row in given_back] == rows


@given(st.lists(st.integers(-4, 4)).map(sorted))
def test_numbers_begin_where_the_one_before_is_another(numbers: list[int]) -> None:
    import numpy

    starts = dictionary_encoding.starts_of(numpy.array(numbers, "int64")).tolist()
    assert starts == [at for at, each in enumerate(numbers) if at == 0 or numbers[at - 1] != each]
