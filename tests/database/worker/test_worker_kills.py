"""A worker may end at any moment, or come back late: nothing is lost and nothing done twice."""

import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from support.events import event
from support.scenes import NOON, Scene, orders, rows
from support.signals import interruptible

from treaty.engine.core.results import Verdict
from treaty.registry.core.enums import TaskState
from treaty.registry.measurements.runs import recording
from treaty.registry.measurements.states import state_store
from treaty.registry.queue import coalescing, task_queue
from treaty.registry.tables import LineageRunRow, PartitionStateRow, PendingValidationRow, TaskRow
from treaty.registry.validation import plan as task_orders
from treaty.registry.validation import validate
from treaty.registry.worker.intake import event_processing


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    return orders(engine, tmp_path)


class Killed(BaseException):
    """The process ends here."""


def killer(target: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ends the process once, right after the named step."""
    original: Callable[..., Any] = getattr(target, name)

    def once(*arguments: Any, **options: Any) -> Any:
        original(*arguments, **options)
        monkeypatch.setattr(target, name, original)
        raise Killed

    monkeypatch.setattr(target, name, once)


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (event_processing, "process_events"),
        (coalescing, "record_trigger"),
        (task_queue, "claim"),
        (task_orders, "plan_validation"),
        (validate.Validation, "run"),
        (validate.Validation, "store"),
        (state_store, "save"),
        (recording, "record"),
        (task_queue, "finish"),
    ],
)
def test_a_kill_at_any_step_loses_nothing_and_doubles_nothing(
    scene: Scene, target: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.send(event("START"), event())
    killer(target, name, monkeypatch)
    with pytest.raises(Killed):
        scene.work()
    scene.clock.advance(61)
    scene.work()
    assert [run.verdict for run in scene.runs] == [Verdict.PASSED]
    assert {row.generation for row in rows(scene.database, PartitionStateRow)} == {1}
    assert [task.state for task in rows(scene.database, TaskRow)] == [TaskState.DONE]


def test_a_worker_that_comes_back_late_changes_nothing(scene: Scene) -> None:
    def meanwhile() -> None:
        if len(scene.engine.requests) == 1:
            scene.clock.advance(61)
            scene.worker(name="other").step()

    scene.engine.meanwhile = meanwhile
    scene.send(event())
    scene.work()
    assert len(scene.engine.requests) == 2
    assert len(scene.runs) == 1
    assert scene.last_task.worker == "other"


def test_a_judgement_on_outdated_states_is_made_anew(scene: Scene) -> None:
    scene.ask("first")
    scene.ask("second")

    def meanwhile() -> None:
        if len(scene.engine.requests) == 1:
            scene.worker(name="other").work()

    scene.engine.meanwhile = meanwhile
    scene.worker().work()
    assert len(scene.runs) == 1
    scene.clock.advance(30)
    scene.work()
    assert {task.state for task in rows(scene.database, TaskRow)} == {TaskState.DONE}
    assert len(scene.runs) == 1


def test_the_lease_is_extended_while_the_engine_works(scene: Scene) -> None:
    beaten: list[Any] = []

    def meanwhile() -> None:
        scene.clock.advance(50)
        for _ in range(100):
            beaten.append(scene.last_task.lease_expires_at)
            if beaten[-1] != beaten[0]:
                return
            time.sleep(0.02)

    scene.engine.meanwhile = meanwhile
    scene.send(event())
    scene.work(settings=scene.settings.model_copy(update={"heartbeat_seconds": 0.03}))
    assert beaten[-1] == NOON + timedelta(seconds=110)


def test_a_task_whose_workers_died_is_given_up_and_the_next_event_is_validated(scene: Scene) -> None:
    def dies() -> None:
        raise Killed

    scene.engine.meanwhile = dies
    scene.send(event(run="a"))
    for _ in range(task_queue.ATTEMPTS):
        with pytest.raises(Killed):
            scene.work()
        scene.clock.advance(61)
    scene.work()
    assert (scene.last_task.state, scene.runs[0].verdict) == (TaskState.FAILED, Verdict.NOT_EVALUATED)
    scene.engine.meanwhile = lambda: None
    scene.send(event(run="b"))
    scene.work()
    assert scene.runs[1].verdict is Verdict.PASSED


def test_a_stopped_worker_gives_its_task_back_untried(scene: Scene) -> None:
    scene.engine.errors = [KeyboardInterrupt()]
    scene.send(event())
    with pytest.raises(KeyboardInterrupt):
        scene.work()
    assert (scene.last_task.state, scene.last_task.attempts) == (TaskState.QUEUED, 0)
    scene.work()
    assert len(scene.runs) == 1


def test_a_worker_that_is_told_to_stop_while_it_takes_a_task_gives_it_back(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = task_queue.claim

    def told(*given: Any, **named: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return claim(*given, **named)

    scene.send(event())
    monkeypatch.setattr(task_queue, "claim", told)
    with interruptible(), pytest.raises(KeyboardInterrupt):
        scene.work()
    monkeypatch.setattr(task_queue, "claim", claim)
    assert (scene.last_task.state, scene.last_task.attempts, scene.last_task.lease_expires_at) == (
        TaskState.QUEUED,
        0,
        None,
    )
    scene.work()
    assert len(scene.runs) == 1


def test_workers_side_by_side_fold_and_validate_everything_once(scene: Scene) -> None:
    for number in range(12):
        scene.send(event("START", run=f"{number}"), event("COMPLETE", run=f"{number}"))
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda name: scene.work(name=name), "abc"))
    scene.work()
    (mark,) = rows(scene.database, PendingValidationRow)
    assert (mark.trigger_sequence, mark.validated_sequence) == (12, 12)
    # One more is our own: the validation.
    assert len(rows(scene.database, LineageRunRow)) == 13
    assert len(scene.runs) == 1
    assert {task.state for task in rows(scene.database, TaskRow)} == {TaskState.DONE}
