"""What is loaded when, and who may import whom."""

import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = {"pyspark", "pandas", "statsmodels", "sklearn", "scipy", "pyarrow", "datasketches"}
STORE = {"sqlalchemy", "sqlmodel", "alembic"}
# What a check means: a third of the time to start, and no command that asks the service needs it.
MEANINGS = {"engine.analyzers", "engine.checks.binding"}
OWN = ("contracts", "engine", "registry", "ui", "migrations")
TEXTS = " ".join(f"ui.texts.{path.stem}" for path in (ROOT / "ui" / "texts").glob("[a-z]*.py"))
HELP = "with contextlib.suppress(SystemExit): registry.cli.main.main(['--help'])"
LIGHT = {
    "contracts": (
        "contracts contracts.document.reader contracts.document.writer contracts.editing.patches "
        "contracts.predicates.parser",
        HEAVY | STORE | {"httpx", "fastapi"},
    ),
    "engine": (
        "engine.evaluation.state_queries engine.statistics.distances engine.checks.binding "
        "engine.cli.commands engine.states.state_files engine.suggestions.selection.pipeline engine.gate.gate "
        "engine.cli.gate engine.suggestions.declared engine.report engine.analyzers.reference "
        "engine.session.failing_rows engine.evaluation.failing_samples engine.protocol.requests "
        "engine.core.results engine.spark.process.child engine.states.bag engine.evaluation.judge "
        "engine.session.verify engine.core.partitions.views",
        HEAVY | STORE | {"httpx", "fastapi"},
    ),
    "client": ("registry.client registry.schemas registry.core.settings", HEAVY | STORE | {"fastapi", "starlette"}),
    "command": ("registry.cli.main registry.client", HEAVY | STORE | MEANINGS | {"fastapi", "starlette"}),
    "service": ("registry.api.app registry.worker.__main__", HEAVY | {"streamlit"}),
    "texts": (TEXTS, HEAVY | STORE | {"httpx", "fastapi", "starlette", "streamlit", "pydantic"}),
}


def loaded(statement: str, watched: set[str]) -> set[str]:
    """Which of the watched libraries are loaded in a fresh process after the statement."""
    program = f"{statement}; import sys; print(*({watched!r} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.mark.parametrize("group", LIGHT)
def test_light_modules_load_no_heavy_library(group: str) -> None:
    modules, banned = LIGHT[group]
    assert loaded(f"import {', '.join(modules.split())}", banned) == set()


def test_help_loads_no_heavy_library() -> None:
    program = [
        "import contextlib, io, registry.cli.main",
        "with contextlib.redirect_stdout(io.StringIO()):",
        f"  {HELP}",
    ]
    assert loaded("\n".join(program) + "\n0", HEAVY | STORE) == set()


def test_no_module_of_the_pages_shadows_a_library() -> None:
    """Streamlit puts the script's folder first on sys.path while a page runs: `ui/requests.py` would be `requests`."""
    top = {path.stem for path in (ROOT / "ui").iterdir() if path.is_dir() or path.suffix == ".py"}
    importable = {*sys.stdlib_module_names, *packages_distributions(), *OWN} - {"__init__", "__main__"}
    assert top & importable == set()


def test_imports_point_one_way() -> None:
    command = shutil.which("lint-imports", path=str(Path(sys.executable).parent))
    assert command, "import-linter is not installed: make setup"
    done = subprocess.run([command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
