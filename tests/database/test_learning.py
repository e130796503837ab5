"""Patterns learned from what contracts are about: which tables and columns, when, and by whom it is asked for."""

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine
from support.events import event
from support.scenes import LOCATION, NOON, Scene, document, next_version, orders, rows

from engine.requests import DraftRequest, LakeRequest
from registry import drafting, learning
from registry.database import reading
from registry.learning import LEARN
from registry.tables import Task
from registry.words import TaskState
from registry.work.duties import order_learning, order_redrafts

NIGHT = NOON + timedelta(days=1, hours=14, minutes=30)


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    made = orders(engine, tmp_path)
    made.send(event())
    made.work()
    return made


def asked(scene: Scene) -> LakeRequest:
    with reading(scene.database) as tx:
        return learning.request(tx, scene.settings)


def learned(scene: Scene) -> list[Task]:
    return [each for each in rows(scene.database, Task) if each.kind == LEARN]


def test_every_night_it_is_learned_once_before_contracts_are_drafted_anew(scene: Scene) -> None:
    scene.clock.now = NOON + timedelta(hours=3)
    assert order_learning(scene.worker()) == 0
    scene.clock.now = NIGHT
    order_redrafts(scene.worker())
    assert [order_learning(scene.worker()) for _ in range(2)] == [1, 0]
    scene.work()
    (task,) = learned(scene)
    assert (task.state, task.result) == (TaskState.DONE, {"tables": len(asked(scene).tables)})
    kinds = [type(each) for each in scene.engine.requests if isinstance(each, LakeRequest | DraftRequest)]
    assert kinds == [LakeRequest, DraftRequest]


def test_a_table_that_was_judged_since_is_to_be_read_anew(scene: Scene) -> None:
    (before,) = asked(scene).tables
    assert (before.name, before.location) == (LOCATION, LOCATION)
    scene.write("day=2", "good")
    scene.send(event(run="2"))
    scene.work()
    (after,) = asked(scene).tables
    assert after.as_of != before.as_of
    assert asked(scene).tables == (after,)


@pytest.mark.parametrize(
    ("put", "columns"),
    [("", ["amount", "id"]), ("        classification: restricted\n", ["id"]), ("        tags: [pii]\n", ["id"])],
)
def test_nothing_is_learned_from_what_is_classified(scene: Scene, put: str, columns: list[str]) -> None:
    name = b"      - name: amount\n"
    next_version(scene.database, "2.0.0", document("2.0.0").replace(name, name + put.encode()))
    assert [list(each.columns) for each in asked(scene).tables] == [columns]


def test_a_draft_learns_from_the_same_lake(scene: Scene) -> None:
    payload = {"source": {"location": LOCATION}, "contract_id": "orders", "object": "orders"}
    with reading(scene.database) as tx:
        assert drafting.request(tx, payload, scene.settings.lake).lake == asked(scene).folder
