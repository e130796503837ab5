"""Writes docs/screens: every page with the demo's data, in the light, in the dark and on a phone. `make screens`.

It runs `treaty demo --keep`, looks at its pages in Debian's Chromium, and ends it."""

import io
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from treaty.registry.client import Client
from treaty.ui.widgets import menu

SCREENS = Path(__file__).parent / "screens"
PROGRAM = "/usr/bin/chromium"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
LOOKS = {
    "light": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
}
READY = "[data-testid=stApp][data-test-connection-state=CONNECTED][data-test-script-state=notRunning]"
PATIENCE = 20_000
# Pages show where tables lie: a place that a reader would have.
FOLDER = "/srv/shop"
# What the demo may take until its pages wait for somebody.
LONGEST = 900


@contextmanager
def demo() -> Iterator[tuple[str, str, str]]:
    """The addresses of the demo's pages and API, and its owner's password, while it is up."""
    with TemporaryFile() as output:
        program = [sys.executable, "-m", "treaty", "demo", "--keep", "--folder", FOLDER]
        process = subprocess.Popen(program, stdout=output)
        try:
            yield _announced(process, output)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)
            shutil.rmtree(FOLDER, ignore_errors=True)


def _announced(process: "subprocess.Popen[bytes]", output: io.BufferedRandom) -> tuple[str, str, str]:
    deadline = time.monotonic() + LONGEST
    while time.monotonic() < deadline and process.poll() is None:
        output.seek(0)
        announced = re.search(
            r"pages\s+(\S+)\s+API\s+(\S+)/api/v1.*sign in as owner\s+(\S+)", output.read().decode(), re.S
        )
        if announced:
            return announced[1], announced[2], announced[3]
        time.sleep(1)
    raise SystemExit(f"screens: the demo did not come up within {LONGEST} s")


def addresses(api: str, password: str) -> dict[str, str]:
    """The address of each page, by its name: those of one object show one of the demo's."""
    with Client(api) as nobody:
        secret = nobody.sign_in("owner", password).secret
    with Client(api, secret) as registry:
        contract = registry.contracts()[0].id
        failed = next(each for each in registry.runs() if each.verdict == "failed")
        check = next(each for each in registry.run(failed.id).results if each.outcome == "failed")
        shown = {
            "review": f"proposal={registry.inbox().to_decide[0].id}",
            "contract": f"id={contract}",
            "run": f"id={failed.id}",
            "metric": f"contract={failed.contract_id}&object={failed.object}&check={check.check_id}",
            "profile": f"dataset={contract}",
            "lineage": f"node=dataset:{(dataset := registry.contract(contract).datasets[0]).namespace}:{dataset.name}",
        }
    pages = (each for each in menu.ENTRIES if each.needs is None)
    return {each.name: f"{menu.address(each.name)}?{shown.get(each.name, '')}".rstrip("?") for each in pages}


def pictures(browser: Browser, pages: str, targets: dict[str, str], password: str) -> Iterator[tuple[str, bytes]]:
    """Each page in each look, as a PNG, by the name of its file."""
    for look, options in LOOKS.items():
        context = browser.new_context(**options)
        page = context.new_page()
        page.goto(pages)
        page.get_by_label("Name").fill("owner")
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Sign in").click()
        for name, address in targets.items():
            page.goto(pages + address)
            yield f"{name}-{look}", picture(page)
        context.close()


def picture(page: Page) -> bytes:
    """The part of the page that is in sight, once it and its charts are drawn."""
    page.locator(READY).first.wait_for(timeout=PATIENCE)
    page.wait_for_load_state("networkidle")
    page.locator("[data-testid=stSkeleton]").first.wait_for(state="hidden", timeout=PATIENCE)
    page.wait_for_timeout(700)
    return page.screenshot()


def main() -> None:
    """Writes the pictures, small enough to be kept beside the text."""
    SCREENS.mkdir(exist_ok=True)
    with demo() as (pages, api, password), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=FLAGS)
        for name, png in pictures(browser, pages, addresses(api, password), password):
            Image.open(io.BytesIO(png)).save(SCREENS / f"{name}.webp", quality=60, method=6)
            print(name, flush=True)
        browser.close()


if __name__ == "__main__":
    main()
