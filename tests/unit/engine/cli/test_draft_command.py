"""The command `draft`: options without effect are refused, and others are compared."""

import io
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console
from support.every import every
from typer.testing import CliRunner

from treaty.engine.cli import draft
from treaty.engine.cli.commands import CliError
from treaty.engine.core.learning_options import PATTERNS, PROGRAMS, BoundName, PatternMethod
from treaty.engine.report import print_choices
from treaty.registry.cli.main import app

CHOICE = {"option": "bound", "value": "proven", "chosen": True, "checks": 1200, "evaluated": 10, "catches": 0.8266}
UNUSED = [
    (["--bound", "proven"], "--bound needs --by-history"),
    (["--clauses", "2", "--history", "30"], "--clauses needs --by-history; --history needs --by-history"),
    (["--lake", "x", "--false-alarms", "2"], "--false-alarms needs --by-history"),
    (["--by-history", "--pattern-method", "fmdv"], "--pattern-method needs --lake"),
    (["--max-tokens", "4", "--max-discarded", "0"], "--max-tokens needs --lake; --max-discarded needs --lake"),
]


def run(*words: str, result: Any = None) -> Any:
    spark = SimpleNamespace(draft=lambda *_: result)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(draft, "in_spark", lambda *_: nullcontext(spark))
        return CliRunner().invoke(app, ["draft", "orders", *words])


@every(("words", "message"), UNUSED, ids=lambda case: " ".join(case[0]))
def test_options_without_effect_are_refused_together(words: list[str], message: str) -> None:
    outcome = run(*words)
    assert isinstance(outcome.exception, CliError)
    assert str(outcome.exception) == f"{message}: add it, or leave the option out"


def test_options_reach_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[Any] = []
    monkeypatch.setattr(
        draft, "in_spark", lambda *_: nullcontext(SimpleNamespace(draft=lambda each, _: requests.append(each)))
    )
    words = ["--by-history", "--bound", "proven", "--history", "30", "--lake", "x", "--pattern-method", "cmdv"]
    CliRunner().invoke(app, ["draft", "orders", *words, "--min-columns", "4", "--compare"])
    assert requests[0].programs == PROGRAMS.model_copy(update={"bound": BoundName.PROVEN, "history": 30})
    assert requests[0].patterns == PATTERNS.model_copy(update={"method": PatternMethod.CMDV, "min_columns": 4})
    assert requests[0].compare


@pytest.mark.parametrize(
    ("alarmed_on", "words"),
    [((), "0 of 10 partitions"), (("day=1", "day=2", "day=3", "day=4"), "4 of 10 partitions: day=1, day=2, day=3")],
)
def test_a_comparison_names_the_first_partitions(alarmed_on: tuple[str, ...], words: str) -> None:
    console = Console(file=io.StringIO(), width=160)
    print_choices([{**CHOICE, "alarmed_on": alarmed_on}], console)
    row = console.file.getvalue().splitlines()[1].rstrip().split("  ")  # type: ignore[attr-defined]
    assert [each.strip() for each in row if each] == ["bound", "proven (chosen)", "1,200", "82.7 %", words]
