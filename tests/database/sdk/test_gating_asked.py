"""The gate's question over HTTP, as `treaty gate check`, and from a Spark job."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from support.api import plain
from support.orders import check
from support.registered import POSITIVE, Command, Registered, commands, registered

from treaty.contracts.document import writer
from treaty.contracts.fingerprint import fingerprint
from treaty.engine.protocol.requests import TableSource
from treaty.registry.client import Client, ClientError
from treaty.registry.core.enums import GateAnswer
from treaty.registry.sdk import gated_read
from treaty.registry.sdk.wait_for_gate import seconds_of, wait_for_answer

A, B = "day=2026-01-01", "day=2026-01-02"
LOW = check("minimum", "low", severity="warning", column="id", mustBeGreaterThan=5)


@pytest.fixture
def kind() -> str:
    """One database is enough: the command speaks HTTP."""
    return "sqlite"


@pytest.fixture
def table(engine: Engine, tmp_path, monkeypatch: pytest.MonkeyPatch) -> Registered:
    monkeypatch.setattr("os.fsync", lambda _: None)
    return registered(engine, tmp_path)


@pytest.fixture
def command(table: Registered, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs `treaty gate check` as somebody who may read: its exit code and what it printed."""
    return commands(table, monkeypatch, capsys, "viewer", "gate", "check")


def test_the_exit_code_is_the_answer(command: Command, table: Registered) -> None:
    assert command("orders")[0] == 3
    table.publish({A: [1]})
    code, printed, _ = command("orders")
    assert (code, printed.startswith(f"allow: {table.gated.table}")) == (0, True)
    table.approve(POSITIVE, LOW, version="1.1.0")
    assert command("orders")[0] == 3
    table.publish({A: [2]})
    assert [command("orders", "--fail-on", each)[0] for each in ("error", "warning")] == [0, 2]
    table.gated.gate().stage({B: [-1]}, table.gated.table, {})
    assert table.worked().result is not None
    assert [command("orders", *more)[0] for more in ((), ("--partition", A), ("--partition", B))] == [1, 0, 1]


def test_json_says_which_contract_judged_which_data(command: Command, table: Registered) -> None:
    table.publish({A: [1]})
    told = table.world.client("viewer").gate("orders", partition=A)
    assert (told.answer, told.contract_id, told.version, told.partition) == ("allow", "orders", "1.0.0", A)
    assert (told.dataset_fingerprint, told.location.location) == (
        fingerprint(table.gated.fingerprints),
        table.gated.table,
    )
    assert [each.model_dump()["run_id"] for each in told.contracts] == [told.run_id]
    assert f'"dataset_fingerprint": "{told.dataset_fingerprint}"' in command("orders", "--json")[1]


def test_a_dataset_s_own_name_asks_every_contract_about_it(command: Command, table: Registered) -> None:
    table.publish({A: [1]})
    second = table.gated.table

    table.approve_document(writer.write(plain("other", physical=second)).decode())
    told = table.world.client("viewer").gate(table.gated.table)
    assert {each.contract_id: each.answer.value for each in told.contracts} == {"orders": "allow", "other": "unknown"}
    assert (told.answer, told.contract_id) == ("unknown", "other")
    assert table.world.client("viewer").gate(table.gated.table, contract_id="orders").answer == "allow"
    with pytest.raises(ClientError) as refused:
        table.world.client("viewer").verdict(table.gated.table)
    assert (refused.value.status, "Specify one of: orders.orders, other.orders" in refused.value.message) == (422, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nothing",), "No contract covers dataset nothing"),
        (("orders", "--consumer", "nobody"), "nobody has no subscription"),
        (("orders", "--wait", "soon"), "--wait soon is not a duration: use a form like 30s, 10m or 2h"),
    ],
)
def test_what_cannot_be_asked_ends_the_command_with_a_word(
    arguments: tuple[str, ...], said: str, command: Command
) -> None:
    code, printed, told = command(*arguments)
    assert (code, printed, said in told) == (3, "", True)


def test_waiting_ends_with_the_first_answer_or_with_the_time() -> None:
    rests: list[float] = []

    def answers(*words: str) -> Callable[[], Any]:
        left: Iterator[str] = iter(words)
        return lambda: SimpleNamespace(answer=GateAnswer(next(left)))

    assert wait_for_answer(answers("unknown", "unknown", "block"), 600, rest=rests.append).answer == "block"
    assert rests == [1, 2]
    assert wait_for_answer(answers(*["unknown"] * 9), 20, rest=rests.append).answer == "unknown"
    assert rests[2:] == [1, 2, 4, 8, 5]
    assert wait_for_answer(answers("unknown"), 0, rest=rests.append).answer == "unknown"


@pytest.mark.parametrize(("text", "seconds"), [("30s", 30), ("10m", 600), ("2h", 7200), ("0s", 0)])
def test_durations_are_numbers_with_a_unit(text: str, seconds: int) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "10", "m", "-1s", "1d", "1.5h"])
def test_other_words_are_no_durations(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        seconds_of(text)


def test_a_job_reads_what_the_gate_lets_through_and_nothing_else(
    table: Registered, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(
        "treaty.engine.spark.sources.readers.read", lambda *given, **named: seen.append((given[1], named)) or "frame"
    )

    def ask(**more: Any) -> Any:
        http: Any = TestClient(table.world.http.app)
        client = Client("http://testserver", table.world.secrets["viewer"], http=http)
        return gated_read.table("a session", "orders", client=client, **more)

    with pytest.raises(gated_read.VerdictUnknown, match="this data has not been validated"):
        ask()
    table.publish({A: [1]})
    found = ask(partition=A)
    assert (found.frame, found.marker) == ("frame", fingerprint(table.gated.fingerprints))
    assert seen == [(TableSource(table.gated.table, None, ("day",)), {"names": (A,)})]
    table.gated.gate().stage({B: [-1]}, table.gated.table, {})
    table.worked()
    with pytest.raises(gated_read.ReadBlocked, match="positive failed in day=2026-01-02"):
        ask()
    assert len(seen) == 1
    with pytest.raises(ValueError, match="is not a duration"):
        ask(wait="soon")
