"""The order of partitions that a time dates."""

from hypothesis import given
from hypothesis import strategies as st

from treaty.engine.anomaly.partition_order import PartitionOrder
from treaty.engine.anomaly.series import partition_key

NAMES = st.builds(
    "{}={}{}".format,
    st.sampled_from(["day", "hour", "part"]),
    st.sampled_from(["2026-04-01", "2026-04-02", "2026-03-31", "2026-04-02T05", "2026-05", "a", "2026-01-01"]),
    st.sampled_from(["", "/c=de", "/c=fr"]),
)


@given(st.lists(NAMES), NAMES)
def test_those_before_are_of_its_segment_and_older_newest_first(names: list[str], partition: str) -> None:
    here, found = partition_key(partition), list(PartitionOrder.of(names).before(partition))
    dated = [
        (its.time, name) for name in set(names) if (its := partition_key(name)).time and its.segment == here.segment
    ]
    older = sorted((time, name) for time, name in dated if time and here.time and time < here.time)
    assert found == [name for _, name in reversed(older)]


@given(st.lists(NAMES))
def test_the_order_of_arrival_makes_no_difference(names: list[str]) -> None:
    assert PartitionOrder.of(names) == PartitionOrder.of([*reversed(names), *names])


def test_merged_months_are_of_no_day_and_what_no_time_dates_has_none_before_it() -> None:
    known = PartitionOrder.of(["day=2026-04-01", "day=2026-03-[01-31]", "part=a"])
    assert list(known.times(None)) == ["day=2026-04-01"]
    assert list(known.before("part=b")) == list(known.before(None)) == []
