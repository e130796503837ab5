"""Verdicts as lineage events: what they say, by the standard's own schemas, and that they trigger nothing."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid3

import pytest
from sqlalchemy import Engine
from support.api import World
from support.events import event, output
from support.folders import DATA
from support.lineage_schemas import faults
from support.scenes import NOON, Scene, orders, rows

from treaty.engine.core.errors import EngineError
from treaty.engine.core.results import Verdict
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import OutboxState
from treaty.registry.lineage.events.facet import facet_schema
from treaty.registry.tables import LineageEventRow, LineageRunRow, OutboxMessageRow, RunRow, TaskRow
from treaty.registry.validation import openlineage_emitter
from treaty.registry.validation.evaluation import EvaluationResult
from treaty.registry.validation.openlineage_emitter import Emitter

GOLDEN = DATA / "lineage"
SYMLINK = {"namespace": "hive://metastore:9083", "name": "shop.orders", "type": "TABLE"}
PARENT = {
    "run": {"runId": "0197c0de-0000-7000-8000-00000000000a"},
    "job": {"namespace": "airflow", "name": "daily.load"},
    "root": {
        "run": {"runId": "0197c0de-0000-7000-8000-00000000000b"},
        "job": {"namespace": "airflow", "name": "daily"},
    },
}


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    return orders(engine, tmp_path)


def told(scene: Scene) -> list[dict[str, Any]]:
    """The events of verdicts that are kept here, oldest first."""
    kept = [each for each in rows(scene.database, LineageEventRow) if each.producer == openlineage_emitter.PRODUCER]
    return [json.loads(each.body) for each in kept]


def plain(document: Any) -> Any:
    """The event without what differs from run to run: made ids and versions of packages."""
    run = document["run"]["facets"]
    run["treaty_contract"] |= {"link": "LINK"}
    run["processing_engine"] |= {"version": "VERSION", "openlineageAdapterVersion": "VERSION"}
    return document


def written(**facets: Any) -> dict[str, Any]:
    return output(symlinks={"identifiers": [SYMLINK]}, version={"datasetVersion": "7"}, **facets)


def producing(**more: Any) -> dict[str, Any]:
    nominal = {"nominalStartTime": "2026-03-01T00:00:00Z", "nominalEndTime": "2026-03-02T00:00:00"}
    document = event("COMPLETE", written(), **more)
    document["run"]["facets"] = {"parent": PARENT, "nominalTime": nominal}
    return document


def test_a_verdict_is_told_under_the_names_that_its_producer_gave(scene: Scene) -> None:
    scene.send(producing())
    scene.work()
    (document,) = told(scene)
    (dataset,) = document["inputs"]
    facets = document["run"]["facets"]
    assert (document["eventType"], document["job"]["name"]) == ("COMPLETE", "validate.orders")
    assert (dataset["namespace"], dataset["name"]) == ("file", "/data/orders")
    assert dataset["facets"]["symlinks"]["identifiers"] == [SYMLINK]
    assert dataset["facets"]["version"]["datasetVersion"] == "7"
    assert facets["parent"]["job"] == {"namespace": "shop", "name": "load_orders", "facets": {}}
    assert facets["parent"]["root"]["job"]["name"] == "daily"
    assert facets["nominalTime"]["nominalEndTime"] == "2026-03-02T00:00:00Z"
    parts = dataset["inputFacets"]["subset"]["inputCondition"]["partitions"]
    assert [each["dimensions"] for each in parts] == [{"ds": "1"}, {"ds": "2"}]
    assert faults(document) == []


def test_the_event_is_as_it_was_agreed(scene: Scene) -> None:
    scene.write("ds=2", "bad")
    scene.send(producing())
    scene.work()
    (document,) = told(scene)
    assert plain(document) == json.loads((GOLDEN / "verdict.json").read_text(encoding="utf-8"))


def test_a_failed_check_is_a_finished_validation(scene: Scene) -> None:
    scene.write("ds=2", "bad")
    scene.send(event())
    scene.work()
    (document,) = told(scene)
    contract = document["run"]["facets"]["treaty_contract"]
    assert (document["eventType"], contract["status"], contract["blocking"]) == ("COMPLETE", "failed", True)
    (dataset,) = document["inputs"]
    checked = dataset["inputFacets"]["dataQualityAssertions"]["assertions"]
    found = {each["params"].get("partition"): each["success"] for each in checked}
    assert found == {"ds=1": True, "ds=2": False, None: True}
    assert dataset["facets"]["dataQualityAssertions"]["assertions"] == checked
    assert faults(document) == []


def test_a_validation_that_was_given_up_is_told_as_failed(scene: Scene) -> None:
    scene.engine.errors = [EngineError("the table is locked", retry=False)]
    scene.send(event())
    scene.work()
    (document,) = told(scene)
    facets = document["run"]["facets"]
    assert (document["eventType"], facets["errorMessage"]["message"]) == ("FAIL", "the table is locked")
    assert [each["status"] for each in facets["test"]["tests"]] == ["skip"]
    assert document["inputs"][0]["inputFacets"]["dataQualityAssertions"]["assertions"] == []
    assert faults(document) == []


def test_our_own_events_trigger_nothing(scene: Scene) -> None:
    scene.send(event())
    scene.work()
    scene.work()
    assert len(told(scene)) == len(scene.runs) == len(rows(scene.database, TaskRow)) == 1
    assert "treaty" in {each.job_namespace for each in rows(scene.database, LineageRunRow)}


def test_without_a_lineage_service_nothing_goes_out(scene: Scene) -> None:
    scene.send(event())
    scene.work()
    assert rows(scene.database, OutboxMessageRow) == []


def test_with_one_the_same_event_waits_in_the_outbox(scene: Scene) -> None:
    sending = scene.settings.model_copy(update={"openlineage_url": "http://marquez:5000"})
    scene.send(event())
    scene.work(settings=sending)
    (message,) = rows(scene.database, OutboxMessageRow)
    assert (message.payload, message.state) == (told(scene)[0], OutboxState.WAITING)


def test_a_run_is_the_same_however_often_it_is_told(scene: Scene) -> None:
    scene.send(event())
    scene.work()
    (first,) = told(scene)
    (run,) = rows(scene.database, RunRow)
    with read_session(scene.database) as tx:
        found = _found(tx, run)
    with transaction(scene.database) as tx:
        openlineage_emitter.of_run(tx, found, run, Emitter(api="http://other:1"), now=NOON)
        tx.commit()
    assert [each["run"]["runId"] for each in told(scene)] == [first["run"]["runId"]] * 2


def _found(tx: Any, run: RunRow) -> EvaluationResult:
    from treaty.registry.measurements.runs import recording
    from treaty.registry.validation import plan as asked

    order = asked.plan_validation(tx, tx.get_one(TaskRow, run.task_id))
    result = recording.unevaluated(
        order.primary.contract, "orders", "", started=run.started_at, finished=run.finished_at
    )
    return EvaluationResult(
        target=order.primary, result=result.model_copy(update={"partitions": tuple(run.partitions)})
    )


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("run", "parent", {"run": {"runId": "none"}}),
        ("run", "treaty_contract", {"status": "fine"}),
        ("run", "nominalTime", {"nominalStartTime": "yesterday"}),
        ("job", "jobType", {"processingType": 7}),
    ],
)
def test_the_schemas_see_what_is_wrong(scene: Scene, part: str, name: str, value: dict[str, Any]) -> None:
    scene.send(producing())
    scene.work()
    (document,) = told(scene)
    document[part]["facets"][name] |= value
    assert faults(document)


def test_the_schema_of_our_facet_is_served_where_the_facet_says(world: World) -> None:
    url = "/lineage/facets/1-0-0/TreatyContractRunFacet.json"
    answer = world.call(None, "GET", url)
    served = answer.json()
    assert answer.headers["content-type"] == "application/schema+json"
    assert served.pop("$id").endswith(url)
    assert served == facet_schema()
    assert world.call(None, "GET", "/lineage/facets/9-0-0/TreatyContractRunFacet.json").status_code == 404


def test_a_run_id_that_is_no_uuid_is_told_as_the_one_that_marquez_makes_of_it(scene: Scene) -> None:
    scene.send(event(run="scheduled__2026-03-01"))
    scene.work()
    (document,) = told(scene)
    # UUID.nameUUIDFromBytes of Java, by which Marquez names such a run.
    named = uuid3(SimpleNamespace(bytes=b""), "scheduled__2026-03-01")  # type: ignore[arg-type]
    assert document["run"]["facets"]["parent"]["run"]["runId"] == str(named)
    assert faults(document) == []


def test_a_verdict_that_cannot_be_told_is_a_verdict_all_the_same(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(openlineage_emitter, "of_run", broken)
    scene.send(event())
    scene.work()
    assert [each.verdict for each in scene.runs] == [Verdict.PASSED]
    assert told(scene) == []
