"""The site of the docs builds strictly, and shows its pages, diagrams and search without a network."""

import http.server
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Route, expect
from support.browser import chromium

ROOT = Path(__file__).parents[2]
ZENSICAL = Path(sys.executable).with_name("zensical")
TRIAL = "# Trial\n\n```mermaid\nflowchart LR\n  Draft --> Review\n```\n"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments: Any) -> None:
        pass


def copied(folder: Path) -> Path:
    """Return a folder with the site's sources and nothing that was built."""
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "zensical.toml", folder)
    return folder


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [ZENSICAL, "build", "--strict"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copied(tmp_path_factory.mktemp("site"))
    (folder / "docs" / "explanation" / "trial.md").write_text(TRIAL, encoding="utf-8")
    built = build(folder)
    assert built.returncode == 0, re.sub(r"\x1b\[[\d;]*m", "", built.stdout + built.stderr)
    return folder / "site"


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[BrowserContext]:
    with chromium() as own:
        yield own


def test_the_site_builds_without_a_warning_and_leaves_out_programs(site: Path) -> None:
    assert (site / "index.html").exists()
    assert [path.name for path in site.rglob("*") if path.suffix in (".py", ".pyc") or path.name == "words.txt"] == []


def test_a_broken_link_fails_the_build(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "docs" / "trial.md").write_text("# Trial\n\n[home](index.md#nowhere)\n", encoding="utf-8")
    assert build(folder).returncode != 0


def test_pages_need_no_network(browser: BrowserContext, address: str) -> None:
    refused: list[str] = []

    def answer(route: Route) -> None:
        if route.request.url.startswith(address):
            route.continue_()
        else:
            refused.append(route.request.url)
            route.abort()

    browser.route("**/*", answer)
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{address}explanation/trial/")
    expect(page.locator("div.mermaid")).to_be_visible()
    assert page.locator("pre.mermaid").count() == 0
    page.goto(address, wait_until="networkidle")
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search").or_(page.get_by_role("textbox", name="Search")).fill("quarantine")
    expect(page.get_by_role("option", name="Quarantine").first).to_be_visible()
    page.close()
    assert (refused, errors) == ([], [])
