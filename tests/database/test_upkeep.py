"""Once a day one worker tidies what is stored; a worker that ends meanwhile leaves it to another."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from support.events import event
from support.scenes import Scene, orders, rows

from engine.files import StateFiles
from registry.tables import PartitionState, Task
from registry.upkeep import UPKEEP
from registry.words import TaskState

LEFT = "0" * 64 + ".parquet"


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    return orders(engine, tmp_path)


def left_over(scene: Scene) -> StateFiles:
    """The files, one of which nothing names since three days."""
    folder = Path(scene.settings.states)
    folder.mkdir(parents=True)
    (folder / LEFT).write_bytes(b"left over")
    long_ago = (scene.clock() - timedelta(days=3)).timestamp()
    os.utime(folder / LEFT, (long_ago, long_ago))
    return StateFiles(str(folder))


def upkeeps(scene: Scene) -> list[Task]:
    return [task for task in rows(scene.database, Task) if task.kind == UPKEEP]


def test_workers_order_it_once_a_day_together(scene: Scene) -> None:
    one, other = scene.worker(), scene.worker(name="other")
    day = one.order_upkeep(None)
    assert one.order_upkeep(day) == other.order_upkeep(None) == day
    scene.clock.advance(86400)
    one.order_upkeep(day)
    assert [task.key for task in upkeeps(scene)] == ["upkeep/2026-03-01", "upkeep/2026-03-02"]


def test_what_ended_long_ago_and_what_nothing_names_is_removed(scene: Scene) -> None:
    files = left_over(scene)
    for run, text in enumerate(["1", "2"]):
        scene.write("ds=1", text)
        scene.send(event(run=str(run)))
        scene.work()
    scene.clock.advance(40 * 86400)
    worker = scene.worker()
    worker.order_upkeep(None)
    assert worker.step()
    assert files.listed() == ()
    assert {row.until for row in rows(scene.database, PartitionState)} == {None}
    assert upkeeps(scene)[0].result == {"merged": 0, "generations": 1, "files": 1, "bytes": 9}


def test_validations_come_first(scene: Scene) -> None:
    worker = scene.worker()
    worker.order_upkeep(None)
    scene.ask()
    worker.step()
    assert [task.state for task in upkeeps(scene)] == [TaskState.QUEUED]
    assert len(scene.runs) == 1


def test_a_worker_that_was_interrupted_gives_it_back(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    files, remove = left_over(scene), StateFiles.remove

    def end(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    worker = scene.worker()
    worker.order_upkeep(None)
    monkeypatch.setattr(StateFiles, "remove", end)
    with pytest.raises(KeyboardInterrupt):
        worker.step()
    assert [each.name for each in files.listed()] == [LEFT]
    monkeypatch.setattr(StateFiles, "remove", remove)
    assert scene.worker(name="other").step()
    assert files.listed() == ()


def test_storage_that_does_not_answer_is_told_and_tried_again(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: StateFiles) -> None:
        raise OSError

    monkeypatch.setattr(StateFiles, "listed", refuse)
    scene.worker().order_upkeep(None)
    scene.work()
    (task,) = upkeeps(scene)
    assert (task.state, task.attempts) == (TaskState.QUEUED, 1)
    assert "unexpected OSError" in (task.error or "")
