"""Frequencies: put together in pieces, added up once, counted as counting the rows would."""

from collections import Counter
from math import fsum, log2
from typing import Any

import numpy
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.analyzer_table import SCHEMA
from support.oracles import STATE_OF

from treaty.engine.analyzers.distinct import CountDistinct, PrimaryKey, Uniqueness
from treaty.engine.components import dictionary_encoding
from treaty.engine.components.frequencies import (
    Frequencies,
    FrequencyTable,
    coarser,
    complete,
    entropy,
    groups,
    occurrences,
    singletons,
)
from treaty.engine.states.planning.scan_plan import plan

VALUE = st.one_of(st.none(), st.sampled_from(["", "a", "b", "ä", "10", "9"]))
ROW = st.tuples(VALUE, VALUE)
PIECES = st.lists(st.lists(ROW, max_size=12), max_size=5)
KIND = Frequencies("{columns}")
OF_ROWS = STATE_OF["frequencies"]


def merged(pieces: list[list[tuple[Any, ...]]]) -> FrequencyTable | None:
    state = None
    for each in pieces:
        state = KIND.merge(state, OF_ROWS(each))
    return state


def counted(pieces: list[list[tuple[Any, ...]]]) -> Counter[tuple[Any, ...]]:
    return Counter(row for rows in pieces for row in rows if row != (None, None))


@given(PIECES)
def test_pieces_are_counted_as_their_rows_together(pieces: list[list[tuple[Any, ...]]]) -> None:
    state, counts = merged(pieces), counted(pieces)
    whole = {row: n for row, n in counts.items() if None not in row}
    assert groups(state) == len(counts)
    assert occurrences(state) == counts.total()
    assert singletons(state) == sum(1 for n in counts.values() if n == 1)
    assert (groups(complete(state)), occurrences(complete(state))) == (len(whole), sum(whole.values()))


@given(PIECES, st.randoms())
def test_equal_counts_have_equal_bytes_in_whatever_order_they_came(pieces: list[Any], random: Any) -> None:
    before = KIND.dump(merged(pieces))
    rows = [row for each in pieces for row in each]
    random.shuffle(rows)
    assert KIND.dump(merged([rows[:3], rows[3:]])) == before


@given(PIECES)
def test_more_text_than_plain_strings_hold_is_counted_alike(pieces: list[list[tuple[Any, ...]]]) -> None:
    plain = merged(pieces)
    with pytest.MonkeyPatch.context() as patch:
        # Below nothing, so that a column without a single character is wide, too.
        patch.setattr(dictionary_encoding, "PLAIN_BYTES", -1)
        wide = KIND.load(KIND.dump(merged(pieces)))
        together = KIND.merge(wide, merged(pieces))
        assert (groups(wide), singletons(wide), occurrences(wide)) == (
            groups(plain),
            singletons(plain),
            occurrences(plain),
        )
        assert (groups(together), occurrences(together)) == (groups(plain), 2 * occurrences(plain))
        assert groups(coarser(wide, [1])) == groups(coarser(plain, [1]))
        if together is not None:
            assert pyarrow.large_string() in together.table.schema.types


@given(st.lists(st.integers(0, 6), min_size=1, max_size=60))
def test_entropy_is_that_of_the_shares(values: list[int]) -> None:
    shares = numpy.array(list(Counter(values).values())) / len(values)
    expected = -fsum(share * log2(share) for share in shares) * numpy.log(2)
    assert entropy(OF_ROWS(values)) == pytest.approx(expected, abs=1e-12)


def test_the_entropy_of_many_values_is_the_logarithm_of_their_number() -> None:
    table = pyarrow.table({"k0": pyarrow.array(range(10**6)), "n": pyarrow.array([3] * 10**6, pyarrow.int64())})
    assert entropy(FrequencyTable((table,))) == pytest.approx(numpy.log(10**6), abs=1e-11)


def test_counts_beyond_two_to_the_31_are_added_exactly() -> None:
    many = FrequencyTable((pyarrow.table({"k0": ["a"], "n": pyarrow.array([2**62], pyarrow.int64())}),))
    assert occurrences(KIND.merge(many, FrequencyTable(many.pieces))) == 2**63
    assert occurrences(KIND.merge(many, OF_ROWS(["a", "b"]))) == 2**62 + 2


def test_numbers_are_sorted_as_numbers_and_text_as_text() -> None:
    keys = {"k0": pyarrow.array([10, 9, None]), "k1": pyarrow.array(["9", "10", "x"])}
    state = FrequencyTable((pyarrow.table({**keys, "n": pyarrow.array([1, 1, 1], pyarrow.int64())}),))
    assert KIND.load(KIND.dump(state)).table["k0"].to_pylist() == [9, 10, None]


def test_the_same_columns_are_grouped_once_whatever_their_order() -> None:
    asked = [
        Uniqueness(columns=("id", "status")),
        PrimaryKey(columns=("status", "id")),
        CountDistinct(columns=("id", "status", "id")),
    ]
    assert len(plan(each.bind(SCHEMA) for each in asked).groupings) == 1


def test_keys_keep_the_type_that_is_cheapest_to_group() -> None:
    (grouping,) = plan([CountDistinct(columns=("big", "seen", "status", "price")).bind(SCHEMA)]).groupings
    assert set(grouping.aggregates) == {
        "cast(`big` as bigint)",
        "unix_micros(`seen`)",
        "cast(`status` as string)",
        "cast(`price` as string)",
    }
