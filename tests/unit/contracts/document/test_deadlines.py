"""When data are due: by the clocks of a zone, whatever these do, and by the words that contracts have for it."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from treaty.contracts.document.deadlines import DAYS, AtLeastEvery, TimeOfDay, duration_text, promises
from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.contracts.errors import ContractError

# Half-hour changes, changes at midnight, a day that was left out, offsets of quarters, and none of it.
ZONES = (
    "Europe/Warsaw", "America/New_York", "Australia/Lord_Howe", "America/Havana", "Africa/Cairo", "Pacific/Apia",
    "Asia/Kathmandu", "America/St_Johns", "Asia/Tokyo", "UTC",
)  # fmt: skip
WARSAW = ZoneInfo("Europe/Warsaw")
rhythms = st.builds(
    TimeOfDay,
    st.times().map(lambda each: each.replace(second=0, microsecond=0)),
    st.sampled_from(ZONES).map(ZoneInfo),
    st.sets(st.sampled_from(DAYS), min_size=1).map(lambda some: tuple(each for each in DAYS if each in some)),
)
moments = st.datetimes(datetime(2009, 1, 1), datetime(2037, 1, 1), timezones=st.just(UTC))


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@given(rhythms, moments)
@example(TimeOfDay(time(2, 30), WARSAW), utc("2026-03-28T12:00"))
@example(TimeOfDay(time(2, 30), WARSAW), utc("2026-10-25T00:45"))
@example(TimeOfDay(time(7, 30), ZoneInfo("Pacific/Apia")), utc("2011-12-29T12:00"))
def test_the_next_time_is_ahead_on_its_day_at_its_time(rhythm: TimeOfDay, moment: datetime) -> None:
    due = rhythm.following(moment)
    local = due.astimezone(rhythm.zone)
    assert moment < due <= moment + timedelta(days=8, hours=3)
    if local.time() == rhythm.by:
        assert DAYS[local.weekday()] in rhythm.days
    else:
        assert not exists(local.date(), rhythm)


@given(rhythms, moments)
def test_no_time_lies_between_one_and_the_next(rhythm: TimeOfDay, moment: datetime) -> None:
    first = rhythm.following(moment)
    second = rhythm.following(first)
    assert first < second
    assert rhythm.begins(second) == first
    for part in range(1, 8):
        assert rhythm.following(first + (second - first) * part / 8) == second


@given(rhythms, moments)
def test_a_year_has_one_time_for_each_of_its_days(rhythm: TimeOfDay, moment: datetime) -> None:
    due, seen = rhythm.following(moment), []
    while due <= moment + timedelta(days=200):
        seen.append(due)
        due = rhythm.following(due)
    days = [each.astimezone(rhythm.zone).date() for each in seen]
    assert len(set(days)) == len(days)
    first, last = days[0], days[-1]
    wanted = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    # Samoa left out a whole day when it changed sides.
    missing = {day for day in wanted if DAYS[day.weekday()] in rhythm.days} - set(days)
    assert missing <= {date(2011, 12, 30)}


def exists(day: date, rhythm: TimeOfDay) -> bool:
    """Whether clocks in the zone show the time on that day."""
    there = datetime.combine(day, rhythm.by, rhythm.zone)
    return there.astimezone(UTC).astimezone(rhythm.zone).time() == rhythm.by


@pytest.mark.parametrize(
    ("by", "after", "due"),
    [
        pytest.param("07:30", "2026-11-20T06:29:59", "2026-11-20T06:30", id="winter"),
        pytest.param("07:30", "2026-11-20T06:30", "2026-11-23T06:30", id="over the weekend"),
        pytest.param("07:30", "2026-07-01T00:00", "2026-07-01T05:30", id="summer"),
        pytest.param("07:30", "2026-03-27T12:00", "2026-03-30T05:30", id="clocks go forward on Sunday"),
        pytest.param("07:30", "2026-10-23T12:00", "2026-10-26T06:30", id="clocks go back on Sunday"),
    ],
)
def test_weekdays_in_warsaw(by: str, after: str, due: str) -> None:
    rhythm = TimeOfDay(time.fromisoformat(by), WARSAW, DAYS[:5])
    assert rhythm.following(utc(after)) == utc(due)


@pytest.mark.parametrize(
    ("day", "due"),
    [("2026-03-29", "2026-03-29T01:30"), ("2026-10-25", "2026-10-25T01:30")],
    ids=["a time that is left out is what clocks show instead", "of a time that comes twice it is the later one"],
)
def test_when_clocks_change(day: str, due: str) -> None:
    rhythm = TimeOfDay(time(2, 30), WARSAW)
    assert rhythm.following(utc(f"{day}T00:00") - timedelta(hours=12)) in {utc(due), utc(due) - timedelta(days=1)}
    assert utc(due) == rhythm.following(utc(due) - timedelta(minutes=1))


def test_what_must_come_so_often_is_due_so_long_after_it_came() -> None:
    rhythm = AtLeastEvery(timedelta(hours=4))
    assert rhythm.following(utc("2026-01-01"), None) == utc("2026-01-01T04:00")
    assert rhythm.following(utc("2026-01-02"), utc("2026-01-01")) == utc("2026-01-01T04:00")
    assert rhythm.begins(utc("2026-01-01T04:00")) == utc("2026-01-01")


@pytest.mark.parametrize(
    ("span", "text"),
    [
        ({"minutes": 72}, "1 h 12 min"),
        ({"seconds": 59}, "0 min"),
        ({"days": 2}, "2 d"),
        ({"days": 1, "minutes": 5}, "1 d 5 min"),
        ({"days": 1, "hours": 2, "minutes": 5}, "1 d 2 h"),
    ],
)
def test_a_time_is_told_in_its_two_largest_units(span: dict[str, int], text: str) -> None:
    assert duration_text(timedelta(**span)) == text


def contract(levels: list[dict[str, Any]] | None = None, **terms: Any) -> Any:
    own = {"customProperties": [{"property": "treaty", "value": terms}]} if terms else {}
    plain = {
        "apiVersion": "v3.1.0", "kind": "DataContract", "id": "c", "version": "1.0.0", "status": "active", **own,
        "schema": [{"name": "orders"}, {"name": "lines"}], **({"slaProperties": levels} if levels else {}),
    }  # fmt: skip
    return read(write(plain))


DEADLINE = {"object": "orders", "by": "07:30", "zone": "Europe/Warsaw", "days": "weekdays"}


def test_a_deadline_is_told_in_words() -> None:
    found = promises(contract(deadlines=[DEADLINE, {"object": "lines", "by": "12:00", "days": ["sun", "mon"]}]))
    assert [each.sentence for each in found.watched] == [
        "data of orders must arrive by 07:30 Europe/Warsaw on weekdays",
        "data of lines must arrive by 12:00 UTC on mon, sun",
    ]
    assert found.faults == ()


@pytest.mark.parametrize(
    ("level", "told"),
    [
        ({"property": "timeOfAvailability", "value": "09:00-08:00"}, "by 09:00 UTC-08:00 each day"),
        ({"property": "time_of_availability", "value": "09:00"}, "by 09:00 UTC each day"),
        ({"property": "freshness", "value": 4, "unit": "h"}, "at least every 4 h"),
        ({"property": "Frequency", "value": "1", "unit": "d"}, "at least every 1 d"),
    ],
)
def test_the_standard_s_own_words_are_watched(level: dict[str, Any], told: str) -> None:
    found = promises(contract([{**level, "element": "orders.ordered_at"}]))
    assert [(each.object, str(each.rhythm)) for each in found.watched] == [("orders", told)]


def test_latency_adds_to_how_often_data_come() -> None:
    levels = [{"property": "frequency", "value": 1, "unit": "d"}, {"property": "latency", "value": 4, "unit": "h"}]
    found = promises(contract([{**each, "element": "orders"} for each in levels]))
    assert [(each.name, str(each.rhythm)) for each in found.watched] == [
        ("frequency", "at least every 1 d"),
        ("latency", "at least every 1 d 4 h"),
    ]


def test_a_level_without_an_element_is_of_every_object() -> None:
    found = promises(contract([{"property": "freshness", "value": 1, "unit": "d"}]))
    assert [each.object for each in found.watched] == ["orders", "lines"]


@pytest.mark.parametrize(
    ("level", "message"),
    [
        ({"value": 4, "unit": "moons"}, "has an unsupported unit"),
        ({"value": "soon", "unit": "h"}, "has a value that is not a number"),
        ({"value": 0, "unit": "h"}, "is not positive or exceeds 3,660 days"),
        ({"value": "1e9", "unit": "d"}, "is not positive or exceeds 3,660 days"),
        ({"value": "NaN", "unit": "d"}, "is not positive or exceeds 3,660 days"),
        (
            {"value": 4, "unit": "h", "element": "tab1.txn_ref_dt"},
            "applies to tab1, which is not an object of the contract",
        ),
        ({"property": "timeOfAvailability", "value": "nine"}, "has a value that is not a time of day"),
    ],
)
def test_a_level_that_means_nothing_by_the_clock_keeps_no_other_from_being_watched(
    level: dict[str, Any], message: str
) -> None:
    found = promises(contract([{"property": "freshness", **level}, {"property": "frequency", "value": 1, "unit": "d"}]))
    (fault,) = found.faults
    assert message in fault.message
    assert {each.name for each in found.watched} == {"frequency"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"by": "7:30"}, "is not a time of day"),
        ({"by": "25:00"}, "is not a time of day"),
        ({"zone": "Europe/Warszawa"}, "is not a known time zone"),
        ({"object": "order"}, "refers to an object that the contract does not define"),
        ({"days": []}, "is empty"),
        ({"days": ["monday"]}, "input should be"),
        ({"at": "07:30"}, "is not one of Treaty's terms"),
    ],
)
def test_words_of_a_deadline_that_mean_nothing_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ContractError, match=message):
        contract(deadlines=[{**DEADLINE, **change}])


def test_two_deadlines_of_an_object_have_names_of_their_own() -> None:
    with pytest.raises(ContractError, match="has the same name as another deadline"):
        contract(deadlines=[DEADLINE, DEADLINE])
    both = contract(deadlines=[DEADLINE, {**DEADLINE, "id": "again"}])
    assert [each.name for each in promises(both).watched] == ["by 07:30 Europe/Warsaw", "again"]
