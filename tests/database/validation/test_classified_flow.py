"""Classified columns in the worker: what is never stored is read when it is judged, and then alone."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from support.bags import bag
from support.engines import FakeEngine
from support.events import event
from support.orders import SCHEMA, check
from support.scenes import LOCATION, Scene, current, next_version, orders, rows

from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.engine.checks.binding import bind
from treaty.engine.core.errors import EngineKilled
from treaty.engine.core.hash_key import SIZE, HashKey
from treaty.engine.core.results import Outcome
from treaty.engine.evaluation.evaluator import evaluate, missing_states
from treaty.engine.protocol.requests import MeasureRequest, MeasureResult
from treaty.engine.states import bag as bags
from treaty.engine.states import inventory
from treaty.engine.states.missing_states import SENTENCES, MissingState
from treaty.registry.tables import CheckResultRow, PartitionStateRow, ReadCheckpointRow

KEY, OTHER = HashKey(b"a" * SIZE), HashKey(b"b" * SIZE)
TABLES = {f"ds={at}": f"here{at},there{at}" for at in range(1, 5)}


def document(version: str) -> str:
    """The contract of the orders, whose states are restricted."""
    table = {
        "name": "orders",
        "properties": [
            {"name": "id", "logicalType": "integer"}, {"name": "amount", "logicalType": "number"},
            {"name": "status", "logicalType": "string", "classification": "restricted"},
        ],
        "quality": [
            check("minimum", "first", column="status", mustBe="zzz", scope="delta"),
            check("minimum", "least", column="status", mustBe="zzz", scope="dataset"),
            check("uniqueness", "own", column="status", mustBe=1, scope="dataset"),
        ],
    }  # fmt: skip
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "orders", "name": "orders", "version": version}
    return write({**head, "status": "active", "schema": [table]}).decode()


@dataclass
class BagEngine(FakeEngine):
    """Of each partition's text, values with commas between them, it computes what the checks lack, as Spark would."""

    def measure(self, request: MeasureRequest) -> MeasureResult:
        told = super().measure(request)
        made = {name: self._bag(request, name) for name in (*told.states, *told.added)}
        passing = {name: each.passing.dump_all() for name, each in made.items() if each.passing}
        states, added = ({name: made[name].pack() for name in names} for names in (told.states, told.added))
        return replace(told, schema=SCHEMA, states=states, added=added, transient_states=passing)

    def _bag(self, request: MeasureRequest, name: str) -> bags.StateBag:
        contract: Contract = read(request.contract)
        held = request.stored_keys.get(name, frozenset()) if name in request.stored_fingerprints else frozenset()
        plan = bind(contract.object(request.object), SCHEMA).plan.without(held)
        values = self.tables[request.source.location][name].split(",")
        columns = {"id": list(range(len(values))), "amount": [1.0] * len(values), "status": values}
        return bag(replace(plan, key=request.key), SCHEMA, columns)


@pytest.fixture
def scene(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    monkeypatch.setattr("support.scenes.document", lambda version="1.0.0": document(version).encode())
    made = orders(engine, tmp_path)
    made.engine = BagEngine(tables={LOCATION: dict(TABLES)})
    return made


def work(scene: Scene, key: HashKey | None = KEY, **other: Any) -> None:
    scene.work(evaluate=evaluate, missing_states=missing_states, key=key, **other)


def told(scene: Scene, check_id: str) -> dict[str | None, tuple[Outcome, str | None]]:
    """How the check ended in the last run, by partition, and why it could not be evaluated."""
    found = [each for each in rows_of(scene) if each.check_id == check_id]
    return {each.partition: (each.outcome, each.reason) for each in found}


def rows_of(scene: Scene) -> list[CheckResultRow]:
    return [each for each in rows(scene.database, CheckResultRow) if each.run_id == scene.runs[-1].id]


def read_again(scene: Scene) -> list[list[str]]:
    """The known partitions that each request asked for once more."""
    return [sorted(each.stored_keys) for each in scene.engine.requests if isinstance(each, MeasureRequest)]


def stored(packed: Iterable[bytes]) -> set[str]:
    """The kinds of the states that lie in these bags. Frequencies are not hashed here: Spark does that."""
    return {held.kind for each in packed for held in inventory.inventory(each)[0]}


FAILED, UNKEPT = (Outcome.FAILED, None), (Outcome.NOT_EVALUATED, SENTENCES[MissingState.CLASSIFIED])


def test_what_is_never_stored_is_judged_when_it_arrives_and_read_again_for_a_new_version_alone(scene: Scene) -> None:
    scene.send(event(run="a"))
    work(scene)
    assert told(scene, "first") == dict.fromkeys(TABLES, FAILED)
    assert told(scene, "least") == {None: FAILED}
    scene.write("ds=1", "here1,new")
    scene.send(event(run="b"))
    work(scene)
    assert told(scene, "first") == {"ds=1": FAILED}
    assert told(scene, "least") == {None: UNKEPT}
    assert told(scene, "own") == {None: (Outcome.PASSED, None)}
    next_version(scene.database, "1.1.0")
    scene.ask()
    work(scene)
    assert told(scene, "first") == dict.fromkeys(TABLES, FAILED)
    assert told(scene, "least") == {None: FAILED}
    scene.send(event(run="c"))
    work(scene)
    assert read_again(scene) == [[], [], sorted(TABLES), []]
    assert stored(each.states for each in rows(scene.database, PartitionStateRow)) == {"count", "frequencies"}


def test_a_worker_that_goes_on_reads_what_was_never_stored_once_more(scene: Scene) -> None:
    scene.portion = 2

    def killed() -> None:
        if len(scene.engine.requests) == 2:
            raise EngineKilled("its process ended")

    scene.engine.meanwhile = killed
    scene.send(event())
    work(scene)
    assert stored(each.states for each in rows(scene.database, ReadCheckpointRow)) == {"count", "frequencies"}
    scene.clock.advance(60)
    work(scene)
    assert told(scene, "first") == dict.fromkeys(TABLES, FAILED)
    assert told(scene, "least") == {None: FAILED}
    assert read_again(scene) == [[], [], ["ds=1", "ds=2"], []]


def test_another_key_file_has_hashes_computed_again(scene: Scene) -> None:
    scene.send(event(run="a"))
    work(scene)
    scene.write("ds=1", "new")
    scene.send(event(run="b"))
    work(scene, OTHER)
    assert read_again(scene) == [[], ["ds=1", "ds=2", "ds=3", "ds=4"]]
    assert told(scene, "own") == {None: (Outcome.PASSED, None)}
    keys = {held.key_id for each in current(scene.database) for held in inventory.inventory(each.states)[0]}
    assert len(keys) == 2
    assert "" in keys


def test_without_a_key_file_hashes_are_not_stored_and_that_is_said(scene: Scene) -> None:
    scene.send(event(run="a"))
    work(scene, None)
    assert told(scene, "own") == {None: (Outcome.PASSED, None)}
    scene.write("ds=1", "new")
    scene.send(event(run="b"))
    work(scene, None)
    assert told(scene, "own") == {None: (Outcome.NOT_EVALUATED, SENTENCES[MissingState.KEYLESS])}
    assert read_again(scene) == [[], []]
