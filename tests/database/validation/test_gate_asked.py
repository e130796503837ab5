"""`treaty gate --dataset`: the gate over the registry, as a command."""

import pytest
from sqlalchemy import Engine
from support.gates import Crash, Ending
from support.registered import Command, Registered, commands, registered

A = "day=2026-01-01"


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
    """Runs `treaty gate` as the producer's job: its exit code and what it printed."""
    return commands(table, monkeypatch, capsys, "producer", "gate")


def test_how_a_table_stands_is_told_by_the_registry_s_states(command: Command, table: Registered) -> None:
    assert command(table.gated.table, "--dataset", "orders")[:2] == (3, "unknown\n")
    table.publish({A: [1]})
    assert command(table.gated.table, "--dataset", "orders") == (0, "passed\n", "")


def test_a_publication_that_was_cut_off_is_ended_with_the_registry(command: Command, table: Registered) -> None:
    last = 0
    while not table.dataset.publishing_version:
        with pytest.raises(Crash):
            table.publish({A: [2]}, Ending(last=last))
        last += 1
        if not table.dataset.publishing_version:
            table.recover()
    assert command(table.gated.table, "--dataset", "orders")[:2] == (3, "unknown\n")
    beside = command(table.gated.table, "--recover")
    assert (beside[0], "belongs to the states in http" in beside[2]) == (3, True)
    ended = command(table.gated.table, "--dataset", "orders", "--recover")
    assert ended[:2] == (0, "the interrupted publication was completed\n")
    assert (table.gated.rows, table.told) == ({A: [2]}, "passed")


def test_another_table_than_the_dataset_s_is_refused(command: Command, table: Registered) -> None:
    code, _, told = command(f"{table.gated.table}-copy", "--dataset", "orders")
    assert (code, f"the registry has orders at {table.gated.table}" in told) == (3, True)


@pytest.mark.parametrize(
    ("who", "dataset", "said"),
    [
        ("producer", "nothing", "No contract covers dataset nothing"),
        ("viewer", "orders", "requires the permission states:write"),
    ],
)
def test_what_the_registry_refuses_ends_the_command(
    who: str, dataset: str, said: str, command: Command, table: Registered, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TREATY_TOKEN", table.world.secrets[who])
    code, printed, told = command(table.gated.table, "--dataset", dataset)
    assert (code, printed, said in told) == (3, "", True)


@pytest.mark.parametrize("more", [("-c", "x.yaml"), ("--state-url", "x"), ("-p", "day"), ("--object", "orders")])
def test_what_the_registry_says_is_not_named_beside_it(
    more: tuple[str, str], command: Command, table: Registered
) -> None:
    code, _, told = command(table.gated.table, "--dataset", "orders", *more)
    assert (code, "remove these options" in told) == (3, True)


def test_without_contract_or_dataset_both_are_named(command: Command, table: Registered) -> None:
    code, _, told = command(table.gated.table)
    assert (code, "--contract FILE, or --dataset DATASET" in told) == (3, True)
