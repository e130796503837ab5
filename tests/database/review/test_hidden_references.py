"""Limits that are metrics of another dataset: a replay knows only those of datasets that its requester may read."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from sqlmodel import Session
from support.api import NOW, plain
from support.engines import FakeEngine, lacking, large
from support.memories import Memory, check, document

from treaty.contracts.document import writer
from treaty.engine.analyzers.rows import Size
from treaty.engine.core import clock
from treaty.engine.core.results import Verdict
from treaty.engine.evaluation.evaluator import evaluate
from treaty.registry import schemas
from treaty.registry.access import authentication
from treaty.registry.access import users as access_users
from treaty.registry.client import Client, ClientError
from treaty.registry.contracts import lookup
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import GrantScope, Role
from treaty.registry.tables import MeasurementRow, RunRow
from treaty.registry.worker.loop import Worker

HIDDEN, UNKNOWN = "salaries", "holidays"


def measured(tx: Session, contract_id: str, rows: int) -> None:
    """Stores a run of the contract that counted so many rows."""
    run = RunRow(
        id=ids.new(), contract_id=contract_id, version="1.0.0", fingerprint="f", object="orders", partitions=[],
        dataset_id=lookup.datasets(tx, contract_id)[0][0].id, verdict=Verdict.PASSED, outcome_counts={},
        started_at=NOW - timedelta(days=900), finished_at=NOW - timedelta(days=900),
    )  # fmt: skip
    tx.add(run)
    tx.flush()
    tx.add(
        MeasurementRow(
            run_id=run.id, position=0, contract_id=contract_id, object="orders", identity=Size().identity,
            analyzer="size", arguments={}, value=rows, exact=str(rows), measured_at=run.finished_at,
        )
    )  # fmt: skip


@pytest.fixture
def memory(engine: Engine, tmp_path: Path) -> Memory:
    """Days of orders, and a contract of another domain whose table has 52 rows."""
    memory = Memory(engine, tmp_path)
    memory.save()
    made = memory.world.client("producer").propose(writer.write({**plain(HIDDEN), "domain": "people"}).decode())
    owner = memory.world.client("owner")
    owner.approve(made.id, owner.preview(made.id).fingerprint)
    with transaction(engine) as tx:
        measured(tx, HIDDEN, 52)
        tx.commit()
    return memory


@pytest.fixture
def ann(memory: Memory) -> Client:
    """Somebody who may do everything with the orders, and may read nothing else."""
    world = memory.world
    with transaction(world.engine) as tx:
        user = access_users.new_user(ids.new(), name="ann", password=None, roles=[], now=NOW)
        access_users.create_user(tx, user, actor="test", now=NOW)
        lasts = timedelta(hours=1)
        secret, _ = authentication.sign_in(tx, user, session_id=ids.new(), now=clock.now(), lasts=lasts)
        tx.commit()
    grant = schemas.GrantIn(role=Role.OWNER, scope=GrantScope.CONTRACT, target="shop-orders", user_id=user.id)
    world.client("admin").grant(grant)
    return Client("http://testserver", secret, http=world.http)  # type: ignore[arg-type]


def compared(dataset: str) -> str:
    """A version of the orders whose number of rows is compared with that of another dataset."""
    content = {**document(), "version": "1.1.0"}
    reference = {"dataset": dataset, "analyzer": "size"}
    for operator, limit in (("mustBeLessThan", reference), ("mustBeBetween", [reference, 10**6])):
        implementation = {"analyzer": "size", operator: limit}
        content["schema"][0]["quality"].append(check("size") | {"id": operator, "implementation": implementation})
    return writer.write(content).decode()


def same(hidden: Any, unknown: Any) -> bool:
    """Whether both answers are equal but for the name that was asked about and the time that it took."""
    told = [each.model_dump(mode="json", exclude={"milliseconds", "id", "created_at"}) for each in (hidden, unknown)]
    return str(told[0]).replace(HIDDEN, UNKNOWN) == str(told[1])


def outcome(replay: schemas.ReplayOut) -> Any:
    return {each.check_id: each for each in replay.objects[0].checks}["mustBeLessThan"].new


def test_a_replay_knows_no_metric_of_a_hidden_dataset(memory: Memory, ann: Client) -> None:
    hidden, unknown = (ann.replay_document("shop-orders", compared(each)) for each in (HIDDEN, UNKNOWN))
    assert outcome(hidden).evaluated == 0
    assert same(hidden, unknown)
    assert outcome(memory.world.client("viewer").replay_document("shop-orders", compared(HIDDEN))).evaluated


def test_neither_does_a_replay_of_a_proposal(memory: Memory, ann: Client) -> None:
    made = ann.propose(compared(HIDDEN))
    assert outcome(ann.replay(made.id)).evaluated == 0
    assert outcome(memory.world.client("owner").replay(made.id)).evaluated


def test_a_replay_of_a_worker_knows_what_its_requester_may_read(memory: Memory, ann: Client) -> None:
    made = ann.propose(compared(HIDDEN))
    of_proposal = schemas.ReplayIn(proposal_id=made.id)
    own, others = ann.request_replay(of_proposal), memory.world.client("owner").request_replay(of_proposal)
    worker = Worker(
        database=memory.world.engine, engine=FakeEngine(), evaluate=evaluate, large=large,
        settings=memory.world.http.app.state.service.settings, missing_states=lacking,
    )  # fmt: skip
    assert worker.work()
    assert worker.work()
    assert outcome(schemas.ReplayOut.model_validate(ann.task(own.id).result)).evaluated == 0
    with pytest.raises(ClientError) as refused:
        ann.task(others.id)
    assert refused.value.status == 404
    assert outcome(schemas.ReplayOut.model_validate(memory.world.client("owner").task(others.id).result)).evaluated
