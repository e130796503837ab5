"""Laws of comparison: nothing differs from itself, the way back is mirrored, and single values agree."""

from functools import cache
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.version_cases import CASES
from support.versions import compared, contract, with_column

from treaty.contracts.comparison.compatibility import BUMPS, Bump, VersionComparison, compare
from treaty.contracts.comparison.differences import Difference
from treaty.contracts.comparison.directions import Direction, inclusion
from treaty.contracts.document.model import Contract
from treaty.engine.checks.argument_order import order

DOCUMENTS = [each for case in CASES.values() for each in (case.old, case.new)]


@cache
def read(number: int) -> Contract:
    return contract(DOCUMENTS[number])


ANY = st.integers(0, len(DOCUMENTS) - 1).map(read)


def seen(each: Difference) -> tuple[Any, ...]:
    return (each.section, each.kind, each.element, each.direction, str(each.old), str(each.new), each.presence)


def turned(each: Difference) -> tuple[Any, ...]:
    return (
        each.section, each.kind.mirrored, each.element, each.direction.mirrored,
        str(each.new), str(each.old), each.presence,
    )  # fmt: skip


@given(ANY)
def test_nothing_differs_from_itself(one: Contract) -> None:
    assert compare(one, one, order) == VersionComparison(())


@given(ANY, ANY)
def test_the_way_back_is_mirrored(old: Contract, new: Contract) -> None:
    there, back = compare(old, new, order).differences, compare(new, old, order).differences
    assert sorted(map(seen, back)) == sorted(map(turned, there))


@given(ANY, ANY)
def test_the_bump_is_that_of_the_largest_difference(old: Contract, new: Contract) -> None:
    found = compare(old, new, order)
    assert all(found.bump.covers(BUMPS[each.direction]) for each in found.differences)
    assert found.bump is Bump.PATCH or any(BUMPS[each.direction] is found.bump for each in found.differences)


LIMITS = st.sampled_from(["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"])
OPTIONS = st.dictionaries(LIMITS, st.integers(0, 4), max_size=2)
VALUES = st.lists(st.integers(0, 4), max_size=3, unique=True)
WORDS = st.tuples(OPTIONS, VALUES)
KEPT = {
    "minimum": int.__ge__,
    "exclusiveMinimum": int.__gt__,
    "maximum": int.__le__,
    "exclusiveMaximum": int.__lt__,
}


def consistent(words: tuple[dict[str, int], list[int]]) -> bool:
    """Documents that leave no value are refused before they are compared."""
    return any(all(KEPT[word](value, limit) for word, limit in words[0].items()) for value in range(-2, 8))


def permitted(options: dict[str, int], values: list[int]) -> frozenset[int]:
    kept = (each for each in range(-2, 8) if all(KEPT[word](each, limit) for word, limit in options.items()))
    return frozenset(each for each in kept if not values or each in values)


def column(options: dict[str, int], values: list[int]) -> Any:
    enum = {"enum": [{"value": each} for each in values]} if values else {}
    return with_column("id", **({"logicalTypeOptions": options} if options else {}), **enum)


@given(WORDS.filter(consistent), WORDS.filter(consistent))
def test_values_agree_with_the_direction(old: Any, new: Any) -> None:
    found = {each.direction for each in compared(column(*old), column(*new)).differences} - {Direction.UNTESTED}
    before, after = permitted(*old), permitted(*new)
    actual = inclusion(new_within_old=after <= before, old_within_new=before <= after)
    if found <= {Direction.TIGHTENS}:
        assert after <= before
    if found <= {Direction.LOOSENS}:
        assert before <= after
    assert Direction.UNDETERMINED not in found
    assert actual is not Direction.BOTH or found - {Direction.TIGHTENS} - {Direction.LOOSENS} or len(found) == 2
