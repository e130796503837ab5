"""Every example of the docs and of the README runs, page by page, in an empty folder."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from support import doc_runner
from support.agents import JARS, defaults, delta, require_delta, require_listener
from support.databases import postgres_server
from support.loops import services
from support.plugins import install
from support.required import require
from support.warm import warm_java

from treaty.registry.access.permissions import GRANTS
from treaty.registry.core.enums import Role
from treaty.registry.serve import local_stack

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# Iceberg has no runtime for the Spark of the other tests: these pages are run beside the service of that test.
SCOPES = sorted(GRANTS[Role.ADMIN])
ELSEWHERE = {"docs/how-to/iceberg.md": "test_agents_iceberg.py"}
LONGEST = 600
WORKER_HOME = "WORKER_HOME"


def runnable(path: Path) -> bool:
    return any(block.is_run for block in doc_runner.blocks(path.read_text(encoding="utf-8")))


CANDIDATES = [
    ROOT / "README.md",
    *DOCS.glob("tutorials/*.md"),
    *DOCS.glob("how-to/*.md"),
    *DOCS.glob("explanation/*.md"),
]
PAGES = sorted(str(path.relative_to(ROOT)) for path in CANDIDATES if runnable(path))


@pytest.fixture(scope="module")
def java(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """One Java each for the Python of the pages, for their commands and for the worker: each may have a session."""
    require("java", available=shutil.which("java") is not None, reason="there is no Java")
    with (
        warm_java(tmp_path_factory.mktemp("python")) as python,
        warm_java(tmp_path_factory.mktemp("shell")) as shell,
        warm_java(tmp_path_factory.mktemp("worker")) as worker,
    ):
        yield {"DOC_PYTHON_HOME": str(python), "DOC_SHELL_HOME": str(shell), WORKER_HOME: str(worker)}


@contextmanager
def prepared(needs: list[str], folder: Path, worker: str | None = None) -> Iterator[dict[str, str]]:
    """The variables of a page's environment, with its services running; the worker takes its Java from that folder."""
    if {"listener", "delta"} & set(needs):
        require_listener()
        require_delta()
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        variables = {"JARS": str(JARS)}
        if "delta" in needs:
            patch.setenv("SPARK_CONF_DIR", str(defaults(folder / "conf", delta())))
        url = stack.enter_context(postgres_server()) if "postgres" in needs else ""
        if "postgres" in needs:
            variables["DATABASE_URL"] = url
        if worker:
            patch.setenv("SPARK_HOME", worker)
        if "registry" in needs:
            makers = (local_stack.api, local_stack.worker)
            running = stack.enter_context(services(folder / "services", url, makers=makers))
            admin = running.people.passwords["admin"]
            variables |= {
                "TREATY_API_URL": running.settings.api,
                "TREATY_HOME": str(running.settings.home),
                "TREATY_DATABASE_URL": running.settings.database_url,
                "PAGES": running.settings.ui_url,
                "ADMIN_PASSWORD": admin,
                "TREATY_TOKEN": running.people.admin.issue_token("docs", scopes=SCOPES).secret,
            }
        yield variables


def environment(variables: dict[str, str], folder: Path) -> dict[str, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    modules = os.pathsep.join(map(str, (ROOT / "tests", folder / "packages")))
    return {**os.environ, **variables, "PATH": path, "PYTHONPATH": modules}


@pytest.mark.parametrize("page", [each for each in PAGES if each not in ELSEWHERE])
def test_every_example_of_the_page_runs(page: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    needs = doc_runner.needs((ROOT / page).read_text(encoding="utf-8"))
    assert set(needs) <= set(doc_runner.NEEDS)
    folder = tmp_path / "page"
    (folder / "packages").mkdir(parents=True)
    install(folder / "packages")
    warm = dict(request.getfixturevalue("java")) if "java" in needs else {}
    with prepared(needs, tmp_path, warm.pop(WORKER_HOME, None)) as variables:
        ran = subprocess.run(
            [sys.executable, "-m", "support.doc_runner", str(ROOT / page)],
            cwd=folder, env=environment({**variables, **warm}, folder), capture_output=True, text=True,
            timeout=LONGEST, check=False,
        )  # fmt: skip
    assert ran.returncode == 0, f"{ran.stdout[-2000:]}\n{ran.stderr[-6000:]}"


def test_pages_that_are_run_elsewhere_are_named_there() -> None:
    for page, file in ELSEWHERE.items():
        name = page.removeprefix("docs/").removesuffix(".md")
        assert not (ROOT / page).exists() or name in (Path(__file__).parent / file).read_text(encoding="utf-8")
