"""The commands that need no registry, as far as they need no Spark."""

import json
from pathlib import Path

import pytest
from support.commands import OPENING
from support.orders import ROWS, check, contract, run, states

from treaty.engine.cli import commands as cli_commands
from treaty.engine.cli.commands import CliError, exit_code, print_report
from treaty.engine.cli.options import FailOn, Report
from treaty.engine.core.results import Verdict
from treaty.engine.report import REPORTS
from treaty.registry.cli.commands import profile
from treaty.registry.cli.main import _code

CODES = [
    ("passed", FailOn.ERROR, 0),
    ("passed", FailOn.WARNING, 0),
    ("warned", FailOn.ERROR, 0),
    ("warned", FailOn.WARNING, 2),
    ("failed", FailOn.ERROR, 1),
    ("failed", FailOn.WARNING, 1),
    ("not_evaluated", FailOn.ERROR, 3),
    ("not_evaluated", FailOn.WARNING, 3),
    ("uncertain", FailOn.ERROR, 3),
    ("uncertain", FailOn.WARNING, 3),
]


@pytest.mark.parametrize(("verdict", "fail_on", "code"), CODES)
def test_a_verdict_has_its_exit_code(verdict: str, fail_on: FailOn, code: int) -> None:
    assert exit_code(verdict, fail_on) == code


def test_every_verdict_has_an_exit_code() -> None:
    assert {verdict for verdict, *_ in CODES} == set(Verdict)


FAULTY = {
    "no arguments": ([], "Missing"),
    "no contract named": (["data"], "Missing"),
    "an unknown option": (["data", "--contrct", "x"], "No such option"),
    "a contract that is not there": (["data", "-c", "gone.yaml"], "gone.yaml cannot be read: No such file"),
    "a folder for a contract": (["data", "-c", "."], "cannot be read: Is a directory"),
    "a contract that is no YAML": (["data", "-c", "broken.yaml"], "The contract has 1 fault(s)"),
    "a report that nobody writes": (["data", "-c", "orders.yaml", "--report", "html"], "'html' is not one of"),
    "an object that is not in it": (
        ["data", "-c", "orders.yaml", "--object", "x"],
        "has no object x; available: orders",
    ),
}


@pytest.mark.parametrize("name", FAULTY)
def test_wrong_usage_could_not_check_and_says_why(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, said = FAULTY[name]
    monkeypatch.chdir(tmp_path)
    Path("broken.yaml").write_text("a: [")
    Path("orders.yaml").write_bytes(contract(check("size", mustBe=1)).source)
    assert _code(["verify", *arguments]) == 3
    printed = capsys.readouterr()
    assert said in printed.err
    assert "Traceback" not in printed.err
    assert printed.out == ""
    assert json.dumps(printed.out) == '""'


FAILING = contract(check("size", mustBe=5))
RUN = run(FAILING, {"": states(FAILING, ROWS)})


def test_every_report_has_a_name_on_the_command_line() -> None:
    assert list(Report) == list(REPORTS)


@pytest.mark.parametrize("report", [each for each in Report if each is not Report.TEXT])
def test_a_report_is_all_that_is_printed(report: Report, capsys: pytest.CaptureFixture[str]) -> None:
    print_report(RUN, report, None)
    assert capsys.readouterr().out == REPORTS[report](RUN)


@pytest.mark.parametrize("report", Report)
def test_a_report_in_a_file_is_told_as_text_too(
    report: Report, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    print_report(RUN, report, tmp_path / "report")
    assert (tmp_path / "report").read_text() == REPORTS[report](RUN)
    assert "4 rows (required: 5)" in capsys.readouterr().out


def test_a_report_that_cannot_be_written_is_told_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CliError, match="cannot be written: Is a directory"):
        print_report(RUN, Report.JSON, tmp_path)
    assert "(required: 5)" in capsys.readouterr().out


def test_every_command_that_starts_spark_can_share_that_of_the_tests() -> None:
    folders = [Path(str(each.__file__)).parent for each in (cli_commands, profile)]
    opening = {path.name for folder in folders for path in folder.rglob("*.py") if "with in_spark(" in path.read_text()}
    assert opening == {Path(str(each.__file__)).name for each in OPENING}
