"""Drafts as a service: told of, stopped, done anew by night; what is proposed then, and what is not."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from support.events import event
from support.scenes import LOCATION, NOON, Scene, document, orders, rows

from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.contracts.editing.patches import skeleton
from treaty.contracts.schema import Column, Schema
from treaty.engine.protocol.requests import DraftRequest, DraftResult
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import Decision, ProposalState, TaskKind, TaskState
from treaty.registry.drafting import nightly_redraft
from treaty.registry.drafting.nightly_redraft import NOTHING
from treaty.registry.queue import task_queue
from treaty.registry.tables import ProposalProfileRow, ProposalRow, ProposalSuggestionRow, TaskRow
from treaty.registry.worker.periodic import order_redrafts

TYPES = {"id": "bigint", "amount": "double"}
NIGHT = NOON + timedelta(days=1, hours=14, minutes=30)
REQUIRED = {"id": "r1", "kind": "complete", "object": "orders", "column": "id", "patch": {"required": True}}
PROFILE = {"format": "treaty-profile", "version": 1, "object": "orders", "rows": 1, "sampled": 1.0, "partitions": [""],
           "words": {}, "notes": [], "columns": []}  # fmt: skip


def band(lower: int, check_id: str = "row-count") -> dict[str, Any]:
    """A suggestion of how many rows there are."""
    implementation = {"analyzer": "size", "mustBeBetween": [lower, 100], "scope": "delta"}
    quality = {"id": check_id, "name": "rows", "type": "custom", "engine": "treaty", "implementation": implementation}
    return {"id": "b1", "kind": "row_count_band", "object": "orders", "column": None, "sentence": "rows",
            "patch": {"quality": quality}, "evidence": {"partitions": 4, "limits": [lower, 100]}}  # fmt: skip


def drafted(*suggestions: Mapping[str, Any], types: Mapping[str, str] = TYPES) -> DraftResult:
    """What the engine answers of a table of these columns."""
    schema = Schema(tuple(Column(name, kind) for name, kind in types.items()))
    made = skeleton(contract_id="orders", name="o", object_name="orders", physical_name=LOCATION, schema=schema)
    return DraftResult(write(made), suggestions, PROFILE)


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    made = orders(engine, tmp_path)
    made.send(event())
    made.work()
    made.clock.now = NIGHT
    return made


def night(scene: Scene, given: DraftResult) -> Mapping[str, Any]:
    """Has contracts drafted anew; what the draft's task says."""
    scene.engine.drafted = given
    order_redrafts(scene.worker())
    scene.work()
    return next(task.result for task in reversed(rows(scene.database, TaskRow)) if task.kind == TaskKind.REDRAFT) or {}


def proposals(scene: Scene) -> list[ProposalRow]:
    return rows(scene.database, ProposalRow)


def test_by_night_what_is_new_is_proposed_to_the_owners_with_its_replay(scene: Scene) -> None:
    told = night(scene, drafted(REQUIRED))
    (made,) = proposals(scene)
    assert (made.state, made.title) == (
        ProposalState.IN_REVIEW,
        "Redraft of orders: new suggestions",
    )
    assert told == {"proposal_id": str(made.id), "suggestions": 1, "drift": []}
    assert made.base == document()
    assert [(each.kind, each.state) for each in rows(scene.database, TaskRow)[-2:]] == [
        (TaskKind.REDRAFT, TaskState.DONE),
        (TaskKind.REPLAY, TaskState.DONE),
    ]
    assert [row.document for row in rows(scene.database, ProposalProfileRow)] == [PROFILE]


def test_a_night_reads_a_sample_and_knows_what_is_classified(scene: Scene) -> None:
    night(scene, drafted())
    request = next(each for each in scene.engine.requests if isinstance(each, DraftRequest))
    assert (request.sample, request.in_force, request.source.location) == (1_000_000, document(), LOCATION)


def test_where_nothing_is_new_there_is_no_proposal(scene: Scene) -> None:
    assert night(scene, drafted()) == {"note": NOTHING}
    assert proposals(scene) == []


def test_what_waits_in_a_proposal_is_not_proposed_again(scene: Scene) -> None:
    night(scene, drafted(REQUIRED))
    again(scene)
    assert night(scene, drafted(REQUIRED)) == {"note": NOTHING}
    assert len(proposals(scene)) == 1


def test_when_data_come_is_proposed_once(scene: Scene) -> None:
    for _ in range(12):
        again(scene)
    told = night(scene, drafted())
    (row,) = rows(scene.database, ProposalSuggestionRow)
    assert (told["suggestions"], row.content["kind"], row.content["patch"]["slaProperties"]["element"]) == (
        1,
        "arrives_every",
        "orders",
    )
    again(scene)
    assert night(scene, drafted()) == {"note": NOTHING}


def again(scene: Scene) -> None:
    """A day passes, and data come."""
    scene.clock.advance(24 * 3600 - 600)
    scene.write(f"ds={scene.clock():%j}", "good")
    scene.ask(key=str(ids.new()))
    scene.work()
    scene.clock.advance(600)


def decide(scene: Scene, decision: Decision, state: ProposalState) -> None:
    with transaction(scene.database) as tx:
        for row in rows(scene.database, ProposalSuggestionRow):
            tx.get_one(ProposalSuggestionRow, row.id).sqlmodel_update(
                {"decision": decision, "decided_at": scene.clock()}
            )
        for each in proposals(scene):
            tx.get_one(ProposalRow, each.id).state = state
        tx.commit()


def test_what_was_rejected_returns_with_new_evidence_only(scene: Scene) -> None:
    night(scene, drafted(band(5)))
    decide(scene, Decision.REJECTED, ProposalState.REJECTED)
    again(scene)
    assert night(scene, drafted(band(5))) == {"note": NOTHING}
    again(scene)
    assert night(scene, drafted(band(50)))["suggestions"] == 1


PROMISED = [
    ("its word stands on the column", REQUIRED, True),
    ("a check of that id, with another limit", band(7, "enough"), True),
    ("another analyzer", band(7), False),
]


@pytest.mark.parametrize(("suggestion", "known"), [case[1:] for case in PROMISED], ids=[case[0] for case in PROMISED])
def test_what_is_promised_already_is_not_proposed(suggestion: dict[str, Any], known: bool) -> None:
    content = read(document()).document
    content["schema"][0]["properties"][0]["required"] = True
    contract = read(write(content))
    assert nightly_redraft.is_new(contract, "orders", suggestion) is not known


def test_a_suggestion_for_a_column_that_is_not_there_is_not_proposed() -> None:
    assert not nightly_redraft.is_new(read(document()), "orders", {**REQUIRED, "column": "gone"})


DRIFTS = [
    ({**TYPES, "city": "string"}, ["column city was added"], "minor", "1.1.0"),
    ({"id": "bigint"}, ["column amount was removed"], "major", "2.0.0"),
    ({**TYPES, "id": "string"}, ["column id changed from bigint to string"], "major", "2.0.0"),
]


@pytest.mark.parametrize(("types", "drift", "bump", "version"), DRIFTS)
def test_drift_becomes_the_next_version_with_its_size(
    scene: Scene, types: dict[str, str], drift: list[str], bump: str, version: str
) -> None:
    told = night(scene, drafted(types=types))
    (made,) = proposals(scene)
    assert told["drift"] == drift
    assert made.comment == f"{drift[0]}; this is a {bump} change: version {version}"
    assert [each.name for each in read(made.base).objects[0].properties] == list(types)
    assert [each.id for each in read(made.base).objects[0].checks] == ["enough"]


def test_checks_are_suggested_for_a_new_column(scene: Scene) -> None:
    fresh = {**REQUIRED, "id": "c1", "column": "city"}
    assert night(scene, drafted(fresh, types={**TYPES, "city": "string"}))["suggestions"] == 1


@pytest.mark.parametrize("state", [ProposalState.IN_REVIEW, ProposalState.REJECTED, ProposalState.WITHDRAWN])
def test_drift_that_waits_or_was_declined_is_not_proposed_again(scene: Scene, state: ProposalState) -> None:
    types = {**TYPES, "city": "string"}
    night(scene, drafted(types=types))
    decide(scene, Decision.PENDING, state)
    again(scene)
    assert night(scene, drafted(types=types)) == {"note": NOTHING}


def test_a_night_is_ordered_once_and_only_where_data_were_judged_since(scene: Scene) -> None:
    scene.engine.drafted = drafted()
    assert [order_redrafts(scene.worker()) for _ in range(2)] == [1, 0]
    scene.work()
    scene.clock.advance(24 * 3600)
    assert order_redrafts(scene.worker()) == 0


@pytest.mark.parametrize(("hours", "made"), [(-1, 0), (0, 1), (1, 0)])
def test_nights_have_their_hour(scene: Scene, hours: int, made: int) -> None:
    scene.clock.advance(3600 * hours)
    assert order_redrafts(scene.worker()) == made


def test_a_version_that_is_new_is_left_alone(scene: Scene) -> None:
    with transaction(scene.database) as tx:
        from treaty.registry.tables import ContractVersionRow

        for row in rows(scene.database, ContractVersionRow):
            tx.get_one(ContractVersionRow, row.id).activated_at = NIGHT - timedelta(hours=3)
        tx.commit()
    assert order_redrafts(scene.worker()) == 0


def draft_task(scene: Scene) -> TaskRow:
    payload = {"source": {"location": LOCATION}, "contract_id": "orders", "object": "orders"}
    with transaction(scene.database) as tx:
        task = task_queue.enqueue(
            tx, kind=TaskKind.REDRAFT, payload=payload, key="d", now=scene.clock(), task_id=ids.new()
        )
        tx.commit()
        assert task is not None
        return task


def test_a_draft_tells_how_far_it_is(scene: Scene) -> None:
    told: list[str | None] = []
    scene.engine.drafted = drafted()
    scene.engine.meanwhile = lambda: told.append(scene.last_task.progress)
    draft_task(scene)
    scene.work()
    assert told == ["first scan"]


def test_a_task_that_is_stopped_meanwhile_writes_nothing_and_stops_the_engine(scene: Scene) -> None:
    scene.engine.drafted = drafted(REQUIRED)
    made = draft_task(scene)

    def stop() -> None:
        with transaction(scene.database) as tx:
            task_queue.stop(tx, tx.get_one(TaskRow, made.id), error="stopped by ann", now=scene.clock())
            tx.commit()
        scene.worker().progress_reporter(tasks_row(scene, made))("second scan")

    scene.engine.meanwhile = stop
    scene.work()
    assert (scene.last_task.state, scene.last_task.error) == (TaskState.FAILED, "stopped by ann")
    assert scene.engine.cancelled == 1
    assert proposals(scene) == []


def tasks_row(scene: Scene, task: TaskRow) -> TaskRow:
    """The task as the worker has it that claimed it first."""
    return TaskRow(id=task.id, kind=task.kind, payload={}, key=task.key, fence=1, created_at=NOON, available_at=NOON)
