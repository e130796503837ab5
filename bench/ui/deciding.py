"""Measure clicks and time to review twelve suggestions: `python -m bench.ui.deciding PAGES PASSWORD`.

PAGES and PASSWORD are printed by `treaty demo --keep` for the owner. The benchmark signs in, opens the draft in the
inbox, reviews twelve suggestions on their cards (the third is rejected with a reason), then accepts all without
violations with one button. The seconds are the pages' own, without any reading time. Requires Debian's Chromium."""

import re
import sys
import time
from dataclasses import dataclass

from playwright.sync_api import BrowserContext, Page, expect, sync_playwright

SUGGESTIONS, REJECTED = 12, 3
# Count every press of a mouse button.
COUNT = """addEventListener('pointerdown',
    () => sessionStorage.setItem('clicks', Number(sessionStorage.getItem('clicks')) + 1), true)"""
CLICKS = "Number(sessionStorage.getItem('clicks'))"


@dataclass
class Progress:
    """The number of reviewed suggestions, clicks and seconds so far."""

    decided: int
    clicks: int
    seconds: float


def main() -> None:
    """Print the clicks and seconds of both ways."""
    from bench.ui.pages import FLAGS, PROGRAM

    address, password = sys.argv[1:]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=FLAGS)
        page = signed_in(browser.new_context(viewport={"width": 1280, "height": 800}), address, password)
        begun = time.perf_counter()
        opened(page)
        one_by_one(page)
        single = progress_of(page, begun)
        print(f"one by one: {single.decided} reviewed in {single.clicks} clicks and {single.seconds:.0f} s")
        accept_tier(page)
        both = progress_of(page, begun)
        print(
            f"with Accept all: {both.decided - single.decided} more in {both.clicks - single.clicks} clicks and "
            f"{both.seconds - single.seconds:.0f} s"
        )
        browser.close()


def signed_in(context: BrowserContext, address: str, password: str) -> Page:
    """Sign in as the demo's owner and open the inbox."""
    page = context.new_page()
    page.add_init_script(COUNT)
    page.goto(address)
    page.get_by_label("Name").fill("owner")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("Needs your review")).to_be_visible(timeout=60_000)
    page.evaluate("sessionStorage.removeItem('clicks')")
    return page


def opened(page: Page) -> None:
    """Open the draft in the inbox."""
    page.locator("[class*=st-key-proposal-] a").first.click()
    expect(page.locator("[class*=st-key-accept-]").first).to_be_visible(timeout=60_000)


def one_by_one(page: Page) -> None:
    """Review twelve suggestions on their cards, paging as needed."""
    for at in range(1, SUGGESTIONS + 1):
        waiting = page.locator("[class*=st-key-buttons-] [class*=st-key-reject-]")
        if not waiting.count():
            page.get_by_role("button", name="Next page").click()
            expect(waiting.first).to_be_visible(timeout=60_000)
        name = re.search(r"st-key-reject-(\S+)", waiting.first.get_attribute("class") or "")
        assert name
        decide(page, name[1], reject=at == REJECTED)


def decide(page: Page, card: str, *, reject: bool) -> None:
    """Accept or reject the suggestion of a card and wait for the result."""
    if reject:
        page.locator(f".st-key-reject-{card} button").click()
        page.locator(f".st-key-reason-{card} input").fill("not promised by the shop")
        page.locator(f".st-key-confirm-{card} button").click()
    else:
        page.locator(f".st-key-accept-{card} button").click()
    expect(page.locator(f".st-key-undo-{card}")).to_be_visible(timeout=60_000)


def accept_tier(page: Page) -> None:
    """Accept all suggestions without violations."""
    before = decided(page)
    page.locator(".st-key-accept-all button").click()
    expect(page.locator(".st-key-progress")).not_to_contain_text(f"{before} of", timeout=60_000)


def decided(page: Page) -> int:
    """Return the number of reviewed suggestions from the progress bar."""
    match = re.search(r"(\d+) of", page.locator(".st-key-progress").inner_text())
    assert match
    return int(match[1])


def progress_of(page: Page, begun: float) -> Progress:
    """Return the current progress."""
    return Progress(decided(page), page.evaluate(CLICKS), time.perf_counter() - begun)


if __name__ == "__main__":
    main()
