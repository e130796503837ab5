"""The wheel, installed beside the user's own packages: it is `treaty` and nothing else, and nothing was left behind."""

import os
import shutil
import site
import sqlite3
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest
from support.processes import environ
from support.required import require
from support.warm import warm_java

ROOT = Path(__file__).parents[2]
UV = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
ROOMS = ("contracts", "engine", "registry", "ui", "migrations")
INFO = "treaty-0.1.0.dist-info"
INSIDE = (
    "engine/suggestions/keys/keys_model.json",
    "engine/suggestions/keys/keys_model.npz",
    "migrations/script.py.mako",
    "registry/exchange/templates/facts.yaml",
    "registry/lineage/events/TreatyContractRunFacet.json",
    "ui/.streamlit/config.toml",
    "ui/server/auth_pages.html",
    "ui/static/icon.svg",
    "ui/static/logo.svg",
)
# What a project of the user's may be called, and would have been replaced by an install that brings generic names.
OWN = """NAME = "the user's own {name}"
"""
BESIDE = """
import importlib
for name in ("contracts", "engine", "registry", "ui", "migrations"):
    own, ours = importlib.import_module(name), importlib.import_module(f"treaty.{name}")
    print(own.NAME, own is not ours, ours.__file__.startswith(PACKAGES))
"""

OWN_PACKAGE = """```python
import importlib
print(importlib.import_module("engine").NAME)
```
```text
the user's own engine
```
"""


def run(*command: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run a command in that folder, which knows nothing of the sources."""
    return subprocess.run(command, cwd=folder, env=environ(), capture_output=True, text=True, timeout=240, check=False)


def build(source: Path, folder: Path, *kinds: str) -> None:
    """Build distributions of the source into the folder."""
    require("uv", available=UV is not None, reason="there is no uv")
    built = run(str(UV), "build", *kinds, "--quiet", "--out-dir", str(folder), str(source), folder=folder)
    require("index", available=built.returncode == 0, reason=f"the wheel could not be built: {built.stderr[-300:]}")


def files(wheel: Path) -> set[str]:
    """Return the names of the files in a wheel."""
    with ZipFile(wheel) as opened:
        return {each for each in opened.namelist() if not each.endswith("/")}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build(ROOT, folder, "--wheel")
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def from_sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from the archive of the sources, which has no links."""
    folder = tmp_path_factory.mktemp("sdist")
    build(ROOT, folder, "--sdist")
    (archive,) = folder.glob("*.tar.gz")
    build(archive, folder, "--wheel")
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with the wheel and the user's own packages, and the libraries without the sources.

    The user's packages are called as the rooms of treaty are."""
    place = tmp_path_factory.mktemp("environment") / "venv"
    venv.create(place, symlinks=True)
    interpreter = place / "bin" / "python"
    (packages,) = place.glob("lib/*/site-packages")
    for name in ROOMS:
        (packages / name).mkdir()
        (packages / name / "__init__.py").write_text(OWN.format(name=name))
    done = run(
        str(UV), "pip", "install", "--offline", "--no-deps", "--python", str(interpreter), str(wheel), folder=place
    )
    assert done.returncode == 0, done.stderr
    # A path in a .pth file is added as it is: the .pth of the sources, which lies there too, is not read.
    (packages / "libraries.pth").write_text("\n".join(site.getsitepackages()))
    return place / "bin"


@pytest.fixture(scope="module")
def java(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """One warm Java for the Python of a page and one for its commands."""
    require("java", available=shutil.which("java") is not None, reason="there is no Java")
    with (
        warm_java(tmp_path_factory.mktemp("python")) as python,
        warm_java(tmp_path_factory.mktemp("shell")) as shell,
    ):
        yield {"DOC_PYTHON_HOME": str(python), "DOC_SHELL_HOME": str(shell)}


def test_nothing_but_treaty_is_at_the_top(wheel: Path) -> None:
    assert {name.split("/")[0] for name in files(wheel)} == {"treaty", INFO}


def test_the_wheel_of_the_sdist_is_the_wheel_of_the_sources(wheel: Path, from_sdist: Path) -> None:
    with ZipFile(wheel) as here, ZipFile(from_sdist) as there:
        assert files(wheel) == files(from_sdist)
        assert [name for name in files(wheel) if here.read(name) != there.read(name)] == []


@pytest.mark.parametrize("name", INSIDE)
def test_what_is_no_python_file_is_inside(wheel: Path, name: str) -> None:
    with ZipFile(wheel) as opened:
        assert opened.read(f"treaty/{name}") == (ROOT / name).read_bytes()


def test_the_types_are_said_to_be_there(wheel: Path) -> None:
    assert "treaty/py.typed" in files(wheel)


def test_every_module_is_inside_and_no_test(wheel: Path) -> None:
    own = {f"treaty/{each.name}" for each in (ROOT / "src" / "treaty").glob("*.py")}
    rooms = {f"treaty/{each.relative_to(ROOT)}" for one in ROOMS for each in (ROOT / one).rglob("*.py")}
    assert {name for name in files(wheel) if name.endswith(".py")} == own | rooms


def test_the_command_tells_what_it_can_do(programs: Path, tmp_path: Path) -> None:
    answer = run(str(programs / "treaty"), "--help", folder=tmp_path)

    assert answer.returncode == 0
    assert all(verb in answer.stdout for verb in ("verify", "draft", "explain", "init", "up", "worker", "demo"))


def test_a_database_is_made_from_the_migrations_inside(programs: Path, tmp_path: Path) -> None:
    made = run(str(programs / "treaty"), "init", folder=tmp_path)

    assert made.returncode == 0, made.stderr
    with sqlite3.connect(tmp_path / ".treaty" / "treaty.db") as database:
        tables = {name for (name,) in database.execute("select name from sqlite_master where type = 'table'")}
    database.close()
    assert {"contract", "partition_state", "run", "audit_entry", "alembic_version"} <= tables


def test_the_packages_of_the_user_and_of_treaty_are_imported_side_by_side(programs: Path, tmp_path: Path) -> None:
    (packages,) = programs.parent.glob("lib/*/site-packages")
    answer = run(str(programs / "python"), "-c", f"PACKAGES = {str(packages)!r}\n{BESIDE}", folder=tmp_path)

    assert answer.stdout.splitlines() == [f"the user's own {name} True True" for name in ROOMS], answer.stderr


def test_the_first_tutorial_runs_in_the_installed_wheel(programs: Path, java: dict[str, str], tmp_path: Path) -> None:
    """The page's expected outputs are compared by its runner; the last line is the user's own package."""
    page, folder = tmp_path / "page.md", tmp_path / "page"
    folder.mkdir()
    tutorial = (ROOT / "docs" / "tutorials" / "first-contract.md").read_text(encoding="utf-8")
    page.write_text(f"{tutorial}\n{OWN_PACKAGE}", encoding="utf-8")
    variables = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "tests"), **java}
    ran = subprocess.run(
        [str(programs / "python"), "-m", "support.doc_runner", str(page)],
        cwd=folder, env={**environ(), **variables}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip

    assert ran.returncode == 0, f"{ran.stdout[-2000:]}\n{ran.stderr[-4000:]}"
    assert ran.stdout.count("Wrote") == 3
    assert ran.stdout.rstrip().endswith("the user's own engine")
