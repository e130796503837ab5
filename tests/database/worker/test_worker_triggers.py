"""Which events make validations, and how many: every trigger is covered, none twice."""

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Engine
from sqlmodel import select
from support.events import event, output
from support.scenes import LOCATION, NOON, Scene, add, orders, rows

from treaty.registry.core import ids
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import LineageEventState, VersionState
from treaty.registry.tables import AuditEntryRow, ContractVersionRow, LineageEventRow, PendingValidationRow, TaskRow


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    return orders(engine, tmp_path)


@pytest.mark.parametrize(
    "documents",
    [
        pytest.param([event(), event()], id="the same event twice"),
        pytest.param([event("START"), event("COMPLETE"), event("RUNNING")], id="one run, several events"),
        pytest.param([event("COMPLETE", at="2026-03-01T12:00:01Z"), event("COMPLETE")], id="complete twice"),
        pytest.param([event("COMPLETE", output("/data/orders/ds=1"), output("/data/orders/ds=2"))], id="by partition"),
    ],
)
def test_one_run_of_a_job_is_validated_once(scene: Scene, documents: list[dict[str, Any]]) -> None:
    for each in documents:
        scene.send(each)
        scene.work()
    assert len(scene.runs) == 1
    assert len(rows(scene.database, TaskRow)) == 1


@pytest.mark.parametrize(
    "documents",
    [
        pytest.param([event("FAIL"), event("COMPLETE")], id="fail, then complete"),
        pytest.param([event("COMPLETE", output("/data/other"))], id="nobody's dataset"),
        pytest.param([event("COMPLETE", output(lifecycleStateChange={"lifecycleStateChange": "DROP"}))], id="drop"),
        pytest.param([event("START")], id="start"),
        pytest.param([{key: value for key, value in event().items() if key not in {"run", "eventType"}}], id="a job"),
    ],
)
def test_other_events_are_remembered_and_trigger_nothing(scene: Scene, documents: list[dict[str, Any]]) -> None:
    scene.send(*documents)
    scene.work()
    assert rows(scene.database, TaskRow) == []
    assert {row.state for row in rows(scene.database, LineageEventRow)} == {LineageEventState.PROCESSED}


def test_an_output_told_after_the_end_is_validated_too(scene: Scene) -> None:
    scene.send(event("COMPLETE", outputs=[]))
    scene.work()
    scene.send(event("RUNNING"))
    scene.work()
    assert len(scene.runs) == 1


def test_a_dataset_is_known_by_its_symlink(scene: Scene) -> None:
    identifiers = [{"namespace": "file", "name": LOCATION, "type": "LOCATION"}]
    scene.send(event("COMPLETE", output("sales.orders", "hive://h", symlinks={"identifiers": identifiers})))
    scene.work()
    assert len(scene.runs) == 1


def test_triggers_that_come_before_the_work_begins_are_one_validation(scene: Scene) -> None:
    scene.send(*(event(run=str(number)) for number in range(7)))
    scene.work()
    assert len(rows(scene.database, TaskRow)) == 1
    (mark,) = rows(scene.database, PendingValidationRow)
    assert (mark.trigger_sequence, mark.validated_sequence) == (7, 7)


def test_triggers_that_come_during_the_work_give_one_trailing_validation(scene: Scene) -> None:
    def meanwhile() -> None:
        if len(scene.engine.requests) > 1:
            return
        for number in range(5):
            scene.send(event(run=f"during {number}"))
        scene.write("ds=3", "late")
        while scene.worker().take_in():
            pass

    scene.engine.meanwhile = meanwhile
    scene.send(event())
    scene.work()
    assert len(scene.engine.requests) == 2
    scene.write("ds=4", "after")
    scene.send(event(run="after"))
    scene.work()
    assert len(scene.engine.requests) == 3
    assert scene.runs[-1].partitions == ["ds=4"]


def poisoned(scene: Scene) -> UUID:
    """An event in the inbox that nobody can fold."""
    row = LineageEventRow(
        id=ids.new(),
        content_hash="poison",
        received_at=NOON,
        body=b"{",
        original_sha256="",
        original_size=1,
        producer="spark",
    )
    add(scene.database, row)
    return row.id


def test_an_event_that_cannot_be_folded_is_parked_and_stops_no_other(scene: Scene) -> None:
    poison = poisoned(scene)
    scene.send(event())
    scene.work()
    found = {row.id: row for row in rows(scene.database, LineageEventRow)}
    assert (found[poison].state, found[poison].attempts) == (LineageEventState.PARKED, 3)
    assert found[poison].error == "unexpected JSONDecodeError; see the worker log for details"
    assert len(scene.runs) == 1
    assert rows(scene.database, AuditEntryRow)[0].action == AuditAction.EVENT_PARKED


@pytest.mark.parametrize(("state", "judged"), [(VersionState.DEPRECATED, 1), (VersionState.RETIRED, 0)])
def test_a_deprecated_version_is_still_judged_by_and_a_retired_one_is_not(
    scene: Scene, state: VersionState, judged: int
) -> None:
    with transaction(scene.database) as tx:
        tx.exec(select(ContractVersionRow)).one().state = state
        tx.commit()
    scene.send(event())
    scene.work()
    assert len(scene.runs) == judged
