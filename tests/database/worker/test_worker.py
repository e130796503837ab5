"""From an event to a verdict: what changed is measured, judged and kept."""

from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlmodel import select
from support.engines import marker
from support.events import event
from support.scenes import LOCATION, NOON, Scene, current, document, next_version, orders, rows, user

from treaty.engine.core.results import Outcome, Verdict
from treaty.engine.protocol.requests import DraftRequest, DraftResult
from treaty.registry.core import ids
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import ProposalState, TaskState
from treaty.registry.lineage.events import event_store
from treaty.registry.measurements.states import state_store
from treaty.registry.queue import task_queue
from treaty.registry.tables import (
    AuditEntryRow,
    CheckResultRow,
    DatasetRow,
    LineageRunRow,
    MeasurementRow,
    PartitionStateRow,
    ProposalRow,
    ProposalSuggestionRow,
)


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    return orders(engine, tmp_path)


def test_a_complete_event_becomes_a_run_with_its_results(scene: Scene) -> None:
    scene.write("ds=2", "bad")
    scene.send(event())
    scene.work()
    (run,) = scene.runs
    lineage, _ = rows(scene.database, LineageRunRow)
    assert (run.verdict, run.partitions, run.outcome_counts) == (
        Verdict.FAILED,
        ["ds=1", "ds=2"],
        {"passed": 2, "failed": 1},
    )
    assert (run.lineage_run_id, run.task_id) == (lineage.id, scene.last_task.id)
    assert [(row.partition, row.outcome) for row in rows(scene.database, CheckResultRow)] == [
        ("ds=1", Outcome.PASSED),
        ("ds=2", Outcome.FAILED),
        (None, Outcome.PASSED),
    ]
    assert [(row.partition, row.value, row.exact) for row in rows(scene.database, MeasurementRow)] == [
        ("ds=1", 4.0, "4"),
        ("ds=2", 3.0, "3"),
    ]
    assert scene.last_task.result == {"run_id": str(run.id), "verdict": "failed", "partitions": 2}


def test_work_is_due_unless_another_worker_has_it(scene: Scene) -> None:
    one, other = scene.worker(), scene.worker(name="other")
    found = [one.is_due()]
    scene.send(event())
    found.append(one.is_due())
    with transaction(scene.database) as tx:
        event_store.claim(tx, worker="other", now=scene.clock(), lease=other.lease, most=1)
        tx.commit()
    found.append(one.is_due())
    scene.clock.advance(other.lease.total_seconds() + 1)
    found.append(one.is_due())
    assert found == [False, True, False, True]
    assert one.take_in()
    assert one.is_due()
    with transaction(scene.database) as tx:
        task_queue.claim(tx, worker="other", now=scene.clock(), lease=other.lease)
        tx.commit()
    assert not one.is_due()
    scene.clock.advance(other.lease.total_seconds() + 1)
    assert one.is_due()


def test_a_run_is_audited_with_its_verdict(scene: Scene) -> None:
    scene.send(event())
    scene.work()
    (entry,) = rows(scene.database, AuditEntryRow)
    assert (entry.action, entry.object_id) == (AuditAction.RUN_RECORDED, str(scene.runs[0].id))
    assert entry.details["verdict"] == "passed"


def test_only_what_changed_is_measured_and_judged_on_all(scene: Scene) -> None:
    scene.send(event(run="a"))
    scene.work()
    scene.write("ds=3", "great")
    scene.send(event(run="b"))
    scene.work()
    assert scene.engine.requests[1].stored_fingerprints == {"ds=1": marker("good"), "ds=2": marker("good")}
    assert scene.runs[1].partitions == ["ds=3"]
    whole = [
        row for row in rows(scene.database, CheckResultRow) if row.partition is None and row.run_id == scene.runs[1].id
    ]
    assert whole[0].value == "13"


def test_nothing_changed_makes_no_run(scene: Scene) -> None:
    for run in "ab":
        scene.send(event(run=run))
        scene.work()
    assert len(scene.runs) == 1
    assert scene.last_task.result == {"note": "no changes", "covered_by": str(scene.runs[0].id)}


def test_a_replaced_partition_has_a_new_generation(scene: Scene) -> None:
    scene.send(event(run="a"))
    scene.work()
    scene.write("ds=1", "better")
    scene.send(event(run="b"))
    scene.work()
    found = {row.partition: (row.generation, row.states) for row in current(scene.database)}
    assert found == {"ds=1": (2, b"better"), "ds=2": (1, b"good")}


def test_a_run_names_the_version_of_the_states_that_it_judged(scene: Scene) -> None:
    scene.send(event(run="a"))
    scene.work()
    scene.write("ds=1", "better")
    scene.send(event(run="b"))
    scene.work()
    assert [run.states_version for run in scene.runs] == [1, 2]
    with read_session(scene.database) as tx:
        dataset = tx.exec(select(DatasetRow)).one()
        assert state_store.load(tx, dataset.id, version=1) == {"ds=1": b"good", "ds=2": b"good"}
        assert state_store.load(tx, dataset.id, version=2) == {"ds=1": b"better", "ds=2": b"good"}


def test_states_that_ended_long_ago_are_not_kept(scene: Scene) -> None:
    for run, text in zip("abcd", ["1", "2", "3", "4"], strict=True):
        scene.write("ds=1", text)
        scene.send(event(run=run, at=scene.clock().isoformat()))
        scene.work()
        scene.clock.advance(20 * 86400)
    kept = {row.states for row in rows(scene.database, PartitionStateRow) if row.partition == "ds=1"}
    assert kept == {b"2", b"3", b"4"}


def test_a_vanished_partition_is_forgotten_and_the_run_says_so(scene: Scene) -> None:
    scene.send(event(run="a"))
    scene.work()
    del scene.engine.tables[LOCATION]["ds=1"]
    scene.send(event(run="b"))
    scene.work()
    assert [row.partition for row in current(scene.database)] == ["ds=2"]
    assert (scene.runs[1].reason, scene.runs[1].partitions) == ("1 partition no longer exists: ds=1", [])
    assert scene.runs[1].verdict is Verdict.PASSED


def test_an_emptied_table_is_not_evaluated(scene: Scene) -> None:
    scene.send(event(run="a"))
    scene.work()
    scene.engine.tables[LOCATION].clear()
    scene.send(event(run="b"))
    scene.work()
    assert scene.runs[1].verdict is Verdict.NOT_EVALUATED
    assert current(scene.database) == []


def test_a_version_that_never_judged_the_data_judges_all_of_it_by_what_is_known(scene: Scene) -> None:
    scene.send(event())
    scene.work()
    next_version(scene.database, "2.0.0")
    scene.ask()
    scene.work()
    asked = scene.engine.requests[1]
    assert (set(asked.stored_fingerprints), asked.stored_keys, asked.reread_whole) == ({"ds=1", "ds=2"}, {}, True)
    assert (scene.runs[1].version, scene.runs[1].partitions) == ("2.0.0", ["ds=1", "ds=2"])


def test_an_approved_contract_judges_all_there_is(scene: Scene) -> None:
    for key in "ab":
        scene.ask(key, all=True)
        scene.work()
    assert [run.partitions for run in scene.runs] == [["ds=1", "ds=2"]] * 2


def test_states_that_cannot_answer_are_computed_again_and_not_judged_again(scene: Scene) -> None:
    scene.engine.tables[LOCATION] = {"ds=1": "old", "ds=2": "good"}
    scene.send(event())
    scene.work()
    scene.engine.tables[LOCATION]["ds=2"] = "better"
    scene.send(event(run="0197c0de-0000-7000-8000-000000000002"))
    scene.work()
    asked = scene.engine.requests[1]
    assert (set(asked.stored_fingerprints), asked.stored_keys) == ({"ds=1", "ds=2"}, {"ds=1": frozenset()})
    assert [run.partitions for run in scene.runs] == [["ds=1", "ds=2"], ["ds=2"]]


def test_a_run_keeps_what_was_stored_exactly(scene: Scene) -> None:
    scene.send(event())
    scene.work()
    values = [float(row.value) for row in rows(scene.database, CheckResultRow) if row.value]
    assert values == [8]


def test_a_table_without_data_is_not_evaluated_when_first_asked_for(scene: Scene) -> None:
    scene.engine.tables[LOCATION].clear()
    scene.ask(all=True)
    scene.work()
    assert (scene.runs[0].verdict, scene.runs[0].reason) == (Verdict.NOT_EVALUATED, "the table has no data yet")


def test_an_idle_worker_does_nothing(scene: Scene) -> None:
    assert not scene.worker().step()


def drafted() -> DraftResult:
    suggestion = {
        "id": "s1",
        "object": "orders",
        "column": None,
        "patch": {"description": "orders of the shop"},
    }
    return DraftResult(document(), (suggestion,), {})


def draft_task(scene: Scene) -> None:
    payload = {
        "source": {"location": LOCATION, "format": "parquet", "partition_by": ["ds"]},
        "contract_id": "orders",
        "object": "orders",
        "columns": ["id"],
        "aliases": [{"namespace": "file", "name": LOCATION}],
        "author": str(user(scene.database).id),
    }
    with transaction(scene.database) as tx:
        task_queue.enqueue(tx, kind="draft", payload=payload, key="draft", now=NOON, task_id=ids.new())
        tx.commit()


def test_a_draft_becomes_its_authors_proposal(scene: Scene) -> None:
    scene.engine.drafted = drafted()
    draft_task(scene)
    scene.work()
    (proposal,) = rows(scene.database, ProposalRow)
    (request,) = scene.engine.requests
    assert isinstance(request, DraftRequest)
    assert (request.source.partition_by, request.columns, request.aliases) == (("ds",), ("id",), (("file", LOCATION),))
    assert (proposal.state, proposal.base, proposal.contract_id) == (ProposalState.DRAFT, document(), "orders")
    assert proposal.source == {"location": LOCATION, "format": "parquet", "partition_by": ["ds"], "object": "orders"}
    assert [row.identity for row in rows(scene.database, ProposalSuggestionRow)] == ["s1"]
    assert scene.last_task.result == {"proposal_id": str(proposal.id), "suggestions": 1}


def test_a_draft_with_faults_fails_at_once_and_says_so(scene: Scene) -> None:
    scene.engine.drafted = DraftResult(b"kind: nothing", (), {})
    draft_task(scene)
    scene.work()
    assert scene.last_task.state is TaskState.FAILED
    assert rows(scene.database, ProposalRow) == []
