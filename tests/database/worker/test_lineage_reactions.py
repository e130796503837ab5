"""What becomes of runs that fail, that never end, that stream, that drop tables, and of events from another time."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Engine
from sqlmodel import select
from support.events import PRODUCER, event, output, processing
from support.lineages import marks, promised, tasks
from support.scenes import NOON, Scene, rows

from treaty.registry.core import ids
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import GateAnswer, TaskState
from treaty.registry.datasets import related_datasets
from treaty.registry.lineage.events.triggers import OUR_PRODUCER
from treaty.registry.lineage.suspect_partitions import SUPERSEDED
from treaty.registry.tables import AuditEntryRow, DatasetRow, LineageEventRow, LineageRunRow, SuspectPartitionRow
from treaty.registry.validation.gate import gate_answer, staleness
from treaty.registry.validation.gate.staleness import ReadinessQuery
from treaty.registry.worker.intake import orphans

PARENT = "0197c0de-0000-7000-8000-00000000000a"


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    made = Scene(engine, tmp_path)
    made.write("ds=1", "good")
    made.write("ds=2", "good")
    return made


Promise = Callable[..., Scene]


@pytest.fixture
def promise(scene: Scene) -> Promise:
    """The scene, in which the orders are promised with these terms of lineage."""

    def made(**lineage: Any) -> Scene:
        promised(scene.database, terms={"lineage": lineage} if lineage else None)
        return scene

    return made


def fold(scene: Scene, *documents: Mapping[str, Any]) -> None:
    scene.send(*documents)
    while scene.worker().take_in():
        pass


def gate(scene: Scene, partition: str | None = None) -> tuple[GateAnswer, str | None]:
    with read_session(scene.database) as tx:
        dataset = tx.exec(select(DatasetRow)).one()
        found = related_datasets.exactly(tx, dataset.namespace, dataset.name)
        (told,) = gate_answer.contract_statuses(tx, found, ReadinessQuery(partition=partition))
    return told.answer, told.reason


def at(seconds: float) -> str:
    return (NOON + timedelta(seconds=seconds)).isoformat()


FAILED = "a failed run of shop load_orders wrote to it, and it has not been validated since"


def test_what_a_failed_run_wrote_is_suspect_and_the_gate_says_so(promise: Promise) -> None:
    scene = promise()
    scene.send(event(run="good"))
    scene.work()
    assert gate(scene) == (GateAnswer.ALLOW, None)
    fold(scene, event("FAIL", output("/data/orders/ds=2"), run="bad"))
    assert tasks(scene.database)[1:] == []
    assert gate(scene) == (GateAnswer.UNKNOWN, FAILED)
    assert gate(scene, "ds=2") == (GateAnswer.UNKNOWN, FAILED)
    assert gate(scene, "ds=1") == (GateAnswer.ALLOW, None)


def test_a_validation_that_began_after_the_failure_ends_the_suspicion(promise: Promise) -> None:
    scene = promise()
    fold(scene, event("FAIL", run="bad"))
    scene.clock.advance(60)
    scene.send(event(run="again", at=at(50)))
    scene.work()
    assert rows_of(scene, SuspectPartitionRow) == []
    assert gate(scene) == (GateAnswer.ALLOW, None)


@pytest.mark.parametrize(("choice", "suspect", "validated"), [("ignore", 0, 0), ("suspect", 1, 0), ("validate", 1, 1)])
def test_a_contract_says_what_becomes_of_what_a_failed_run_wrote(
    promise: Promise, choice: str, suspect: int, validated: int
) -> None:
    scene = promise(on_failed_run=choice)
    fold(scene, event("FAIL"))
    assert (len(rows_of(scene, SuspectPartitionRow)), len(tasks(scene.database))) == (suspect, validated)


@pytest.mark.parametrize("order", [("COMPLETE", "FAIL"), ("FAIL", "COMPLETE"), ("START", "FAIL", "COMPLETE")])
def test_a_failure_outweighs_the_end_whichever_comes_first(promise: Promise, order: tuple[str, ...]) -> None:
    scene = promise()
    for kind in order:
        fold(scene, event(kind))
    scene.work()
    assert (scene.runs, len(rows_of(scene, SuspectPartitionRow))) == ([], 1)
    assert [task.state for task in tasks(scene.database)] in ([], [TaskState.DONE])


def test_what_another_run_asked_for_stays_when_one_fails(promise: Promise) -> None:
    scene = promise()
    fold(scene, event(run="good"), event(run="bad"), event("FAIL", run="bad", at=at(1)))
    scene.work()
    assert len(scene.runs) == 1


def test_a_verdict_is_superseded_when_the_run_that_asked_for_it_fails_in_the_end(promise: Promise) -> None:
    scene = promise()
    scene.send(event(run="bad"))
    scene.work()
    fold(scene, event("FAIL", run="bad", at=at(1)))
    assert [run.superseded_reason for run in scene.runs] == [SUPERSEDED]


def test_a_verdict_is_superseded_when_the_run_fails_while_it_is_found(promise: Promise) -> None:
    scene = promise()
    scene.engine.meanwhile = lambda: fold(scene, event("FAIL", run="bad", at=at(1)))
    scene.send(event(run="bad"))
    scene.work()
    assert [run.superseded_reason for run in scene.runs] == [SUPERSEDED]
    assert gate(scene)[0] is GateAnswer.UNKNOWN


def test_a_dropped_table_is_told_and_not_read(promise: Promise) -> None:
    scene = promise()
    scene.send(event(run="good"))
    scene.work()
    dropped = output(lifecycleStateChange={"lifecycleStateChange": "DROP"})
    fold(scene, event("COMPLETE", dropped, run="drop", at=at(10)))
    fold(scene, event("COMPLETE", dropped, run="drop", at=at(9)))
    assert len(tasks(scene.database)) == 1
    assert gate(scene) == (GateAnswer.UNKNOWN, staleness.GONE)
    actions = [each.action for each in rows(scene.database, AuditEntryRow)]
    assert actions.count(AuditAction.DATASET_DROPPED) == 1
    scene.clock.advance(30)
    scene.send(event(run="again", at=at(20)))
    scene.work()
    assert gate(scene) == (GateAnswer.ALLOW, None)


def streaming(run: str = "stream", kind: str = "RUNNING", seconds: float = 0) -> dict[str, Any]:
    job = {"namespace": "shop", "name": "stream_orders", "facets": processing("STREAMING")}
    return event(kind, run=run, at=at(seconds)) | {"job": job}


def test_a_stream_is_looked_at_at_once_and_then_at_intervals(promise: Promise) -> None:
    scene = promise(stream_interval=15)
    seen = []
    for minute in range(40):
        scene.send(streaming(seconds=minute * 60))
        before = len(scene.engine.requests)
        scene.work()
        seen += [minute] if len(scene.engine.requests) > before else []
        scene.clock.now = NOON + timedelta(minutes=minute + 1)
    assert seen == [0, 15, 30]


def test_what_a_batch_writes_into_a_stream_is_looked_at_without_waiting_for_the_interval(promise: Promise) -> None:
    scene = promise(stream_interval=15)
    for minute in (0, 1):
        scene.send(streaming(seconds=minute * 60))
        scene.work()
        scene.clock.advance(60)
    assert [task.state for task in tasks(scene.database)] == [TaskState.DONE, TaskState.QUEUED]
    scene.send(event(run="batch", at=at(110)))
    scene.work()
    assert [task.state for task in tasks(scene.database)] == [TaskState.DONE] * 2


def find_orphans(scene: Scene) -> int:
    with transaction(scene.database) as tx:
        found = orphans.find(tx, now=scene.clock(), ids=ids.new)
        tx.commit()
    return found


def test_a_run_that_is_silent_for_long_is_looked_at_once_and_after_everything_else(promise: Promise) -> None:
    scene = promise()
    fold(scene, event("START"))
    scene.clock.advance(5 * 3600)
    assert find_orphans(scene) == 0
    scene.clock.advance(2 * 3600)
    assert [find_orphans(scene), find_orphans(scene)] == [1, 0]
    (task,) = tasks(scene.database)
    assert (task.priority, task.payload["reads"]) == (7, "orphan")


def child(kind: str, **more: Any) -> dict[str, Any]:
    facets = {"parent": {"run": {"runId": PARENT}, "job": {"namespace": "shop", "name": "app"}}}
    return event(kind, **more) | {"run": {"runId": "child", "facets": facets}}


def parent(kind: str, seconds: float = 0) -> dict[str, Any]:
    return event(kind, outputs=[], run=PARENT, job="app", at=at(seconds))


def test_a_run_whose_parent_has_ended_is_an_orphan_soon(promise: Promise) -> None:
    scene = promise()
    fold(scene, parent("START"), child("START"))
    scene.clock.advance(600)
    assert find_orphans(scene) == 0
    fold(scene, parent("COMPLETE", 600))
    assert find_orphans(scene) == 0
    scene.clock.advance(61)
    assert find_orphans(scene) == 1


@pytest.mark.parametrize("end", ["COMPLETE", "FAIL"])
def test_a_run_that_told_its_end_is_no_orphan(promise: Promise, end: str) -> None:
    scene = promise()
    fold(scene, event("START"), event(end))
    scene.clock.advance(7 * 3600)
    assert find_orphans(scene) == 0


def test_a_contract_may_wait_for_the_end_of_what_the_run_is_a_part_of(promise: Promise) -> None:
    scene = promise(settle="parent")
    fold(scene, parent("START"), child("COMPLETE"))
    scene.work()
    assert scene.runs == []
    fold(scene, parent("COMPLETE", 30))
    scene.work()
    assert len(scene.runs) == 1


def test_the_end_of_a_parent_is_not_waited_for_longer_than_an_hour(promise: Promise) -> None:
    scene = promise(settle="parent")
    fold(scene, parent("START"), child("COMPLETE"))
    scene.clock.advance(3599)
    assert not scene.worker().work()
    scene.clock.advance(1)
    assert scene.worker().work()


@pytest.mark.parametrize("told", [[], [("START", 0), ("COMPLETE", 1)]])
def test_a_parent_that_nobody_knows_or_that_has_ended_is_not_waited_for(
    promise: Promise, told: list[tuple[str, float]]
) -> None:
    scene = promise(settle="parent")
    fold(scene, *(parent(*each) for each in told), child("COMPLETE"))
    scene.work()
    assert len(scene.runs) == 1


def test_triggers_within_the_quiet_time_give_one_validation_more(promise: Promise) -> None:
    scene = promise(quiet=30)
    begun = []
    for second in range(0, 60, 2):
        scene.send(event(run=f"{second}", at=at(second)))
        while scene.worker().step():
            pass
        begun = [task for task in tasks(scene.database) if task.state is TaskState.DONE]
        scene.clock.advance(2)
    assert [task.finished_at for task in begun] == [NOON, NOON + timedelta(seconds=30)]
    scene.clock.advance(30)
    scene.work()
    assert marks(scene.database) == {"orders": (30, 30)}
    assert len(tasks(scene.database)) == 3


def test_what_happened_long_ago_is_remembered_and_triggers_nothing(promise: Promise) -> None:
    scene = promise()
    fold(scene, event(at="2026-01-29T12:00:00Z", run="old"), event(at="2026-01-31T12:00:00Z", run="newer"))
    assert marks(scene.database) == {"orders": (1, 0)}
    assert len(rows(scene.database, LineageRunRow)) == 2


def test_what_was_read_since_is_looked_at_when_nothing_else_waits(promise: Promise) -> None:
    scene = promise()
    scene.send(event(run="first"))
    scene.work()
    scene.clock.advance(600)
    fold(scene, event(run="late", at=at(-120)))
    assert [task.priority for task in tasks(scene.database)] == [5, 8]


def test_a_failure_that_is_told_after_the_data_were_read_anew_is_no_suspicion(promise: Promise) -> None:
    scene = promise()
    scene.clock.advance(600)
    scene.send(event(run="again", at=at(590)))
    scene.work()
    fold(scene, event("FAIL", run="bad", at=at(0)))
    assert rows_of(scene, SuspectPartitionRow) == []


def test_an_event_from_the_future_is_taken_to_be_of_now_and_told(promise: Promise) -> None:
    scene = promise()
    fold(scene, event(at="2031-01-01T00:00:00Z"))
    (run,) = rows(scene.database, LineageRunRow)
    assert run.finished_at == NOON
    (row,) = rows(scene.database, LineageEventRow)
    assert row.diagnostics == ["eventTime is in the future; the time of arrival was used instead"]


def dataset_event(**more: Any) -> dict[str, Any]:
    return {"eventTime": at(0), "producer": PRODUCER, "dataset": output()} | more


def test_an_event_of_a_dataset_has_its_schema_looked_at(promise: Promise) -> None:
    scene = promise()
    fold(scene, dataset_event(), dataset_event(producer=f"{OUR_PRODUCER}1.0"))
    (task,) = tasks(scene.database)
    assert task.payload["reads"] == "schema"


def test_our_own_runs_are_remembered_and_never_trigger(promise: Promise) -> None:
    scene = promise()
    fold(scene, event(namespace="treaty"), event("FAIL", producer=f"{OUR_PRODUCER}1.0", run="b"))
    assert (len(rows(scene.database, LineageRunRow)), marks(scene.database)) == (2, {})


def test_a_trailing_validation_knows_the_last_run_that_asked_for_it(promise: Promise) -> None:
    scene = promise()

    def meanwhile() -> None:
        if len(scene.engine.requests) == 1:
            fold(scene, event("COMPLETE", output("/data/orders/ds=7"), run="second", at=at(1)))

    scene.engine.meanwhile = meanwhile
    scene.send(event(run="first"))
    scene.write("ds=7", "good")
    scene.work()
    by_id = {row.id: row.run_id for row in rows(scene.database, LineageRunRow)}
    asked = [by_id[UUID(task.payload["lineage_run_id"])] for task in tasks(scene.database)]
    assert asked == ["first", "second"]
    assert tasks(scene.database)[1].payload["partitions"] == [{"ds": "7"}]


def rows_of(scene: Scene, kind: Any) -> list[Any]:
    with read_session(scene.database) as tx:
        return list(tx.exec(select(kind)))
