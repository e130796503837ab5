"""A gate whose contract and states are the registry's: what is published becomes history, over HTTP."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import Engine
from sqlmodel import select
from support.api import USERS, World, build
from support.gates import Crash, Ending
from support.orders import check
from support.registered import POSITIVE, TABLE, Registered, document, registered

from treaty.contracts.document import writer
from treaty.contracts.fingerprint import fingerprint
from treaty.engine.core import clock
from treaty.engine.core.errors import EngineError, StateError
from treaty.engine.gate.gate import CandidateRejected, GenerationConflict, open_gate
from treaty.engine.states.inventory import inventory
from treaty.registry.client import Client, ClientError
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import TaskState
from treaty.registry.sdk.remote_states import registered_contract
from treaty.registry.tables import CheckResultRow, DatasetRow, MeasurementRow, PartitionStateRow, RunRow, WebSessionRow
from treaty.registry.validation import findings, validate

A, B, C = "day=2026-01-01", "day=2026-01-02", "day=2026-01-03"


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test here loses power."""
    monkeypatch.setattr("os.fsync", lambda _: None)


@pytest.fixture
def table(engine: Engine, tmp_path: Path) -> Registered:
    return registered(engine, tmp_path)


def test_what_is_published_becomes_part_of_the_history(table: Registered) -> None:
    published = table.publish({A: [1, 2], B: [3]}).run
    assert published is not None
    (run,) = table.rows(RunRow)
    assert (run.verdict, run.partitions, run.rows, run.version) == ("passed", [A, B], 3, "1.0.0")
    assert (run.dataset_fingerprint, run.states_version) == (
        fingerprint(table.gated.fingerprints),
        table.dataset.states_version,
    )
    assert table.current == table.gated.fingerprints
    with transaction(table.world.engine) as tx:
        kept = [(each.check_id, each.partition, each.outcome) for each in tx.exec(select(CheckResultRow))]
        assert tx.exec(select(MeasurementRow)).first()
    assert sorted(kept, key=str) == sorted(((r.check_id, r.partition, r.outcome) for r in published.results), key=str)
    assert (table.gated.rows, table.agree(), table.answer, table.told) == (
        {A: [1, 2], B: [3]},
        True,
        "passed",
        "passed",
    )
    assert table.dataset.last_arrival_at is not None
    assert table.dataset.last_arrival_at == table.dataset.last_scanned_at
    audited = table.world.audited()[-3:]
    assert audited == ["states:committed", "run:recorded", "states:recovered"]


def test_what_breaks_the_contract_in_force_changes_nothing_in_table_and_registry(table: Registered) -> None:
    table.publish({A: [1]})
    before = table.current, table.gated.fingerprints, len(table.rows(RunRow))
    with pytest.raises(CandidateRejected):
        table.publish({A: [5], B: [-1]})
    assert (table.current, table.gated.fingerprints, len(table.rows(RunRow))) == before
    assert (table.told, table.agree()) == ("passed", True)


def test_the_whole_table_is_judged_from_the_registry_s_states(table: Registered) -> None:
    table.publish({A: [1] * 60, B: [1] * 30})
    with pytest.raises(CandidateRejected):
        table.publish({C: [1] * 10})
    table.publish({A: [1] * 50, C: [1] * 10})
    assert {name: len(rows) for name, rows in table.gated.rows.items()} == {A: 50, B: 30, C: 10}
    assert (table.agree(), table.told) == (True, "warned")


def test_large_states_lie_in_files_and_come_back_whole(table: Registered) -> None:
    table.publish({A: [1, 2, 3]})
    (row,) = table.rows(PartitionStateRow)
    assert in_files(row.states)
    with table.kept() as kept:
        (entry,) = kept.store.current().entries.values()
        assert (entry.bag, in_files(kept.store.bag(entry.bag))) == (row.bag, set())
    for each in (table.gated.folder / "home" / "states").iterdir():
        each.unlink()
    with table.kept() as kept, pytest.raises(StateError, match="is missing"):
        kept.store.bag(entry.bag)
    table.publish({B: [4]})
    assert (table.gated.rows, table.agree()) == ({A: [1, 2, 3], B: [4]}, True)


def test_what_was_kept_may_be_collected_once_a_generation_names_it(table: Registered) -> None:
    table.publish({A: [1], B: [2]})
    (row, _) = table.rows(PartitionStateRow)
    for each in (table.gated.folder / "home" / "states").iterdir():
        if each.name not in in_files(row.states):
            each.unlink()
    table.publish({B: [4]})
    assert (table.gated.rows, table.agree()) == ({A: [1], B: [4]}, True)


def in_files(packed: bytes) -> set[str]:
    """The files in which states of the bag lie."""
    return {each.file for each in inventory(packed)[0] if each.file}


def test_states_that_a_worker_stored_are_used_and_a_worker_finds_nothing_to_do(table: Registered) -> None:
    table.gated.gate().stage({A: [1], B: [2]}, table.gated.table, {})
    first = table.worked()
    assert first.result is not None, first.error
    assert (first.result["verdict"], len(table.rows(RunRow))) == ("passed", 1)
    table.publish({B: [3]})
    assert [row.partition for row in table.rows(PartitionStateRow)] == [A, B, B]
    assert (table.agree(), table.told) == (True, "passed")
    assert table.worked().result == {"note": findings.NOTHING_CHANGED}
    assert len(table.rows(RunRow)) == 2


CONTRARY: dict[str, Callable[[Any], Any]] = {
    "a verdict that the run has not": lambda form: {"verdict": {**form["verdict"], "verdict": "warned"}},
    "another contract": lambda form: {"verdict": {**form["verdict"], "contract": "x" * 64}},
    "a run that is none": lambda form: {"verdict": {**form["verdict"], "run": form["entries"][C]["bag"]}},
    "partitions that were not judged": lambda form: {"entries": {C: form["entries"][C], B: form["entries"][C]}},
    "bags that nobody kept": lambda form: {"entries": {C: {"fingerprint": "f", "bag": "0" * 64}}},
    "a bag that is none": lambda form: {"entries": {C: {"fingerprint": "f", "bag": form["verdict"]["run"]}}},
}


@pytest.mark.parametrize("name", CONTRARY)
def test_what_does_not_belong_together_is_refused(name: str, table: Registered) -> None:
    form = caught(table)
    before = state(table)
    answer = swapped(table, {**form, **CONTRARY[name](form)})
    assert (answer.status_code, state(table)) == (422, before), answer.text
    assert swapped(table, form).status_code == 201


def caught(table: Registered) -> dict[str, Any]:
    """A swap that a gate was about to ask for."""
    seen: list[dict[str, Any]] = []

    def catch(_: Any, __: str, following: Any, **___: Any) -> Any:
        seen.append(following.model_dump(mode="json"))
        raise ClientError(0, "The service cannot be reached")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "swap_generation", catch)
        with pytest.raises(EngineError, match="was interrupted"):
            table.publish({C: [1]})
    return seen[0]


def swapped(table: Registered, form: dict[str, Any], who: str = "producer") -> Any:
    return table.world.call(who, "POST", "/dataset/gate/generation?name=orders", json=form)


def state(table: Registered) -> tuple[Any, ...]:
    return table.dataset.model_dump(), table.current, len(table.rows(RunRow)), len(table.world.audited())


def test_a_swap_after_another_generation_is_refused_with_409(table: Registered) -> None:
    form = caught(table)
    assert swapped(table, {**form, "number": 3}).status_code == 409
    assert swapped(table, form).status_code == 201
    again = swapped(table, form)
    assert (again.status_code, "no longer of 0" in again.json()["message"]) == (409, True)


def test_of_many_swaps_at_once_one_is_made_and_nothing_is_mixed(table: Registered) -> None:
    form = caught(table)
    days = [f"day=2026-02-{day:02d}" for day in range(1, 9)]

    def swap(day: str) -> int:
        entries = {day: form["entries"][C], A: form["entries"][C]}
        return int(swapped(table, {**form, "entries": entries, "verdict": None}).status_code)

    with ThreadPoolExecutor(8) as writers:
        codes = dict(zip(days, writers.map(swap, days), strict=True))
    (won,) = [day for day, code in codes.items() if code == 201]
    assert {code for day, code in codes.items() if day != won} == {409}
    assert (table.current.keys(), table.dataset.states_version) == ({won, A}, 1)
    assert {row.bag for row in table.rows(PartitionStateRow)} == {form["entries"][C]["bag"]}


def test_generations_that_ended_long_ago_are_forgotten(table: Registered, monkeypatch: pytest.MonkeyPatch) -> None:
    table.publish({A: [1]})
    table.publish({A: [2]})
    table.publish({A: [3]})
    assert [row.generation for row in table.rows(PartitionStateRow)] == [1, 2, 3]
    later = clock.now() + timedelta(days=31)
    monkeypatch.setattr("treaty.registry.api.routes.gate_store.clock.now", lambda: later)
    with transaction(table.world.engine) as tx:
        for session in tx.exec(select(WebSessionRow)):
            session.expires_at = later + timedelta(days=1)
        tx.commit()
    table.publish({A: [4]})
    assert [row.generation for row in table.rows(PartitionStateRow)] == [3, 4]


def test_of_two_gates_one_wins(table: Registered) -> None:
    def both() -> None:
        with table.gate() as gate, open_gate(gate) as first:
            first.write({A: [1], B: [1]})
            table.publish({A: [2]})

    with pytest.raises(GenerationConflict, match=f"another writer published {A}"):
        both()
    assert (table.gated.rows, table.agree(), len(table.rows(RunRow))) == ({A: [2]}, True, 1)


def test_a_worker_that_stores_states_meanwhile_overtakes_the_gate(table: Registered) -> None:
    table.publish({A: [1]})
    with table.gate() as gate, open_gate(gate) as candidate:
        candidate.write({B: [2]})
        disturbed = replace(gate.store)
        with transaction(table.world.engine) as tx:
            tx.exec(select(DatasetRow)).one().states_version += 1
            tx.commit()
        assert disturbed.current().number == 2
    assert (table.gated.rows, table.agree()) == ({A: [1], B: [2]}, True)


def test_a_version_that_was_superseded_before_the_run_judges_nothing(table: Registered) -> None:
    def late() -> None:
        with table.gate() as gate:
            table.approve(POSITIVE, version="2.0.0")
            with open_gate(replace(gate, now=lambda: clock.now() + timedelta(hours=1))) as candidate:
                candidate.write({A: [1]})

    with pytest.raises(GenerationConflict, match="is not the version in force"):
        late()
    assert (table.gated.rows, table.current, table.gated.open) == ({}, {}, False)


def test_what_a_version_judged_while_it_was_in_force_is_published_after_all(table: Registered) -> None:
    between = clock.now()
    with table.gate() as gate:
        table.approve(POSITIVE, version="2.0.0")
        with open_gate(replace(gate, now=lambda: between)) as candidate:
            candidate.write({A: [1]})
    (run,) = table.rows(RunRow)
    assert (run.version, table.gated.rows) == ("1.0.0", {A: [1]})
    assert table.told == "unknown"
    told = table.world.client("viewer").verdict("orders")
    assert told.reason == "this data has not been validated with the version in force"


@pytest.mark.parametrize("recovery", ["forward", "back"])
def test_a_crash_at_any_step_is_recovered_over_http(recovery: str, engine: Engine, tmp_path: Path) -> None:
    table = registered(engine, tmp_path)
    table.publish({A: [1], B: [2]})
    seen, last = [], 0
    while ended(table, {A: [last + 3]}, last):
        old, new = {**table.gated.rows}, {A: [last + 3], B: [2]}
        if table.gated.open:
            assert table.answer == "unknown"
            assert table.told == ("unknown" if table.dataset.publishing_version else "passed")
            old = {A: [1], B: [2]}
        if recovery == "back":
            lose(table)
        done = table.recover()
        seen.append(done)
        assert table.gated.rows == {"forward": new, "back": old, "nothing": old}[done]
        assert (table.agree(), table.gated.open, table.dataset.publishing_version) == (True, False, None)
        assert (table.answer, table.told) == ("passed", "passed")
        table.publish({A: [1]})
        last += 2
    assert recovery in seen


def ended(table: Registered, rows: dict[str, list[int]], last: int) -> bool:
    """Whether the process ended before it was done."""
    try:
        table.publish(rows, Ending(last=last))
    except Crash:
        return True
    return False


def lose(table: Registered) -> None:
    """The new files are lost, as long as they are not in the table."""
    for path in table.gated.folder.glob(".orders.gate/candidate-*/new/*/*.parquet"):
        path.unlink()


def test_while_a_publication_is_open_no_worker_reads_the_table(table: Registered) -> None:
    table.publish({A: [1]})
    last = 0
    while not table.dataset.publishing_version:
        assert ended(table, {A: [2]}, last)
        last += 1
        if not table.dataset.publishing_version:
            table.recover()
    task = table.worked()
    assert (task.state, validate.PUBLISHING in str(task.error)) == (TaskState.QUEUED, True)
    assert table.recover() == "forward"
    assert table.worked().result == {"note": findings.NOTHING_CHANGED}


def test_where_the_answer_is_lost_recovery_finds_out_what_became_of_it(table: Registered) -> None:
    table.publish({A: [1]})
    swap = Client.swap_generation

    def lost(*given: Any, **named: Any) -> Any:
        swap(*given, **named)
        raise ClientError(0, "The service cannot be reached")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "swap_generation", lost)
        with pytest.raises(EngineError, match="was interrupted"):
            table.publish({A: [2]})
    assert (table.gated.rows, table.told, table.recover()) == ({A: [1]}, "unknown", "forward")
    assert (table.gated.rows, table.told, table.agree()) == ({A: [2]}, "passed", True)
    assert len(table.rows(RunRow)) == 2


def test_a_request_that_was_sent_twice_on_its_way_is_no_conflict(table: Registered) -> None:
    swap = Client.swap_generation

    def twice(*given: Any, **named: Any) -> Any:
        swap(*given, **named)
        return swap(*given, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "swap_generation", twice)
        table.publish({A: [2]})
    assert (table.gated.rows, table.told, table.agree(), len(table.rows(RunRow))) == ({A: [2]}, "passed", True, 1)


def test_the_gate_answers_about_data_and_not_about_a_name(table: Registered) -> None:
    viewer = table.world.client("viewer")
    assert (table.told, viewer.verdict("orders").reason) == ("unknown", "this data has not been validated")
    table.publish({A: [1]})
    marker = fingerprint(table.gated.fingerprints)
    told = viewer.verdict("orders", dataset_fingerprint=marker)
    assert (told.verdict, told.dataset_fingerprint, told.run_id) == ("passed", marker, table.rows(RunRow)[0].id)
    other = viewer.verdict("orders", dataset_fingerprint="0" * 64)
    assert (other.verdict, other.reason) == ("unknown", "the requested data differs from the validated data")
    table.approve(POSITIVE, version="2.0.0")
    assert viewer.verdict("orders", dataset_fingerprint=marker).verdict == "unknown"


def test_what_a_contract_classifies_does_not_leave_the_job(table: Registered) -> None:
    spread = check("histogram", "spread", column="id", mustBe=1)
    table.approve(spread, version="1.1.0")
    run = table.publish({A: [4711, 4711]}).run
    assert run is not None
    assert "4711" in str(run.measurements[0].details)
    content = yaml.safe_load(document(table.gated.table, spread, version="2.0.0"))
    content["schema"][0]["properties"][0]["classification"] = "personal"
    table.approve_document(writer.write(content).decode())
    sent: list[bytes] = []
    with pytest.MonkeyPatch.context() as patch, table.kept() as kept:
        patch.setattr(Client, "store_bag", lambda _, content: sent.append(content) or "0" * 64)
        assert kept.store is not None
        assert kept.store.verdict_of(run, TABLE).run == "0" * 64
    assert [b"4711" in each for each in sent] == [False]


def test_a_registry_that_does_not_know_the_dataset_says_so(world: World) -> None:
    client = world.client("producer")
    with (
        pytest.raises(EngineError, match="No contract covers dataset nothing"),
        registered_contract("nothing", client=client),
    ):
        pass


def test_a_token_that_may_not_write_states_opens_no_gate(table: Registered) -> None:
    with pytest.raises(EngineError, match="requires the permission states:write"), table.kept("consumer"):
        pass


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_states_are_copies_of_data_and_not_for_everybody(method: str, table: Registered) -> None:
    table.publish({A: [1]})
    (row,) = table.rows(PartitionStateRow)
    path = "/dataset/gate/bag" + (f"?name=orders&bag={row.bag}" if method == "GET" else "")
    sent = {"content": b"any"} if method == "POST" else {}
    answers = {who: table.world.call(who, method, path, **sent).status_code for who in (*USERS, None)}
    permitted = {who: code for who, code in answers.items() if code in (200, 201)}
    assert permitted.keys() == {"admin", "owner", "other-owner", "producer", "service"}
    assert {code for who, code in answers.items() if who not in permitted} == {401, 403}


@pytest.mark.parametrize("name", ["../../etc/passwd", "0" * 64, "x", "00000000-0000-7000-8000-000000000000"])
def test_bags_that_are_not_there_are_not_found(name: str, table: Registered) -> None:
    answer = table.world.call("producer", "GET", "/dataset/gate/bag", params={"name": "orders", "bag": name})
    assert answer.status_code == (422 if "/" in name or name == "x" else 404)


def test_states_longer_than_the_limit_are_refused(engine: Engine, tmp_path: Path) -> None:
    small = build(engine, home=tmp_path, max_state_bytes=1000, max_body_bytes=10)
    assert small.client("producer").store_bag(b"x" * 1000)
    with pytest.raises(ClientError) as refused:
        small.client("producer").store_bag(b"x" * 1001)
    assert refused.value.status == 413
