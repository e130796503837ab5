"""The base install: contracts and the engine alone; whatever is missing is named in one sentence."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.orders import ROWS, check, contract, states
from support.processes import environ
from support.required import require

from treaty.contracts.document.writer import write

ROOT = Path(__file__).parents[2]
UV = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
LARGE = {"pyspark", "sqlalchemy", "sqlmodel", "fastapi", "streamlit", "httpx", "uvicorn", "alembic", "sklearn"}
NO_SPARK = "Spark is not installed: pip install 'treaty[spark]'"
NO_REGISTRY = "The registry is not installed: pip install 'treaty[registry]'"
NO_PAGES = "The pages are not installed: pip install 'treaty[ui]'"
JUDGED = """
from datetime import UTC, datetime
from pathlib import Path
import treaty
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.request import EvaluationRequest

contract, at = treaty.read_contract("orders.yaml"), datetime(2026, 10, 5, tzinfo=UTC)
run = evaluate(EvaluationRequest(
    contract=contract, object_name="orders", states={"day=1": Path("day-1").read_bytes()}, delta=["day=1"],
    started_at=at, finished_at=at,
))
print(run.verdict, run.rows, *(f"{each.check_id}={each.outcome}" for each in run.results))
"""


def run(*command: str | Path, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run a command in that folder, which knows nothing of the sources."""
    line = [str(each) for each in command]
    return subprocess.run(line, cwd=folder, env=environ(), capture_output=True, text=True, timeout=240, check=False)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment in which `pip install treaty` was all that was done."""
    folder = tmp_path_factory.mktemp("base")
    require("uv", available=UV is not None, reason="there is no uv")
    built = run(str(UV), "build", "--wheel", "--quiet", "--out-dir", folder, ROOT, folder=folder)
    require("index", available=built.returncode == 0, reason=f"the wheel could not be built: {built.stderr[-300:]}")
    (wheel,) = folder.glob("*.whl")
    made = run(str(UV), "venv", "--quiet", "--python", sys.executable, folder / "venv", folder=folder)
    assert made.returncode == 0, made.stderr
    programs = folder / "venv" / "bin"
    # The versions of the lock: those are the ones that setting up has downloaded.
    versions = ("--constraint", ROOT / "requirements.lock")
    command = (str(UV), "pip", "install", "--quiet", "--offline", *versions, "--python", programs / "python", wheel)
    done = run(*command, folder=folder)
    require("index", available=done.returncode == 0, reason=f"no download is kept: {done.stderr[-300:]}")
    return programs


def python(programs: Path, script: str, folder: Path) -> str:
    """Run a script in the base install and return what it prints."""
    done = run(programs / "python", "-c", script, folder=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_base_has_no_spark_no_service_and_no_pages(programs: Path, tmp_path: Path) -> None:
    script = f"from importlib.util import find_spec; print([each for each in {sorted(LARGE)} if find_spec(each)])"
    assert python(programs, script, tmp_path) == "[]"


def test_checks_are_written_and_read_without_an_extra(programs: Path, tmp_path: Path) -> None:
    script = """
from treaty import Check, at_least, read_contract
from treaty.contracts.schema import Column, Schema
check = Check.error("orders").has_completeness("id", at_least(0.9))
print([each.id for each in read_contract(check.document(Schema((Column("id", "int"),)))).objects[0].checks])
"""
    assert python(programs, script, tmp_path) == "['id-completeness']"


def test_stored_states_are_judged_without_an_extra(programs: Path, tmp_path: Path) -> None:
    given = contract(check("size", "rows", mustBe=4), check("mean", "mean", column="amount", mustBeGreaterThan=100))
    (tmp_path / "orders.yaml").write_bytes(write(given.document))
    (tmp_path / "day-1").write_bytes(states(given, ROWS).pack())
    printed = python(programs, JUDGED, tmp_path)
    assert printed.startswith("failed 4 ")
    assert {"rows=passed", "mean=failed"} <= set(printed.split())


def test_a_program_is_learned_without_an_extra(programs: Path, tmp_path: Path) -> None:
    script = """
from treaty import avh
program = avh.fit([{"amount": [float(at % 7 + place) for place in range(50)]} for at in range(20)])
print(program.judge({"amount": [1000.0] * 50}).flagged)
"""
    assert python(programs, script, tmp_path) == "True"


def test_help_names_the_extras(programs: Path, tmp_path: Path) -> None:
    done = run(programs / "treaty", "--help", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {"treaty[spark]", "treaty[registry]"} <= {each.strip(".;,") for each in done.stdout.split()}
    assert all(verb in done.stdout for verb in ("verify", "draft", "up", "search"))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("verify", "here", "--contract", "orders.yaml"), NO_SPARK),
        (("draft", "here"), NO_SPARK),
        (("up",), NO_REGISTRY),
        (("worker",), NO_REGISTRY),
        (("api",), NO_REGISTRY),
        (("init",), NO_REGISTRY),
        (("demo",), NO_REGISTRY),
        (("search", "orders"), NO_REGISTRY),
    ],
)
def test_a_command_says_what_to_install(
    programs: Path, tmp_path: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    (tmp_path / "orders.yaml").write_bytes(write(contract(check("size", mustBe=4)).document))
    done = run(programs / "treaty", *arguments, folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", f"treaty: {sentence}\n")


def test_the_pages_say_what_to_install(programs: Path, tmp_path: Path) -> None:
    done = run(programs / "python", "-m", "treaty.ui", folder=tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.endswith(f": {NO_PAGES}\n")
    assert done.stderr.count("\n") == 1


def test_the_client_says_what_to_install(programs: Path, tmp_path: Path) -> None:
    script = "import treaty\ntry:\n    treaty.Client\nexcept treaty.MissingExtra as error:\n    print(error)"
    assert python(programs, script, tmp_path) == NO_REGISTRY
