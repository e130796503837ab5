"""What a run tells of where data flow: datasets, columns, explicit lineage, and what it says of nothing."""

from functools import reduce
from typing import Any

import pytest
from support.events import PRODUCER, body, event, output

from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage.events.model import parse
from treaty.registry.lineage.events.run_state import FoldedRun, join, state_of_event
from treaty.registry.lineage.graph import flows
from treaty.registry.lineage.graph.flows import COMPLETED, FAILED, OPEN, ColumnFeed, JobFlow, JobOutput, rank

ORDERS, CUSTOMERS, REPORT = (LineageName("file", f"/{each}") for each in ("orders", "customers", "report"))
META = {"_producer": PRODUCER, "_schemaURL": "https://openlineage.io/spec/facets/1-2-0/X.json"}


def run(*documents: dict[str, Any]) -> FoldedRun:
    return reduce(join, (state_of_event(parse(body(each))) for each in documents))


def at(name: LineageName, **more: Any) -> dict[str, Any]:
    return {"namespace": name.namespace, "name": name.name, **more}


def columns(fields: dict[str, list[dict[str, Any]]], *whole: dict[str, Any]) -> dict[str, Any]:
    told = {name: {"inputFields": inputs} for name, inputs in fields.items()}
    return {"columnLineage": {**META, "fields": told, "dataset": list(whole)}}


def explicit(inputs: Any, **fields: list[dict[str, Any]]) -> dict[str, Any]:
    told = {name: {"inputs": inputs} for name, inputs in fields.items()}
    return {"lineage": {**META, "inputs": inputs, "fields": told}}


def flow(facets: dict[str, Any], *inputs: LineageName, job: dict[str, Any] | None = None) -> JobFlow:
    named = {"namespace": "shop", "name": "load", "facets": job or {}}
    sent = event("COMPLETE", output("/report", **facets), inputs=[at(each) for each in inputs])
    return flows.flow_of_run(run({**sent, "job": named}))


INDIRECT = {"transformations": [{"type": "INDIRECT", "subtype": "FILTER"}]}
BOTH = {"transformations": [{"type": "INDIRECT"}, {"type": "DIRECT"}]}
ENTRY = {"type": "DATASET", "namespace": "file", "name": "/report", "inputs": [at(ORDERS, type="DATASET")]}


@pytest.mark.parametrize(
    ("facets", "feeds", "sources"),
    [
        ({}, (), None),
        (columns({"total": [at(ORDERS, field="amount")]}), (ColumnFeed("total", ORDERS, "amount"),), None),
        (columns({"Total": [at(ORDERS, field="Money.Amount")]}), (ColumnFeed("total", ORDERS, "money"),), None),
        (columns({"t": [at(ORDERS, field="a", **INDIRECT)]}), (ColumnFeed("t", ORDERS, "a", direct=False),), None),
        (columns({"t": [at(ORDERS, field="a", **BOTH)]}), (ColumnFeed("t", ORDERS, "a"),), None),
        (columns({}, at(ORDERS, field="day")), (ColumnFeed(None, ORDERS, "day", direct=False),), None),
        (columns({"t": [at(ORDERS)]}), (ColumnFeed("t", ORDERS, None),), None),
        (columns({"t": [{"name": "/x", "field": "a"}, at(ORDERS, field=7)]}), (ColumnFeed("t", ORDERS, None),), None),
        (explicit([at(ORDERS, type="DATASET")]), (), frozenset({ORDERS})),
        (explicit([]), (), frozenset()),
        (explicit(None), (), None),
        (explicit([{"type": "JOB", "namespace": "shop", "name": "x"}]), (), frozenset()),
        (
            explicit([at(ORDERS, type="DATASET", field="day")]),
            (ColumnFeed(None, ORDERS, "day", direct=False),),
            frozenset({ORDERS}),
        ),
        ({"columnLineage": {**META, "fields": {"t": None, "u": {"inputFields": "x"}}, "dataset": 3}}, (), None),
        (
            {"columnLineage": {**META, "fields": [1]}, "lineage": {**META, "inputs": [None], "fields": 2}},
            (),
            frozenset(),
        ),
    ],
)
def test_an_output_says_which_columns_feed_it_and_which_datasets_do(
    facets: dict[str, Any], feeds: tuple[ColumnFeed, ...], sources: frozenset[LineageName] | None
) -> None:
    (told,) = flow(facets, CUSTOMERS).outputs
    assert (told.name, told.feeds, told.sources) == (REPORT, feeds, sources)


def test_what_a_facet_names_is_read_by_the_job() -> None:
    assert flow(columns({"t": [at(ORDERS, field="a")]})).inputs == {ORDERS}
    assert flow(explicit([at(ORDERS, type="DATASET")]), CUSTOMERS).inputs == {ORDERS, CUSTOMERS}


def test_the_lineage_of_a_job_names_datasets_and_what_the_job_reads() -> None:
    own = {"type": "JOB", "inputs": [at(CUSTOMERS, type="DATASET")]}
    other = {
        **own,
        "namespace": "shop",
        "name": "another",
        "inputs": [at(LineageName("file", "/else"), type="DATASET")],
    }
    found = flow({}, job={"lineage": {**META, "entries": [ENTRY, own, other, None]}})
    assert found.inputs == {ORDERS, CUSTOMERS}
    assert [(each.name, each.sources) for each in found.outputs] == [(REPORT, frozenset({ORDERS}))]


def test_partitions_that_are_written_as_datasets_are_one_table() -> None:
    paths = [output(f"/report/ds={day}", **columns({f"c{day}": [at(ORDERS, field="a")]})) for day in (1, 2)]
    found = flows.flow_of_run(run(event("COMPLETE", *paths)))
    assert [(each.name, {feed.column for feed in each.feeds}) for each in found.outputs] == [(REPORT, {"c1", "c2"})]


def test_owners_are_those_that_facets_name() -> None:
    facet = {"ownership": {**META, "owners": [{"name": "team:shop"}, {"type": "x"}, {"name": " "}]}}
    assert flow(facet).outputs == (JobOutput(REPORT, owners=("team:shop",)),)


def test_an_output_with_too_many_feeds_is_told_as_one_that_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flows, "MOST_FEEDS", 2)
    several = {f"c{at_}": [at(ORDERS, field="a")] for at_ in range(3)}
    assert flow(columns(several)).outputs == (JobOutput(REPORT),)


@pytest.mark.parametrize(
    ("kinds", "grade", "moment"),
    [
        (["START"], OPEN, "12:00"),
        (["START", "COMPLETE"], COMPLETED, "12:01"),
        (["COMPLETE", "FAIL"], FAILED, "12:01"),
        ([None], OPEN, "00:00"),
    ],
)
def test_a_run_that_completed_ranks_above_one_that_is_open_above_one_that_failed(
    kinds: list[str | None], grade: int, moment: str
) -> None:
    found = rank(run(*(event(kind, at=f"2026-03-01T12:0{at_}:00Z") for at_, kind in enumerate(kinds))))
    assert (found.run_rank, found.run_time.strftime("%H:%M")) == (grade, moment)


def test_a_run_that_names_no_dataset_tells_nothing() -> None:
    assert not flows.tells(run(event("START", outputs=[])))
    assert flows.tells(run(event("START")))
