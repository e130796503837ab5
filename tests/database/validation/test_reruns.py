"""Runs done again from the states that they judged."""

from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Engine, true
from sqlmodel import col, select
from support.engines import judge
from support.events import event
from support.scenes import Scene, orders

from treaty.engine.core.results import Outcome, RunResult, Verdict
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.protocol.row_requests import ExactRequest
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import IncidentState
from treaty.registry.core.errors import InvalidRequest, NotFound
from treaty.registry.measurements.runs import latest
from treaty.registry.measurements.states import state_store
from treaty.registry.tables import CheckResultRow, DatasetRow, IncidentRow, RunRow
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


def unsure(request: EvaluationRequest) -> RunResult:
    """A judge that leaves the first result uncertain unless its exact value is known."""
    run = judge(request)
    first, *others = run.results
    exact = request.exact_values.get(("m", first.partition))
    told = {"measurement": "m", "lower_bound": 1.5, "upper_bound": 3.5}
    undecided = {"outcome": Outcome.UNCERTAIN, "value": 2}
    decided = first.model_copy(update=told | (undecided if exact is None else {"value": exact}))
    return run.model_copy(update={"results": (decided, *others)})


def test_a_run_with_exact_values_comes_out_the_same_from_its_states_alone(scene: Scene) -> None:
    scene.engine.exact = {("m", "ds=1"): 2.5}
    scene.send(event(run="a"))
    scene.work(evaluate=unsure)
    (run,) = scene.runs
    asked = [each for each in scene.engine.requests if isinstance(each, ExactRequest)]
    assert [dict(each.uncertain_checks) for each in asked] == [{"good": ("ds=1",)}]
    assert run.verdict is Verdict.PASSED
    done = again(scene, run.id, judge=unsure)
    assert (done.differences, done.result.results[0].value, done.result.results[0].is_exact) == ((), 2.5, True)


def test_a_run_that_stays_uncertain_is_stored_with_its_bounds_and_opens_no_incident(scene: Scene) -> None:
    scene.send(event(run="a"))
    scene.work(evaluate=unsure)
    (run,) = scene.runs
    with read_session(scene.database) as tx:
        query = select(CheckResultRow).where(CheckResultRow.run_id == run.id).order_by(col(CheckResultRow.position))
        row = tx.exec(query).first()
        assert row is not None
        assert (row.outcome, row.value, row.lower_bound, row.upper_bound) == (Outcome.UNCERTAIN, "2", 1.5, 3.5)
        assert tx.exec(select(IncidentRow)).all() == []
        assert [each.id for each in tx.exec(latest.failing_runs(true()))] == [run.id]
    assert (run.verdict, run.outcome_counts["uncertain"]) == (Verdict.UNCERTAIN, 1)
    assert again(scene, run.id, judge=unsure).differences == ()


def test_an_uncertain_check_does_not_resolve_an_incident(scene: Scene, runs: list[RunRow]) -> None:
    scene.write("ds=1", "bad")
    scene.send(event(run="d"))
    scene.work()
    scene.write("ds=1", "good")
    scene.send(event(run="e"))
    scene.work(evaluate=unsure)
    with read_session(scene.database) as tx:
        states = {each.state for each in tx.exec(select(IncidentRow))}
    assert IncidentState.OPEN in states
