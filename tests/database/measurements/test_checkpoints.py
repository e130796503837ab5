"""A table read in portions: what was read is kept, and whoever does the task next goes on from there."""

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlmodel import update
from support.engines import marker
from support.events import event
from support.scenes import LOCATION, Scene, current, orders, rows

from treaty.engine.core.errors import EngineKilled
from treaty.engine.protocol.requests import MeasureRequest
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import TaskState
from treaty.registry.measurements.states.checkpoints import CheckpointedPartition, TaskCheckpoints
from treaty.registry.queue.task_queue import LeaseLost
from treaty.registry.tables import ReadCheckpointRow, TaskRow

DAYS = {f"ds={at}": f"text {at}" for at in range(1, 6)}


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    made = orders(engine, tmp_path)
    made.portion = 2
    made.engine.tables[LOCATION] = dict(DAYS)
    return made


def known(scene: Scene) -> list[list[str]]:
    """The partitions whose states each request knew already."""
    return [sorted(each.stored_fingerprints) for each in scene.engine.requests if isinstance(each, MeasureRequest)]


def progress(scene: Scene) -> list[str | None]:
    """What the task says of its progress at the beginning of each request."""
    told: list[str | None] = []
    scene.engine.meanwhile = lambda: told.append(scene.last_task.progress)
    return told


def test_a_large_table_is_read_in_portions_and_judged_as_one(scene: Scene) -> None:
    told = progress(scene)
    scene.send(event())
    scene.work()
    assert known(scene) == [[], ["ds=1", "ds=2"], ["ds=1", "ds=2", "ds=3", "ds=4"]]
    assert told == ["attempt 1", "2 of 5 partitions read", "4 of 5 partitions read"]
    (run,) = scene.runs
    assert run.partitions == sorted(DAYS)
    assert {row.partition: row.fingerprint for row in current(scene.database)} == {
        name: marker(text) for name, text in DAYS.items()
    }
    assert rows(scene.database, ReadCheckpointRow) == []


def test_a_worker_that_ends_takes_nothing_along_that_was_read(scene: Scene) -> None:
    scene.engine.meanwhile = lambda: killed(scene, at=3)
    scene.send(event())
    scene.work()
    assert (scene.last_task.state, len(rows(scene.database, ReadCheckpointRow))) == (TaskState.QUEUED, 4)
    scene.engine.tables[LOCATION]["ds=2"] = "another text"
    scene.clock.advance(60)
    scene.work()
    # Nothing that was read is read again, but for the partition that changed meanwhile.
    assert known(scene)[3:] == [["ds=1", "ds=2", "ds=3", "ds=4"]]
    assert {row.partition: row.states for row in current(scene.database)} == {
        name: text.encode() for name, text in {**DAYS, "ds=2": "another text"}.items()
    }
    assert [run.partitions for run in scene.runs] == [sorted(DAYS)]


def killed(scene: Scene, *, at: int) -> None:
    """Raises at that request."""
    if len(scene.engine.requests) == at:
        raise EngineKilled("its process ended")


def test_what_a_task_read_goes_with_the_task(scene: Scene) -> None:
    scene.engine.meanwhile = lambda: killed(scene, at=2)
    scene.send(event())
    scene.work()
    assert len(rows(scene.database, ReadCheckpointRow)) == 2
    scene.engine.errors = [EngineKilled("again")] * 9
    for _ in range(3):
        scene.clock.advance(3600)
        scene.work()
    assert (scene.last_task.state, rows(scene.database, ReadCheckpointRow)) == (TaskState.FAILED, [])


def test_who_lost_the_task_keeps_nothing(scene: Scene) -> None:
    scene.send(event())
    scene.worker().take_in()
    task = rows(scene.database, TaskRow)[-1]
    with transaction(scene.database) as tx:
        tx.exec(update(TaskRow).values(state=TaskState.RUNNING, fence=7))
        tx.commit()
    mine, theirs = (
        TaskCheckpoints(
            database=scene.database, task_id=task.id, fence=fence, clock=scene.clock, lease=timedelta(minutes=1)
        )
        for fence in (7, 6)
    )
    mine.keep(
        {"ds=1": CheckpointedPartition("a", b"1"), "ds=2": CheckpointedPartition("b", b"2")}, "2 of 3 partitions read"
    )
    with pytest.raises(LeaseLost):
        theirs.keep({"ds=1": CheckpointedPartition("z", b"9")}, "1 of 3 partitions read")
    mine.keep({"ds=2": CheckpointedPartition("c", b"3")}, "3 of 3 partitions read")
    assert theirs.load() == {"ds=1": CheckpointedPartition("a", b"1"), "ds=2": CheckpointedPartition("c", b"3")}
