"""Evidence counts what is new: rows that every partition repeats are one trial."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.histories import history

from treaty.engine.profile import new_rows as measurements
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.new_rows import new_rows
from treaty.engine.suggestions.selection.pipeline import suggest
from treaty.engine.suggestions.selection.severities import Trials

DAYS = 40
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def word(at: int) -> str:
    """A text of four small letters, another one for each number."""
    return "".join(LETTERS[at // 26**place % 26] for place in range(4))


def suggested(types: Mapping[str, str], days: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(each["column"], each["kind"]): each for each in suggest(history(types, days), "t")}


def snapshots(make: Any, rows: int, growth: int = 1) -> list[dict[str, Any]]:
    """Snapshots of a table that keeps its rows and gets a few more."""
    return [make(rows + growth * day) for day in range(DAYS)]


def of_orders(day: int, rows: int = 200) -> dict[str, Any]:
    numbers = range(day * rows, (day + 1) * rows)
    return {
        "id": [*numbers],
        "status": [("new", "paid", "sent")[at % 3] for at in numbers],
        "code": [word(at) for at in numbers],
        "price": [1.5 + at * 7919 % 999 for at in numbers],
    }


ORDERS = {"id": "bigint", "status": "string", "code": "string", "price": "double"}


def test_new_rows_of_each_partition_bear_errors_about_all_rows() -> None:
    found = suggested(ORDERS, [of_orders(day) for day in range(DAYS)])
    for column, kind in (("status", "categorical"), ("code", "trimmed"), ("code", "shape")):
        assert (found[column, kind]["severity"], found[column, kind]["evidence"]["limits"]) == ("error", [1, None])
    assert found["price", "positive"]["severity"] == "error"


def test_a_text_of_the_next_row_may_differ_where_rows_are_repeated() -> None:
    days = snapshots(lambda rows: {"id": [*range(rows)], "zip": [word(at) for at in range(rows)]}, 1000)
    found = suggested({"id": "bigint", "zip": "string"}, days)["zip", "trimmed"]
    (least, _) = found["evidence"]["limits"]
    assert found["severity"] == "error"
    assert 0.99 <= least < 1 - 1 / 1040
    assert found["patch"]["quality"]["implementation"]["mustBeGreaterOrEqualTo"] == least
    assert found["sentence"].endswith(f"in at least {100 * least:.1f} % of the rows")


def test_a_set_of_values_that_came_once_is_open() -> None:
    """A name for one row in ten: 100 rows and 39 more bring 10 to 14 names, each once."""
    names = [word(at) for at in range(14)]

    def of(rows: int) -> dict[str, Any]:
        return {"id": [*range(rows)], "name": [None if at % 10 else names[at // 10] for at in range(rows)]}

    found = suggested({"id": "bigint", "name": "string"}, snapshots(of, 100))
    assert not {kind for column, kind in found if column == "name"} & {"categorical", "mostly_categorical"}


@pytest.mark.parametrize("texts", [["November 30-December 27"], ["November 30-December 27", "October 26-November 29"]])
def test_few_texts_do_not_show_how_the_next_one_looks(texts: Sequence[str]) -> None:
    days = [{"id": [*range(150)], "of": [texts[day * len(texts) // DAYS]] * 150} for day in range(DAYS)]
    found = suggested({"id": "bigint", "of": "string"}, days)
    severe = [each["kind"] for (column, _), each in found.items() if column == "of" and each["severity"] == "error"]
    assert not set(severe) & {"shape", "trimmed", "categorical", "mostly_categorical", "fixed_length", "not_empty"}


def test_numbers_of_repeated_rows_bear_a_warning_only() -> None:
    """500 companies whose prices change daily: the next company may be unlike them."""
    days = snapshots(lambda rows: {"id": [*range(rows)], "price": [1 + at * 7919 % 997 for at in range(rows)]}, 500)
    found = suggested({"id": "bigint", "price": "bigint"}, days)
    assert ("price", "positive") not in {key for key, each in found.items() if each["severity"] == "error"}


def test_a_value_of_the_next_row_may_be_missing_where_rows_are_repeated() -> None:
    """500 companies of 50 cities, of which one gets a row a day; their names are a key, and prices change daily."""

    def of(rows: int) -> dict[str, Any]:
        prices = [float((at * 7919 + rows * 31) % 99991) for at in range(rows)]
        return {
            "name": [word(at) for at in range(rows)],
            "city": [word(at % 50) for at in range(rows)],
            "price": prices,
        }

    found = suggested({"name": "string", "city": "string", "price": "double"}, snapshots(of, 500))
    check = found["city", "complete"]["patch"]["quality"]["implementation"]
    assert (check["analyzer"], found["city", "complete"]["severity"]) == ("completeness", "error")
    assert 0.99 <= check["mustBeGreaterOrEqualTo"] < 1 - 1 / 540
    assert found["name", "complete"]["patch"] == found["price", "complete"]["patch"] == {"required": True}


@pytest.mark.parametrize(
    ("days", "most"),
    [([of_orders(day) for day in range(5)], [200] * 5), ([of_orders(0)] * 5, [0] * 5)],
    ids=["new rows", "the same rows"],
)
def test_rows_are_new_if_their_keys_are(days: Sequence[Mapping[str, Any]], most: Sequence[int]) -> None:
    profile = history(ORDERS, days)
    assert new_rows(HistorySlice.of(profile)) == pytest.approx(most, rel=0.15)


def test_a_share_of_known_values_is_said_once() -> None:
    """A value came late: all but a margin are known, and rows that are repeated bear an even larger margin."""
    few = ["new", "paid", "sent"] * 100
    days = [*[{"status": few}] * 5, *[{"status": [*few, "odd"]}] * 5]
    found = suggested({"status": "string"}, days)["status", "mostly_categorical"]
    assert found["evidence"]["limits"][0] < 0.99
    assert found["sentence"].count("in at least") == 1


def test_new_rows_are_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []
    measure = measurements._new_rows
    monkeypatch.setattr(measurements, "_new_rows", lambda whole: counted.append(whole) or measure(whole))
    suggested(ORDERS, [of_orders(day) for day in range(8)])
    assert len(counted) == 1


@given(st.floats(0, 1e6), st.floats(1, 1e5), st.integers(0, 1000))
def test_more_trials_tolerate_fewer_violations(past: float, partition: float, surprises: int) -> None:
    fewer, more = Trials(past, partition, surprises), Trials(past + 100, partition, surprises)
    assert 0 <= more.tolerated <= fewer.tolerated <= 1
    assert Trials(past, partition, surprises + 1).tolerated >= fewer.tolerated
