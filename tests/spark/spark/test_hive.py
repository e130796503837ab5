"""Which partitions of tables in Hive's own formats a write changed, by the metastore and their files."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import hive_tables
from support.hive_tables import EXTERNAL, MANAGED, OF_MANAGED, of_external
from support.required import require

from treaty.engine.protocol.write_hints import DetectionMethod

HERE = Path(hive_tables.__file__)
CASES = [
    *((f"managed_{kind}", step, name) for kind in MANAGED for name, step in OF_MANAGED.items()),
    *((f"external_{kind}", step, name) for kind in EXTERNAL for name, step in of_external(Path()).items()),
]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], dict[str, Any]]:
    """What was found, by table and step: all in one process, as a session has one catalog for its life."""
    require("java", available=shutil.which("java") is not None, reason="there is no Java")
    folder = tmp_path_factory.mktemp("hive")
    path = os.pathsep.join((str(HERE.parents[1]), str(HERE.parents[2])))
    ran = subprocess.run(
        [sys.executable, str(HERE), str(folder)],
        cwd=folder, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-3000:]
    told = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
    return {(each["table"], each["step"]): each for each in told}


@pytest.mark.parametrize(("table", "step", "name"), CASES, ids=[f"{table}: {name}" for table, _, name in CASES])
def test_exactly_what_a_write_changed_is_found_and_read(
    found: dict[tuple[str, str], dict[str, Any]], table: str, step: hive_tables.Step, name: str
) -> None:
    (_, read, vanished), told = step, found[table, name]
    assert told["changed"] == sorted(read)
    assert (told["read"], set(told["vanished"]), told["how"]) == (read, vanished, DetectionMethod.FINGERPRINTS)
    assert told["known"] == told["there"]
