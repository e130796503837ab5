"""The pages' figures, in a real browser: `python -m bench.ui.pages [--datasets N] [--postgres] [--only PART ...]`.

Fills a registry with N datasets, a contract of 500 checks with two years of runs and a draft of 500 suggestions, starts
service and pages, and prints how long people wait, beside each goal. Wants Debian's Chromium and an idle machine."""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from uuid import UUID

import httpx
from playwright.async_api import Browser as Crowded
from playwright.async_api import TimeoutError, async_playwright
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from bench.core.clock import cpu_seconds
from bench.registry.filled import filled
from bench.registry.service import Line, database, service, share
from bench.ui.pages_filled import CHECKS, NAME, PASSWORD, large
from bench.ui.pages_served import browsed
from treaty.registry.core.database import connect
from treaty.registry.serve.local_stack import free_port

PROGRAM = "/usr/bin/chromium"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
# What each page says once its content is there, by its address.
PAGES = {
    "/": "Inbox",
    "/contracts": "Contracts",
    "/catalog": "Catalog",
    f"/contract?id={NAME}": "Columns (20)",
    f"/contract?id={NAME}&tab=Checks": "Explicit checks",
    f"/contract?id={NAME}&tab=Runs": "version 1.0.0",
    f"/metric?contract={NAME}&check=check-7": "Range",
    "/review?proposal={review}": f"0 of {CHECKS} decided",
    "/review?proposal={review}&view=Table": f"0 of {CHECKS} decided",
    "/incidents": "Incidents",
    "/subscriptions": "Subscriptions",
    "/tasks": "Tasks",
}
ROUNDS, SESSIONS, THINKS = 5, 20, 5.0
LONGEST = 60_000
WARM, COLD, CLICK, SEARCH, CROWD = 2000, 5000, 500, 1000, 2000


@dataclass(frozen=True)
class Site:
    """The pages that run, the draft that waits there, and a browser."""

    address: str
    review: UUID
    browser: Browser
    seconds: float

    def visitor(self) -> BrowserContext:
        """Somebody who just signed in and has seen no page."""
        context = self.browser.new_context(viewport={"width": 1280, "height": 800})
        sent = {"name": "reader", "password": PASSWORD, "next": "/"}
        origin = {"Origin": self.address}
        context.request.post(f"{self.address}/sign-in", form=sent, headers=origin, max_redirects=0)
        return context

    def pages(self) -> Iterator[tuple[str, str]]:
        """The address of each page, and what it says."""
        return ((self.address + path.format(review=self.review), said) for path, said in PAGES.items())


def until(page: Page, act: Callable[[], object], said: str) -> float:
    """Milliseconds from the act until the page says so."""
    started = time.perf_counter()
    act()
    page.get_by_text(said).first.wait_for(timeout=LONGEST)
    return (time.perf_counter() - started) * 1000


def contents(site: Site) -> Iterator[Line]:
    """The first content of each page: for somebody who has just come, and for somebody who was there."""
    for address, said in site.pages():
        name = address.removeprefix(site.address).replace(str(site.review), "...")
        context = site.visitor()
        page = context.new_page()
        cold = until(page, partial(page.goto, address), said)
        warm = median(until(page, partial(page.goto, address), said) for _ in range(ROUNDS))
        context.close()
        yield Line(f"{name} cold", cold, COLD)
        yield Line(f"{name} warm, median of {ROUNDS}", warm, WARM)


def click(site: Site) -> Iterator[Line]:
    """From a decision to its result."""
    context = site.visitor()
    page = context.new_page()
    page.goto(f"{site.address}/review?proposal={site.review}")
    took = []
    for done in range(1, ROUNDS + 1):
        page.get_by_text(f"{done - 1} of {CHECKS} decided").first.wait_for()
        button = page.locator("[class*='st-key-accept-']:not(.st-key-accept-all)").get_by_role("button").first
        took.append(until(page, button.click, f"{done} of {CHECKS} decided"))
    context.close()
    yield Line(f"decision to result, {CHECKS} suggestions, median", median(took), CLICK)


def search(site: Site) -> Iterator[Line]:
    """From a typed word to what is found."""
    context = site.visitor()
    page = context.new_page()
    page.goto(f"{site.address}/catalog")
    found = page.get_by_text("1 contract", exact=False)
    took = []
    for at in range(ROUNDS):
        page.get_by_label("Search").first.fill(f"order {at}")
        page.wait_for_timeout(1500)
        took.append(until(page, partial(page.get_by_label("Search").first.fill, NAME), f"{NAME} ·"))
        found.first.wait_for()
    context.close()
    yield Line("catalog search, median", median(took), SEARCH)


def crowd(site: Site) -> Iterator[Line]:
    """Twenty who browse, each with a page every few seconds."""
    # The browser that is driven from here has an event loop of its own in this thread.
    with ThreadPoolExecutor(1) as thread:
        yield from _concurrent_lines("sessions", thread.submit(asyncio.run, _browsed(site)).result)


def served(site: Site) -> Iterator[Line]:
    """The same twenty without browsers: what the pages' server and the service behind it take."""
    paths = [address.removeprefix(site.address) for address, _ in site.pages() if "review" not in address]
    form = {"name": "reader", "password": PASSWORD, "next": "/"}
    pace = {"sessions": SESSIONS, "seconds": site.seconds, "thinks": THINKS}
    with ThreadPoolExecutor(1) as thread:
        yield from _concurrent_lines(
            "without browsers", thread.submit(partial(browsed, site.address, paths, form, **pace)).result
        )


def _concurrent_lines(told: str, browse: Callable[[], list[float]]) -> Iterator[Line]:
    """How long they waited, and the CPU time of a page in all processes but this."""
    started = cpu_seconds() - time.process_time()
    took = browse()
    spent = cpu_seconds() - time.process_time() - started
    yield Line(f"{SESSIONS} {told}, {len(took)} pages, median", median(took), None)
    yield Line(f"{SESSIONS} {told}, CPU of a page", spent / (len(took) + SESSIONS) * 1000, None)
    yield Line(f"{SESSIONS} {told}, p95", share(took, 0.95), CROWD)


async def _browsed(site: Site) -> list[float]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=PROGRAM, args=FLAGS)
        found = await asyncio.gather(*(_visited(site, browser, at) for at in range(SESSIONS)))
        await browser.close()
    return [each for one in found for each in one]


async def _visited(site: Site, browser: Crowded, at: int) -> list[float]:
    random, took, pages = Random(at), list[float](), [each for each in site.pages() if "review" not in each[0]]
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    sent = {"name": "reader", "password": PASSWORD, "next": "/"}
    origin = {"Origin": site.address}
    await context.request.post(f"{site.address}/sign-in", form=sent, headers=origin, max_redirects=0)
    page = await context.new_page()
    ends = time.monotonic() + site.seconds
    await asyncio.sleep(random.uniform(0, THINKS))
    while time.monotonic() < ends:
        address, said = random.choice(pages)
        started = time.perf_counter()
        # Whoever sees nothing within a minute has waited a minute.
        with suppress(TimeoutError):
            await page.goto(address, timeout=LONGEST)
            await page.get_by_text(said).first.wait_for(timeout=LONGEST)
        took.append((time.perf_counter() - started) * 1000)
        await asyncio.sleep(random.uniform(0.5, 1.5) * THINKS)
    return took[1:]


PARTS: dict[str, Callable[[Site], Iterator[Line]]] = {
    "contents": contents,
    "click": click,
    "search": search,
    "crowd": crowd,
    "served": served,
}


@contextmanager
def shown(api: str) -> Iterator[str]:
    """The address of the pages over that service, in a process of their own."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "treaty.ui", "--port", str(port)], env={**os.environ, "TREATY_API_URL": api}
    )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                if httpx.get(f"{address}/ui/ready").is_success:
                    break
            except httpx.TransportError:
                pass
            time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait()


def main(given: Sequence[str] | None = None) -> None:
    """Fills, looks, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=10, help="runs of each dataset but the large one")
    parser.add_argument("--postgres", action="store_true", help="PostgreSQL in place of SQLite")
    parser.add_argument("--seconds", type=float, default=60, help="how long the crowd browses")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS))
    asked = parser.parse_args(given)
    with tempfile.TemporaryDirectory(prefix="treaty-bench-") as made:
        folder = Path(made)
        with database(folder, postgres=asked.postgres) as url:
            engine, started = connect(url), time.perf_counter()
            filled(engine, asked.datasets, runs=asked.runs)
            review = large(engine)
            engine.dispose()
            print(f"{asked.datasets:,} datasets and the large one in {time.perf_counter() - started:.0f} s", flush=True)
            with service(url, folder, 2) as api, shown(api) as address, sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=PROGRAM, args=FLAGS)
                site = Site(address, review, browser, asked.seconds)
                for name in asked.only:
                    for line in PARTS[name](site):
                        print(line.text, flush=True)
                browser.close()


if __name__ == "__main__":
    main()
