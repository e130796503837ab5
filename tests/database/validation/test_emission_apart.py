"""What goes into the lineage of runs that no validation of data makes: of deadlines, and of what a gate publishes."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from support.lineage_schemas import faults
from support.lineages import promised
from support.registered import Registered, registered
from support.scenes import NOON, Scene, add, rows

from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import RunKind, TaskState
from treaty.registry.tables import ContractVersionRow, LineageEventRow, RunRow, ScheduleEntryRow, TaskRow
from treaty.registry.validation import deadlines, openlineage_emitter
from treaty.registry.validation.openlineage_emitter import Emitter

DAY = "day=2026-01-01"
DUE = datetime(2026, 3, 2, 6, 30, tzinfo=UTC)
BY = "by 07:30 Europe/Warsaw"
TERMS = {"deadlines": [{"object": "orders", "by": "07:30", "zone": "Europe/Warsaw", "days": "weekdays"}]}


def told(database: Engine) -> list[dict[str, Any]]:
    """The events of verdicts that are kept, oldest first."""
    kept = (each for each in rows(database, LineageEventRow) if each.producer == openlineage_emitter.PRODUCER)
    return [json.loads(each.body) for each in kept]


def status(event: dict[str, Any]) -> str:
    return str(event["run"]["facets"]["treaty_contract"]["status"])


@pytest.fixture
def missed(engine: Engine, tmp_path: Path) -> Scene:
    """A deadline passed until which nothing came, and nobody has judged that yet."""
    promised(engine, terms=TERMS)
    scene = Scene(engine, tmp_path)
    scene.write("ds=1", "good")
    (version,) = rows(engine, ContractVersionRow)
    payload = {"contract_id": "orders", "object": "orders", "name": BY, "due": DUE.isoformat()}
    payload["version_id"] = str(version.id)
    add(engine, ScheduleEntryRow(version_id=version.id, object="orders", name=BY, due_at=DUE))
    add(
        engine,
        TaskRow(
            id=ids.new(),
            kind="deadline",
            payload=payload,
            key="due",
            state=TaskState.DONE,
            created_at=NOON,
            available_at=NOON,
        ),
    )
    return scene


def judge(scene: Scene, emitter: Emitter, now: datetime) -> None:
    with transaction(scene.database) as tx:
        task = tx.get_one(TaskRow, rows(scene.database, TaskRow)[0].id)
        deadlines.judge(tx, task, looked=None, emitter=emitter, now=now, ids=ids.new)
        tx.commit()


def test_a_missed_deadline_is_told_in_the_lineage_and_so_is_what_comes_late(missed: Scene) -> None:
    judge(missed, Emitter(pages="https://treaty.example", api="https://treaty.example"), DUE)
    missed.clock.now = DUE + timedelta(hours=1)
    missed.ask("now")
    missed.work()
    late, data, came = told(missed.database)
    assert [status(each) for each in (late, came)] == ["failed", "passed"]
    assert len({each["run"]["runId"] for each in (late, data, came)}) == 3
    (dataset,) = late["inputs"]
    assert (dataset["namespace"], dataset["name"]) == ("file", "/data/orders")
    (assertion,) = dataset["inputFacets"]["dataQualityAssertions"]["assertions"]
    assert (assertion["assertion"], assertion["success"], assertion["name"]) == ("deadline", False, BY)
    assert [faults(each) for each in (late, came)] == [[], []]


def test_what_is_told_of_a_deadline_twice_is_one_run(missed: Scene) -> None:
    judge(missed, Emitter(), DUE)
    judge(missed, Emitter(), DUE + timedelta(seconds=1))
    first, second = told(missed.database)
    assert first["run"]["runId"] == second["run"]["runId"]


def test_a_deadline_that_nobody_could_look_at_is_told_as_not_evaluated(missed: Scene) -> None:
    with transaction(missed.database) as tx:
        task = tx.get_one(TaskRow, rows(missed.database, TaskRow)[0].id)
        deadlines.give_up(tx, task, "the table is away", emitter=Emitter(), now=DUE, ids=ids.new)
        tx.commit()
    (event,) = told(missed.database)
    assert [each["status"] for each in event["run"]["facets"]["test"]["tests"]] == ["skip"]


def test_what_a_gate_publishes_is_told_in_the_lineage(engine: Engine, tmp_path: Path) -> None:
    table: Registered = registered(engine, tmp_path)
    table.publish({DAY: [1, 2]})
    (event,) = told(engine)
    (run,) = rows(engine, RunRow)
    assert (run.kind, status(event)) == (RunKind.DATA, "passed")
    (dataset,) = event["inputs"]
    assert dataset["name"] == str(table.gated.table)
    condition = dataset["inputFacets"]["subset"]["inputCondition"]
    assert [each["dimensions"] for each in condition["partitions"]] == [{"day": "2026-01-01"}]
    assert faults(event) == []
