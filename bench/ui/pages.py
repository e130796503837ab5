"""Measure page load times in a real browser: `python -m bench.ui.pages [--datasets N] [--postgres] [--only PART ...]`.

Fills a registry with N datasets, a contract of 500 checks with two years of runs and a draft of 500 suggestions, starts
the service and the pages, and prints waiting times with their goals. Requires Debian's Chromium and an idle machine."""

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
# The text that shows that a page has loaded, by its address.
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
    """The running pages, the id of the draft, and a browser."""

    address: str
    review: UUID
    browser: Browser
    seconds: float

    def visitor(self) -> BrowserContext:
        """Return a signed-in browser context without any page visit."""
        context = self.browser.new_context(viewport={"width": 1280, "height": 800})
        sent = {"name": "reader", "password": PASSWORD, "next": "/"}
        origin = {"Origin": self.address}
        context.request.post(f"{self.address}/sign-in", form=sent, headers=origin, max_redirects=0)
        return context

    def pages(self) -> Iterator[tuple[str, str]]:
        """Yield the address of each page and the text that shows that it has loaded."""
        return ((self.address + path.format(review=self.review), text) for path, text in PAGES.items())


def until(page: Page, act: Callable[[], object], text: str) -> float:
    """Return the milliseconds from an action until the page shows a text."""
    started = time.perf_counter()
    act()
    page.get_by_text(text).first.wait_for(timeout=LONGEST)
    return (time.perf_counter() - started) * 1000


def contents(site: Site) -> Iterator[Line]:
    """Measure the first content of each page, cold and warm."""
    for address, text in site.pages():
        name = address.removeprefix(site.address).replace(str(site.review), "...")
        context = site.visitor()
        page = context.new_page()
        cold = until(page, partial(page.goto, address), text)
        warm = median(until(page, partial(page.goto, address), text) for _ in range(ROUNDS))
        context.close()
        yield Line(f"{name} cold", cold, COLD)
        yield Line(f"{name} warm, median of {ROUNDS}", warm, WARM)


def click(site: Site) -> Iterator[Line]:
    """Measure the time from a review decision to its result."""
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
    """Measure the time from typing to search results."""
    context = site.visitor()
    page = context.new_page()
    page.goto(f"{site.address}/catalog")
    result = page.get_by_text("1 contract", exact=False)
    took = []
    for at in range(ROUNDS):
        page.get_by_label("Search").first.fill(f"order {at}")
        page.wait_for_timeout(1500)
        took.append(until(page, partial(page.get_by_label("Search").first.fill, NAME), f"{NAME} ·"))
        result.first.wait_for()
    context.close()
    yield Line("catalog search, median", median(took), SEARCH)


def crowd(site: Site) -> Iterator[Line]:
    """Measure twenty concurrent users, each loading a page every few seconds."""
    # The browser controlled here runs an event loop in this thread.
    with ThreadPoolExecutor(1) as thread:
        yield from _concurrent_lines("sessions", thread.submit(asyncio.run, _browsed(site)).result)


def served(site: Site) -> Iterator[Line]:
    """Measure the same twenty users without browsers: the cost of the pages' server and the service."""
    paths = [address.removeprefix(site.address) for address, _ in site.pages() if "review" not in address]
    form = {"name": "reader", "password": PASSWORD, "next": "/"}
    pace = {"sessions": SESSIONS, "seconds": site.seconds, "thinks": THINKS}
    with ThreadPoolExecutor(1) as thread:
        yield from _concurrent_lines(
            "without browsers", thread.submit(partial(browsed, site.address, paths, form, **pace)).result
        )


def _concurrent_lines(label: str, browse: Callable[[], list[float]]) -> Iterator[Line]:
    """Yield the waiting times and the CPU time per page in all other processes."""
    started = cpu_seconds() - time.process_time()
    took = browse()
    spent = cpu_seconds() - time.process_time() - started
    yield Line(f"{SESSIONS} {label}, {len(took)} pages, median", median(took), None)
    yield Line(f"{SESSIONS} {label}, CPU per page", spent / (len(took) + SESSIONS) * 1000, None)
    yield Line(f"{SESSIONS} {label}, p95", share(took, 0.95), CROWD)


async def _browsed(site: Site) -> list[float]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=PROGRAM, args=FLAGS)
        times = await asyncio.gather(*(_visited(site, browser, at) for at in range(SESSIONS)))
        await browser.close()
    return [each for one in times for each in one]


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
        address, text = random.choice(pages)
        started = time.perf_counter()
        # A page that takes more than a minute counts as a minute.
        with suppress(TimeoutError):
            await page.goto(address, timeout=LONGEST)
            await page.get_by_text(text).first.wait_for(timeout=LONGEST)
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
    """Start the pages for that service in a separate process and yield their address."""
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


def main(argv: Sequence[str] | None = None) -> None:
    """Fill the registry, measure the selected parts and print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=10, help="runs of each dataset except the large one")
    parser.add_argument("--postgres", action="store_true", help="use PostgreSQL instead of SQLite")
    parser.add_argument("--seconds", type=float, default=60, help="duration of `crowd` and `served`")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS))
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="treaty-bench-") as temporary:
        folder = Path(temporary)
        with database(folder, postgres=options.postgres) as url:
            engine, started = connect(url), time.perf_counter()
            filled(engine, options.datasets, runs=options.runs)
            review = large(engine)
            engine.dispose()
            print(
                f"{options.datasets:,} datasets and the large one in {time.perf_counter() - started:.0f} s", flush=True
            )
            with service(url, folder, 2) as api, shown(api) as address, sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=PROGRAM, args=FLAGS)
                site = Site(address, review, browser, options.seconds)
                for name in options.only:
                    for line in PARTS[name](site):
                        print(line.text, flush=True)
                browser.close()


if __name__ == "__main__":
    main()
