"""Rows of checks of one cause: shown once, under the first of them."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from treaty.registry.schemas import ViolationSampleOut
from treaty.ui.parts.run.violating_rows import DrawnRows
from treaty.ui.texts import run as texts

ONE, OTHER = (("10231", "OPEN"), ("10377", None)), (("10411", "Shipped"),)


def sample(check_id: str, rows: Sequence[tuple[str | None, ...]]) -> ViolationSampleOut:
    return ViolationSampleOut(
        check_id=check_id, columns=("order_id", "status"), masked=(), rows=tuple(rows),
        expires_at=datetime(2026, 4, 1, tzinfo=UTC),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "earlier"),
    [
        ([ONE, ONE, ONE], [None, "first", "first"]),
        ([ONE, ONE[::-1]], [None, "first"]),
        ([ONE, OTHER, ONE], [None, None, "first"]),
        ([ONE, OTHER, OTHER], [None, None, "second"]),
        ([ONE, ONE[:1]], [None, None]),
        ([(), ()], [None, None]),
    ],
    ids=["one cause", "another order", "two causes", "the second cause", "a part of the rows", "no rows"],
)
def test_the_first_check_of_a_cause_shows_the_rows_and_the_others_name_it(
    rows: list[Sequence[tuple[str | None, ...]]], earlier: list[str | None]
) -> None:
    drawn, names = DrawnRows(), ("first", "second", "third")
    assert [drawn.earlier_check(sample(name, each), name) for name, each in zip(names, rows, strict=False)] == earlier


def test_a_check_without_a_sample_shows_no_rows_and_names_no_other() -> None:
    drawn = DrawnRows()
    assert (drawn.earlier_check(sample("first", ONE), "first"), drawn.earlier_check(None, "second")) == (None, None)


def test_the_caption_names_the_first_check() -> None:
    assert texts.same_rows("country is one of 5 known values") == "Same rows as above: country is one of 5 known values"
