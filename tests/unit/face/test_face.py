"""The public face: its names, contracts read from bytes and files, programs learned from tables in memory."""

import inspect
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy
import pandas
import pyarrow
import pytest
from support.payments import CONTRACT

import treaty

TEXT = CONTRACT.format(name="payments", location="payments", more="")
START = datetime(2026, 1, 1, tzinfo=UTC)


def columns(at: int, mean: float = 100.0) -> dict[str, list[Any]]:
    generator = numpy.random.default_rng(at)
    amounts = generator.normal(mean, 5, 200).tolist()
    return {"amount": amounts, "kind": [("card", "cash", "wallet")[each] for each in generator.integers(0, 3, 200)]}


@pytest.mark.parametrize("name", treaty.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(treaty, name) is getattr(treaty, name)


def test_a_name_that_is_not_public_is_refused() -> None:
    with pytest.raises(AttributeError, match="module 'treaty' has no attribute 'judgement'"):
        _ = treaty.judgement  # type: ignore[attr-defined]


def test_every_type_that_a_method_of_the_client_takes_is_public() -> None:
    standard = {"builtins", "uuid", "datetime", "collections.abc", "typing", "types", "httpx"}
    allowed = {"treaty.registry.core.enums", *standard}
    taken = {
        part
        for _, method in inspect.getmembers(treaty.Client, inspect.isfunction)
        if not method.__name__.startswith("_")
        for name, hint in get_type_hints(method, include_extras=False).items()
        if name != "return"
        for part in (hint, *get_args(hint))
        if isinstance(part, type)
    }
    own = {each.__name__ for each in taken if each.__module__ not in allowed}
    assert "DraftIn" in own
    assert own <= set(treaty.schemas.__all__)


def test_dir_lists_the_public_names() -> None:
    assert dir(treaty) == sorted(treaty.__all__)


def test_a_contract_is_read_from_bytes_and_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "payments.yaml"
    path.write_text(TEXT)
    assert treaty.read_contract(TEXT.encode()) == treaty.read_contract(path) == treaty.read_contract(str(path))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(treaty.ContractError, match=r"TR-FILE at .*none\.yaml: the file cannot be read: No such file"):
        treaty.read_contract(tmp_path / "none.yaml")


def test_checks_become_a_contract_of_a_schema_or_not_at_all() -> None:
    check = treaty.Check.error("orders").has_size(treaty.at_least(1))
    assert [each.id for each in check.contract().objects[0].checks] == ["size"]


@pytest.mark.parametrize("table", [dict, pandas.DataFrame, pyarrow.table])
def test_a_program_passes_what_is_usual_and_flags_what_is_not(table: Any) -> None:
    program = treaty.avh.fit([table(columns(at)) for at in range(30)], budget=0.01)

    assert 0 < program.rate <= 0.01
    assert not program.judge(table(columns(99))).flagged
    assert [each.clause.statistic for each in program.judge(table(columns(99, 300.0))).columns["amount"].broken]


def test_snapshots_by_time_are_learned_in_the_order_of_their_times() -> None:
    days = {START + timedelta(days=at): columns(at) for at in reversed(range(20))}
    history = treaty.avh.fit(days).histories["amount"]
    assert [each.time for each in history.batches] == sorted(days)


def test_a_column_that_is_missing_is_flagged() -> None:
    program = treaty.avh.fit([columns(at) for at in range(20)])
    found = program.judge({"amount": columns(99)["amount"]})
    assert (found.flagged, found.missing) == (True, ("kind",))


@pytest.mark.parametrize("budget", [0, 1, -0.1, 5])
def test_a_budget_that_is_no_rate_is_refused(budget: float) -> None:
    with pytest.raises(ValueError, match="is not a rate of false alarms: use a number between 0 and 1"):
        treaty.avh.fit([columns(1)], budget=budget)


@pytest.mark.parametrize("history", [[], {}])
def test_an_empty_history_is_refused(history: Any) -> None:
    with pytest.raises(ValueError, match="the history is empty"):
        treaty.avh.fit(history)


def test_a_short_history_is_still_learning() -> None:
    program = treaty.avh.fit([columns(at) for at in range(5)])
    assert str(program.table.columns["amount"]) == "learning: 5 of 14 partitions"
    assert not program.judge(columns(99)).columns
