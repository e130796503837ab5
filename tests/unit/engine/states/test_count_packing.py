"""Counts asked together: the numbers of rows tell every count, however the histogram has cut them."""

from collections import Counter
from math import prod

from hypothesis import given
from hypothesis import strategies as st

from treaty.contracts.schema import Schema
from treaty.engine.analyzers.bound import BoundComponent
from treaty.engine.analyzers.rows import Size
from treaty.engine.components.base import CountComponent, CountIfComponent
from treaty.engine.components.operands import Operand
from treaty.engine.components.sketches import QuantileSketch
from treaty.engine.components.text_classes import TypeCounts
from treaty.engine.states.planning.count_packing import FEWEST, NUMBERS, TOKENS, PackedQuery, words

SKETCH = BoundComponent(QuantileSketch("{x}"), (Operand(sql="`x`", type="double"),))
ROWS = Size().bind(Schema(())).parts["rows"]


def flag(at: int, where: str | None = None) -> BoundComponent:
    return BoundComponent(CountComponent("{x}"), (Operand(sql=f"`c{at}`", type="string"),), where)


def condition(at: int) -> BoundComponent:
    return BoundComponent(CountIfComponent("{x}"), (Operand(sql=f"`c{at}` > {at}", type="boolean"),))


def types(at: int) -> BoundComponent:
    return BoundComponent(TypeCounts("{x}"), (Operand(sql=f"`c{at}`", type="string"),))


PARTS = st.lists(
    st.builds(lambda kind, at: kind(at), st.sampled_from([flag, condition, types]), st.integers(0, 40)),
    unique_by=lambda part: part.key,
    max_size=30,
)


@given(PARTS, st.data())
def test_every_count_is_told_by_the_numbers(parts: list[BoundComponent], data: st.DataObject) -> None:
    for word in words([ROWS, SKETCH, *parts]):
        digit = st.tuples(*(st.integers(0, len(part.aggregates)) for part in word.parts))
        rows = data.draw(st.lists(digit, max_size=40))
        numbers = [sum(each * weight for each, weight in zip(row, word.weights, strict=True)) for row in rows]
        # The histogram may name a number twice, and one that two tasks met a hair beside it.
        halves = [Counter(numbers[:20]), Counter(numbers[20:])]
        bins = [(number * (1 - 2**-52), float(count)) for half in halves for number, count in half.items()]
        found = word.read([number for number, _ in bins], [count for _, count in bins])
        for at, part in enumerate(word.parts):
            counted = tuple(sum(row[at] == each for row in rows) for each in range(1, len(part.aggregates) + 1))
            assert found[part.key] == part.read(counted)


@given(PARTS)
def test_no_count_is_lost_and_no_word_is_too_large(parts: list[BoundComponent]) -> None:
    asked = [ROWS, SKETCH, *parts]
    question = PackedQuery.of(asked)
    told = [*question.rest, *(part for word in question.words for part in word.parts)]
    assert sorted(part.key for part in told) == sorted(part.key for part in asked)
    assert all(prod(len(part.aggregates) + 1 for part in word.parts) <= NUMBERS for word in question.words)
    plain = sum(len(part.aggregates) for part in question.rest)
    assert len(question.aggregates("w")) == plain + 2 * len(question.words)


def test_counts_beyond_32_bits_are_told() -> None:
    [word] = words([SKETCH, *map(flag, range(FEWEST))])
    found = word.read([1, 3, 1], [2.0**52, 7.0, 1.0])
    assert list(found.values())[:3] == [2**52 + 8, 7, 0]


def test_no_rows_are_no_counts() -> None:
    [word] = words([SKETCH, *map(flag, range(FEWEST))])
    assert set(word.read(None, None).values()) == set(word.read([], []).values()) == {0}


def test_counts_are_asked_one_by_one_where_that_costs_less() -> None:
    assert words([ROWS, *map(flag, range(30))]) == ()
    assert words([ROWS, SKETCH, *map(flag, range(FEWEST - 1))]) == ()


def test_the_code_that_computes_the_numbers_stays_short_enough_for_java() -> None:
    [few, *_] = words([ROWS, SKETCH, *map(types, range(3))])
    assert len(few.parts) == 3
    many = [part for word in words([ROWS, SKETCH, *map(types, range(30)), *map(flag, range(9))]) for part in word.parts]
    assert {part.component.kind for part in many} == {"count", "type_counts"}
    assert len(many) < 9 + TOKENS / 100
    assert words([ROWS, *[SKETCH] * 80, *map(flag, range(30))]) == ()


def test_a_filter_is_part_of_the_number() -> None:
    assert flag(1, "`y` > 2").digit == "CASE WHEN `y` > 2 THEN CASE WHEN `c1` IS NOT NULL THEN 1 ELSE 0 END ELSE 0 END"
