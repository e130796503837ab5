"""Packed states: what was written comes back, and nothing that was damaged is ever read."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.analyzer_table import SCHEMA
from support.bags import bag

from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers.distinct import ApproxCountDistinct, Uniqueness
from treaty.engine.analyzers.numbers import Maximum, Mean, StandardDeviation
from treaty.engine.analyzers.quantiles import ApproxQuantile
from treaty.engine.core.errors import StateError
from treaty.engine.states import bag as states_bag
from treaty.engine.states import envelope, inventory
from treaty.engine.states.bag import StateBag
from treaty.engine.states.planning.scan_plan import plan
from treaty.engine.states.state_files import StateFiles

ANALYZERS = [
    Mean(column="id"), Maximum(column="id"), StandardDeviation(column="id"), ApproxCountDistinct(column="id"),
    ApproxQuantile(column="id", quantile=0.5), Uniqueness(columns=("id",)),
]  # fmt: skip
BOUND = [analyzer.bind(SCHEMA) for analyzer in ANALYZERS]
PLAN = plan(BOUND)


def made(values: list[int | None]) -> StateBag:
    return bag(PLAN, SCHEMA, {"id": values}, failures={"count/1 count(x)": "Spark could not compute it"})


def answers(given: StateBag) -> list[object]:
    return [bound.value(given.values) for bound in BOUND]


def test_what_was_packed_comes_back() -> None:
    given = made([1, 2, 2, None, 9])
    back = states_bag.unpack(given.pack())
    assert answers(back) == answers(given) == [3.5, 9, 3.2015621187164243, 3, 2.0, 2 / 3]
    assert (back.rows, back.schema, back.failures) == (5, SCHEMA, given.failures)


def test_large_states_go_into_files_and_back_without_being_opened(tmp_path: Path) -> None:
    given, files = made([1, 2, 2, None, 9]), StateFiles(str(tmp_path))
    filed = states_bag.with_filed_states(given.pack(), files)
    assert filed == given.pack(files) == states_bag.with_filed_states(filed, files)
    assert len(filed) < len(given.pack())
    assert (
        states_bag.with_inline_states(filed, files)
        == given.pack()
        == states_bag.with_inline_states(given.pack(), files)
    )


def test_many_write_the_same_file_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as writers:
        names = set(writers.map(StateFiles(str(tmp_path)).write, [b"the same" * 10_000] * 200))
    assert [path.name for path in tmp_path.iterdir()] == list(names)


def test_of_a_lost_file_or_a_damaged_bag_nothing_is_put_together(tmp_path: Path) -> None:
    files = StateFiles(str(tmp_path))
    filed = states_bag.with_filed_states(made([1, 2]).pack(), files)
    for path in tmp_path.iterdir():
        path.unlink()
    with pytest.raises(StateError, match="is missing"):
        states_bag.with_inline_states(filed, files)
    for change in (states_bag.with_filed_states, states_bag.with_inline_states):
        with pytest.raises(StateError, match="damaged"):
            change(filed[:-1] + b"?", files)


def test_states_that_were_added_stand_beside_those_there_were() -> None:
    rows, some, others = [1, 2, 2, None, 9], plan(BOUND[:2]), plan(BOUND[1:])
    first, second = (bag(each, SCHEMA, {"id": rows}) for each in (some, others))
    whole = states_bag.unpack(states_bag.combine_readings(first.pack(), second.pack()))
    assert answers(whole) == answers(made(rows))
    assert set(whole.entries) == PLAN.keys


def test_of_two_readings_the_later_counts_and_what_failed_may_be_there_now() -> None:
    key = BOUND[1].parts["largest"].key
    failed = states_bag.bag_of_plan(plan(BOUND), {}, SCHEMA, failures={key: "Spark could not compute it"})
    empty = bag(plan(BOUND[:2]), SCHEMA, {"id": []})
    whole = states_bag.unpack(states_bag.combine_readings(failed.pack(), empty.pack()))
    assert (set(whole.entries), whole.failures) == (PLAN.keys, {})
    assert set(states_bag.unpack(states_bag.combine_readings(empty.pack(), failed.pack())).failures) == set()


def test_readings_of_other_rows_are_not_put_together() -> None:
    with pytest.raises(StateError, match="row count of the partition changed"):
        states_bag.combine_readings(made([1]).pack(), made([1, 2]).pack())


def test_only_the_asked_states_are_loaded() -> None:
    key = BOUND[1].parts["largest"].key
    assert set(states_bag.unpack(made([1]).pack(), keys=frozenset({key})).entries) == {key}


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda packed: b"", "not packed states"),
        (lambda packed: packed[:40], "damaged"),
        (lambda packed: b"PAR1" + packed[4:], "not packed states"),
        (lambda packed: packed[:-1], "damaged"),
    ],
)
def test_other_bytes_are_refused_by_name(damage: object, said: str) -> None:
    with pytest.raises(StateError, match=said):
        states_bag.unpack(damage(made([1]).pack()))  # type: ignore[operator]


def test_a_component_of_another_version_is_left_out_and_the_rest_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = made([1, 2]).pack()
    monkeypatch.setattr("treaty.engine.components.moments.Moments.version", 2)
    back = states_bag.unpack(packed)
    assert not any(key.startswith("moments") for key in back.entries)
    assert BOUND[0].value(back.values) == 1.5


def test_another_format_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = made([1]).pack()
    monkeypatch.setattr(envelope, "FORMAT", 3)
    envelope._head.cache_clear()
    with pytest.raises(StateError, match="format 2 cannot be read by this version, which reads 3; compute"):
        states_bag.unpack(packed)


def test_a_merge_says_only_what_all_parts_know() -> None:
    one, other = made([1, 2]), bag(plan([BOUND[0]]), SCHEMA, {"id": [3]})
    merged = states_bag.merge([one, other])
    assert merged is not None
    assert set(merged.entries) == set(other.entries)
    assert (merged.rows, BOUND[0].value(merged.values)) == (3, 2.0)
    assert states_bag.merge([]) is None


def test_many_bags_are_merged_as_two_are() -> None:
    bags = [made([at, at]) for at in range(3 * states_bag.MERGE_BATCH + 1)]
    together = states_bag.merge(bags)
    assert together is not None
    assert (together.rows, answers(together)[:2]) == (2 * len(bags), [(len(bags) - 1) / 2, len(bags) - 1])


def test_large_states_lie_in_files_named_by_their_content(tmp_path: Path) -> None:
    files = StateFiles(str(tmp_path / "states"))
    packed = made([1, 1, 2]).pack(files)
    assert answers(states_bag.unpack(packed, files))[-1] == 0.5
    assert made([1, 1, 2]).pack(files) == packed
    (stored,) = (tmp_path / "states").iterdir()
    stored.write_bytes(stored.read_bytes()[:-1] + b"?")
    with pytest.raises(StateError, match="damaged"):
        states_bag.unpack(packed, files)
    stored.unlink()
    with pytest.raises(StateError, match="missing; compute the partition again"):
        states_bag.unpack(packed, files)
    with pytest.raises(StateError, match="no file store"):
        states_bag.unpack(packed)


def test_what_a_bag_settles_is_told_without_loading_it() -> None:
    schema, keys = inventory.describe_bag(bag(plan([BOUND[0]]), Schema((Column("id", "bigint"),)), {"id": [1]}).pack())
    assert schema == Schema((Column("id", "bigint"),))
    assert keys == plan([BOUND[0]]).keys
