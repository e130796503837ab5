"""What the worker makes of engines that break, contracts that do not fit and tasks about nothing."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError
from sqlmodel import delete, select
from support.engines import judge
from support.events import event
from support.scenes import NOON, Scene, add, current, orders, rows

from treaty.contracts.errors import ContractError, Fault
from treaty.engine.core.errors import EngineError, EngineKilled, StateError, UnreadableTable
from treaty.engine.core.results import Outcome, Verdict
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.registry.core import ids
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import TaskState
from treaty.registry.tables import (
    AuditEntryRow,
    CheckResultRow,
    DatasetContractRow,
    DatasetRow,
    PartitionStateRow,
    TaskRow,
)
from treaty.registry.worker.loop import StopSignal, Worker


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    return orders(engine, tmp_path)


@pytest.mark.parametrize(
    ("error", "tries", "reason"),
    [
        (UnreadableTable("no such path"), 3, "unreachable: no such path"),
        (EngineKilled("it overran its limit"), 3, "engine killed: it overran its limit"),
        (EngineKilled("engine killed: its process ended"), 3, "engine killed: its process ended"),
        (EngineError("the table has no column day", retry=False), 1, "the table has no column day"),
        (EngineError("spark was busy"), 5, "spark was busy"),
        (KeyError("secret-4711"), 5, "unexpected KeyError; see the worker log for details"),
    ],
)
def test_a_broken_engine_is_asked_again_and_then_a_run_says_why(
    scene: Scene, error: Exception, tries: int, reason: str
) -> None:
    scene.engine.errors = [error] * 9
    scene.send(event())
    for _ in range(tries):
        assert scene.runs == []
        scene.work()
        scene.clock.advance(3600)
    (run,) = scene.runs
    assert (run.verdict, run.reason, run.dataset_fingerprint) == (Verdict.NOT_EVALUATED, reason, None)
    assert {(row.outcome, row.reason) for row in rows(scene.database, CheckResultRow)} == {
        (Outcome.NOT_EVALUATED, reason)
    }
    assert (scene.last_task.state, scene.last_task.error) == (TaskState.FAILED, reason)
    assert scene.work() == 0
    assert [entry.action for entry in rows(scene.database, AuditEntryRow)] == [
        AuditAction.RUN_RECORDED,
        AuditAction.TASK_FAILED,
    ]


def test_after_a_failure_the_next_event_is_validated(scene: Scene) -> None:
    scene.engine.errors = [EngineError("no", retry=False)]
    scene.send(event(run="a"))
    scene.work()
    scene.send(event(run="b"))
    scene.work()
    assert [run.verdict for run in scene.runs] == [Verdict.NOT_EVALUATED, Verdict.PASSED]
    assert scene.runs[1].partitions == ["ds=1", "ds=2"]


def test_a_table_that_is_back_is_validated_by_the_same_task(scene: Scene) -> None:
    scene.engine.errors = [UnreadableTable("not yet")]
    scene.send(event())
    scene.work()
    assert (scene.last_task.state, scene.last_task.available_at) == (TaskState.QUEUED, NOON + timedelta(seconds=30))
    scene.clock.advance(30)
    scene.work()
    assert [run.verdict for run in scene.runs] == [Verdict.PASSED]


def test_a_contract_that_does_not_fit_the_table_is_a_run_not_a_failed_task(scene: Scene) -> None:
    def unfit(_: EvaluationRequest) -> Any:
        raise ContractError([Fault(code="check.column", where="orders.enough", message="there is no column amount")])

    scene.send(event())
    scene.work(evaluate=unfit)
    (run,) = scene.runs
    (result,) = rows(scene.database, CheckResultRow)
    assert (run.verdict, result.outcome, result.check_id) == (Verdict.NOT_EVALUATED, Outcome.NOT_EVALUATED, "enough")
    assert "no column amount" in (result.reason or "")
    assert scene.last_task.state is TaskState.DONE


def test_damaged_states_are_computed_again(scene: Scene) -> None:
    scene.send(event(run="a"))
    scene.work()
    with transaction(scene.database) as tx:
        for row in tx.exec(select(PartitionStateRow)):
            row.states = b"flipped"
        tx.commit()

    def strict(request: EvaluationRequest) -> Any:
        if b"flipped" in request.states.values():
            raise StateError("partition ds=1: checksum differs")
        return judge(request)

    scene.write("ds=2", "new")
    scene.send(event(run="b"))
    scene.work(evaluate=strict)
    assert scene.runs[1].partitions == ["ds=2"]
    assert {row.states for row in current(scene.database)} == {b"good", b"new"}


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        ({"contract_id": "lost"}, "no version of contract lost is in force"),
        ({"object": "lines"}, "version 1.0.0 of contract orders has no object lines"),
    ],
)
def test_a_task_about_nothing_fails_at_once(scene: Scene, payload: dict[str, Any], error: str) -> None:
    scene.ask(**payload)
    scene.work()
    assert (scene.last_task.state, scene.last_task.error) == (TaskState.FAILED, error)
    assert scene.runs == []


def test_a_task_of_an_unknown_kind_fails_at_once(scene: Scene) -> None:
    add(scene.database, TaskRow(id=ids.new(), kind="dance", payload={}, key="d", available_at=NOON, created_at=NOON))
    scene.work()
    assert scene.last_task.error == "unknown kind of task: dance"


def test_a_contract_without_a_dataset_says_what_is_missing(scene: Scene) -> None:
    with transaction(scene.database) as tx:
        tx.exec(delete(DatasetContractRow))
        tx.exec(delete(DatasetRow))
        tx.commit()
    scene.ask()
    scene.work()
    assert "add its dataset to the aliases of the contract" in (scene.last_task.error or "")


def test_the_database_may_be_away_for_a_while(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([OperationalError("select", {}, OSError()), KeyboardInterrupt()])

    def step(_: Worker) -> bool:
        raise next(answers)

    monkeypatch.setattr(Worker, "step", step)
    with pytest.raises(KeyboardInterrupt):
        scene.worker().forever(StopSignal())
    assert next(answers, None) is None


def test_a_worker_whose_interrupt_was_swallowed_stops_all_the_same(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = StopSignal()

    def step(_: Worker) -> bool:
        stop.requested = True
        return True

    monkeypatch.setattr(Worker, "step", step)
    scene.worker().forever(stop)
