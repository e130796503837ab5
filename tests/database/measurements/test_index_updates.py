"""Patterns learned from what contracts are about: which tables and columns, when, and by whom it is asked for."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from sqlalchemy import Engine
from support.events import event
from support.scenes import LOCATION, NOON, Scene, document, next_version, orders, rows

from treaty.engine.core.learning_options import BoundName, PatternMethod, PatternOptions, ProgramOptions
from treaty.engine.protocol.requests import DraftRequest, LakeRequest
from treaty.registry.access.permissions import Principal
from treaty.registry.api.routes.tasks import payload
from treaty.registry.core import ids
from treaty.registry.core.database import read_session
from treaty.registry.core.enums import Permission, TaskKind, TaskState
from treaty.registry.core.errors import InvalidRequest
from treaty.registry.drafting import drafts
from treaty.registry.measurements.patterns import column_domains, index_updates
from treaty.registry.schemas import DraftIn
from treaty.registry.tables import TaskRow
from treaty.registry.worker.periodic import order_learning, order_redrafts

NIGHT = NOON + timedelta(days=1, hours=14, minutes=30)


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    made = orders(engine, tmp_path)
    made.send(event())
    made.work()
    return made


def asked(scene: Scene) -> LakeRequest:
    with read_session(scene.database) as tx:
        return index_updates.request(tx, scene.settings)


def learned(scene: Scene) -> list[TaskRow]:
    return [each for each in rows(scene.database, TaskRow) if each.kind == TaskKind.LEARN]


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


def test_patterns_are_told_of_columns_that_one_may_read_alone(scene: Scene) -> None:
    lake, texts = index_updates.lake(scene.settings), [f"AB-{n:04d}" for n in range(40)]
    lake.add({LOCATION: {"amount": texts, "secret": texts}, "/data/others": {"code": texts}})
    anybody, nobody = (
        Principal(user_id=ids.new(), name="", roles=frozenset(), permissions=frozenset(each))
        for each in ([Permission.READ], [])
    )
    with read_session(scene.database) as tx:
        found = column_domains.find(tx, lake, "AB-<digit>{4}", anybody)
        assert [(str(each.about), each.carrier.column) for each in found.pattern_columns] == [
            ("orders.orders", "amount")
        ]
        assert found.carriers.domain is not None
        assert found.carriers.domain.columns == 3
        assert column_domains.find(tx, lake, "AB-<digit>{4}", nobody).carriers.domain is None
        assert (len(column_domains.top(tx, lake, 1, anybody)), column_domains.top(tx, lake, 1, nobody)) == (1, [])
        with pytest.raises(InvalidRequest, match="does not begin a class"):
            column_domains.find(tx, lake, "<number>", anybody)


@pytest.mark.parametrize("alarms", [None, 0.5])
def test_a_draft_learns_programs_where_that_is_asked_for(alarms: float | None, scene: Scene) -> None:
    options = (
        ProgramOptions(false_alarms=alarms, bound=BoundName.PROVEN, clauses=2, history=30, refit="tighten_only")
        if alarms
        else None
    )
    patterns = PatternOptions(
        method=PatternMethod.FMDV_V, max_impurity=0.05, min_columns=4, max_tokens=6, max_discarded=0.0
    )
    asked_for = DraftIn(
        location=LOCATION, contract_id="orders", object="orders", programs=options, patterns=patterns, compare=True
    )
    with read_session(scene.database) as tx:
        made = drafts.request(tx, json.loads(json.dumps(payload(asked_for))), scene.settings)
    assert (made.programs, made.patterns, made.compare) == (options, patterns, True)


@pytest.mark.parametrize(
    "options",
    [
        {"programs": {"refit": "loosen"}},
        {"programs": {"false_alarms": 0}},
        {"programs": {"bound": "guess"}},
        {"programs": {"clauses": 11}},
        {"programs": {"history": 13}},
        {"programs": {"alarms": 1}},
        {"patterns": {"method": "best"}},
        {"patterns": {"max_impurity": 0}},
        {"patterns": {"min_columns": 0}},
        {"patterns": {"max_tokens": 9}},
        {"patterns": {"max_discarded": 0.6}},
    ],
    ids=str,
)
def test_options_beyond_their_limits_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        DraftIn.model_validate({"location": LOCATION, "contract_id": "orders", "object": "orders", **options})


def test_a_draft_learns_from_the_same_lake(scene: Scene) -> None:
    payload = {"source": {"location": LOCATION}, "contract_id": "orders", "object": "orders"}
    with read_session(scene.database) as tx:
        assert drafts.request(tx, payload, scene.settings).lake == asked(scene).folder


@pytest.mark.parametrize("asked_by", [{}, {"author": str(ids.new())}])
def test_other_tables_are_sketched_for_drafts_that_somebody_asked_for(asked_by: dict[str, str], scene: Scene) -> None:
    payload = {"source": {"location": LOCATION}, "contract_id": "orders", "object": "orders", **asked_by}
    with read_session(scene.database) as tx:
        assert drafts.request(tx, payload, scene.settings).sketched == bool(asked_by)
