"""Days whose states were merged are named so that the name tells all of them, and nothing else is ever named so."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treaty.engine.core.partitions import partition_names
from treaty.engine.core.partitions.months import MonthDays, days, members, merge_days

DAY = "land=DE/day=2026-09-{}/hour=7"


@pytest.mark.parametrize(
    ("name", "stands_for"),
    [
        ("day=2026-09-[01-03]", ["day=2026-09-01", "day=2026-09-02", "day=2026-09-03"]),
        (DAY.format("[01,03-04]"), [DAY.format("01"), DAY.format("03"), DAY.format("04")]),
        ("day=2024-02-[28-29]", ["day=2024-02-28", "day=2024-02-29"]),
        ("day=2026-02-[28-29]", ["day=2026-02-[28-29]"]),
        ("day=2026-09-[]", ["day=2026-09-[]"]),
        ("day=2026-09-[02-01]", ["day=2026-09-[02-01]"]),
        ("day=2026-09-[-]", ["day=2026-09-[-]"]),
        ("day=2026-09-[01-02]/load=2026-09-[01-02]", ["day=2026-09-[01-02]/load=2026-09-[01-02]"]),
        ("day=2026-09-01", ["day=2026-09-01"]),
        ("day=", ["day="]),
        ("", [""]),
    ],
)
def test_a_name_tells_which_partitions_it_stands_for(name: str, stands_for: list[str]) -> None:
    assert list(members(name)) == stands_for


@pytest.mark.parametrize(
    "name",
    ["", "land=DE", "month=2026-09", "day=2026-09-31", "day=2026-13-01", "day=2026-09-01T00", "x2026-09-01",
     "day=2026-09-01/load=2026-09-02", "day=12026-09-01", "at=2026-09-01 00%3A00%3A00"],
)  # fmt: skip
def test_only_a_name_with_exactly_one_date_says_a_day(name: str) -> None:
    assert days(name) is None


@pytest.mark.parametrize(
    ("month", "end"), [("2026-01", date(2026, 2, 1)), ("2026-12", date(2027, 1, 1)), ("2024-02", date(2024, 3, 1))]
)
def test_a_month_ends_where_the_next_begins(month: str, end: date) -> None:
    assert MonthDays("day=", month, "", (1,)).end == end


DATES = st.dates(date(2000, 1, 1), date(2099, 12, 31))
TEXTS = st.text(max_size=12)


@given(day=DATES, land=st.none() | TEXTS, data=st.data())
def test_days_of_a_month_merged_in_any_steps_are_told_by_one_name(
    day: date, land: str | None, data: st.DataObject
) -> None:
    columns = ("land", "day")
    month = [day.replace(day=1) + timedelta(days=at) for at in range(28)]
    chosen = data.draw(st.lists(st.sampled_from(month), min_size=1, unique=True))
    names = [partition_names.name(columns, (land, each.isoformat())) for each in chosen]
    parts = [found for name in names if (found := days(name))]
    if len(parts) < len(names):
        # The other column's value is a date, too: then nothing is merged.
        assert parts == []
        assert land is not None
        return
    cut = data.draw(st.integers(0, len(parts) - 1))
    steps = [each for each in (parts[:cut], parts[cut:]) if each]
    whole = merge_days(map(merge_days, steps))
    assert whole == merge_days(parts) == days(whole.name)
    assert list(members(whole.name)) == sorted(names)


@given(values=st.lists(st.none() | TEXTS | DATES.map(str) | st.just("2026-09-[01-02]"), max_size=3))
def test_no_partition_is_taken_for_several(values: list[str | None]) -> None:
    name = partition_names.name([f"c{at}" for at in range(len(values))], values)
    assert members(name) == (name,)
