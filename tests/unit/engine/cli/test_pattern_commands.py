"""The verb `patterns` over a lake that is indexed: what it prints, and what it says where there is none."""

import json
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from treaty.engine.cli import patterns
from treaty.engine.cli.commands import CliError
from treaty.engine.patterns.lake_index import PatternLake
from treaty.registry.cli.main import app

DATES = [f"2024-{n % 12 + 1:02d}-{n % 28 + 1:02d}" for n in range(80)]


@pytest.fixture
def lake(tmp_path: Path) -> str:
    PatternLake(tmp_path).add({f"t{n}": {"day": DATES[n:]} for n in range(6)})
    return str(tmp_path)


def run(*words: str, text: str | None = None) -> str:
    found = CliRunner().invoke(app, ["patterns", *words], input=text, catch_exceptions=False)
    assert found.exit_code == 0
    return found.output


def test_values_of_standard_input_are_promised_a_pattern(lake: str) -> None:
    text = "\n".join(DATES)
    shown = run("infer", "-", "--lake", lake, text=text)
    assert "standard input: " in shown
    assert "(date or time (%Y-%m-%d))" in shown
    said = json.loads(run("infer", "-", "--lake", lake, "--json", text=text))["standard input"]
    assert said["learned"] == {"bad": 0, "of": 80}


def test_what_is_no_utf_8_is_read_and_told(lake: str) -> None:
    given = b"\n".join(b"\xff%d" % n for n in range(50))
    found = CliRunner().invoke(app, ["patterns", "infer", "-", "--lake", lake], input=given, catch_exceptions=False)
    assert (found.exit_code, found.output[:16]) == (0, "standard input: ")


def test_tables_whose_columns_were_swapped_are_told(lake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    times = [f"{n % 24:02d}:{n * 7 % 60:02d}" for n in range(80)]
    tables = {"old": {"day": DATES, "at": times}, "new": {"day": times, "at": DATES}}
    spark = SimpleNamespace(texts=lambda request: tables[request.source.location])
    monkeypatch.setattr(patterns, "in_spark", lambda *_: nullcontext(spark))
    found = CliRunner().invoke(app, ["patterns", "compare", "old", "new", "--lake", lake], catch_exceptions=False)
    assert found.exit_code == 1
    assert [line.split(";")[1] for line in found.output.splitlines()] == [" resembles at", " resembles day"]
    same = CliRunner().invoke(app, ["patterns", "compare", "old", "old", "--lake", lake], catch_exceptions=False)
    assert (same.exit_code, same.output) == (0, "")


def test_common_patterns_are_listed_and_found_again(lake: str) -> None:
    told = json.loads(run("top", "--lake", lake, "--json"))
    assert told[0]["columns"] == 6
    assert f"{told[0]['columns']:6} columns" in run("top", "--lake", lake, "--limit", "1")
    assert run("find", told[0]["text"], "--lake", lake).count("day") == 6
    assert len(json.loads(run("find", told[0]["text"], "--lake", lake, "--json"))) == 6


def test_a_table_is_taken_out_of_the_index(lake: str) -> None:
    assert "5 tables, 5 text columns" in run("index", "t0", "--remove", "--lake", lake)


@pytest.mark.parametrize("words", [["top"], ["infer", "-"]])
def test_where_there_is_no_index_it_says_so(tmp_path: Path, words: list[str]) -> None:
    with pytest.raises(CliError, match="is not a pattern index"):
        CliRunner().invoke(app, ["patterns", *words, "--lake", str(tmp_path)], catch_exceptions=False)


@pytest.mark.parametrize("words", [[], ["t0", "--registry"]])
def test_what_is_indexed_is_named_or_registered(tmp_path: Path, words: list[str]) -> None:
    with pytest.raises(CliError, match="either tables or --registry"):
        CliRunner().invoke(app, ["patterns", "index", *words, "--lake", str(tmp_path)], catch_exceptions=False)
