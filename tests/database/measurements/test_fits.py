"""Fits of programs: learned by night from stored states, used where the version admits them, else proposed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy
import pytest
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError
from sqlmodel import select
from support import scenes
from support.engines import FakeEngine
from support.orders import NOW, SCHEMA, check, contract
from support.orders import states as bag_of
from support.scenes import Scene

from treaty.contracts.document.writer import write
from treaty.engine.core.results import CheckResult
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.protocol.requests import MeasureRequest, MeasureResult
from treaty.registry.access.authentication import Principal
from treaty.registry.contracts import in_force
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import FeedbackKind, FitReason, Permission, ProposalState, RefitOutlook, Role, TaskKind
from treaty.registry.drafting import refit_preview, refits
from treaty.registry.drafting.refits import NOTHING, UNMOVED
from treaty.registry.measurements.anomalies import fits
from treaty.registry.measurements.anomalies.feedback import NewFeedback
from treaty.registry.measurements.runs import recording
from treaty.registry.measurements.runs.recording import RunProvenance
from treaty.registry.measurements.states import state_store
from treaty.registry.tables import (
    CheckResultRow,
    DatasetRow,
    FitRow,
    ProposalRow,
    ProposalSuggestionRow,
    RunRow,
    TaskRow,
    UserRow,
)
from treaty.registry.validation import reruns
from treaty.registry.worker.periodic import order_refits

START = datetime(2026, 1, 1, tzinfo=UTC)
CLAUSE = {"detector": "program", "of": "amount", "rate": 0.001, "points": 20, "width": 12.0}
WIDE = {**CLAUSE, "lower": 90.0, "upper": 110.0}
NARROW = {**CLAUSE, "lower": 99.9, "upper": 100.1}
PROMISED = contract(
    check("mean", "tightened", column="amount", mustHaveNoAnomalies={**WIDE, "refit": "tighten_only"}),
    check("maximum", "moved", column="amount", mustHaveNoAnomalies={**NARROW, "refit": "within: 10%"}),
    check("minimum", "pinned", column="amount", mustHaveNoAnomalies=WIDE),
)


def day(at: int) -> str:
    return f"day={(START + timedelta(days=at)).date()}"


def amounts(at: int) -> Sequence[float]:
    return [float(each) for each in numpy.random.default_rng(at).normal(100, 2, 40)]


def bags(days: Mapping[str, Sequence[float]]) -> dict[str, bytes]:
    """The packed states of days that have these amounts."""
    return {
        name: bag_of(PROMISED, {"id": range(len(each)), "amount": each, "status": [""] * len(each)}).pack()
        for name, each in days.items()
    }


def store(scene: Scene, days: Mapping[str, Sequence[float]]) -> None:
    """Stores the states of these days, as a validation does."""
    packed = bags(days)
    with transaction(scene.database) as tx:
        dataset = tx.exec(select(DatasetRow)).one()
        measured = MeasureResult(
            schema=SCHEMA, fingerprints={name: f"{name}/{hash(tuple(days[name]))}" for name in packed}, states=packed
        )
        state_store.save(tx, dataset.id, measured, now=scene.clock.now, ids=ids.new)
        tx.commit()


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    """The contract is in force, and thirty days of its table are stored."""
    scenes.contract_in_force(engine)
    scenes.next_version(engine, "1.1.0", write({**PROMISED.document, "version": "1.1.0"}))
    made = Scene(engine, tmp_path)
    store(made, {day(at): amounts(at) for at in range(30)})
    return made


def night(scene: Scene, days: int = 1) -> Mapping[str, Any]:
    """Has programs refitted in the night after so many days; what the task says."""
    hour = scene.settings.redraft_hour or 0
    scene.clock.now = scene.clock.now.replace(hour=hour, minute=30) + timedelta(days=days)
    order_refits(scene.worker())
    assert order_refits(scene.worker()) == 0
    scene.work()
    return (
        next(task.result for task in reversed(scenes.rows(scene.database, TaskRow)) if task.kind == TaskKind.REFIT)
        or {}
    )


def the_owner(scene: Scene) -> Principal:
    """The owner, who reads."""
    (row,) = scenes.rows(scene.database, UserRow)
    return Principal(
        user_id=row.id, name=row.name, roles=frozenset({Role.OWNER}), permissions=frozenset({Permission.READ})
    )


def judged(scene: Scene, values: Sequence[float]) -> dict[str, CheckResult]:
    """The results on a day that comes after the others, as the worker judges it."""
    with read_session(scene.database) as tx:
        dataset = tx.exec(select(DatasetRow)).one()
        (version,) = in_force.versions(tx, "orders")
        using = fits.with_active_fits(tx, version, "orders")
        stored = state_store.load(tx, dataset.id)
    run = evaluate(
        EvaluationRequest(
            contract=using,
            object_name="orders",
            states={**stored, **bags({day(99): values})},
            delta=[day(99)],
            started_at=NOW,
            finished_at=NOW,
            schema=SCHEMA,
        )
    )
    assert (run.contract_fingerprint, run.contract_version) == (version.fingerprint, "1.1.0")
    return {each.check_id: each for each in run.results if each.partition}


def test_by_night_what_a_version_admits_is_used_and_the_rest_is_proposed_once(scene: Scene) -> None:
    before = judged(scene, [105.0] * 40)
    told = night(scene)
    found = {row.check_id: row for row in scenes.rows(scene.database, FitRow)}
    tightened, moved = found["tightened"], found["moved"]
    assert found.keys() == {"tightened", "moved"}
    assert (tightened.is_active, moved.is_active) == (True, False)
    assert (tightened.points, tightened.first_partition, tightened.last_partition, tightened.backtest_points) == (
        30,
        day(0),
        day(29),
        16,
    )
    assert {row.reason for row in found.values()} == {FitReason.NIGHTLY}
    (proposal,) = scenes.rows(scene.database, ProposalRow)
    (suggestion,) = scenes.rows(scene.database, ProposalSuggestionRow)
    assert (told["fits"], told["admitted"], told["suggestions"]) == (2, 1, 1)
    assert (proposal.state, told["proposal_id"]) == (ProposalState.IN_REVIEW, str(proposal.id))
    limits = suggestion.content["patch"]["quality"]["implementation"]["mustHaveNoAnomalies"]
    assert (limits["lower"], limits["upper"], limits["refit"]) == (moved.lower, moved.upper, "within: 10%")
    after = judged(scene, [105.0] * 40)
    assert [each["tightened"].outcome for each in (before, after)] == ["passed", "failed"]
    assert [(each["tightened"].band or {})["fit"] for each in (before, after)] == [tightened.clause, tightened.name]
    assert before["moved"].band == after["moved"].band
    assert before["pinned"].band == after["pinned"].band
    assert night(scene) == {"note": UNMOVED}
    store(scene, {day(at): amounts(at) for at in range(30, 33)})
    assert night(scene)["fits"] == 2
    assert len(scenes.rows(scene.database, ProposalRow)) == 1


def test_runs_are_done_again_by_the_fits_that_they_name(scene: Scene) -> None:
    night(scene)
    first = next(row for row in scenes.rows(scene.database, FitRow) if row.check_id == "tightened")
    store(scene, {day(at): amounts(at) for at in range(30, 36)})
    night(scene)
    with read_session(scene.database) as tx:
        (version,) = in_force.versions(tx, "orders")
        now, then, none = (
            using.object("orders").checks[0].assertion
            for using in (
                fits.with_active_fits(tx, version, "orders"),
                fits.with_named_fits(tx, version, "orders", {first.name}),
                fits.with_named_fits(tx, version, "orders", {"unknown"}),
            )
        )
        assert len(fits.list_fits(tx, "orders", "orders", check_id="tightened", limit=9)) == 2
        assert fits.list_fits(tx, "orders", "other", limit=9) == []
    assert [each and each.detection and each.detection.arguments.get("fit") for each in (now, then, none)] == [
        scenes.rows(scene.database, FitRow)[-2].name, first.name, None,
    ]  # fmt: skip


def test_another_version_has_fits_of_its_own_limits(scene: Scene) -> None:
    night(scene)
    approved = contract(
        check("mean", "tightened", column="amount", mustHaveNoAnomalies={**WIDE, "upper": 111, "refit": "tighten_only"})
    )
    scenes.next_version(scene.database, "1.2.0", write({**approved.document, "version": "1.2.0"}))
    with read_session(scene.database) as tx:
        (version,) = in_force.versions(tx, "orders")
        assert fits.with_active_fits(tx, version, "orders").objects == version.objects


def test_what_cannot_be_refitted_is_left_as_it_is(scene: Scene) -> None:
    scenes.next_version(scene.database, "1.2.0")
    assert order_refits(scene.worker()) == 0
    with transaction(scene.database) as tx:
        payload = {"contract_id": "orders", "object": "orders", "reason": "feedback"}
        assert refits.work(tx, scene.settings, payload) == []
        task = TaskRow(id=ids.new(), kind=TaskKind.REFIT, payload=payload, key="x", created_at=scene.clock.now)
        assert refits.keep(tx, task, [], now=scene.clock.now, ids=ids.new) == {"note": NOTHING}


def test_a_word_tells_the_limits_of_its_refit_before_it_is_said(scene: Scene) -> None:
    store(scene, {day(30): [108.0, 112.0] * 20})
    run = ids.new()
    with transaction(scene.database) as tx:
        dataset, (version,) = tx.exec(select(DatasetRow)).one(), in_force.versions(tx, "orders")
        stored = state_store.load(tx, dataset.id)
        result = evaluate(
            EvaluationRequest(
                contract=version,
                object_name="orders",
                states=stored,
                delta=sorted(stored),
                started_at=NOW,
                finished_at=NOW,
                schema=SCHEMA,
            )
        )
        recording.record(
            tx,
            run,
            result,
            RunProvenance(dataset_id=dataset.id, dataset_fingerprint="m", states_version=dataset.states_version),
            now=NOW,
        )
        tx.commit()
    owner = the_owner(scene)
    found = {}
    with read_session(scene.database) as tx:
        for check_id in ("tightened", "moved", "pinned"):
            said = NewFeedback(run, day(30), FeedbackKind.INCIDENT, "")
            found[check_id] = refit_preview.foresee(tx, scene.settings, said, check_id, by=owner)
    assert {name: each.outlook for name, each in found.items()} == {
        "tightened": RefitOutlook.ACTIVE, "moved": RefitOutlook.PROPOSED, "pinned": RefitOutlook.PINNED,
    }  # fmt: skip
    tightened = found["tightened"]
    assert tightened.limits[0] == (90.0, 110.0)
    assert tightened.back_test == (0, 16)
    assert tightened.points[-1].bands == tightened.limits
    assert (len(tightened.points), len(tightened.comparable_points), tightened.alarms) == (32, 30, (0, 0))
    assert [each.is_training for each in tightened.points[-2:]] == [(True, False), (True, True)]


class Packing(FakeEngine):
    """Its tables' texts are days as numbers, or after a sign the one amount of all rows."""

    def measure(self, request: MeasureRequest) -> MeasureResult:
        """The states of such days, packed."""
        found = super().measure(request)
        days = {name: bytes(packed).decode() for name, packed in found.states.items()}
        values = {name: [float(text[1:])] * 40 if text[0] == "=" else amounts(int(text)) for name, text in days.items()}
        return replace(found, schema=SCHEMA, states=bags(values))


def test_a_worker_judges_by_the_newest_fit_and_each_run_is_done_again_by_its_own(
    engine: Engine, tmp_path: Path
) -> None:
    tightened = PROMISED.document["schema"][0]["quality"][:1]
    scenes.contract_in_force(engine)
    scenes.next_version(engine, "1.1.0", write(contract(*tightened).document | {"version": "1.1.0"}))
    scene = Scene(engine, tmp_path, engine=Packing())
    for at in range(30):
        scene.write(day(at), str(at))
    scene.ask("first")
    scene.work(evaluate=evaluate)
    before = scene.runs[-1]
    assert night(scene)["admitted"] == 1
    scene.write(day(99), "=105")
    scene.ask("second")
    scene.work(evaluate=evaluate)
    run = scene.runs[-1]
    (fit,) = scenes.rows(engine, FitRow)
    (failed,) = results(scene, run)
    assert (failed.outcome, failed.partition, (failed.band or {})["fit"]) == ("failed", day(99), fit.name)
    assert {(each.band or {})["fit"] for each in results(scene, before)} == {fit.clause}
    for at in range(30, 36):
        scene.write(day(at), str(at))
    scene.ask("third")
    scene.work(evaluate=evaluate)
    assert night(scene)["admitted"] == 1
    newest = scenes.rows(engine, FitRow)[-1]
    assert newest.excluded_partitions == [day(99)]
    with read_session(engine) as tx:
        again = [reruns.again(tx, each.id, evaluate) for each in (before, run)]
    assert [each.differences for each in again] == [(), ()]


def results(scene: Scene, run: RunRow) -> list[CheckResultRow]:
    """The results of the run's program."""
    return [each for each in scenes.rows(scene.database, CheckResultRow) if each.run_id == run.id and each.band]


@pytest.mark.parametrize("change", ["update fit set upper = 0", "delete from fit"])
def test_fits_are_kept_as_they_were_written(scene: Scene, change: str) -> None:
    night(scene)
    with pytest.raises(DBAPIError, match="kept as they were written"), scene.database.begin() as connection:
        connection.exec_driver_sql(change)
