"""The commands: what they print, and how they end."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.commands import Commands
from support.orders import check, contract

pytestmark = pytest.mark.usefixtures("place")
COLUMNS = [{"name": "id", "logicalType": "integer"}, {"name": "status", "logicalType": "string"}]
ROWS = "id,status\n" + "".join(f"{each},{('new', 'paid')[each % 2]}\n" for each in range(200))


@pytest.fixture(scope="module")
def place(treaty: Commands) -> Path:
    folder = treaty.folder
    (folder / "orders.csv").write_text(ROWS)
    write(folder, "passes", check("size", mustBe=200))
    write(folder, "fails", check("size", mustBe=5))
    write(folder, "warns", check("size", severity="warning", mustBe=5))
    write(folder, "lost", check("mean", column="gone", mustBe=5), more=[{"name": "gone", "logicalType": "integer"}])
    return folder


def write(folder: Path, name: str, *checks: dict[str, Any], more: list[dict[str, Any]] | None = None) -> None:
    """Writes the contract as a file of that name."""
    (folder / f"{name}.yaml").write_bytes(contract(*checks, properties=[*COLUMNS, *(more or [])]).source)


CODES = [
    (["orders.csv", "-c", "passes.yaml"], 0, "✓ passed"),
    (["orders.csv", "-c", "fails.yaml"], 1, "✗ failed"),
    (["orders.csv", "-c", "warns.yaml"], 0, "! warned"),
    (["orders.csv", "-c", "warns.yaml", "--fail-on", "warning"], 2, "! warned"),
    (["orders.csv", "-c", "lost.yaml"], 1, "the table has no column `gone`"),
    (["gone.csv", "-c", "passes.yaml"], 3, "check its spelling"),
    (["orders.csv", "-c", "passes.yaml", "-p", "hour"], 3, "no partition column hour; its columns are id, status"),
]


@pytest.mark.parametrize(
    ("arguments", "code", "said"), CODES, ids=lambda each: " ".join(each) if isinstance(each, list) else None
)
def test_verify_ends_as_its_verdict_says(arguments: list[str], code: int, said: str, treaty: Commands) -> None:
    done = treaty("verify", *arguments)
    assert (done.returncode, said in done.stdout + done.stderr) == (code, True), done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert (done.stderr == "") == (code != 3)


def test_json_is_all_that_is_printed(treaty: Commands) -> None:
    done = treaty("verify", "orders.csv", "-c", "fails.yaml", "--json")
    told = json.loads(done.stdout)
    assert (told["verdict"], told["rows"], done.stderr) == ("failed", 200, "")
    assert {each["check_id"]: each["outcome"] for each in told["results"]}["c"] == "failed"


def test_a_draft_is_kept_by_the_data_that_it_was_made_of(treaty: Commands) -> None:
    drafted = treaty("draft", "orders.csv", "--out", "drafted.yaml")
    assert drafted.returncode == 0, drafted.stderr
    assert "is required" in drafted.stdout
    verified = treaty("verify", "orders.csv", "-c", "drafted.yaml")
    assert verified.returncode == 0, verified.stdout + verified.stderr


def test_a_plan_is_explained_without_reading_the_table(treaty: Commands) -> None:
    done = treaty("explain", "orders.csv", "-c", "passes.yaml")
    assert (done.returncode, done.stdout) == (0, "scan\n  count(1)\n")
