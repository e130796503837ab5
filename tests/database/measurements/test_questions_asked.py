"""`treaty metrics`, `treaty states` and `treaty rerun`: what they print of a service's answers, and how they end."""

import json
from collections.abc import Callable

import httpx
import pytest
from fastapi.testclient import TestClient
from sqlmodel import select
from support.api import NOW
from support.memories import DAYS, TABLE, Memory, document

from treaty.contracts.document import writer
from treaty.contracts.document.reader import read
from treaty.contracts.fingerprint import fingerprint
from treaty.engine.checks.binding import bind
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.evaluation.violation_samples import redact
from treaty.registry.cli.main import _code
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.measurements.runs import recording
from treaty.registry.measurements.runs.recording import RunProvenance
from treaty.registry.measurements.states import state_store
from treaty.registry.tables import CheckResultRow, DatasetRow, RunRow

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(memory: Memory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command against that service, as somebody who may read: its exit code and what it printed."""

    def connected(**_: object) -> httpx.Client:
        return TestClient(memory.world.http.app)  # type: ignore[return-value]

    def run(*arguments: str) -> tuple[int, str, str]:
        code = _code(list(arguments))
        return code, *capsys.readouterr()

    monkeypatch.setenv("TREATY_TOKEN", memory.world.secrets["viewer"])
    monkeypatch.setattr("treaty.registry.client.transport.httpx.Client", connected)
    return run


def test_metrics_are_printed_with_what_is_lacking(command: Command) -> None:
    asked = ("--where", "land = 'DE'", "--metric", "size", "--metric", "mean:column=id")
    code, printed, _ = command("metrics", "shop-orders", *asked)
    lines = [line.split() for line in printed.splitlines() if line.strip()]
    assert (code, lines[1]) == (0, ["size", "12", "12", "3"])
    assert "3 of 3 partitions have no state of it: add a check that measures it (day=" in printed
    assert "3 of 6 partitions of orders of shop-orders 1.0.0 where land = 'DE'" in printed


def test_states_are_printed_with_their_sums(command: Command) -> None:
    code, printed, _ = command("states", "shop-orders.orders")
    assert code == 0
    assert [name in printed for name in DAYS] == [True] * 6
    assert "uniqueness of id" in printed
    assert "6 of 6 partitions of orders of shop-orders 1.0.0, " in printed


def test_merged_days_are_printed_as_such(command: Command, memory: Memory) -> None:
    memory.merge()
    code, printed, _ = command("states", "shop-orders")
    lines = [line.split() for line in printed.splitlines() if "2026-03" in line]
    assert code == 0
    assert [(line[0], line[-3:]) for line in lines] == [
        (f"day=2026-03-[01-03]/land={land}", ["3", "days,", "merged"]) for land in ("DE", "FR")
    ]
    assert "6 of 6 partitions" in printed
    assert "more" not in printed


@pytest.mark.parametrize("verb", ["metrics", "states"])
def test_both_are_told_as_json(command: Command, verb: str) -> None:
    code, printed, _ = command(verb, "shop-orders", "--json")
    assert (code, json.loads(printed)["selected_partitions"]) == (0, 6)


@pytest.mark.parametrize("verb", ["metrics", "states"])
def test_a_refusal_ends_the_command_with_its_words(command: Command, verb: str) -> None:
    code, printed, errors = command(verb, "shop-orders", "--where", "id > 1")
    assert (code, printed) == (3, "")
    assert errors.splitlines() == [
        "treaty: The query cannot be evaluated.",
        "  reads 'id', which is not a partition column (the partition columns are day, land)",
    ]


def test_without_a_token_the_command_says_which_one_it_needs(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TREATY_TOKEN")
    assert command("metrics", "shop-orders")[::2] == (
        3,
        "treaty: Authentication required. Set TREATY_TOKEN to an API token.\n",
    )


@pytest.fixture
def run(memory: Memory) -> RunRow:
    """A run of the contract in force on what is stored, as a worker records it."""
    given = read(writer.write(document()))
    with transaction(memory.world.engine) as tx:
        dataset = tx.exec(select(DatasetRow)).one()
        packed = state_store.load(tx, dataset.id)
        result = evaluate(
            EvaluationRequest(
                contract=given,
                object_name="orders",
                states=packed,
                delta=DAYS[:2],
                started_at=NOW,
                finished_at=NOW,
                schema=TABLE,
                files=memory.files,
            )
        )
        marker, number = fingerprint(state_store.stored_fingerprints(tx, dataset.id)), dataset.states_version
        origin = RunProvenance(dataset_id=dataset.id, dataset_fingerprint=marker, states_version=number)
        told = redact(bind(given.object("orders"), TABLE), result)
        recorded = recording.record(tx, ids.new(), told, origin, now=NOW)
        tx.commit()
        tx.refresh(recorded)
        tx.expunge(recorded)
    return recorded


def test_a_run_is_done_again_as_it_was(command: Command, memory: Memory, run: RunRow) -> None:
    memory.save(DAYS[0], rows={"id": [1, 1], "mail": [None, None]})
    code, printed, _ = command("rerun", str(run.id))
    assert (code, printed) == (
        0,
        f"orders of shop-orders 1.0.0: {run.verdict} before, {run.verdict} now; 0 of 10 differ\n",
    )
    code, printed, _ = command("rerun", str(run.id), "--json")
    assert (code, json.loads(printed)["differences"]) == (0, [])


def test_what_comes_out_otherwise_is_a_line_and_the_exit_code(command: Command, memory: Memory, run: RunRow) -> None:
    with transaction(memory.world.engine) as tx:
        row = tx.exec(
            select(CheckResultRow).where(CheckResultRow.check_id == "size", CheckResultRow.partition == DAYS[0])
        ).one()
        row.value = "5"
        tx.commit()
    code, printed, _ = command("rerun", str(run.id))
    assert code == 1
    assert printed.splitlines()[1].split()[:6] == ["size", DAYS[0], "passed", "5", "passed", "4"]
    assert "1 of 10 differ" in printed


def test_a_run_that_is_not_there_ends_the_command(command: Command) -> None:
    assert command("rerun", str(ids.new()))[::2] == (3, "treaty: Not found, or you do not have access to it.\n")
