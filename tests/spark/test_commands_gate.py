"""`treaty gate` as a process of its own: what it publishes, and how it ends."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.orders import check, contract
from support.required import require

PROPERTIES = [
    {"name": "id", "logicalType": "integer"},
    {"name": "day", "logicalType": "string", "partitioned": True},
]
PROMISED = contract(check("uniqueness", "ids", column="id", mustBe=1), properties=PROPERTIES)


def treaty(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The ended process of the command."""
    command = [sys.executable, "-m", "registry.cli", *arguments]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TREATY_")}
    root = str(Path(__file__).parents[2])
    return subprocess.run(
        command, cwd=cwd, env={**kept, "PYTHONPATH": root}, capture_output=True, text=True, timeout=240
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require("java", available=shutil.which("java") is not None, reason="there is no Java")
    folder = tmp_path_factory.mktemp("gate")
    (folder / "orders.yaml").write_bytes(PROMISED.source)
    (folder / "good.csv").write_text("id\n1\n2\n")
    (folder / "bad.csv").write_text("id\n2\n3\n")
    return folder


def test_a_candidate_is_published_or_nothing_changes(place: Path) -> None:
    asked = ["gate", "orders", "-c", "orders.yaml", "--state-url", "states", "--candidate"]
    good = treaty(*asked, "good.csv", "--partition", "day=2026-01-01", cwd=place)
    assert (good.returncode, good.stderr) == (0, ""), good.stdout + good.stderr
    assert "published to" in good.stdout
    files = sorted(place.glob("orders/*/*.parquet"))
    assert {each.parent.name for each in files} == {"day=2026-01-01"}
    bad = treaty(*asked, "bad.csv", "--partition", "day=2026-01-02", "--keep", cwd=place)
    assert (bad.returncode, bad.stderr) == (1, ""), bad.stdout + bad.stderr
    assert "not published, kept in" in bad.stdout
    assert sorted(place.glob("orders/*/*.parquet")) == files
    assert len(list(place.glob(".orders.gate/rejected-*/new/day=2026-01-02/*.parquet"))) == 1
