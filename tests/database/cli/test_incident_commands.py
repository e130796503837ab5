"""`treaty incidents`, `treaty impact`, `treaty inferred-consumers`: what they print, and what they do."""

import json
from collections.abc import Callable
from uuid import UUID

import httpx
import pytest
from fastapi.testclient import TestClient
from support.api import World
from support.flowing import ran, step
from support.harms import Fails, Harm

from treaty.registry.cli.main import _code

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def kind() -> str:
    """One database is enough: the commands speak HTTP."""
    return "sqlite"


@pytest.fixture
def harm(world: World) -> Harm:
    made = Harm(world)
    for contract_id in ("orders", "report"):
        made.promise(contract_id)
    made.events(
        *ran("load", 0, 1, writes=["orders"]),
        *ran("report", 2, 3, reads=["orders"], writes=["report"]),
        step("dash", "COMPLETE", 2, reads=["orders"], namespace="growth"),
    )
    made.judge("orders", Fails(column="amount"), at=4, by=("load", 1))
    return made


@pytest.fixture
def command(harm: Harm, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command as an owner: its exit code and what it printed."""

    def connected(**_: object) -> httpx.Client:
        return TestClient(harm.world.http.app)  # type: ignore[return-value]

    def run(*arguments: str) -> tuple[int, str, str]:
        code = _code(list(arguments))
        return code, *capsys.readouterr()

    monkeypatch.setenv("TREATY_TOKEN", harm.world.secrets["owner"])
    monkeypatch.setattr("treaty.registry.client.transport.httpx.Client", connected)
    return run


def test_incidents_are_listed_and_shown(command: Command, harm: Harm) -> None:
    code, out, _ = command("incidents", "list", "--state", "open")
    assert (code, str(harm.only.id) in out, "orders.orders" in out) == (0, True, True)
    code, out, _ = command("incidents", "show", str(harm.only.id)[:20])
    assert (code, "good" in out, "ds=1" in out, "amount" in out) == (0, True, True, True)
    assert UUID(json.loads(command("incidents", "show", str(harm.only.id), "--json")[1])["id"]) == harm.only.id


def test_each_step_is_a_command(command: Command, harm: Harm) -> None:
    named = str(harm.only.id)
    for arguments, told in [
        (("acknowledge",), "acknowledged by: owner"),
        (("assign", "producer"), "assignee: producer"),
        (("assign",), "assignee: none"),
        (("snooze", "--hours", "2"), "snoozed until"),
        (("snooze", "--hours", "0"), "assignee: none"),
        (("resolve", "false_alarm", "--comment", "a holiday"), "false alarm by owner"),
        (("reopen",), "open, opened"),
    ]:
        code, out, err = command("incidents", arguments[0], named, *arguments[1:])
        assert (code, told in out, err) == (0, True, "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("resolve", "{id}", "recovered"), "'recovered' is not one of 'fixed'"),
        (("show", "nothing"), "No incident has an id that starts with nothing"),
        (("show", "00000000-0000-7000-8000-000000000000"), "Not found"),
        (("reopen", "{id}"), "its state is open"),
    ],
)
def test_what_cannot_be_done_is_said(command: Command, harm: Harm, arguments: tuple[str, ...], words: str) -> None:
    code, _, err = command("incidents", *(each.format(id=harm.only.id) for each in arguments))
    assert (code, words in err) == (3, True)


def test_what_bad_data_did_is_told(command: Command) -> None:
    code, out, _ = command("impact", "orders")
    assert (code, "contaminated" in out, "/lake/report" in out, "bad since" in out) == (0, True, True, True)
    assert "no open incident" in command("impact", "report")[1]


def test_readers_are_listed_and_confirmed(command: Command) -> None:
    assert "dash" in command("inferred-consumers", "orders")[1]
    code, out, _ = command("inferred-consumers", "orders", "--confirm", "growth", "dash")
    assert (code, "confirmed" in out) == (0, True)
    code, _, err = command("inferred-consumers", "orders", "--dismiss", "growth", "dash")
    assert (code, "is already confirmed" in err) == (3, True)
