"""What is loaded when, and who may import whom."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = {"pyspark", "pandas", "statsmodels", "sklearn", "scipy", "pyarrow", "datasketches"}
STORE = {"sqlalchemy", "sqlmodel", "alembic"}
HELP = "with contextlib.suppress(SystemExit): registry.cli.main(['--help'])"
LIGHT = {
    "contracts": HEAVY | STORE | {"httpx", "fastapi"},
    "contracts.reading": HEAVY | STORE | {"httpx", "fastapi"},
    "contracts.writing": HEAVY | STORE | {"httpx", "fastapi"},
    "contracts.changes": HEAVY | STORE | {"httpx", "fastapi"},
    "contracts.predicates": HEAVY | STORE | {"httpx", "fastapi"},
    "engine.checks": HEAVY | STORE,
    "engine.cli": HEAVY | STORE,
    "engine.files": HEAVY | STORE,
    "engine.profile.holdout": HEAVY | STORE,
    "engine.profile.suggestions": HEAVY | STORE,
    "engine.report": HEAVY | STORE,
    "engine.requests": HEAVY | STORE,
    "engine.results": HEAVY | STORE,
    "engine.spark.child": HEAVY | STORE,
    "engine.states": HEAVY | STORE,
    "engine.verify": HEAVY | STORE,
    "registry.cli": HEAVY | STORE,
    "registry.client": HEAVY | STORE,
    "registry.api.schemas": HEAVY | STORE,
    "registry.api.app": HEAVY,
    "registry.worker": HEAVY,
}


def loaded(statement: str, watched: set[str]) -> set[str]:
    """Which of the watched libraries are loaded in a fresh process after the statement."""
    program = f"{statement}; import sys; print(*({watched!r} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.mark.parametrize("module", LIGHT)
def test_a_light_module_loads_no_heavy_library(module: str) -> None:
    assert loaded(f"import {module}", LIGHT[module]) == set()


def test_help_loads_no_heavy_library() -> None:
    program = ["import contextlib, io, registry.cli", "with contextlib.redirect_stdout(io.StringIO()):", f"  {HELP}"]
    assert loaded("\n".join(program) + "\n0", HEAVY | STORE) == set()


def test_imports_point_one_way() -> None:
    command = shutil.which("lint-imports", path=str(Path(sys.executable).parent))
    assert command, "import-linter is not installed: make setup"
    done = subprocess.run([command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
