"""States of several partitions folded into one bag say of all of them what they said one by one."""

from collections.abc import Sequence
from math import isclose
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.bags import bag

from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.distinct import ApproxCountDistinct, CountDistinct, Uniqueness
from treaty.engine.analyzers.nulls import Completeness
from treaty.engine.analyzers.numbers import Maximum, Mean, Minimum, StandardDeviation, Sum
from treaty.engine.analyzers.quantiles import ApproxQuantile
from treaty.engine.analyzers.rows import Compliance, Size
from treaty.engine.components.separate_statement import QueryNumber
from treaty.engine.core.errors import StateError
from treaty.engine.states import bag as bags
from treaty.engine.states.bag import ComponentState, StateBag, merge_packed, unpack
from treaty.engine.states.missing_states import unlike_types
from treaty.engine.states.planning.scan_plan import plan
from treaty.engine.states.state_files import StateFiles

SCHEMA = Schema((Column("id", "bigint"), Column("ratio", "double"), Column("word", "string")))
EXACT: Sequence[Analyzer] = [
    Size(), Completeness(column="word"), Completeness(column="word", where="id > 0"), Sum(column="id"),
    Minimum(column="id"), Maximum(column="ratio"), CountDistinct(columns=("word",)), Uniqueness(columns=("id",)),
    Uniqueness(columns=("id", "word")), Compliance(predicate="id >= 0"), Mean(column="id"),
]  # fmt: skip
# Of so few values these sketches are exact; the sums of squares are rounded in another order.
NEARLY = [
    ApproxCountDistinct(column="word"),
    ApproxQuantile(column="ratio", quantile=0.5),
    StandardDeviation(column="ratio"),
]
BOUND = [each.bind(SCHEMA) for each in (*EXACT, *NEARLY)]
PLAN = plan(BOUND)
ROW = st.tuples(
    st.none() | st.integers(-9, 9),
    st.none() | st.integers(-99, 99).map(lambda n: n / 4),
    st.sampled_from([None, "", "a", "b", "ü"]),
)
DAYS = st.lists(st.lists(ROW, max_size=6), min_size=2, max_size=6)


def made(rows: Sequence[tuple[Any, ...]]) -> StateBag:
    return bag(PLAN, SCHEMA, {name: [row[at] for row in rows] for at, name in enumerate(SCHEMA.names)})


def values(of: StateBag | None) -> list[Any]:
    assert of is not None
    return [each.value(of.values) for each in BOUND]


def agree(one: Sequence[Any], other: Sequence[Any]) -> bool:
    exact = len(EXACT)
    near = [
        a == b or (a is not None and isclose(a, b, rel_tol=1e-12))
        for a, b in zip(one[exact:], other[exact:], strict=True)
    ]
    return one[:exact] == other[:exact] and all(near)


@pytest.mark.search
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(days=DAYS, data=st.data())
def test_what_is_measured_of_all_is_the_same_before_and_after(
    days: list[list[Any]], data: st.DataObject, tmp_path: Path
) -> None:
    files = StateFiles(str(tmp_path / "states"))
    packed = [made(rows).pack(files) for rows in days]
    before = values(bags.merge(unpack(each, files) for each in packed))
    cut = data.draw(st.integers(1, len(packed) - 1))
    months = [merge_packed(part, files) for part in (packed[:cut], packed[cut:])]
    assert agree(values(unpack(merge_packed(packed, files), files)), before)
    assert agree(values(bags.merge(unpack(each, files) for each in months)), before)
    # A day that comes late is folded into what was folded before.
    assert agree(values(unpack(merge_packed([merge_packed(packed[:-1], files), packed[-1]], files), files)), before)


def test_folding_needs_the_files_and_leaves_them_as_they_are(tmp_path: Path) -> None:
    files = StateFiles(str(tmp_path / "states"))
    packed = [made([(at, 1.0, "a")]).pack(files) for at in range(3)]
    before = {each.name for each in files.list_files()}
    assert merge_packed(packed, files) == merge_packed(packed, files)
    assert before < {each.name for each in files.list_files()}
    with pytest.raises(StateError, match="no file store"):
        merge_packed(packed)
    (tmp_path / "states" / min(before)).unlink()
    with pytest.raises(StateError, match="missing; compute the partition again"):
        merge_packed(packed, files)


def test_what_only_some_know_is_left_out_and_what_cannot_be_merged_is_told() -> None:
    answer = {"answer/1 q": ComponentState(component=QueryNumber("q"), value=7)}
    one, other = made([(1, 1.0, "a")]), made([(2, 1.0, "b")])
    some = other.only(frozenset({"count/1 count(1)", "count/1 count(word)"}))
    assert unpack(merge_packed([one.pack(), some.pack()])).entries.keys() == some.entries.keys()
    both = unpack(merge_packed([one.union(StateBag(answer)).pack(), other.union(StateBag(answer)).pack()]))
    assert both.failures == {"answer/1 q": unlike_types("the column")}
    assert both.entries.keys() == one.entries.keys()


def test_damage_is_refused() -> None:
    packed = made([(1, 1.0, "a")]).pack()
    with pytest.raises(StateError, match="damaged"):
        merge_packed([packed, packed[:-1]])


def test_a_state_of_another_version_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = [made([(at, 1.0, "a")]).pack() for at in range(2)]
    monkeypatch.setattr("treaty.engine.components.moments.Moments.version", 2)
    assert not any(key.startswith("moments") for key in unpack(merge_packed(packed)).entries)
