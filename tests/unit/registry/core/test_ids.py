"""Identities of version 7."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from treaty.registry.core.ids import derived_id, new, uuid7

MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(9999, 12, 31), timezones=st.just(UTC))


@given(MOMENTS)
def test_they_are_of_version_7_and_hold_their_millisecond(moment: datetime) -> None:
    made = uuid7(moment)
    assert (made.version, made.variant) == (7, "specified in RFC 4122")
    since = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=made.int >> 80)
    assert timedelta(0) <= moment - since < timedelta(milliseconds=1)


@given(MOMENTS, MOMENTS)
def test_they_sort_by_the_microsecond_they_were_made(one: datetime, other: datetime) -> None:
    if one != other:
        assert (uuid7(one) < uuid7(other)) == (one < other)
        assert (str(uuid7(one)) < str(uuid7(other))) == (one < other)


def test_those_of_one_moment_differ() -> None:
    moment = datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=2)))
    assert len({uuid7(moment) for _ in range(1000)}) == 1000
    assert new() != new()


@given(MOMENTS, st.text(), st.text())
def test_what_is_derived_of_a_key_is_the_same_each_time_and_another_for_another_key(
    moment: datetime, one: str, other: str
) -> None:
    made = derived_id(moment, one)
    assert (made, made.version, made.variant) == (derived_id(moment, one), 7, "specified in RFC 4122")
    assert made.int >> 64 == uuid7(moment).int >> 64
    assert (made == derived_id(moment, other)) == (one == other)
