"""The lineage graph: what the run that speaks for a job reads and writes, in whatever order its events came."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, delete
from sqlmodel import Session, select
from support.api import counted_queries
from support.flowing import columns, dataset, minute, ran, step, take_in

from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import EdgeDirection
from treaty.registry.core.errors import NotFound
from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage.downstream import impact
from treaty.registry.lineage.graph import traversal
from treaty.registry.lineage.graph.flows import ColumnFeed
from treaty.registry.lineage.graph.nodes import NameResolver
from treaty.registry.tables import LineageEdgeRow, LineageEventRow, LineageJobRow, LineageRunRow

Edges = set[tuple[str, str, str]]


def edges(session: Session) -> Edges:
    """(job, direction, path) of every edge."""
    query = select(LineageJobRow.name, LineageEdgeRow.direction, LineageEdgeRow.name).join(LineageEdgeRow)
    return {(job, EdgeDirection(way).value, name.removeprefix("/lake/")) for job, way, name in session.exec(query)}


def told(engine: Engine, *documents: dict[str, Any]) -> Edges:
    """The edges once the events came in that order, of nothing else."""
    with transaction(engine) as tx:
        take_in(tx, *documents)
        return edges(tx)


def test_a_job_reads_and_writes_what_its_last_completed_run_did(engine: Engine) -> None:
    first = ran("load", 0, 5, 1, reads=["raw", "old"], writes=["orders"])
    second = ran("load", 10, 15, 2, reads=["raw"], writes=["orders", "more"])
    assert told(engine, *first, *second) == {
        ("load", "input", "raw"),
        ("load", "output", "orders"),
        ("load", "output", "more"),
    }


@pytest.mark.parametrize(
    ("later", "reads"),
    [
        ([step("load", "START", 10, 2, reads=["new"])], "raw"),
        ([step("load", "START", 10, 2, reads=["new"]), step("load", "FAIL", 11, 2)], "raw"),
        ([step("load", "START", 10, 2, reads=["new"]), step("load", "COMPLETE", 11, 2)], "new"),
        (ran("load", -9, -8, 2, reads=["new"]), "raw"),
        ([step("load", "COMPLETE", 11, 2)], "raw"),
        ([step("load", "FAIL", 6, 1), step("load", "START", 10, 2, reads=["new"])], "new"),
        ([step("load", "FAIL", 6, 1)], "raw"),
    ],
)
def test_which_run_speaks_for_its_job(engine: Engine, later: list[dict[str, Any]], reads: str) -> None:
    found = told(engine, *ran("load", 0, 5, 1, reads=["raw"]), *later)
    assert found == {("load", "input", reads)}


def test_a_job_event_declares_what_a_run_would_do(engine: Engine) -> None:
    declared = {
        **step("load", None, 3, reads=["raw"], writes=["orders"]),
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobEvent",
    }
    del declared["run"], declared["eventType"]
    assert told(engine, declared) == {("load", "input", "raw"), ("load", "output", "orders")}
    assert told(engine, *ran("load", 4, 5, writes=["orders"])) == {("load", "output", "orders")}


JOB_EVENT = {key: value for key, value in step("b", None, 8, reads=["x"], writes=["z"]).items() if key != "run"}
del JOB_EVENT["eventType"]
POOL = [
    *ran("a", 0, 5, 1, reads=["x"], writes=["y"]),
    *ran("a", 2, 4, 2, reads=["x", "w"], writes=["y"]),
    step("a", "START", 9, 3, reads=["v"], writes=["y"]),
    step("a", "RUNNING", 9.5, 3, writes=[dataset("y", **columns({"c": [("v", "d")]}))]),
    step("a", "COMPLETE", 12, 3),
    step("a", "FAIL", 12, 3),
    step("b", "START", 1, 1, reads=["y"], writes=["z"]),
    step("b", "START", 0, 1),
    JOB_EVENT,
    {**JOB_EVENT, "eventTime": minute(9).isoformat(), "inputs": [dataset("u")]},
    step("b", "RUNNING", 3, 2, reads=["q"]),
]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sets(st.integers(0, len(POOL) - 1)).flatmap(
        lambda some: st.tuples(st.just(some), st.permutations(sorted(some) * 2))
    )
)
def test_the_order_of_events_and_their_repeats_do_not_matter(
    engine: Engine, chosen: tuple[set[int], list[int]]
) -> None:
    ordered, mixed = sorted(chosen[0]), chosen[1]
    assert everything(engine, ordered) == everything(engine, mixed)


def everything(engine: Engine, order: list[int]) -> Any:
    with transaction(engine) as tx:
        take_in(tx, *(POOL[at] for at in order))
        jobs = {
            each.id: (each.namespace, each.name, each.run_rank, each.run_at, each.run_id, each.flow_hash)
            for each in tx.exec(select(LineageJobRow))
        }
        found = sorted(
            (jobs[each.job_id][:2], each.direction.value, each.namespace, each.name, str(each.feeds))
            for each in tx.exec(select(LineageEdgeRow))
        )
        for table in (LineageEdgeRow, LineageJobRow, LineageRunRow, LineageEventRow):
            tx.exec(delete(table))
        tx.rollback()
        return sorted(jobs.values(), key=str), found


def test_edges_that_stay_are_not_written_again(engine: Engine) -> None:
    with transaction(engine) as tx:
        take_in(tx, *ran("load", 0, 5, reads=["raw"], writes=["orders"]))
        tx.commit()
    with transaction(engine) as tx, counted_queries(engine) as statements:
        take_in(tx, *ran("load", 6, 7, 2, reads=["raw"], writes=["orders"]))
    assert [each for each in statements if "lineage_edge" in each and not each.lower().startswith("select")] == []


def test_columns_that_feed_an_output_are_kept(engine: Engine) -> None:
    with transaction(engine) as tx:
        take_in(
            tx,
            *ran("load", 0, 5, writes=[dataset("orders", **columns({"Total": [("raw", "amount")]}, ("raw", "day")))]),
        )
        (edge,) = tx.exec(select(LineageEdgeRow).where(LineageEdgeRow.direction == EdgeDirection.OUTPUT))
        raw = LineageName("file", "/lake/raw")
        assert [
            ColumnFeed(column, LineageName(space, name), of, direct) for column, space, name, of, direct in edge.feeds
        ] == [
            ColumnFeed("total", raw, "amount"),
            ColumnFeed(None, raw, "day", direct=False),
        ]


def chain(length: int) -> list[dict[str, Any]]:
    return [each for at in range(length) for each in ran(f"j{at}", at, at + 1, reads=[f"d{at}"], writes=[f"d{at + 1}"])]


def walked(session: Session, path: str, depth: int) -> set[str]:
    nodes = NameResolver(session)
    found = traversal.graph_around(session, LineageName("file", f"/lake/{path}"), impact.everything, nodes, depth=depth)
    return {name.name.removeprefix("/lake/") for name in found.names}


def test_a_walk_goes_so_many_jobs_further_both_ways(engine: Engine) -> None:
    with transaction(engine) as tx:
        take_in(tx, *chain(6), *ran("side", 0, 1, reads=["d3"]))
        assert walked(tx, "d3", 0) == {"d2", "d3", "d4"}
        assert walked(tx, "d3", 1) == {"d1", "d2", "d3", "d4", "d5"}
        assert walked(tx, "d0", 20) == {f"d{at}" for at in range(7)}
        with pytest.raises(NotFound):
            walked(tx, "unknown", 1)


def test_a_walk_in_a_circle_ends_and_asks_a_few_questions_a_level(engine: Engine) -> None:
    with transaction(engine) as tx:
        take_in(tx, *chain(5), *ran("back", 0, 1, reads=["d5"], writes=["d0", "d5"]))
        tx.commit()
    with transaction(engine) as tx, counted_queries(engine) as statements:
        assert walked(tx, "d0", 20) == {f"d{at}" for at in range(6)}
    assert len(statements) <= 4 * 7


def test_a_walk_that_is_too_long_says_so(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traversal, "MOST_NODES", 7)
    with transaction(engine) as tx:
        take_in(tx, *chain(9))
        found = traversal.graph_around(tx, LineageName("file", "/lake/d0"), impact.everything, NameResolver(tx))
    assert (found.complete, len(found.jobs) + len(found.names) <= 8) == (False, True)


def test_what_may_not_be_seen_is_no_bridge(engine: Engine) -> None:
    with transaction(engine) as tx:
        take_in(tx, *chain(4))
        nodes = NameResolver(tx)
        found = traversal.graph_around(
            tx, LineageName("file", "/lake/d0"), lambda names: [e for e in names if e.name != "/lake/d2"], nodes
        )
        assert {each.name for each in found.names} == {"/lake/d0", "/lake/d1"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("file:/lake/orders", LineageName("file", "/lake/orders")),
        ("postgres://h:5433:db.t", LineageName("postgres://h:5433", "db.t")),
        ("s3a://bucket:a/b", LineageName("s3://bucket", "a/b")),
        ("file:/lake/orders/ds=1", LineageName("file", "/lake/orders")),
        ("nothing", None),
        ("a:b", None),
    ],
)
def test_a_text_means_the_dataset_that_the_graph_knows(engine: Engine, text: str, name: LineageName | None) -> None:
    known = [("file", "/lake/orders"), ("postgres://h:5433", "db.t"), ("s3://bucket", "a/b")]
    with transaction(engine) as tx:
        take_in(tx, *ran("load", 0, 1, reads=[{"namespace": space, "name": path} for space, path in known]))
        assert next(traversal.resolve_text(tx, text), None) == name


def test_two_who_fold_runs_of_a_new_job_at_once_make_one_job(engine: Engine) -> None:
    from treaty.registry.lineage.graph import representative_runs

    with transaction(engine) as tx:
        first = representative_runs._job(tx, "shop", "load", ids.new)
        assert representative_runs._job(tx, "shop", "load", ids.new).id == first.id
