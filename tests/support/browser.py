"""The pages in a real browser: Debian's Chromium through Playwright, and the pages' own process."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import httpx
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright
from support.ports import free_port
from support.required import require

PROGRAM = "/usr/bin/chromium"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A page takes half the processor time where those before it left a process, and graphics need no process.
    "--renderer-process-limit=1",
    "--in-process-gpu",
]
# The browser tries to find the server's base path below the page's own path before it looks at the root.
PROBES = ("_stcore/health", "_stcore/host-config")
READY = "[data-testid=stApp][data-test-connection-state=CONNECTED][data-test-script-state=notRunning]"
PATIENCE = 20_000


@contextmanager
def chromium(**options: Any) -> Iterator[BrowserContext]:
    """The browser's own context; skips, or fails where it is required, when there is no browser.

    Scripts that it compiled stay on its disk: only its own context takes them from there. `options`: of the context."""
    require("chromium", available=shutil.which(PROGRAM) is not None, reason=f"there is no {PROGRAM}")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright, TemporaryDirectory(prefix="treaty-chromium-") as folder:
        own = playwright.chromium.launch_persistent_context(folder, executable_path=PROGRAM, args=FLAGS, **options)
        yield own
        own.close()


@contextmanager
def pages(api_url: str, *, port: int | None = None) -> Iterator[str]:
    """The address of the pages over that API, in a process of their own that must end when it is told to."""
    process, address = start_pages(api_url, port or free_port())
    try:
        yield address
    finally:
        stop(process)


def start_pages(api_url: str, port: int) -> tuple[subprocess.Popen[bytes], str]:
    """The pages' process and its address, once it answers."""
    environment = {**os.environ, "TREATY_API_URL": api_url}
    process = subprocess.Popen([sys.executable, "-m", "treaty.ui", "--port", str(port)], env=environment)
    address = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + 60
    while not _answers(f"{address}/_stcore/health"):
        assert process.poll() is None, "the pages ended while starting"
        assert time.monotonic() < deadline, "the pages did not start"
        time.sleep(0.1)
    return process, address


def stop(process: subprocess.Popen[bytes], signal_number: int = signal.SIGTERM, *, within: float = 10) -> int:
    """Tells the process to end; its exit code. Kills it, and fails, when it does not within that many seconds."""
    process.send_signal(signal_number)
    try:
        return process.wait(within)
    except subprocess.TimeoutExpired:
        process.kill()
        raise


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=1, trust_env=False).text == "ok"
    except httpx.TransportError:
        return False


@dataclass
class Slow:
    """An application that, while it is held, answers nobody."""

    app: Any
    waits: bool = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        while self.waits:
            await asyncio.sleep(0.02)
        await self.app(scope, receive, send)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Holds it meanwhile."""
        self.waits = True
        try:
            yield
        finally:
            self.waits = False


@dataclass
class Watch:
    """What a page did behind its face: errors on its console, requests that left the site."""

    site: str
    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def on(self, page: Page) -> None:
        """Begins to watch that page."""
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._request)

    def clean(self) -> None:
        """Fails if there was anything."""
        assert self.errors == []
        assert self.foreign == []

    def _console(self, message: ConsoleMessage) -> None:
        place = str(message.location.get("url", ""))
        if message.type == "error" and not place.endswith(PROBES):
            self.errors.append(f"{message.text} ({place})")

    def _request(self, request: Request) -> None:
        target = urlsplit(request.url)
        if target.scheme in {"http", "https", "ws", "wss"} and target.netloc != urlsplit(self.site).netloc:
            self.foreign.append(request.url)


def settled(page: Page) -> Page:
    """The page, once its script has run."""
    page.locator(READY).first.wait_for(timeout=PATIENCE)
    return page


def sign_in(page: Page, name: str, password: str) -> None:
    """Fills the sign-in form that the page shows and sends it."""
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def picture(page: Page, path: Path) -> None:
    """A picture of the whole page."""
    page.screenshot(path=str(path), full_page=True)
