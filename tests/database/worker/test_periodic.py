"""What workers look after by the clock, however long a task takes and whatever fails."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread

import pytest
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError
from support.events import event
from support.scenes import Scene, orders

from treaty.registry.worker import periodic
from treaty.registry.worker.context import WorkerContext
from treaty.registry.worker.loop import StopSignal
from treaty.registry.worker.periodic import PeriodicJob, run_periodic_jobs

SOON = timedelta(milliseconds=1)


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    return orders(engine, tmp_path)


def counted(times: int) -> tuple[Callable[[WorkerContext], object], Event]:
    """Something to do, and what tells that it was done so often."""
    left, done = iter(range(times - 1)), Event()

    def do(_: WorkerContext) -> None:
        if next(left, None) is None:
            done.set()

    return do, done


def test_a_duty_is_done_again_and_again(scene: Scene) -> None:
    do, done = counted(5)
    with run_periodic_jobs(scene.worker(), [PeriodicJob("a", SOON, do)]):
        assert done.wait(10)


@pytest.mark.parametrize("error", [OperationalError("select", {}, OSError()), KeyError("secret-4711")])
def test_a_duty_that_fails_is_tried_again_and_stops_no_other(
    scene: Scene, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    (tell, told), (go_on, done) = counted(3), counted(3)

    def fail(means: WorkerContext) -> None:
        tell(means)
        raise error

    with run_periodic_jobs(scene.worker(), [PeriodicJob("broken", SOON, fail), PeriodicJob("sound", SOON, go_on)]):
        assert told.wait(10)
        assert done.wait(10)
    assert "broken" in caplog.text


def test_a_long_validation_keeps_no_duty_waiting(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    do, done = counted(3)
    stop = StopSignal()

    def meanwhile() -> None:
        assert done.wait(10)
        stop.requested = True

    monkeypatch.setattr(periodic, "DUTIES", (PeriodicJob("a", SOON, do),))
    scene.engine.meanwhile = meanwhile
    scene.send(event())
    working = Thread(target=scene.worker().forever, args=(stop,))
    working.start()
    working.join(20)
    assert not working.is_alive()
    assert len(scene.runs) == 1
