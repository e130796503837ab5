"""Once a day one worker tidies what is stored; a worker that ends meanwhile leaves it to another."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from sqlalchemy import Engine
from support.events import event
from support.scenes import Scene, orders, rows

from treaty.engine.states.state_files import StateFiles
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import LineageEventState, TaskKind, TaskState
from treaty.registry.lineage.events import event_store
from treaty.registry.tables import LineageEventRow, PartitionStateRow, RejectedLineageEventRow, TaskRow
from treaty.registry.worker.periodic import order_upkeep

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


def upkeeps(scene: Scene) -> list[TaskRow]:
    return [task for task in rows(scene.database, TaskRow) if task.kind == TaskKind.UPKEEP]


def test_workers_order_it_once_a_day_together(scene: Scene) -> None:
    one, other = scene.worker(), scene.worker(name="other")
    assert [order_upkeep(each) for each in (one, one, other)] == [1, 0, 0]
    scene.clock.advance(86400)
    order_upkeep(one)
    assert [task.key for task in upkeeps(scene)] == ["upkeep/2026-03-01", "upkeep/2026-03-02"]


def test_what_ended_long_ago_and_what_nothing_names_is_removed(scene: Scene) -> None:
    files = left_over(scene)
    for run, text in enumerate(["1", "2"]):
        scene.write("ds=1", text)
        scene.send(event(run=str(run)))
        scene.work()
    scene.clock.advance(40 * 86400)
    worker = scene.worker()
    order_upkeep(worker)
    assert worker.step()
    assert files.list_files() == ()
    assert {row.until_version for row in rows(scene.database, PartitionStateRow)} == {None}
    assert upkeeps(scene)[0].result == {"merged": 0, "generations": 1, "files": 1, "bytes": 9}


@pytest.mark.parametrize(("days", "kept"), [(89, (2, 1)), (91, (0, 0))])
def test_events_are_kept_as_they_were_sent_for_a_time_and_what_waits_as_long_as_it_waits(
    scene: Scene, days: int, kept: tuple[int, int]
) -> None:
    scene.send(event(run="folded"))
    scene.work()
    with transaction(scene.database) as tx:
        event_store.reject(
            tx, event_store.EventRejection(400, "no", b"x"), producer="p", now=scene.clock(), event_id=ids.new()
        )
        tx.commit()
    scene.send(event(run="waits"))
    scene.clock.advance(days * 86400)
    with patch.object(event_store, "claim", lambda *_, **__: []):
        worker = scene.worker()
        order_upkeep(worker)
        assert worker.step()
    states = [row.state for row in rows(scene.database, LineageEventRow)]
    assert (states.count(LineageEventState.PROCESSED), len(rows(scene.database, RejectedLineageEventRow))) == kept
    assert states.count(LineageEventState.NEW) == 1


def test_events_are_forgotten_a_portion_at_a_time(scene: Scene) -> None:
    for number in range(5):
        scene.send(event(run=f"r{number}"))
    scene.work()
    later = scene.clock() + timedelta(days=1)
    with transaction(scene.database) as tx:
        # Five that were sent, and one that tells of the validation.
        assert [event_store.forget(tx, before=later, most=2) for _ in range(4)] == [2, 2, 2, 0]


def test_validations_come_first(scene: Scene) -> None:
    worker = scene.worker()
    order_upkeep(worker)
    scene.ask()
    worker.step()
    assert [task.state for task in upkeeps(scene)] == [TaskState.QUEUED]
    assert len(scene.runs) == 1


def test_a_worker_that_was_interrupted_gives_it_back(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    files, remove = left_over(scene), StateFiles.remove

    def end(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    worker = scene.worker()
    order_upkeep(worker)
    monkeypatch.setattr(StateFiles, "remove", end)
    with pytest.raises(KeyboardInterrupt):
        worker.step()
    assert [each.name for each in files.list_files()] == [LEFT]
    monkeypatch.setattr(StateFiles, "remove", remove)
    assert scene.worker(name="other").step()
    assert files.list_files() == ()


def test_storage_that_does_not_answer_is_told_and_tried_again(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: StateFiles) -> None:
        raise OSError

    monkeypatch.setattr(StateFiles, "list_files", refuse)
    order_upkeep(scene.worker())
    scene.work()
    (task,) = upkeeps(scene)
    assert (task.state, task.attempts) == (TaskState.QUEUED, 1)
    assert "unexpected OSError" in (task.error or "")
