"""Rows that fail: asked for once a row-level check failed, kept apart from everything else, and not for ever."""

import logging
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, select
from sqlmodel import Session
from support.api import World
from support.api import document as proposed
from support.engines import judge
from support.events import event
from support.scenes import NOON, Scene, document, orders, rows

from treaty.contracts.document.reader import read
from treaty.engine.core.errors import EngineKilled
from treaty.engine.core.results import Outcome, RunResult, Verdict, ViolationSample
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.protocol.requests import MeasureRequest
from treaty.engine.protocol.row_requests import SampleRequest
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import VersionState
from treaty.registry.core.errors import NotFound
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.measurements.runs import recording, samples
from treaty.registry.measurements.runs.recording import RunProvenance
from treaty.registry.tables import ContractRow, ContractVersionRow, RunRow, UserRow, ViolationSampleRow, metadata

SECRET = "ann@example.org"
FOUND = ViolationSample(
    check_id="good", columns=("id", "amount"), masked=("id",), rows=(("•••", SECRET), (None, "a\x00b"))
)
ROW_LEVEL = """\
    quality:
      - id: good
        type: custom
        engine: treaty
        implementation: {analyzer: completeness, column: id, mustBe: 1}
"""
ARRIVALS = "customProperties:\n  - {property: treaty, value: {arrivals: [orders]}}\n"


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    """The orders, with a check that single rows break, and samples that the engine would find."""
    made = orders(engine, tmp_path)
    with transaction(engine) as tx:
        _put_in_force(tx, "2.0.0")
        tx.commit()
    made.engine.samples = (FOUND,)
    return made


def _put_in_force(tx: Session, version: str, terms: str = "") -> None:
    text = document(version).decode()
    kept = text[: text.index("    quality:")] if "    quality:" in text else text
    body = f"{kept.rstrip()}\n{ROW_LEVEL}{terms}"
    for old in tx.exec(select(ContractVersionRow)).scalars():
        old.state = VersionState.SUPERSEDED
    tx.add(
        ContractVersionRow(
            id=ids.new(),
            contract_id="orders",
            version=version,
            body=body.encode(),
            fingerprint=read(body.encode()).fingerprint,
            state=VersionState.ACTIVE,
            approved_by_id=tx.exec(select(UserRow)).scalars().one().id,
            approved_at=NOON,
        )
    )
    tx.get_one(ContractRow, "orders").active_version = version


def sampled(scene: Scene) -> list[SampleRequest]:
    return [each for each in scene.engine.requests if isinstance(each, SampleRequest)]


def judged(scene: Scene, *texts: str) -> RunRow:
    for number, text in enumerate(texts, start=1):
        scene.write(f"ds={number}", text)
    scene.send(event(run="-".join(texts)))
    scene.work()
    return scene.runs[-1]


def test_a_failed_check_of_rows_has_rows_of_the_partitions_that_arrived(scene: Scene) -> None:
    run = judged(scene, "good", "bad")
    (asked,) = sampled(scene)
    assert (asked.failed_checks, asked.partitions, asked.limit) == ({"good": ("ds=2",)}, ("ds=1", "ds=2"), 5)
    (kept,) = rows(scene.database, ViolationSampleRow)
    assert (kept.run_id, kept.check_id, kept.columns, kept.masked) == (run.id, "good", ["id", "amount"], ["id"])
    assert kept.rows == [["•••", SECRET], [None, "a\N{REPLACEMENT CHARACTER}b"]]
    assert kept.expires_at == NOON + timedelta(days=30)


def test_of_a_table_that_grows_the_arrivals_are_known_and_their_rows_are_shown(scene: Scene) -> None:
    with transaction(scene.database) as tx:
        _put_in_force(tx, "3.0.0", ARRIVALS)
        tx.commit()
    judged(scene, "good", "bad")
    scene.write("ds=3", "bad")
    scene.send(event(run="c"))
    scene.work()
    first, second = (each for each in scene.engine.requests if isinstance(each, MeasureRequest))
    assert (first.arrivals, second.arrivals) == ({}, second.stored_fingerprints)
    assert second.stored_fingerprints.keys() == {"ds=1", "ds=2"}
    assert [(each.partitions, each.arrivals.keys()) for each in sampled(scene)] == [
        ((), {"ds=1", "ds=2"}),
        ((), {"ds=3"}),
    ]


def test_nothing_is_asked_for_where_no_check_of_rows_failed(scene: Scene) -> None:
    assert judged(scene, "good", "good").verdict is Verdict.PASSED
    assert sampled(scene) == []

    def whole_fails(request: EvaluationRequest) -> RunResult:
        run = judge(request)
        failed = {"outcome": Outcome.FAILED, "check_id": "enough"}
        return run.model_copy(update={"results": tuple(each.model_copy(update=failed) for each in run.results)})

    scene.write("ds=3", "new")
    scene.send(event(run="c"))
    scene.work(evaluate=whole_fails)
    assert (scene.runs[-1].verdict, sampled(scene)) == (Verdict.FAILED, [])


def test_no_rows_are_read_where_none_are_wanted(scene: Scene) -> None:
    scene.write("ds=1", "bad")
    scene.send(event())
    scene.work(settings=RegistrySettings(home=scene.home, sample_rows=0))
    assert (scene.runs[-1].verdict, sampled(scene)) == (Verdict.FAILED, [])


def test_a_run_counts_as_judged_also_where_its_rows_cannot_be_read(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    requests = iter([None, EngineKilled("engine killed: it overran its limit")])
    scene.engine.meanwhile = lambda: scene.engine.errors.extend(filter(None, [next(requests)]))
    with caplog.at_level(logging.WARNING):
        run = judged(scene, "bad")
    assert (run.verdict, run.reason, rows(scene.database, ViolationSampleRow)) == (Verdict.FAILED, None, [])
    assert "no samples of violating rows could be read: engine killed" in caplog.text


def test_values_of_rows_stand_in_their_own_table_alone(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        judged(scene, "bad")
    with scene.database.connect() as connection:
        holding = {
            table.name for table in metadata.sorted_tables if SECRET in str(list(connection.execute(table.select())))
        }
    assert holding == {"violation_sample"}
    assert SECRET not in caplog.text


def test_rows_are_not_shown_after_their_time_and_deleted_with_the_next_run(scene: Scene) -> None:
    run = judged(scene, "bad")
    end = NOON + timedelta(days=30)
    with read_session(scene.database) as tx:
        assert len(samples.of_run(tx, run.id, now=end - timedelta(seconds=1))) == 1
        assert samples.of_run(tx, run.id, now=end) == []
    scene.clock.now = end
    judged(scene, "good again")
    assert rows(scene.database, ViolationSampleRow) == []


def test_of_a_run_that_there_is_not_there_are_no_samples(engine: Engine) -> None:
    with read_session(engine) as tx, pytest.raises(NotFound):
        samples.of_run(tx, ids.new(), now=NOON)


def test_who_may_read_a_run_reads_its_samples(world: World) -> None:
    made = world.client("producer").propose(proposed("orders"))
    world.client("owner").approve(made.id, world.client("owner").preview(made.id).fingerprint)
    run_id, none = ids.new(), ids.new()
    for each, found in ((run_id, (FOUND,)), (none, ())):
        result = RunResult(
            contract_id="orders", contract_version="1.0.0", contract_fingerprint=made.id.hex, object="orders",
            partitions=(), rows=1, started_at=NOON, finished_at=NOON, results=(), measurements=(), samples=found,
        )  # fmt: skip
        with transaction(world.engine) as tx:
            recording.record(tx, each, result, RunProvenance(), now=NOON)
            samples.keep(tx, each, result.samples, until=NOON + timedelta(days=36500), now=NOON)
            tx.commit()
    (found,) = world.client("consumer").samples(run_id)
    assert (found.columns, found.masked, found.rows[0]) == (("id", "amount"), ("id",), ("•••", SECRET))
    assert world.client("consumer").samples(none) == []
    # Who reads contracts, or administers, has no business with rows of data.
    told = {
        who: world.call(who, "GET", f"/runs/{run_id}/samples").status_code for who in ("viewer", "admin", "service")
    }
    assert told == {"viewer": 403, "admin": 403, "service": 403}
    assert world.call(None, "GET", f"/runs/{run_id}/samples").status_code == 401
    assert world.call("consumer", "GET", f"/runs/{ids.new()}/samples").status_code == 404


def test_the_reference_of_analyzers_is_read_by_whoever_may_read(world: World) -> None:
    found = {each.name: each for each in world.client("viewer").analyzers()}
    assert (found["completeness"].family, found["completeness"].unit) == ("nulls", "share")
    assert found["approx_quantile"].arguments[1].form == {"type": "number", "minimum": 0, "maximum": 1}
