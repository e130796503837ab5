"""By what the partitions of a run were found, and writes that need no look: the last one found them already."""

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Engine
from support.engines import marker
from support.events import event, output
from support.scenes import NOON, Scene, current, next_version, orders, rows

from treaty.engine.protocol.requests import MeasureRequest
from treaty.engine.protocol.write_hints import DetectionMethod, TableVersion, WriteHint
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import GateAnswer
from treaty.registry.datasets import related_datasets
from treaty.registry.queue import coalescing
from treaty.registry.queue.coalescing import ValidationRequest
from treaty.registry.tables import DatasetRow, LineageRunRow
from treaty.registry.validation.gate import gate_answer
from treaty.registry.validation.gate.staleness import ReadinessQuery

BEFORE, AFTER = "2026-03-01T11:50:00Z", "2026-03-01T11:59:30Z"


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    made = orders(engine, tmp_path)
    with transaction(engine) as tx:
        (dataset,) = (tx.get_one(DatasetRow, row.id) for row in rows(engine, DatasetRow))
        dataset.partition_by = ["ds"]
        tx.commit()
    return made


def written(partition: str = "", version: int | None = None, **more: Any) -> dict[str, Any]:
    """A run that completed, with what it wrote."""
    told = {"version": {"datasetVersion": str(version)}} if version is not None else {}
    return event("COMPLETE", output(f"/data/orders{partition}", **told), **more)


def looks(scene: Scene) -> list[MeasureRequest]:
    return [each for each in scene.engine.requests if isinstance(each, MeasureRequest)]


def test_the_look_begins_with_what_the_run_told(scene: Scene) -> None:
    scene.send(written("/ds=1", 3))
    scene.work()
    (request,) = looks(scene)
    assert request.hints.hint == WriteHint(("ds=1",), DetectionMethod.PATH, 3)
    assert request.hints.reading == str(scene.last_task.id)
    assert (request.hints.since_version, request.hints.newest_count) == (None, 1)


def test_a_run_says_by_what_its_partitions_were_found_and_the_version_it_read(scene: Scene) -> None:
    scene.engine.at = TableVersion("a-table", 3)
    scene.send(written("/ds=1", 3))
    scene.work()
    (run,) = scene.runs
    assert (run.detection_method, run.read_version) == ("fingerprints", "3")
    assert rows(scene.database, DatasetRow)[0].read_version == "a-table@3"
    scene.write("ds=1", "better")
    scene.engine.at = None
    scene.send(written("/ds=1", run="2"))
    scene.work()
    assert looks(scene)[-1].hints.since_version == TableVersion("a-table", 3)
    assert scene.runs[-1].read_version is None
    assert rows(scene.database, DatasetRow)[0].read_version is None


def test_of_a_table_that_was_read_as_it_was_no_version_is_told(scene: Scene) -> None:
    scene.engine.at, scene.engine.pinned = TableVersion("a-table", 3), False
    scene.send(written("/ds=1", 3))
    scene.work()
    assert scene.runs[-1].read_version is None
    assert rows(scene.database, DatasetRow)[0].read_version == "a-table@3"


def test_of_more_triggers_than_the_task_was_made_for_nobody_knows_what_they_wrote(scene: Scene) -> None:
    scene.send(written("/ds=1", 3))
    worker = scene.worker()
    worker.take_in()
    with transaction(scene.database) as tx:
        coalescing.record_trigger(
            tx, ValidationRequest(contract_id="orders", object="orders", cause="another"), now=NOON, task_id=UUID(int=7)
        )
        tx.commit()
    worker.work()
    assert looks(scene)[0].hints.hint == WriteHint()


def test_another_attempt_reads_what_is_there_then(scene: Scene) -> None:
    scene.engine.errors.append(RuntimeError("gone"))
    scene.send(written("/ds=1", 3))
    scene.work()
    scene.clock.advance(3600)
    scene.work()
    assert [each.hints.hint.version for each in looks(scene)] == [3, None]


def test_a_write_that_was_seen_already_is_covered_without_a_look(scene: Scene) -> None:
    scene.engine.at = TableVersion("a-table", 5)
    scene.send(written(version=5, at=BEFORE))
    scene.work()
    (run,) = scene.runs
    scene.write("ds=1", "worse, but nobody tells")
    scene.send(written("/ds=1", 4, run="late", at=BEFORE))
    scene.work()
    assert len(looks(scene)) == 1
    assert scene.runs == [run]
    assert scene.last_task.result == {"note": "no changes", "covered_by": str(run.id)}


@pytest.mark.parametrize(
    ("version", "at"),
    [
        pytest.param(6, BEFORE, id="a version that was not read"),
        pytest.param(5, AFTER, id="within what clocks may differ by"),
        pytest.param(None, BEFORE, id="no version"),
    ],
)
def test_whatever_may_not_have_been_seen_is_looked_at(scene: Scene, version: int | None, at: str) -> None:
    scene.engine.at = TableVersion("a-table", 5)
    scene.send(written(version=5, at=BEFORE))
    scene.work()
    scene.send(written(version=version, run="2", at=at))
    scene.work()
    assert len(looks(scene)) == 2
    assert scene.last_task.result == {"note": "no changes", "covered_by": str(scene.runs[0].id)}


@pytest.mark.parametrize(("behind", "clears"), [(False, True), (True, False)])
def test_what_a_failed_run_left_is_not_cleared_by_a_look_at_an_older_version(
    scene: Scene, behind: bool, clears: bool
) -> None:
    scene.send(event("FAIL", run="broken", at=BEFORE))
    scene.work()
    scene.clock.advance(60)
    scene.engine.at, scene.engine.behind = TableVersion("a-table", 5), behind
    scene.send(written(version=5, run="1", at=BEFORE))
    scene.work()
    assert gate(scene) is (GateAnswer.ALLOW if clears else GateAnswer.UNKNOWN)


def test_a_look_at_an_older_version_covers_no_write(scene: Scene) -> None:
    scene.engine.at, scene.engine.behind = TableVersion("a-table", 5), True
    scene.send(written(version=5, at=BEFORE))
    scene.work()
    scene.send(written(version=4, run="late", at=BEFORE))
    scene.work()
    assert len(looks(scene)) == 2


def test_a_late_write_is_looked_at_where_something_is_to_be_judged_anew(scene: Scene) -> None:
    scene.engine.at = TableVersion("a-table", 5)
    scene.send(written(version=5, at=BEFORE))
    scene.work()
    next_version(scene.database, "1.1.0")
    scene.send(written(version=5, run="2", at=BEFORE))
    scene.work()
    assert [run.version for run in scene.runs] == ["1.0.0", "1.1.0"]


def test_a_run_that_is_remembered_no_more_tells_nothing(scene: Scene) -> None:
    scene.send(written("/ds=1", 3))
    worker = scene.worker()
    worker.take_in()
    with transaction(scene.database) as tx:
        for row in rows(scene.database, LineageRunRow):
            tx.get_one(LineageRunRow, row.id).state = {}
        tx.commit()
    worker.work()
    assert looks(scene)[0].hints.hint == WriteHint()
    assert {row.fingerprint for row in current(scene.database)} == {marker("good")}


def gate(scene: Scene, partition: str | None = None, **look: Any) -> GateAnswer:
    """What the gate answers."""
    with read_session(scene.database) as tx:
        found = related_datasets.resolve_dataset(tx, "orders")
        assert found is not None
        (told,) = gate_answer.contract_statuses(tx, found, ReadinessQuery(partition, **look))
        return told.answer


@pytest.mark.parametrize(("at", "then"), [(TableVersion("a-table", 5), GateAnswer.ALLOW), (None, GateAnswer.UNKNOWN)])
def test_a_version_that_was_read_answers_for_its_marker_whatever_came_since(
    scene: Scene, at: TableVersion | None, then: GateAnswer
) -> None:
    scene.engine.at = at
    scene.send(written(run="1"))
    scene.work()
    scene.write("ds=1", "bad")
    scene.engine.at = at and TableVersion("a-table", 6)
    scene.clock.advance(3600)
    scene.send(written(run="2"))
    scene.work()
    first, second = scene.runs
    assert gate(scene) is gate(scene, dataset_fingerprint=second.dataset_fingerprint) is GateAnswer.BLOCK
    assert (
        gate(scene, dataset_fingerprint=first.dataset_fingerprint)
        is gate(scene, "ds=1", dataset_fingerprint=first.dataset_fingerprint)
        is then
    )
    assert gate(scene, dataset_fingerprint="of nobody") is GateAnswer.UNKNOWN
