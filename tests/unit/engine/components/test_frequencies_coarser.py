"""Frequencies of some of the columns follow from those of all of them."""

from hypothesis import given
from hypothesis import strategies as st
from support.oracles import STATE_OF

from treaty.engine.components.frequencies import Frequencies, coarser

VALUE = st.one_of(st.none(), st.integers(0, 3))
ROWS = st.lists(st.tuples(VALUE, VALUE, VALUE), max_size=40)
KEPT = st.permutations([0, 1, 2]).flatmap(lambda order: st.integers(1, 3).map(lambda many: order[:many]))


@given(ROWS, KEPT)
def test_counting_some_columns_is_summing_over_the_others(rows: list[tuple[int | None, ...]], kept: list[int]) -> None:
    counted = STATE_OF["frequencies"]([tuple(row[at] for at in kept) for row in rows])
    assert Frequencies().dump(coarser(STATE_OF["frequencies"](rows), kept)) == Frequencies().dump(counted)
