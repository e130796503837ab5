"""`treaty gate`: what it publishes, and how it ends; with Delta as a process of its own."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.agents import delta, require_delta
from support.commands import Commands
from support.folders import ROOT
from support.orders import check, contract

from treaty.engine.gate.gate import answer, gate

PROPERTIES = [
    {"name": "id", "logicalType": "integer"},
    {"name": "day", "logicalType": "string", "partitioned": True},
]
PROMISED = contract(check("uniqueness", "ids", column="id", mustBe=1), properties=PROPERTIES)


def process(*arguments: str, cwd: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """The ended process of the command."""
    command = [sys.executable, "-m", "treaty", *arguments]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TREATY_")}
    root = str(ROOT)
    return subprocess.run(
        command, cwd=cwd, env={**kept, **environ, "PYTHONPATH": root}, capture_output=True, text=True, timeout=240
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("gate"))


def filled(folder: Path) -> Path:
    """The folder, with a contract and two candidates."""
    (folder / "orders.yaml").write_bytes(PROMISED.source)
    (folder / "good.csv").write_text("id\n1\n2\n")
    (folder / "bad.csv").write_text("id\n2\n3\n")
    return folder


def test_a_candidate_is_published_or_nothing_changes(treaty: Commands) -> None:
    place = filled(treaty.folder)
    asked = ["gate", "orders", "-c", "orders.yaml", "--state-url", "states", "--candidate"]
    good = treaty(*asked, "good.csv", "--partition", "day=2026-01-01")
    assert (good.returncode, good.stderr) == (0, ""), good.stdout + good.stderr
    assert "published to" in good.stdout
    files = sorted(place.glob("orders/*/*.parquet"))
    assert {each.parent.name for each in files} == {"day=2026-01-01"}
    bad = treaty(*asked, "bad.csv", "--partition", "day=2026-01-02", "--keep-rejected")
    assert (bad.returncode, bad.stderr) == (1, ""), bad.stdout + bad.stderr
    assert "not published; the rejected candidate is in" in bad.stdout
    assert sorted(place.glob("orders/*/*.parquet")) == files
    assert len(list(place.glob(".orders.gate/rejected-*/new/day=2026-01-02/*.parquet"))) == 1


def test_a_delta_table_is_published_to_by_a_spark_that_has_delta(place: Path, spark: Any) -> None:
    require_delta()
    with gate(spark, str(place / "delta"), PROMISED, format="delta") as first:
        first.write(spark.createDataFrame([(1, "0"), (2, "1")], "id int, day string"))
    (place / "conf").mkdir()
    (place / "conf" / "spark-defaults.conf").write_text("".join(f"{name} {each}\n" for name, each in delta().items()))
    (place / "new.csv").write_text("id\n2\n3\n")
    asked = ["gate", "delta", "-c", "orders.yaml", "--candidate", "new.csv", "--partition", "day=1"]
    done = process(*asked, cwd=place, SPARK_CONF_DIR=str(place / "conf"))
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    rows = spark.read.format("delta").load(str(place / "delta")).collect()
    assert sorted((row["id"], row["day"]) for row in rows) == [(1, "0"), (2, "1"), (3, "1")]
    assert answer(str(place / "delta"), PROMISED, spark=spark) == "passed"
