"""`treaty metrics` and `treaty states`: what they print of a service's answers, and how they end."""

import json
from collections.abc import Callable

import httpx
import pytest
from fastapi.testclient import TestClient
from support.memories import DAYS, Memory

from registry.cli import _code

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
    monkeypatch.setattr("registry.client.httpx.Client", connected)
    return run


def test_metrics_are_printed_with_what_is_lacking(command: Command) -> None:
    asked = ("--where", "land = 'DE'", "--metric", "size", "--metric", "mean:column=id")
    code, printed, _ = command("metrics", "shop-orders", *asked)
    lines = [line.split() for line in printed.splitlines() if line.strip()]
    assert (code, lines[1]) == (0, ["size", "12", "12", "3"])
    assert "3 of 3 partitions have no state of it: let a check of the contract measure it (day=" in printed
    assert "3 of 6 partitions of orders of shop-orders 1.0.0 where land = 'DE'" in printed


def test_states_are_printed_with_their_sums(command: Command) -> None:
    code, printed, _ = command("states", "shop-orders.orders")
    assert code == 0
    assert [name in printed for name in DAYS] == [True] * 6
    assert "uniqueness of id" in printed
    assert "6 of 6 partitions of orders of shop-orders 1.0.0, " in printed


@pytest.mark.parametrize("verb", ["metrics", "states"])
def test_both_are_told_as_json(command: Command, verb: str) -> None:
    code, printed, _ = command(verb, "shop-orders", "--json")
    assert (code, json.loads(printed)["chosen"]) == (0, 6)


@pytest.mark.parametrize("verb", ["metrics", "states"])
def test_a_refusal_ends_the_command_with_its_words(command: Command, verb: str) -> None:
    code, printed, errors = command(verb, "shop-orders", "--where", "id > 1")
    assert (code, printed) == (3, "")
    assert errors.splitlines() == [
        "treaty: the question cannot be answered as it is asked",
        "  reads 'id', which is not a partition column (the partition columns are day, land)",
    ]


def test_without_a_token_the_command_says_which_one_it_needs(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TREATY_TOKEN")
    assert command("metrics", "shop-orders")[::2] == (3, "treaty: sign in with an API token: set TREATY_TOKEN\n")
