"""The commands that show and part rows that fail."""

import json
from pathlib import Path

import pytest
from support.commands import Commands
from support.orders import check, contract

from treaty.engine.evaluation.violation_samples import MASK

pytestmark = pytest.mark.usefixtures("place")
COLUMNS = [
    {"name": "id", "logicalType": "integer"},
    {"name": "email", "logicalType": "string", "classification": "restricted"},
]
CHECKS = (
    check("completeness", "mails", column="email", mustBe=1),
    check("uniqueness", "ids", column="id", mustBe=1),
    check("compliance", "small", severity="warning", predicate="id < 4", mustBe=1),
)


@pytest.fixture(scope="module")
def place(treaty: Commands) -> Path:
    folder = treaty.folder
    (folder / "people.csv").write_text("id,email\n1,ann@x.org\n2,\n3,bo@x.org\n3,cy@x.org\n4,di@x.org\n")
    (folder / "people.yaml").write_bytes(contract(*CHECKS, properties=COLUMNS).source)
    return folder


def test_verify_shows_rows_that_break_checks_and_no_classified_value(treaty: Commands) -> None:
    done = treaty("verify", "people.csv", "-c", "people.yaml", "--samples", "2")
    assert done.returncode == 1, done.stdout + done.stderr
    shown = done.stdout[done.stdout.index("Rows that violate") :].split("\n\n")
    assert [line.split() for line in shown[0].splitlines()[1:]] == [["email", "(masked)", "id"], ["null", "2"]]
    assert [line.split() for line in shown[1].splitlines()[1:]] == [
        ["id", "email", "(masked)"], ["3", MASK], ["3", MASK],
    ]  # fmt: skip
    assert "x.org" not in done.stdout + done.stderr


def test_quarantine_parts_the_rows_and_says_how_many(treaty: Commands) -> None:
    arguments = ["quarantine", "people.csv", "-c", "people.yaml", "--out", "checked"]
    done = treaty(*arguments)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines() == [
        "2 good rows in checked/outcome=good",
        "3 bad rows in checked/outcome=bad",
        "  mails: violated by 1 row",
        "  ids: violated by 2 rows",
        "  small: violated by 1 row",
    ]
    again = treaty(*arguments)
    assert (again.returncode, again.stdout) == (3, "")
    assert "checked already exists: choose another folder or overwrite it" in again.stderr
    told = treaty(*arguments, "--overwrite", "--warnings", "--out-format", "json", "--json")
    assert json.loads(told.stdout)["bad"] == 4, told.stderr
