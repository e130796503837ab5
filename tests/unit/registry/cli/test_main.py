"""How a command ends: its exit code, and words instead of a traceback."""

import os
from pathlib import Path

import pytest
from support.signals import interruptible
from tenacity import stop_after_attempt

from treaty.engine.spark.process.environment import withheld
from treaty.registry.cli.main import main

FAULTY = "apiVersion: v3.1.0\nkind: DataContract\nid: a\nversion: 1.0.0\nstatus: active\ncolour: red\ntaste: sweet\n"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--help"], 0, ""),
        (["verify", "--help"], 0, ""),
        (["dance"], 3, "No such command 'dance'. See: treaty --help"),
        (["verify"], 3, "Missing argument"),
        (["verify", "t", "--contract", "nowhere.yaml"], 3, "the contract nowhere.yaml cannot be read: No such file"),
        (["verify", "t", "--contract", "faulty.yaml"], 3, "The contract has"),
        (["verify", "t", "--contract", "faulty.yaml", "--fail-on", "all"], 3, "'all' is not one of"),
        (
            ["draft", "t", "--exclude-partition", "day=1"],
            3,
            "--exclude-partition day=1 is not a partition of the table: set the",
        ),
        (
            ["draft", "t", "-p", "day", "--exclude-partition", "1"],
            3,
            "--exclude-partition 1 is not a partition of the table: use",
        ),
        (["demo", "--data", "t"], 3, "--data requires --partition-by COLUMN"),
        (["demo", "--partition-by", "day"], 3, "--partition-by requires --data PATH"),
    ],
)
def test_a_command_ends_with_its_code_and_words(
    arguments: list[str],
    code: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("faulty.yaml").write_text(FAULTY)

    with pytest.raises(SystemExit) as ended:
        main(arguments)

    errors = capsys.readouterr().err
    assert ended.value.code == code
    assert said in errors
    assert errors.startswith("treaty: ") or not said
    assert "Traceback" not in errors


SILENT = "treaty: Cannot connect to the database. Check that it is running and that TREATY_DATABASE_URL is correct.\n"


@pytest.mark.parametrize(
    "command", [["init"], ["api"], ["worker", "--channel", "0"], ["up"]], ids=lambda command: command[0]
)
@pytest.mark.parametrize(
    "url", ["postgresql://ada:5ecret@127.0.0.1:1/treaty", "sqlite:///{folder}", "sqlite:///{file}"]
)
def test_a_database_that_does_not_answer_is_one_line(
    command: list[str], url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch(mode=0o600)
    (tmp_path / "file").write_bytes(b"no database" * 1000)
    for name in withheld(os.environ):  # the worker names what it does not pass to Spark
        monkeypatch.delenv(name)
    monkeypatch.setenv("TREATY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TREATY_DATABASE_URL", url.format(folder=tmp_path, file=tmp_path / "file"))
    monkeypatch.setattr("treaty.registry.core.database._set.retry.stop", stop_after_attempt(1))
    # The worker says what signals do; after it these tests go on.
    with interruptible(), pytest.raises(SystemExit) as ended:
        main(command)
    assert (ended.value.code, *capsys.readouterr()) == (3, "", SILENT)


def test_all_faults_of_a_contract_are_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("faulty.yaml").write_text(FAULTY)

    with pytest.raises(SystemExit):
        main(["verify", "t", "--contract", "faulty.yaml"])

    errors = capsys.readouterr().err
    assert errors.startswith("treaty: The contract has 2 fault(s):\n")
    assert "line 6, colour" in errors
    assert "line 7, taste" in errors


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("TREATY_API_PORT", "none", "TREATY_API_PORT: "),
        ("TREATY_HOMES", "x", "TREATY_HOMES is not a setting; did you mean TREATY_HOME?"),
    ],
)
def test_a_wrong_setting_is_named_before_anything_is_made(
    name: str,
    value: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(name, value)

    with pytest.raises(SystemExit) as ended:
        main(["init"])

    assert ended.value.code == 3
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_first_link_is_printed_once_more_until_it_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TREATY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TREATY_UI_PORT", "9001")

    for _ in range(2):
        with pytest.raises(SystemExit) as ended:
            main(["init"])
        assert ended.value.code == 0

    first, second = capsys.readouterr().out.split()
    assert first.startswith("http://127.0.0.1:9001/setup?token=")
    assert first != second
