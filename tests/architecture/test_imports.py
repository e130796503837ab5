"""What is loaded when, and who may import whom."""

import ast
import re
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = {"pyspark", "pandas", "statsmodels", "sklearn", "scipy", "pyarrow", "datasketches"}
STORE = {"sqlalchemy", "sqlmodel", "alembic"}
# What the service and the pages alone need: metrics, signatures of webhooks, signing in through a provider.
SERVING = {"fastapi", "starlette", "prometheus_client", "standardwebhooks", "authlib"}
# What a check means: a third of the time to start, and no command that asks the service needs it.
MEANINGS = {"treaty.engine.analyzers", "treaty.engine.checks.binding"}
TOPS = ("contracts", "engine", "registry", "ui", "migrations")
TEXTS = " ".join(f"ui.texts.{path.stem}" for path in (ROOT / "ui" / "texts").glob("[a-z]*.py"))
HELP = "with contextlib.suppress(SystemExit): treaty.registry.cli.main.main(['--help'])"
# Modules of `treaty` that are light, and what none of them loads.
LIGHT = {
    "contracts": (
        "contracts contracts.document.reader contracts.document.writer contracts.editing.patches "
        "contracts.predicates.parser",
        HEAVY | STORE | SERVING | {"httpx"},
    ),
    "engine": (
        "engine.analyzers.reference engine.checks.binding engine.cli.commands engine.cli.gate engine.core.results "
        "engine.core.partitions.views engine.evaluation.violation_samples engine.evaluation.evaluator "
        "engine.evaluation.state_queries engine.gate.gate engine.protocol.requests engine.report "
        "engine.session.violating_rows engine.session.verify engine.spark.process.child engine.states.bag "
        "engine.states.state_files engine.statistics.distances engine.suggestions.declared "
        "engine.suggestions.selection.pipeline",
        HEAVY | STORE | SERVING | {"httpx"},
    ),
    "client": ("registry.client registry.schemas registry.core.settings", HEAVY | STORE | SERVING),
    "command": ("registry.cli.main registry.client", HEAVY | STORE | SERVING | MEANINGS),
    "service": ("registry.api.app registry.worker.__main__", HEAVY | {"streamlit"}),
    "texts": (TEXTS, HEAVY | STORE | SERVING | {"httpx", "streamlit", "pydantic"}),
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
    assert loaded("import " + ", ".join(f"treaty.{each}" for each in modules.split()), banned) == set()


def test_help_loads_no_heavy_library() -> None:
    program = [
        "import contextlib, io, treaty.registry.cli.main",
        "with contextlib.redirect_stdout(io.StringIO()):",
        f"  {HELP}",
    ]
    assert loaded("\n".join(program) + "\n0", HEAVY | STORE | SERVING) == set()


def test_no_module_of_the_pages_shadows_a_library() -> None:
    """Streamlit puts the script's folder first on sys.path while a page runs: `ui/requests.py` would be `requests`."""
    top = {path.stem for path in (ROOT / "ui").iterdir() if path.is_dir() or path.suffix == ".py"}
    importable = {*sys.stdlib_module_names, *packages_distributions(), *TOPS} - {"__init__", "__main__"}
    assert top & importable == set()


def test_services_know_no_form_of_the_api() -> None:
    """What the API shows is made of a service's values, in the API; programs that speak to it know its forms."""
    modules = (path for path in (ROOT / "registry").rglob("*.py") if "sqlmodel" in path.read_text(encoding="utf-8"))
    services = [path for path in modules if "registry/api/" not in path.as_posix()]
    assert len(services) > 80
    assert [path.name for path in services if "treaty.registry.api" in path.read_text(encoding="utf-8")] == []


def test_imports_point_one_way() -> None:
    command = shutil.which("lint-imports", path=str(Path(sys.executable).parent))
    assert command, "import-linter is not installed: make setup"
    done = subprocess.run([command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout


def test_nothing_imports_a_folder_at_the_top_without_the_namespace() -> None:
    """It would be another module than the one that is loaded as `treaty.<folder>`, and in a wheel there is none."""
    names = "|".join(TOPS)
    imported = re.compile(rf"^\s*(?:from (?:{names})[. ]|import (?:{names})\b)", re.MULTILINE)
    folders = (*TOPS, "src", "bench", "docs", "tests")
    files = [path for folder in folders for ending in ("py", "md") for path in (ROOT / folder).rglob(f"*.{ending}")]
    assert [str(path) for path in files if imported.search(path.read_text(encoding="utf-8"))] == []


def test_the_public_face_loads_no_library() -> None:
    banned = HEAVY | STORE | SERVING | {"streamlit", "numpy", "pydantic", "yaml", "httpx", "typer"}
    assert loaded("import treaty; dir(treaty)", banned) == set()


def test_a_public_name_loads_no_spark_before_it_is_called() -> None:
    names = ("Check", "read_contract", "verify", "quarantine", "gate", "profile", "draft")
    statement = f"import treaty; [getattr(treaty, name) for name in {names!r}]"
    assert loaded(statement, HEAVY | STORE | SERVING) == set()


def test_the_public_names_are_declared_alike_for_programs_and_for_type_checkers() -> None:
    import treaty

    (block,) = (each for each in ast.parse(Path(treaty.__file__).read_text()).body if isinstance(each, ast.If))
    typed = {
        alias.name: (each.module or "").removeprefix("treaty.")
        for each in block.body
        if isinstance(each, ast.ImportFrom)
        for alias in each.names
    }
    assert typed == {name: home for home, names in treaty._HOMES.items() for name in names}
    assert sorted(typed) == treaty.__all__ == sorted(treaty.__all__)
