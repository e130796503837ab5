"""A verdict is kept while an event about the same data is folded: one waits for the other, and neither is undone."""

from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from sqlalchemy import Engine
from support.events import event, output
from support.scenes import Scene, orders, rows

from treaty.registry.core.enums import LineageEventState, TaskState
from treaty.registry.incidents import lifecycle
from treaty.registry.lineage.suspect_partitions import SUPERSEDED
from treaty.registry.tables import IncidentRow, LineageEventRow, LineageRunRow, TaskRow
from treaty.registry.validation import findings

SOON = 0.5


def told(kind: str, run: str) -> dict[str, Any]:
    """An event of a run that reads something and writes the orders."""
    return event(kind, run=run, inputs=[output("/data/raw")])


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    """An incident is open, and a run has written what makes it worse."""
    made = orders(engine, tmp_path)
    made.write("ds=1", "bad")
    made.send(told("COMPLETE", "first"))
    made.work()
    made.write("ds=2", "bad")
    made.clock.advance(60)
    made.send(told("COMPLETE", "second"))
    while made.worker().take_in():
        pass
    assert len(rows(engine, IncidentRow)) == 1
    return made


def fold(scene: Scene) -> None:
    while scene.worker().take_in():
        pass


@pytest.mark.parametrize("step", ["apply_run", "hold"])
@pytest.mark.parametrize(("word", "run"), [("FAIL", "second"), ("FAIL", "third"), ("COMPLETE", "third")])
def test_an_event_that_is_folded_while_a_verdict_is_kept_undoes_nothing(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, step: str, word: str, run: str
) -> None:
    of = {"apply_run": lifecycle, "hold": findings.deadlines}[step]
    folding, taken = Thread(target=fold, args=(scene,)), getattr(of, step)

    def meanwhile(*given: Any, **more: Any) -> Any:
        found = taken(*given, **more)
        if not folding.ident:
            scene.send(told(word, run)) if scene.database.dialect.name != "sqlite" else None
            folding.start()
            folding.join(SOON)
        return found

    monkeypatch.setattr(of, step, meanwhile)
    if scene.database.dialect.name == "sqlite":
        scene.engine.meanwhile = lambda: scene.send(told(word, run))
    assert scene.worker().work()
    folding.join()
    assert {(each.state, each.attempts) for each in rows(scene.database, LineageEventRow)} == {
        (LineageEventState.PROCESSED, 1)
    }
    task = rows(scene.database, TaskRow)[1]
    assert (task.state, task.attempts) == (TaskState.DONE, 1)
    failed = {each.id for each in rows(scene.database, LineageRunRow) if each.is_failed}
    assert {each.superseded_reason for each in scene.runs if each.lineage_run_id in failed} <= {SUPERSEDED}
