"""`treaty diff` and `treaty breaking` on files: what they say, and their exit codes."""

import json
from pathlib import Path

import pytest
from support.orders import check
from support.versions import document, with_column

from treaty.contracts.document.writer import write
from treaty.registry.cli.main import main

FILES = {
    "old.yaml": document(check("size", mustBeGreaterThan=10), version="1.0.0"),
    "looser.yaml": document(check("size", mustBeGreaterThan=9), version="1.1.0"),
    "tighter.yaml": document(check("size", mustBeGreaterThan=11), version="1.1.0"),
    "plain.yaml": document(version="1.0.0"),
    "wider.yaml": {**with_column("note", logicalType="string"), "version": "1.1.0"},
    "free.yaml": document(check("size", mustBeGreaterThan=10), terms={"compatibility": {"guarantees": "NONE"}}),
}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        Path(name).write_bytes(write(content))
    Path("faulty.yaml").write_text("id: a\n")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ("diff old.yaml old.yaml", 0, "No differences."),
        ("diff old.yaml looser.yaml", 0, "check c must be greater than 9 (previously must be greater than 10)"),
        ("diff old.yaml looser.yaml", 0, "major change"),
        ("diff old.yaml looser.yaml", 0, "suggested version after 1.0.0: 2.0.0, but 1.1.0 is too low"),
        ("diff old.yaml tighter.yaml", 0, "minor change"),
        ("diff old.yaml tighter.yaml --json", 0, '"direction": "tightens"'),
        ("diff old.yaml nowhere.yaml", 3, "File not found: nowhere.yaml"),
        ("diff old.yaml faulty.yaml", 3, "The contract has"),
        ("breaking old.yaml old.yaml", 0, "guarantees (FORWARD): compatible"),
        ("breaking old.yaml tighter.yaml", 0, "guarantees (FORWARD): compatible"),
        ("breaking old.yaml looser.yaml", 1, "guarantees (FORWARD): violated"),
        ("breaking old.yaml looser.yaml --mode BACKWARD", 0, "Partitions that passed before still pass"),
        ("breaking old.yaml tighter.yaml --mode BACKWARD", 1, "guarantees (BACKWARD): violated"),
        ("breaking old.yaml tighter.yaml --mode FULL", 1, "structure (FULL): compatible"),
        ("breaking plain.yaml wider.yaml --mode FULL", 0, "structure (FULL): compatible"),
        ("breaking free.yaml looser.yaml", 0, "guarantees (NONE): compatible"),
        ("breaking old.yaml looser.yaml --mode SIDEWARD", 3, "'SIDEWARD' is not one of"),
        ("breaking faulty.yaml looser.yaml", 3, "The contract has"),
    ],
)
def test_a_comparison_ends_with_its_code_and_words(
    arguments: str, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments.split())

    told = capsys.readouterr()
    assert ended.value.code == code
    assert said in told.out + told.err


def test_a_comparison_can_be_read_by_programs(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["breaking", "old.yaml", "looser.yaml", "--json"])

    found = json.loads(capsys.readouterr().out)
    assert (found["bump"], found["suggested_version"], found["is_bump_sufficient"]) == ("major", "2.0.0", False)
    assert [each["mode"] for each in found["breaches"]] == ["FORWARD"]
    assert found["breaches"][0]["difference"]["check"] == "c"
