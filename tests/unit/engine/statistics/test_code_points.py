"""Texts told of all at once say what each says by itself: masks, shapes, hashes that are texts' own."""

from itertools import groupby

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treaty.engine.components.text_masks import LONGEST
from treaty.engine.statistics.code_points import DIGIT, END, LOWER, UPPER, TerminatedCodePoints, kind
from treaty.engine.statistics.hashed_counts import HashedCounts

TEXTS = st.lists(st.one_of(st.text(max_size=8), st.text("Aab1-é٣日 ", max_size=2 * LONGEST)), max_size=12)
SIGNS = {UPPER: "A", LOWER: "a", DIGIT: "0"}


def spelled_out(texts: TerminatedCodePoints) -> list[str]:
    return ["".join(map(chr, texts.codes[start:end])) for start, end in zip(texts.starts, texts.ends, strict=True)]


def masked(text: str) -> str:
    signs = [next((sign for bit, sign in SIGNS.items() if kind(each) & bit), None) for each in text[:LONGEST]]
    return "".join(sign or (each if each.isascii() else "x") for sign, each in zip(signs, text, strict=False))


def shaped(mask: str) -> str:
    runs = ((sign, len(list(run))) for sign, run in groupby(mask))
    return "".join(sign if sign.isalnum() else sign * often for sign, often in runs)


@given(TEXTS)
def test_masks_and_shapes_are_those_of_each_text(texts: list[str]) -> None:
    found = TerminatedCodePoints.of(texts)
    kept = [text.replace(chr(END), "\ufffd") for text in texts]
    assert spelled_out(found) == kept
    assert spelled_out(found.masks) == [masked(text) for text in kept]
    assert spelled_out(found.masks.shapes) == [shaped(masked(text)) for text in kept]


@given(TEXTS, TEXTS)
def test_a_hash_is_the_same_wherever_its_text_occurs_and_another_of_each_text(one: list[str], other: list[str]) -> None:
    kept = [text.replace(chr(END), "\ufffd") for text in (*one, *other)]
    found = [*TerminatedCodePoints.of(one).hashes.tolist(), *TerminatedCodePoints.of(other).hashes.tolist()]
    assert len(set(zip(kept, found, strict=True))) == len(set(kept)) == len(set(found))


@pytest.mark.parametrize(
    ("ours", "theirs", "shares"),
    [
        ({"a": 1, "b": 3}, {"b": 1, "c": 1}, [(0.0, 0.5), (0.25, 0.0), (0.75, 0.5)]),
        ({"a": 2}, {"a": 5}, [(1.0, 1.0)]),
        ({"": 1}, {" ": 1}, [(0.0, 1.0), (1.0, 0.0)]),
    ],
)
def test_tallies_side_by_side_have_every_text_once(
    ours: dict[str, int], theirs: dict[str, int], shares: list[tuple[float, float]]
) -> None:
    found = HashedCounts.of(ours).paired(HashedCounts.of(theirs))
    assert found is not None
    assert sorted(zip(found.left.at.tolist(), found.right.at.tolist(), strict=True)) == shares


def test_a_tally_of_nothing_is_beside_nothing() -> None:
    assert HashedCounts.of({}).paired(HashedCounts.of({"a": 1})) is None
    assert numpy.array_equal(TerminatedCodePoints.of([]).hashes, [])
