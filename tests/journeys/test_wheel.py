"""The wheel, installed where the sources are not: the command works, and nothing that it needs was left behind."""

import shutil
import site
import sqlite3
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from support.payments import CONTRACT, delivery
from support.processes import environ
from support.required import require

from treaty.registry.demo.producer import DemoProducer

ROOT = Path(__file__).parents[2]
UV = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
INSIDE = (
    "migrations/script.py.mako",
    "ui/.streamlit/config.toml",
    "ui/server/auth_pages.html",
    "ui/static/icon.svg",
    "ui/static/logo.svg",
)


def run(*command: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """A command in that folder, which knows nothing of the sources."""
    return subprocess.run(command, cwd=folder, env=environ(), capture_output=True, text=True, timeout=240, check=False)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    require("uv", available=UV is not None, reason="there is no uv")
    built = run(str(UV), "build", "--wheel", "--quiet", "--out-dir", str(folder), str(ROOT), folder=folder)
    require("index", available=built.returncode == 0, reason=f"the wheel could not be built: {built.stderr[-300:]}")
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def treaty(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of an environment that has the wheel, and beside it the libraries but not the sources."""
    place = tmp_path_factory.mktemp("environment") / "venv"
    venv.create(place, symlinks=True)
    python = place / "bin" / "python"
    done = run(str(UV), "pip", "install", "--offline", "--no-deps", "--python", str(python), str(wheel), folder=place)
    assert done.returncode == 0, done.stderr
    (packages,) = place.glob("lib/*/site-packages")
    # A path in a .pth file is added as it is: the .pth of the sources, which lies there too, is not read.
    (packages / "libraries.pth").write_text("\n".join(site.getsitepackages()))
    where = run(str(python), "-c", "import registry; print(registry.__file__)", folder=place)
    assert where.stdout.startswith(str(packages)), where
    return place / "bin" / "treaty"


@pytest.mark.parametrize("name", INSIDE)
def test_what_is_no_python_file_is_inside(wheel: Path, name: str) -> None:
    with ZipFile(wheel) as opened:
        assert opened.read(name) == (ROOT / name).read_bytes()


def test_every_module_is_inside_and_no_test(wheel: Path) -> None:
    with ZipFile(wheel) as opened:
        names = {each for each in opened.namelist() if each.endswith(".py")}
    packages = ("contracts", "engine", "registry", "ui", "migrations")
    assert names == {str(each.relative_to(ROOT)) for one in packages for each in (ROOT / one).rglob("*.py")}


def test_the_command_tells_what_it_can_do(treaty: Path, tmp_path: Path) -> None:
    told = run(str(treaty), "--help", folder=tmp_path)

    assert told.returncode == 0
    assert all(verb in told.stdout for verb in ("verify", "draft", "explain", "init", "up", "worker", "demo"))


def test_a_database_is_made_from_the_migrations_inside(treaty: Path, tmp_path: Path) -> None:
    made = run(str(treaty), "init", folder=tmp_path)

    assert made.returncode == 0, made.stderr
    with sqlite3.connect(tmp_path / ".treaty" / "treaty.db") as database:
        tables = {name for (name,) in database.execute("select name from sqlite_master where type = 'table'")}
    database.close()
    assert {"contract", "partition_state", "run", "audit_entry", "alembic_version"} <= tables


def test_a_table_is_judged(treaty: Path, producer_spark: Any, tmp_path: Path) -> None:
    producer = DemoProducer(session=producer_spark, root=tmp_path, column="day", url="", token="")
    producer.write(delivery("payments", "2026-10-05", [(1, 1.0), (2, -5.0)]))
    contract = tmp_path / "payments.yaml"
    contract.write_text(CONTRACT.format(name="payments", location="payments", more=""))

    judged = run(str(treaty), "verify", "payments", "--contract", str(contract), folder=tmp_path)

    assert judged.returncode == 1, judged.stderr
    assert "failed: payments 1.0.0 on payments, 1 partition(s), 2 rows" in judged.stdout
