"""The verb `gate` as far as it needs no Spark."""

from pathlib import Path

import pytest
from support.gates import PROMISED, PROPERTIES, Crash, Ending, Gated
from support.orders import check, contract

from treaty.engine.cli.gate import _values
from treaty.registry.cli.main import _code

A = "day=1"


@pytest.fixture
def gated(tmp_path: Path) -> Gated:
    (tmp_path / "orders.yaml").write_bytes(PROMISED.source)
    return Gated(tmp_path)


def asked(gated: Gated, *arguments: str) -> int:
    return _code(["gate", gated.table, *arguments])


def standing(gated: Gated) -> int:
    return asked(gated, "-c", str(gated.folder / "orders.yaml"), "-p", "day")


def cut_off(gated: Gated) -> None:
    """A publication whose process ended before files were moved."""
    disk = Ending()
    last = 0
    while not gated.open:
        disk, last = Ending(last=last), last + 1
        with pytest.raises(Crash):
            gated.publish({A: [2]}, disk)


def test_how_a_table_stands_is_told_without_reading_it(gated: Gated, capsys: pytest.CaptureFixture[str]) -> None:
    assert standing(gated) == 3
    gated.publish({A: [1]})
    assert standing(gated) == 0
    assert capsys.readouterr().out == "unknown\npassed\n"


def test_a_stored_verdict_exits_as_a_new_one_would(gated: Gated) -> None:
    gated.given = contract(check("size", severity="warning", mustBe=5), properties=PROPERTIES)
    (gated.folder / "orders.yaml").write_bytes(gated.given.source)
    gated.publish({A: [1]})
    asking = ["-c", str(gated.folder / "orders.yaml"), "-p", "day"]
    assert asked(gated, *asking) == 0
    assert asked(gated, *asking, "--fail-on", "warning") == 2


def test_what_was_cut_off_is_unknown_until_it_is_recovered(gated: Gated, capsys: pytest.CaptureFixture[str]) -> None:
    gated.publish({A: [1]})
    cut_off(gated)
    assert (standing(gated), asked(gated, "--recover"), standing(gated), asked(gated, "--recover")) == (3, 0, 0, 0)
    told = ["unknown", "the interrupted publication was completed", "passed", "nothing to recover"]
    assert capsys.readouterr().out.splitlines() == told
    assert gated.rows == {A: [2]}


REFUSED = [
    ([], "specify the contract of the table: --contract FILE"),
    (["-c", "gone.yaml"], "gone.yaml cannot be read"),
    (["--recover", "--state-url", "elsewhere"], "belongs to the states in"),
]


@pytest.mark.parametrize(("arguments", "said"), REFUSED)
def test_what_cannot_be_done_is_told(
    arguments: list[str], said: str, gated: Gated, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(gated.folder)
    cut_off(gated)
    assert asked(gated, *arguments) == 3
    assert said in capsys.readouterr().err


def test_a_damaged_intent_is_told(gated: Gated, capsys: pytest.CaptureFixture[str]) -> None:
    cut_off(gated)
    (intent,) = gated.folder.glob(".orders.gate/intent.json")
    intent.write_bytes(b"?" + intent.read_bytes()[1:])
    assert asked(gated, "--recover") == 3
    assert "intent.json is damaged" in capsys.readouterr().err


def test_partitions_are_named_by_column_and_value() -> None:
    assert _values(["day=2026-01-01", "country="]) == {"day": "2026-01-01", "country": None}
    assert _values(None) == {}


@pytest.mark.parametrize("wrong", ["day", "=1"])
def test_a_partition_without_column_or_value_is_told(
    wrong: str, gated: Gated, capsys: pytest.CaptureFixture[str]
) -> None:
    code = asked(gated, "-c", str(gated.folder / "orders.yaml"), "--candidate", "x", "--partition", wrong)
    assert (code, "use --partition day=2026-01-01" in capsys.readouterr().err) == (3, True)
