"""Replays of proposals and documents on stored states: by function, by API, by worker, on both databases."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import BoundedSemaphore
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import yaml
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from sqlmodel import select
from support.api import NOW
from support.bags import bag
from support.engines import FakeEngine, lacking, large
from support.memories import DAYS, ROWS, TABLE, Memory, check, document

from treaty.contracts.document import writer
from treaty.contracts.document.reader import read
from treaty.contracts.fingerprint import fingerprint
from treaty.engine.checks.binding import bind
from treaty.engine.core.results import Outcome
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.replay.report import Replay
from treaty.engine.evaluation.replay.versions import COUNTED
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.registry import schemas
from treaty.registry.access.permissions import ScopedGrant
from treaty.registry.cli.main import _code
from treaty.registry.client import ClientError
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import GrantScope, Permission
from treaty.registry.core.errors import NotFound
from treaty.registry.datasets import related_datasets
from treaty.registry.measurements.runs import recording
from treaty.registry.measurements.runs.recording import RunProvenance
from treaty.registry.measurements.states import state_store
from treaty.registry.review.approval import records
from treaty.registry.review.replays import replay, replay_versions
from treaty.registry.review.replays.replay import ReplayOptions
from treaty.registry.tables import CheckResultRow, DatasetRow, RunRow
from treaty.registry.worker.loop import Worker


def changed(**limits: dict[str, Any]) -> str:
    """The contract's next version, in which the checks of these analyzers have other limits."""
    content = {**document(), "version": "1.1.0"}
    for each in content["schema"][0]["quality"]:
        implementation = each["implementation"]
        if implementation["analyzer"] in limits:
            del implementation["mustBeGreaterOrEqualTo"]
            implementation.update(limits[implementation["analyzer"]])
    return writer.write(content).decode()


Command = Callable[..., tuple[int, str, str]]
STRICTER = changed(maximum={"mustBeLessThan": 5})


def days(memory: Memory) -> None:
    """Two later days, of which one has a larger number."""
    memory.save("day=2026-03-04/land=DE", rows={"id": [9], "mail": ["x@x"]})
    memory.save("day=2026-03-05/land=DE")


def found(memory: Memory, text: str = STRICTER, **ways: Any) -> Replay:
    with read_session(memory.world.engine) as tx:
        versions = replay_versions.of_document(tx, "shop-orders", text.encode(), by=memory.world.principal("viewer"))
        [told] = replay.replayed(tx, versions, memory.files, ReplayOptions(most=10**9, **ways), lambda *_: True)
    return told


def lines(told: Replay) -> dict[str, Any]:
    return {line.check_id: line for line in told.lines}


def test_a_proposal_is_told_with_the_partitions_on_which_it_would_have_alerted(memory: Memory) -> None:
    days(memory)
    made = memory.world.client("producer").propose(STRICTER)
    told = memory.world.client("viewer").replay(made.id)
    assert (told.contract_id, told.old, told.new, told.complete) == ("shop-orders", "1.0.0", "1.1.0", True)
    [table] = told.objects
    assert (table.partitions, table.stored, table.days) == (8, 8, 5)
    assert table.sentence.startswith("version 1.1.0 would have alerted on 1 of 5 days: 2026-03-04; version 1.0.0 would")
    line = {each.check_id: each for each in table.checks}["maximum-id"]
    assert line.new_alerts.names == ("day=2026-03-04/land=DE",)
    assert line.new
    assert (line.new.evaluated, line.new.unit) == (8, "partitions")
    once = {each.check_id: each for each in table.checks}["uniqueness-id"]
    assert once.new
    assert [(each.reason, each.count) for each in once.new.not_evaluated] == [(COUNTED, 5)]
    assert told.milliseconds


def test_what_an_approver_was_shown_of_a_replay_is_on_record(memory: Memory) -> None:
    days(memory)
    made, owner = memory.world.client("producer").propose(STRICTER), memory.world.client("owner")
    owner.approve(made.id, owner.preview(made.id).fingerprint, replay=True)
    with read_session(memory.world.engine) as tx:
        first, second = records.of_version(tx, "shop-orders", "1.0.0"), records.of_version(tx, "shop-orders", "1.1.0")
        assert records.faults(tx, second[0]) == ()
    kept = second[0].content["replay"]
    assert (first[0].content["replay"], kept["old"], kept["new"], kept["complete"]) == (None, "1.0.0", "1.1.0", True)
    [table] = kept["objects"]
    assert (table["object"], table["partitions"], table["stored"]) == ("orders", 8, 8)
    assert table["sentence"].startswith("version 1.1.0 would have alerted on 1 of 5 days: 2026-03-04")


def test_while_others_are_replayed_nothing_is_approved_without_what_was_shown(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = BoundedSemaphore(1)
    taken.acquire()
    monkeypatch.setattr("treaty.registry.api.routes.replays.REPLAYING", taken)
    monkeypatch.setattr("treaty.registry.api.routes.replays.PATIENCE", 0.01)
    made, owner = memory.world.client("producer").propose(STRICTER), memory.world.client("owner")
    shown = owner.preview(made.id).fingerprint
    with pytest.raises(ClientError) as refused:
        owner.approve(made.id, shown, replay=True)
    assert (refused.value.status, owner.proposal(made.id).approvals) == (503, 0)
    assert owner.approve(made.id, shown).version


def test_any_document_is_told_of_and_nothing_is_stored(memory: Memory) -> None:
    days(memory)
    before = memory.world.audited()
    told = memory.world.client("viewer").replay_document("shop-orders", STRICTER)
    assert "alerted on 1 of 5 days: 2026-03-04" in told.objects[0].sentence
    assert memory.world.audited() == before
    with pytest.raises(ClientError) as refused:
        memory.world.client("viewer").replay_document("nowhere", STRICTER)
    assert refused.value.status == 404
    with pytest.raises(ClientError) as refused:
        memory.world.client("viewer").replay_document("shop-orders", STRICTER.replace("maximum", "maxmum"))
    assert (refused.value.status, bool(refused.value.faults)) == (422, True)


def test_a_draft_is_replayed_for_its_author_alone(memory: Memory) -> None:
    made = memory.world.client("producer").propose(STRICTER, submit=False)
    assert memory.world.client("producer").replay(made.id).complete
    for who in ("viewer", "owner", "admin"):
        with pytest.raises(ClientError) as refused:
            memory.world.client(who).replay(made.id)
        assert refused.value.status == 404


def test_a_first_version_of_a_table_that_nobody_measured_says_so(memory: Memory) -> None:
    made = memory.world.client("producer").propose(STRICTER.replace("shop-orders", "other"))
    told = memory.world.client("viewer").replay(made.id)
    assert (told.old, told.complete, told.milliseconds) == (None, True, None)
    assert told.objects[0].sentence == ("no states of orders are stored: version 1.1.0 cannot be evaluated")


def test_when_the_time_is_over_the_first_partitions_are_told_of(memory: Memory) -> None:
    days(memory)
    with read_session(memory.world.engine) as tx:
        versions = replay_versions.of_document(
            tx, "shop-orders", STRICTER.encode(), by=memory.world.principal("viewer")
        )
        some = replay.replayed(tx, versions, memory.files, ReplayOptions(), lambda done, _: done < 3)
    assert (some[0].partitions, some[0].stored) == (4, 8)
    assert some[0].sentence.endswith("evaluated: the first 4 of 8")
    assert replay.plain(versions, some, 1.0)["complete"] is False


def test_states_that_were_replaced_are_judged_where_that_is_asked_for(memory: Memory) -> None:
    memory.save(DAYS[0], rows={"id": [9], "mail": ["x@x"]})
    memory.save(DAYS[0])
    memory.forget(DAYS[1])
    now, then = found(memory), found(memory, include_replaced=True)
    assert (now.partitions, then.partitions) == (5, 6)
    assert lines(now)["maximum-id"].new.alerts == ()
    assert lines(then)["maximum-id"].new.alerts == (f"{DAYS[0]} (arrival 2)",)


def test_days_that_were_merged_count_in_the_dataset_alone(memory: Memory) -> None:
    memory.merge()
    told = found(memory, changed(size={"mustBeLessThan": 1}))
    assert told.partitions == 6
    assert lines(told)["size"].new.lacking == 6


def test_counts_are_added_up_by_a_worker_that_tells_how_far_it_is(memory: Memory) -> None:
    days(memory)
    unique = changed(uniqueness={"mustBeGreaterThan": 0.01})
    asked = schemas.ReplayIn(contract_id="shop-orders", document=unique)
    producer = memory.world.client("producer")
    task = producer.request_replay(asked)
    worker = _worker(memory)
    assert worker.work()
    done = producer.task(task.id)
    assert (done.state, done.error) == ("done", None)
    result = schemas.ReplayOut.model_validate(done.result)
    line = {each.check_id: each for each in result.objects[0].checks}["uniqueness-id"]
    assert line.new
    # In the first arrivals no number occurs once; 9 does, once it came.
    assert (line.new.evaluated, line.new.alerts.count) == (5, 3)
    for who in ("viewer", "owner"):
        with pytest.raises(ClientError) as refused:
            memory.world.client(who).task(task.id)
        assert refused.value.status == 404


def _worker(memory: Memory) -> Worker:
    return Worker(
        database=memory.world.engine, engine=FakeEngine(), evaluate=evaluate, large=large,
        settings=memory.world.http.app.state.service.settings, missing_states=lacking,
    )  # fmt: skip


def test_what_a_worker_found_of_a_proposal_is_shown_to_who_may_see_that(memory: Memory) -> None:
    made = memory.world.client("producer").propose(STRICTER)
    task = memory.world.client("consumer").request_replay(schemas.ReplayIn(proposal_id=made.id))
    assert _worker(memory).work()
    assert memory.world.client("viewer").task(task.id).result


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"document": STRICTER},
        {"contract_id": "shop-orders"},
        {"proposal_id": str(ids.new()), "document": STRICTER, "contract_id": "shop-orders"},
    ],
)
def test_a_replay_is_of_a_proposal_or_of_a_document(memory: Memory, body: dict[str, Any]) -> None:
    assert memory.world.call("producer", "POST", "/replays", json=body).status_code == 422


def test_counts_that_are_too_many_are_told_as_such(memory: Memory) -> None:
    with read_session(memory.world.engine) as tx:
        versions = replay_versions.of_document(
            tx, "shop-orders", STRICTER.encode(), by=memory.world.principal("viewer")
        )
        [told] = replay.replayed(tx, versions, memory.files, ReplayOptions(merge_counts=True, most=1), lambda *_: True)
    [reason] = lines(told)["uniqueness-id"].new.not_evaluated
    assert reason == replay.TOO_LARGE


def record(memory: Memory, at: int, *delta: str, rows: Any = None, gone: tuple[str, ...] = ()) -> None:
    """Stores what came and went, and the run of the contract in force that a worker records of it."""
    given = read(writer.write(document()))
    began = NOW + timedelta(hours=at)
    checks = bind(given.object("orders"), TABLE)
    with transaction(memory.world.engine) as tx:
        dataset = tx.exec(select(DatasetRow)).one()
        packed = bag(checks.plan, TABLE, rows or ROWS).pack(memory.files)
        measured = state_store.MeasureResult(
            schema=TABLE, fingerprints={name: f"{name} {at}" for name in delta}, states=dict.fromkeys(delta, packed)
        )
        now = began + timedelta(minutes=5)
        version = state_store.save(tx, dataset.id, measured, vanished=gone, now=now, ids=ids.new)
        result = evaluate(
            EvaluationRequest(
                contract=given,
                object_name="orders",
                states=state_store.load(tx, dataset.id),
                delta=delta,
                started_at=began,
                finished_at=now,
                schema=TABLE,
                files=memory.files,
            )
        )
        marker = fingerprint(state_store.stored_fingerprints(tx, dataset.id))
        recording.record(
            tx,
            ids.new(),
            result,
            RunProvenance(dataset_id=dataset.id, dataset_fingerprint=marker, states_version=version),
            now=now,
        )
        tx.commit()


BAD = {"id": [1, 1, -3], "mail": [None, None, None]}


def test_the_version_in_force_comes_out_exactly_as_in_the_recorded_runs(engine: Engine, tmp_path: Path) -> None:
    memory = Memory(engine, tmp_path)
    record(memory, 1, DAYS[0])
    record(memory, 2, DAYS[2], rows=BAD)
    record(memory, 3, DAYS[2], rows={"id": [1, 7], "mail": ["a", "b"]})
    record(memory, 4, DAYS[4], rows=BAD, gone=(DAYS[0],))
    record(memory, 5, gone=(DAYS[2],))
    told = found(memory, merge_counts=True, include_replaced=True)
    with read_session(engine) as tx:
        rows = tx.exec(select(CheckResultRow, RunRow).join(RunRow, RunRow.id == CheckResultRow.run_id)).all()
    # A run to which nothing came says once more what columns there are: there is no partition to tell that of.
    recorded = [row for row, run in rows if run.partitions or not row.check_id.startswith("schema-")]
    for check_id, line in lines(told).items():
        ran = [row.outcome for row in recorded if row.check_id == check_id]
        assert len(line.old.alerts) == ran.count(Outcome.FAILED), check_id
        assert line.old.evaluated == ran.count(Outcome.FAILED) + ran.count(Outcome.PASSED), check_id
        assert line.old.lacking == ran.count(Outcome.NOT_EVALUATED), check_id
    assert lines(told)["maximum-id"].old.evaluated == 4
    assert {row.check_id for row in recorded} == lines(told).keys()


def test_metrics_of_other_datasets_are_those_of_the_time(engine: Engine, tmp_path: Path) -> None:
    memory = Memory(engine, tmp_path)
    record(memory, 1, DAYS[0])
    record(memory, 3, DAYS[2], rows={"id": [1], "mail": ["a"]})
    content = document()
    limit = {"dataset": "shop-orders", "analyzer": "size"}
    content["schema"][0]["quality"] = [check("size") | {"implementation": {"analyzer": "size", "mustBe": limit}}]
    given = read(writer.write(content))
    with read_session(engine) as tx:
        [line] = related_datasets.timelines(tx, given, given.object("orders"), hidden=()).values()
    values = [line.at(NOW + timedelta(hours=hours)).value for hours in (0, 2, 4)]
    assert values == [None, 4, 1]
    assert line.at(NOW).reason == "no run of shop-orders had measured this metric yet"


def test_what_nobody_may_see_is_not_found(memory: Memory) -> None:
    with read_session(memory.world.engine) as tx, pytest.raises(NotFound):
        replay_versions.of_proposal(tx, ids.new(), by=memory.world.principal("admin"))


@pytest.fixture
def command(memory: Memory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command against that service, as somebody who may propose: its exit code and what it printed."""

    def connected(**_: object) -> httpx.Client:
        return TestClient(memory.world.http.app)  # type: ignore[return-value]

    def run(*arguments: str) -> tuple[int, str, str]:
        code = _code(list(arguments))
        return code, *capsys.readouterr()

    monkeypatch.setenv("TREATY_TOKEN", memory.world.secrets["producer"])
    monkeypatch.setattr("treaty.registry.client.transport.httpx.Client", connected)
    return run


def test_the_command_tells_of_a_proposal_and_ends_with_what_was_found(command: Command, memory: Memory) -> None:
    days(memory)
    made = memory.world.client("producer").propose(STRICTER)
    code, printed, _ = command("replay", str(made.id))
    assert code == 1
    assert printed.startswith("orders: version 1.1.0 would have alerted on 1 of 5 days: 2026-03-04;")
    assert ["maximum-id", "0", "of", "8", "1", "of", "8", "1", "0"] in [
        line.split()[:9] for line in printed.splitlines()
    ]
    assert "8 partitions, " in printed


def test_the_command_tells_of_a_document(command: Command, memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "next.yaml"
    path.write_text(document_text := changed(), encoding="utf-8")
    code, printed, _ = command("replay", "shop-orders", "--document", str(path), "--json")
    assert (code, schemas.ReplayOut.model_validate_json(printed).complete) == (0, True)
    path.write_text(document_text.replace("shop-orders", "other"), encoding="utf-8")
    assert command("replay", "shop-orders")[::2] == (
        3,
        "treaty: shop-orders is not a proposal id. To replay a contract document, add --document FILE.\n",
    )
    assert command("replay", "shop-orders", "-d", str(tmp_path / "gone.yaml"))[0] == 3


def test_the_command_waits_for_a_worker_where_counts_are_asked_for(
    command: Command, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = memory.world.client("producer").propose(changed(uniqueness={"mustBeGreaterThan": 0.01}))
    monkeypatch.setattr(
        "treaty.registry.cli.commands.tasks.time", SimpleNamespace(sleep=lambda _: _worker(memory).work())
    )
    code, printed, _ = command("replay", str(made.id), "--merge-counts")
    assert code == 1
    assert "uniqueness-id" in printed


def test_the_command_cannot_check_a_version_of_which_nothing_is_stored(command: Command, memory: Memory) -> None:
    made = memory.world.client("producer").propose(STRICTER.replace("shop-orders", "other"))
    assert command("replay", str(made.id))[0] == 3


def test_of_each_difference_it_is_told_what_the_stored_partitions_say(memory: Memory) -> None:
    days(memory)
    text = changed(maximum={"mustBeLessThan": 5}, completeness={"mustBeGreaterOrEqualTo": 0.5})
    content = yaml.safe_load(text)
    content["schema"][0]["properties"][0]["required"] = True
    told = memory.world.client("viewer").replay_document("shop-orders", writer.write(content).decode())
    found = {(each.check_id or each.column, each.element): each for each in told.differences}
    assert found["completeness-mail", "threshold"].direction == "tightens"
    assert found["completeness-mail", "threshold"].evidence == "both versions agree on all 8 partitions"
    assert found["maximum-id", "threshold"].evidence == (
        "both versions agree on 7 of 8 partitions; only the proposed version alerts on 1: 2026-03-04"
    )
    assert found["id", "required"].evidence.startswith("8 could not be evaluated: ")
    line = {each.check_id: each for each in told.objects[0].checks}["id-required"]
    assert line.old is None
    assert line.new
    assert line.new.evaluated + sum(each.count for each in line.new.not_evaluated) == 8


def test_memory_that_somebody_may_not_read_is_told_to_nobody_by_a_proposal_of_their_own(memory: Memory) -> None:
    made = memory.world.client("producer").propose(STRICTER)
    author = memory.world.principal("producer")
    elsewhere = ScopedGrant(GrantScope.CONTRACT, "other", frozenset({Permission.READ}))
    moved = replace(author, permissions=frozenset(), granted=(elsewhere,))
    with read_session(memory.world.engine) as tx:
        versions = replay_versions.of_proposal(tx, made.id, by=moved)
        [told] = replay.replayed(tx, versions, memory.files, ReplayOptions(), lambda *_: True)
    assert told.stored == 0


def test_a_crowd_that_asks_for_replays_does_not_take_the_whole_service(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treaty.registry.api.routes.replays.PATIENCE", 0.01)
    taken = BoundedSemaphore(1)
    monkeypatch.setattr("treaty.registry.api.routes.replays.REPLAYING", taken)
    viewer = memory.world.client("viewer")
    with taken, pytest.raises(ClientError) as refused:
        viewer.replay_document("shop-orders", STRICTER)
    assert (refused.value.status, "a replay task" in refused.value.message) == (503, True)
    assert viewer.replay_document("shop-orders", STRICTER).complete


def test_many_that_came_at_once_are_judged_in_portions_and_their_dataset_once(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.save(*(f"batch={at}" for at in range(7)))
    text = changed(size={"mustBeLessThan": 1}, maximum={"mustBeLessThan": 1, "scope": "dataset"})
    whole = found(memory, text)
    monkeypatch.setattr("treaty.registry.review.replays.state_timeline.AT_A_TIME", 3)
    assert found(memory, text) == whole
    assert lines(whole)["maximum-id"].new.alerts[-1] == "7 partitions up to batch=6"
    with read_session(memory.world.engine) as tx:
        versions = replay_versions.of_document(tx, "shop-orders", text.encode(), by=memory.world.principal("viewer"))
        [part] = replay.replayed(tx, versions, memory.files, ReplayOptions(), lambda done, _: done < 7)
    assert (part.partitions, len(lines(part)["maximum-id"].new.alerts)) == (9, 3)


def test_a_first_contract_about_a_table_that_others_know_is_judged_on_what_is_kept_for_them(memory: Memory) -> None:
    days(memory)
    text = STRICTER.replace("id: shop-orders", "id: other")
    made = memory.world.client("producer").propose(text)
    told = memory.world.client("viewer").replay(made.id)
    assert (told.contract_id, told.old) == ("other", None)
    assert told.objects[0].sentence.startswith("version 1.1.0 would have alerted on 1 of 5 days: 2026-03-04")
    stranger = replace(
        memory.world.principal("viewer"),
        permissions=frozenset(),
        granted=(ScopedGrant(GrantScope.CONTRACT, "other", frozenset({Permission.READ})),),
    )
    with read_session(memory.world.engine) as tx:
        assert replay_versions.of_proposal(tx, made.id, by=stranger).hidden == {"orders"}
