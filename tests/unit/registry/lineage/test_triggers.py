"""Which runs ask for a validation of what."""

from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events import PRODUCER, body, event, output, processing
from support.every import every

from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage.events.model import DatasetEvent, parse
from treaty.registry.lineage.events.run_state import FoldedRun, join, state_of_event
from treaty.registry.lineage.events.triggers import (
    MOST_COLUMNS,
    OUR_NAMESPACE,
    OUR_PRODUCER,
    PRIORITIES,
    Trigger,
    TriggerKind,
    of_dataset,
    orphaned,
    triggers,
)

ORDERS = LineageName("file", "/data/orders")
B = LineageName("file", "/b")


def told(*documents: dict[str, Any]) -> FoldedRun:
    return reduce(join, (state_of_event(parse(body(document))) for document in documents))


def names(*documents: dict[str, Any]) -> list[LineageName]:
    return [trigger.dataset for trigger in triggers(told(*documents))]


def asked(*documents: dict[str, Any]) -> dict[LineageName, TriggerKind]:
    return {trigger.dataset: trigger.reads for trigger in triggers(told(*documents))}


def lifecycle(change: str, path: str = "/data/orders", **own: Any) -> dict[str, Any]:
    return output(path, lifecycleStateChange={"lifecycleStateChange": change}) | {"outputFacets": own}


def of(kind: str) -> dict[str, Any]:
    return {"job": {"namespace": "shop", "name": "load_orders", "facets": processing(kind)}}


def saying(statement: str, name: str = "load_orders") -> dict[str, Any]:
    return {"job": {"namespace": "shop", "name": name, "facets": {"sql": {"query": statement}}}}


ROWS = {"outputStatistics": {"rowCount": 3}}
WRITTEN = {ORDERS: TriggerKind.DATA}
DEFINED = {ORDERS: TriggerKind.SCHEMA}
DOUBTED = {ORDERS: TriggerKind.SUSPECT}
LOOKS = {
    "complete": ([event("COMPLETE")], WRITTEN),
    "complete in small letters": ([event("complete")], WRITTEN),
    "outputs told at the start": ([event("START"), event("COMPLETE", outputs=[])], WRITTEN),
    "two": ([event("COMPLETE", output("/b"), output("/data/orders"))], {B: TriggerKind.DATA, **WRITTEN}),
    "batch": ([event() | of("BATCH")], WRITTEN),
    "a kind nobody knows": ([event() | of("NONE")], WRITTEN),
    "overwrite": ([event("COMPLETE", lifecycle("OVERWRITE"))], WRITTEN),
    "truncate": ([event("COMPLETE", lifecycle("TRUNCATE"))], WRITTEN),
    "drop": ([event("COMPLETE", lifecycle("DROP"))], {ORDERS: TriggerKind.DROPPED}),
    "drop and create": (
        [event("COMPLETE", lifecycle("DROP"), lifecycle("CREATE", "/b"))],
        {ORDERS: TriggerKind.DROPPED, B: TriggerKind.SCHEMA},
    ),
    "alter": ([event("COMPLETE", lifecycle("ALTER"))], DEFINED),
    "alter with rows": ([event("COMPLETE", lifecycle("ALTER", **ROWS))], WRITTEN),
    "rename": ([event("COMPLETE", lifecycle("RENAME"))], {}),
    "create": ([event("COMPLETE", lifecycle("CREATE"))], DEFINED),
    "create of columns": ([event("COMPLETE", lifecycle("CREATE")) | saying("CREATE TABLE t (a INT)")], DEFINED),
    "create with rows": ([event("COMPLETE", lifecycle("CREATE", **ROWS))], WRITTEN),
    "create with rows told while it ran": (
        [event("RUNNING", lifecycle("CREATE", **ROWS)), event("COMPLETE", lifecycle("CREATE"))],
        WRITTEN,
    ),
    "create of other data": ([event("COMPLETE", lifecycle("CREATE"), inputs=[output("/b")])], WRITTEN),
    "create as select": (
        [event("COMPLETE", lifecycle("CREATE")) | saying("create table t as\n (Select * from b where c = 'd')")],
        WRITTEN,
    ),
    "create as with": (
        [event("COMPLETE", lifecycle("CREATE")) | saying("CREATE TABLE t AS WITH x AS (SELECT 1)")],
        WRITTEN,
    ),
    "create by a job of that name": (
        [event("COMPLETE", lifecycle("CREATE")) | saying("", "app.atomic_create_table_as_select.t")],
        WRITTEN,
    ),
    "a Delta table saved by its path": (
        [event("COMPLETE", lifecycle("CREATE")) | saying("", "app.execute_save_into_data_source_command.lake_t")],
        WRITTEN,
    ),
    "no outputs": ([event("COMPLETE", outputs=[])], {}),
    "only begun": ([event("START")], {}),
    "running": ([event("RUNNING")], {}),
    "other and none": ([event("OTHER"), event(None)], {}),
    "fail": ([event("FAIL")], DOUBTED),
    "abort": ([event("ABORT")], DOUBTED),
    "fail without outputs": ([event("START", outputs=[]), event("FAIL", outputs=[])], {}),
    "outputs told before the failure": ([event("START"), event("FAIL", outputs=[])], DOUBTED),
    "fail, then complete": ([event("FAIL"), event("COMPLETE")], DOUBTED),
    "complete, then abort": ([event("COMPLETE"), event("ABORT")], DOUBTED),
    "a stream that begins": ([event("START") | of("STREAMING")], {}),
    "a stream that runs": ([event("RUNNING") | of("STREAMING")], WRITTEN),
    "a stream whose outputs were told before": (
        [event("START") | of("STREAMING"), event("RUNNING", outputs=[])],
        WRITTEN,
    ),
    "a service": ([event() | of("SERVICE")], WRITTEN),
    "our job": ([event(namespace=OUR_NAMESPACE)], {}),
    "our job, failed": ([event("FAIL", namespace=OUR_NAMESPACE)], {}),
    "our producer": ([event(producer=f"{OUR_PRODUCER}1.0")], {}),
    "partitions": ([event("COMPLETE", output("/b/ds=1"), output("/b/ds=2"))], {B: TriggerKind.DATA}),
}


@every(("documents", "expected"), LOOKS.values(), ids=LOOKS.keys())
def test_a_run_asks_for_what_became_of_its_outputs(
    documents: list[dict[str, Any]], expected: dict[LineageName, TriggerKind]
) -> None:
    assert asked(*documents) == expected


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        ([event("START")], [ORDERS]),
        ([event("START"), event("RUNNING")], [ORDERS]),
        ([event("START"), event("COMPLETE")], []),
        ([event("START"), event("FAIL")], []),
        ([event("START", outputs=[])], []),
        ([event("START") | of("STREAMING")], []),
        ([event("START", namespace=OUR_NAMESPACE)], []),
    ],
)
def test_only_a_batch_run_without_an_end_can_be_an_orphan(
    documents: list[dict[str, Any]], expected: list[LineageName]
) -> None:
    found = orphaned(told(*documents))
    assert [(each.dataset, each.reads) for each in found] == [(name, TriggerKind.ORPHAN) for name in expected]


def dataset_event(**more: Any) -> DatasetEvent:
    document = {"eventTime": "2026-03-01T12:00:00Z", "producer": PRODUCER, "dataset": output("/data/orders")}
    content = parse(body(document | more)).content
    assert isinstance(content, DatasetEvent)
    return content


def test_an_event_of_a_dataset_asks_for_its_schema_unless_it_is_ours() -> None:
    assert of_dataset(dataset_event()) == Trigger(dataset=ORDERS, reads=TriggerKind.SCHEMA, columns=())
    assert of_dataset(dataset_event(dataset=lifecycle("DROP"))) == Trigger(dataset=ORDERS, reads=TriggerKind.DROPPED)
    assert of_dataset(dataset_event(producer=f"{OUR_PRODUCER}1.0")) is None


def fielded(change: str | None, *names: str) -> dict[str, Any]:
    """A dataset of which that became, with these columns."""
    became = {"lifecycleStateChange": {"lifecycleStateChange": change}} if change else {}
    return output(**became, schema={"fields": [{"name": each, "type": "long"} for each in names]})


@pytest.mark.parametrize(
    ("written", "columns"),
    [
        pytest.param([fielded("ALTER", "id", "n")], (("id", "long"), ("n", "long")), id="told"),
        pytest.param([lifecycle("ALTER")], (), id="told without columns"),
        pytest.param([fielded("ALTER", *map(str, range(MOST_COLUMNS + 1)))], (), id="too many to be kept"),
        pytest.param([lifecycle("ALTER"), fielded("ALTER", "id")], (("id", "long"),), id="told by one of two"),
        pytest.param([fielded(None, "id")], None, id="not told anew"),
        pytest.param([fielded("ALTER", "id"), fielded(None, "id")], None, id="data were written, too"),
    ],
)
def test_a_trigger_says_which_columns_a_table_was_given(
    written: list[dict[str, Any]], columns: tuple[tuple[str, str], ...] | None
) -> None:
    both = [{**each, "name": f"/data/orders/day={at}"} for at, each in enumerate(written)]
    (trigger,) = triggers(told(event("COMPLETE", *both)))
    assert trigger.columns == columns


def test_what_is_looked_at_by_more_urgent_triggers_comes_first() -> None:
    ordered = sorted(TriggerKind, key=lambda each: PRIORITIES[each])
    assert ordered[-1] is TriggerKind.ORPHAN
    assert {PRIORITIES[each] for each in (TriggerKind.DATA, TriggerKind.SCHEMA, TriggerKind.DROPPED)} == {
        PRIORITIES[ordered[0]]
    }


def subset(condition: dict[str, Any]) -> dict[str, Any]:
    return output("/t") | {"outputFacets": {"subset": {"outputCondition": condition}}}


@pytest.mark.parametrize(
    ("written", "partitions"),
    [
        (output("/t/ds=1"), ((("ds", "1"),),)),
        (
            subset({"type": "location", "locations": ["file:/t/ds=1", "file:///t/ds=2", "/elsewhere/ds=3", 7]}),
            ((("ds", "1"),), (("ds", "2"),)),
        ),
        (
            subset({"type": "partition", "partitions": [{"dimensions": {"ds": "1"}}, {"dimensions": {}}, 7]}),
            ((("ds", "1"),),),
        ),
        (subset({"type": "location", "locations": None}), ()),
        (subset([]), ()),  # type: ignore[arg-type]
        (output("/t"), ()),
    ],
)
def test_a_trigger_says_which_partitions_the_event_spoke_of(
    written: dict[str, Any], partitions: tuple[tuple[tuple[str, str], ...], ...]
) -> None:
    (trigger,) = triggers(told(event("COMPLETE", written)))
    assert (trigger.dataset, trigger.partitions) == (LineageName("file", "/t"), partitions)


def linked(namespace: Any, name: Any, kind: str = "TABLE") -> dict[str, Any]:
    return output(symlinks={"identifiers": [{"namespace": namespace, "name": name, "type": kind}]})


@pytest.mark.parametrize(
    ("written", "also"),
    [
        (linked("hive://H:9083", "sales.orders"), (LineageName("hive://h", "sales.orders"),)),
        (linked("s3a://b", "/orders/", "LOCATION"), (LineageName("s3://b", "orders"),)),
        (linked("", "sales.orders"), ()),
        (linked("sales.orders", "sales.orders"), ()),
        (linked("hive://h", "sales.orders", "DB_TABLE"), ()),
        (linked(None, 7), ()),
        (output(symlinks={"identifiers": "none"}), ()),
    ],
)
def test_a_trigger_knows_the_other_names_of_the_dataset(written: dict[str, Any], also: tuple[LineageName, ...]) -> None:
    assert triggers(told(event("COMPLETE", written))) == (Trigger(dataset=ORDERS, aliases=also),)


@given(st.permutations(["START", "RUNNING", "COMPLETE"]), st.lists(st.sampled_from([0, 1, 2]), max_size=5))
def test_the_order_of_events_does_not_matter(order: list[str], repeated: list[int]) -> None:
    documents = [event(kind) for kind in order]
    assert names(*documents, *(documents[index] for index in repeated)) == [ORDERS]
