"""When data come, by when they came so far: which arrivals promise what, and what none do."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treaty.contracts.document.deadlines import promises
from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.contracts.editing.patches import Patch, apply, skeleton
from treaty.contracts.schema import Column, Schema
from treaty.engine.suggestions.selection.arrival_deadlines import suggest

DAY = timedelta(days=1)
START = datetime(2026, 3, 2, 6, 10, tzinfo=UTC)
MINUTES = st.lists(st.integers(1, 3 * 24 * 60), min_size=11, max_size=40)


def days(count: int, at: Callable[[int], timedelta] = lambda _: timedelta(0)) -> list[datetime]:
    return [START + day * DAY + at(day) for day in range(count)]


def late(day: int) -> timedelta:
    return timedelta(minutes=7 * day % 20)


WEEKDAYS = [each for each in days(28, late) if each.weekday() < 5]
PROMISED = [
    (days(20), "by 07:45 UTC each day"),
    (days(20, late), "by 08:00 UTC each day"),
    ([*days(20, late), *days(20, lambda day: timedelta(hours=9))], "by 08:00 UTC each day"),
    ([each.astimezone(timezone(timedelta(hours=5))) for each in reversed(days(20))], "by 07:45 UTC each day"),
    (days(20, lambda _: timedelta(hours=17)), "at least every 30 hours"),
    (WEEKDAYS, "at least every 121 hours"),
    ([START + timedelta(hours=6 * each) for each in range(30)][:7], None),
    (days(9), None),
    ([], None),
    ([*days(20), START + 40 * DAY], None),
    (days(24, lambda day: timedelta(hours=2 ** (day / 4))), None),
]


@pytest.mark.parametrize(("moments", "expected"), PROMISED)
def test_a_service_level_is_suggested_that_held_for_newer_arrivals(
    moments: list[datetime], expected: str | None
) -> None:
    found = [each["sentence"] for each in suggest(moments, "orders")]
    assert found == ([f"data of orders arrives {expected}"] if expected else [])


@given(MINUTES)
def test_what_is_suggested_is_kept_by_all_arrivals_and_watched_by_the_clock(gaps: list[int]) -> None:
    moments = [START + timedelta(minutes=sum(gaps[:at])) for at in range(len(gaps) + 1)]
    schema = Schema((Column("id", "bigint"),))
    base = skeleton(contract_id="c", name="c", object_name="orders", physical_name="orders", schema=schema)
    for each in suggest(moments, "orders"):
        contract = read(write(apply(base, [Patch(each["object"], each["column"], each["patch"])])))
        watched = promises(contract)
        assert watched.faults == ()
        assert [(one.object, one.name) for one in watched.watched] == [("orders", "orders-arrival")]
        assert max(number for _, number in each["evidence"]["history"]) <= each["evidence"]["limits"][1]
