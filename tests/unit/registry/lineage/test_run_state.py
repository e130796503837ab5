"""Events of a run fold to the same state in any order, however often they come."""

from datetime import datetime, timedelta
from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events import body, event, output, processing

from treaty.registry.lineage.events.model import LineageEvent, parse
from treaty.registry.lineage.events.run_state import FoldedRun, join, state_of_event
from treaty.registry.lineage.events.triggers import triggers

SECONDS = st.integers(0, 4)
FACETS = st.dictionaries(
    st.sampled_from(["schema", "version", "lifecycleStateChange"]),
    st.sampled_from([{}, {"v": 1}, {"v": 2}, {"_deleted": True}, {"lifecycleStateChange": "DROP"}]),
    max_size=2,
)


@st.composite
def events(draw: st.DrawFn) -> LineageEvent:
    """Any event of one run."""
    paths = st.sampled_from(["/t", "/t/ds=1", "/u", "/v"])
    outputs = draw(st.lists(st.builds(lambda path, facets: output(path, **facets), paths, FACETS), max_size=3))
    document = event(
        draw(st.sampled_from(["START", "RUNNING", "COMPLETE", "FAIL", "ABORT", "OTHER", None])),
        at=f"2026-03-01T12:00:0{draw(SECONDS)}Z",
        outputs=outputs,
        inputs=draw(st.lists(st.builds(output, paths), max_size=2)),
    )
    document["job"]["facets"] = draw(st.sampled_from([{}, processing("BATCH"), processing("STREAMING")]))
    return parse(body(document))


@given(st.data(), st.lists(events(), min_size=1, max_size=6))
def test_any_order_and_any_repetition_gives_the_same_run(data: st.DataObject, told: list[LineageEvent]) -> None:
    again = data.draw(st.permutations(told + data.draw(st.lists(st.sampled_from(told), max_size=4))))
    assert reduce(join, map(state_of_event, again)) == reduce(join, map(state_of_event, told))
    assert triggers(reduce(join, map(state_of_event, again))) == triggers(reduce(join, map(state_of_event, told)))


@given(events(), events(), events())
def test_joining_is_associative_commutative_and_idempotent(a: LineageEvent, b: LineageEvent, c: LineageEvent) -> None:
    one, two, three = state_of_event(a), state_of_event(b), state_of_event(c)
    assert join(join(one, two), three) == join(one, join(two, three))
    assert join(one, two) == join(two, one)
    assert join(one, one) == one


@given(events(), events())
def test_a_run_is_the_same_after_it_was_stored(a: LineageEvent, b: LineageEvent) -> None:
    run = join(state_of_event(a), state_of_event(b))
    assert FoldedRun.model_validate(run.model_dump(mode="json")) == run


def told(*documents: dict[str, Any]) -> FoldedRun:
    return reduce(join, (state_of_event(parse(body(document))) for document in documents))


def at(second: int) -> str:
    return f"2026-03-01T12:00:{second:02}Z"


def test_outputs_are_the_union_of_all_events_each_once() -> None:
    run = told(
        event("START", output("/a"), output("/a")), event("RUNNING", output("/b")), event("COMPLETE", outputs=[])
    )
    assert [each.name for each in run.outputs] == ["/a", "/b"]


def test_the_latest_value_of_a_facet_stands() -> None:
    run = told(
        event("COMPLETE", output(version={"datasetVersion": "2"}), at=at(2)),
        event("START", output(version={"datasetVersion": "1"}), at=at(1)),
    )
    assert run.outputs[0].facet("version") == {"datasetVersion": "2"}


@pytest.mark.parametrize("later", [{}, {"version": {}}, {"version": None}])
def test_an_event_that_says_nothing_erases_nothing(later: dict[str, Any]) -> None:
    run = told(event("START", output(version={"datasetVersion": "1"})), event("COMPLETE", output(**later), at=at(9)))
    assert run.outputs[0].facet("version") == {"datasetVersion": "1"}


def test_a_deleted_facet_is_gone() -> None:
    run = told(
        event("START", output(version={"v": "1"})), event("COMPLETE", output(version={"_deleted": True}), at=at(9))
    )
    assert run.outputs[0].facet("version") == {}


def test_a_failure_is_never_taken_back() -> None:
    run = told(event("FAIL", at=at(1)), event("COMPLETE", at=at(2)))
    assert run.failed
    assert run.completed


def test_a_run_lasts_from_its_first_start_to_its_last_end() -> None:
    run = told(
        event("COMPLETE", at=at(7)), event("START", at=at(3)), event("START", at=at(2)), event("RUNNING", at=at(9))
    )
    assert (run.started, run.ended) == (moment(2), moment(7))


def moment(second: int) -> datetime:
    return datetime.fromisoformat("2026-03-01T12:00:00Z") + timedelta(seconds=second)


def test_facets_that_may_hold_secrets_are_not_remembered() -> None:
    document = event()
    document["run"]["facets"] = {"environment-properties": {"token": "x"}, "parent": {"run": {"runId": "p"}}}
    run = told(document)
    assert set(run.run_facets) == {"parent"}
    assert run.parent == {"run": {"runId": "p"}}


@pytest.mark.parametrize(
    ("statement", "kept"),
    [
        (
            "INSERT INTO t PARTITION (ds='1') SELECT * FROM u WHERE mail = 'a@b'",
            "INSERT INTO t PARTITION (ds='1') SELECT",
        ),
        ("INSERT INTO t VALUES ('secret')", "INSERT INTO t VALUES"),
        ("CREATE TABLE t AS WITH x AS (SELECT 'secret') SELECT 1", "CREATE TABLE t AS WITH"),
        ("CREATE TABLE t USING jdbc OPTIONS (password 'secret') AS SELECT 1", "CREATE TABLE t USING jdbc "),
        ("CREATE TABLE t (a INT) TBLPROPERTIES ('k'='secret')", "CREATE TABLE t (a INT) "),
        ("UPDATE t SET mail = 'secret'", "UPDATE t "),
        ("DELETE FROM t WHERE mail = 'secret'", "DELETE FROM t "),
        ("MERGE INTO t USING u ON t.k = 'secret'", "MERGE INTO t USING u "),
        ("/* secret */ SELECT 1", ""),
        (
            "LOAD DATA INPATH '/x' INTO TABLE t PARTITION (y=2023)",
            "LOAD DATA INPATH '/x' INTO TABLE t PARTITION (y=2023)",
        ),
        (7, ""),
    ],
)
def test_of_a_statement_only_the_beginning_is_remembered(statement: Any, kept: str) -> None:
    document = event()
    document["job"]["facets"] = {"sql": {"query": statement}}
    assert told(document).statement == kept


def test_events_of_different_runs_do_not_join() -> None:
    with pytest.raises(ValueError, match="different runs"):
        told(event(run="a"), event(run="b"))
