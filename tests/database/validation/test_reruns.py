"""Runs done again from the states that they judged."""

from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Engine
from sqlmodel import col, select
from support.engines import judge
from support.events import event
from support.scenes import Scene, orders

from treaty.engine.core.results import Outcome
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.errors import InvalidRequest, NotFound
from treaty.registry.measurements.states import state_store
from treaty.registry.tables import CheckResultRow, DatasetRow, RunRow
from treaty.registry.validation import reruns
from treaty.registry.validation.reruns import NOTHING, PRUNED, Rerun

TEXTS = ("good", "bad", "better")


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    return orders(engine, tmp_path)


@pytest.fixture
def runs(scene: Scene) -> list[RunRow]:
    """Three runs: each after the first partition was replaced."""
    for run, text in zip("abc", TEXTS, strict=True):
        scene.write("ds=1", text)
        scene.send(event(run=run))
        scene.work()
    return list(scene.runs)


def again(scene: Scene, run_id: UUID, **other: Any) -> Rerun:
    with read_session(scene.database) as tx:
        return reruns.again(tx, run_id, other.get("judge", judge))


def test_every_run_comes_out_as_it_did_whatever_came_since(scene: Scene, runs: list[RunRow]) -> None:
    assert [run.verdict.value for run in runs] == ["passed", "failed", "passed"]
    for run, text in zip(runs, TEXTS, strict=True):
        done = again(scene, run.id)
        assert (done.run.id, done.result.verdict, done.differences) == (run.id, run.verdict, ())
        # The whole dataset's size is that of the states as they were.
        assert done.result.results[-1].value == len(text) + len("good")


def test_what_comes_out_otherwise_is_told(scene: Scene, runs: list[RunRow]) -> None:
    def milder(request: EvaluationRequest) -> Any:
        result = judge(request)
        passed = [each.model_copy(update={"outcome": Outcome.PASSED}) for each in result.results]
        return result.model_copy(update={"results": tuple(passed)})

    [difference] = again(scene, runs[1].id, judge=milder).differences
    assert (difference.check_id, difference.partition) == ("good", "ds=1")
    assert (difference.before, difference.after) == (("failed", None), ("passed", None))


def test_the_limits_are_those_that_were_found_then(scene: Scene, runs: list[RunRow]) -> None:
    with transaction(scene.database) as tx:
        row = tx.exec(
            select(CheckResultRow).where(CheckResultRow.run_id == runs[0].id).order_by(col(CheckResultRow.position))
        ).first()
        assert row is not None
        row.reference = {"the size of titles": {"value": "12.50", "run": "r"}, "the first": {"value": "a"}}
        tx.commit()
    given = []
    again(scene, runs[0].id, judge=lambda request: given.append(request.reference_values) or judge(request))
    assert {words: str(found.value) for words, found in given[0].items()} == {
        "the size of titles": "12.50",
        "the first": "a",
    }


def test_a_run_whose_states_are_gone_cannot_be_done_again(scene: Scene, runs: list[RunRow]) -> None:
    with transaction(scene.database) as tx:
        dataset = tx.exec(select(DatasetRow)).one()
        state_store.prune(tx, dataset.id, before=scene.clock() + timedelta(seconds=1))
        tx.commit()
    for run in runs[:2]:
        with pytest.raises(InvalidRequest) as refused:
            again(scene, run.id)
        assert refused.value.message == PRUNED
    assert again(scene, runs[2].id).differences == ()


def test_a_run_that_judged_nothing_and_one_that_is_not_there(scene: Scene) -> None:
    scene.engine.tables.clear()
    scene.send(event(run="a"))
    for _ in range(3):
        scene.work()
        scene.clock.advance(3600)
    with pytest.raises(InvalidRequest) as refused:
        again(scene, scene.runs[0].id)
    assert refused.value.message == NOTHING
    with pytest.raises(NotFound):
        again(scene, ids.new())
