"""The pages as people use them: a real browser, the pages' own process, a real API on a database of its own."""

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote
from uuid import UUID

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from support import looks
from support.access import barriers
from support.api import PASSWORD
from support.browser import Slow, Watch, chromium, pages, settled, sign_in, start_pages, stop
from support.databases import sqlite_copy, sqlite_template
from support.ports import free_port
from support.provider import issuing, required
from support.spoilt import CORPUS, spoilt
from support.ui import HOSTILE, Shop, drafted, served, shop, suggestions

from bench.ui import deciding
from treaty.engine.core import clock
from treaty.registry.access import first_admin
from treaty.registry.api.app import create_app
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import Decision
from treaty.registry.core.settings import RegistrySettings
from treaty.ui.server.security import COOKIE
from treaty.ui.widgets.menu import addresses

pytestmark = [pytest.mark.journey, pytest.mark.xdist_group("browser")]
WIDE = {"width": 1280, "height": 800}
NARROW = {"width": 390, "height": 844}


@dataclass
class Site:
    """The pages over a shop, and a browser that is signed in there as its owner."""

    address: str
    shop: Shop
    signed_in: BrowserContext
    watch: Watch
    api: Slow

    @property
    def browser(self) -> Browser:
        """The browser, whose other contexts know nobody."""
        assert self.signed_in.browser
        return self.signed_in.browser

    def visitor(self) -> Page:
        """A page of somebody who has no session."""
        page = self.browser.new_context(viewport=WIDE).new_page()
        self.watch.on(page)
        return page


@pytest.fixture(scope="module")
def signed_in() -> Iterator[BrowserContext]:
    with chromium(viewport=WIDE, timezone_id="Europe/Stockholm") as own:
        yield own


@pytest.fixture(scope="module")
def site(signed_in: BrowserContext, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    made = shop(tmp_path_factory.mktemp("shop"))
    with ExitStack() as stack:
        api = Slow(made.world.http.app)
        address = stack.enter_context(pages(stack.enter_context(served(api))))
        yield Site(address, made, signed_in, Watch(address), api)
    made.close()


@pytest.fixture
def page(site: Site) -> Iterator[Page]:
    """A page of the owner, who is signed in; its console must stay clean and it must ask no other site."""
    found = site.signed_in.new_page()
    site.watch.on(found)
    if not site.signed_in.cookies():
        found.goto(site.address)
        sign_in(found, "owner", PASSWORD)
        expect(found.get_by_role("heading", name="Inbox")).to_be_visible()
    yield found
    found.close()
    site.watch.clean()


def session_of(page: Page) -> str | None:
    """The secret of the browser's session; None for no session."""
    return next((each.get("value") for each in page.context.cookies() if each.get("name") == COOKIE), None)


def test_a_deep_link_leads_through_the_sign_in_to_the_exact_proposal_and_survives_a_reload(site: Site) -> None:
    page = site.visitor()
    page.goto(f"{site.address}/review?proposal={site.shop.review}")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()

    sign_in(page, "owner", PASSWORD)

    expect(page.get_by_role("heading", name="Draft of shop-orders")).to_be_visible()
    assert page.url.endswith(f"/review?proposal={site.shop.review}")
    page.reload()
    expect(page.get_by_role("heading", name="Draft of shop-orders")).to_be_visible()
    cookie = next(each for each in page.context.cookies() if each.get("name") == COOKIE)
    assert cookie.get("httpOnly")
    assert cookie.get("sameSite") == "Lax"
    page.context.close()
    site.watch.clean()


def test_the_inbox_is_found_at_its_own_name_too(site: Site, page: Page) -> None:
    page.goto(f"{site.address}/inbox")
    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert page.url == f"{site.address}/"


def test_a_wrong_password_is_refused_in_words_and_opens_nothing(site: Site) -> None:
    page = site.browser.new_context().new_page()
    page.goto(f"{site.address}/contracts")

    with page.expect_response("**/sign-in") as answer:
        sign_in(page, "owner", "not the password")

    assert answer.value.status == 401
    expect(page.get_by_role("alert")).to_have_text("Invalid name or password.")
    assert session_of(page) is None
    page.context.close()


def test_an_owner_decides_each_suggestion_and_approves_what_was_shown(site: Site, page: Page) -> None:
    page.goto(site.address)
    page.get_by_role("link", name="Draft of shop-orders").click()
    expect(page.get_by_text("10 suggestions: 0 accepted, 0 rejected, 10 pending")).to_be_visible()
    cards = {
        each.content["sentence"]: each.id for each in site.shop.client("owner").proposal(site.shop.review).suggestions
    }
    known = cards["status is one of 4 known values"]

    page.locator(f".st-key-reject-{known}").get_by_role("button").click()
    page.get_by_label("Reason for rejection").fill("a fifth value comes in April")
    page.locator(f".st-key-confirm-{known}").get_by_role("button").click()
    expect(page.get_by_text("“a fifth value comes in April”")).to_be_visible()
    page.locator(f".st-key-accept-{cards['order_id is required']}").get_by_role("button").click()
    expect(page.get_by_text("2 of 10 decided")).to_be_visible()
    page.get_by_role("button", name="Accept all 7 without violations").click()
    expect(page.get_by_text("9 of 10 decided")).to_be_visible()
    page.get_by_role("button", name="Next page").click()
    page.locator(f".st-key-accept-{cards['country is required']}").get_by_role("button").click()
    expect(page.get_by_text("10 suggestions: 9 accepted, 1 rejected, 0 pending")).to_be_visible()
    page.get_by_role("button", name="Approve version 1.0.0").click()

    expect(page.get_by_text("Version 1.0.0 is active").first).to_be_visible()
    page.get_by_role("link", name="Open contract shop-orders").click()
    expect(page.get_by_role("heading", name="shop-orders")).to_be_visible()
    approved = site.shop.client("owner").document("shop-orders").decode()
    assert "required: true" in approved
    assert "categorical-status" not in approved


def test_rows_of_the_table_are_decided_together_and_what_needs_a_look_is_left(site: Site, page: Page) -> None:
    proposal = drafted(site.shop.world, "producer", "shop-table", suggestions())
    page.goto(f"{site.address}/review?proposal={proposal}&view=Table")
    rows = page.get_by_test_id("stDataFrame").first
    expect(page.get_by_role("button", name="Accept 0 suggestions")).to_be_disabled()
    for at in (0, 1, 9):
        rows.click(position={"x": 16, "y": 34 + 33 * at + 16})
    expect(page.get_by_role("button", name="Reject 3 suggestions")).to_be_visible()
    page.get_by_role("button", name="Accept 2 suggestions").click()

    expect(page.get_by_text("2 of 10 decided")).to_be_visible()
    expect(page.get_by_text("Not included: country is required (has violations)").first).to_be_visible()


def test_the_verdict_of_a_run_is_read_with_its_history(site: Site, page: Page) -> None:
    page.goto(f"{site.address}/run?id={site.shop.failed_run}")

    expect(page.get_by_text("Contract violated: 1 check failed")).to_be_visible()
    expect(page.get_by_text("2026-02-25: measured 612, allowed between 1,009 and 1,522")).to_be_visible()
    chart = page.get_by_test_id("stVegaLiteChart").locator("svg").first
    expect(chart.get_by_text("at least 1,009")).to_be_visible()
    expect(chart.get_by_text("2026-02-25")).to_be_visible()


def test_one_link_explains_a_failed_run_to_somebody_else(site: Site) -> None:
    page = site.visitor()
    page.goto(f"{site.address}/run?id={site.shop.failed_run}")
    sign_in(page, "consumer", PASSWORD)

    expect(page.get_by_text("Contract violated: 1 check failed")).to_be_visible()
    for said in (
        "2026-02-25: measured 612, allowed between 1,009 and 1,522",
        "First failure",
        "Incident on shop-sales",
        "treaty verify /lake/shop/orders",
    ):
        expect(page.get_by_text(said).first).to_be_visible()
    page.context.close()


def test_twelve_suggestions_are_decided_in_few_clicks(site: Site, page: Page) -> None:
    more = [{**each, "id": f"{each['id']}-{at}"} for at, each in enumerate(suggestions()[:2])]
    proposal = drafted(site.shop.world, "producer", "shop-twelve", [*suggestions(), *more])
    page.add_init_script(deciding.COUNT)
    page.goto(f"{site.address}/review?proposal={proposal}")
    expect(page.get_by_text("12 suggestions: 0 accepted, 0 rejected, 12 pending")).to_be_visible()

    deciding.one_by_one(page)

    expect(page.get_by_text("12 suggestions: 11 accepted, 1 rejected, 0 pending")).to_be_visible()
    # One each, one for a reason, one to turn the page.
    assert page.evaluate(deciding.CLICKS) == 14


FOCUSED = """() => {
    const one = document.activeElement, ring = each => getComputedStyle(each)
    const box = one.getBoundingClientRect()
    const around = [one]
    while (around.length < 6 && around.at(-1).parentElement) around.push(around.at(-1).parentElement)
    const lit = around.map(ring).some((look, far) => look.borderColor === 'rgb(11, 92, 173)'
        || far < 3 && (look.outlineStyle !== 'none' || look.boxShadow !== 'none'))
    const key = one.closest('[class*=st-key-]')?.className ?? ''
    return {key, lit, seen: box.width > 0, what: one.outerHTML.slice(0, 90)}
}"""


def test_a_decision_takes_no_mouse_and_the_focus_is_seen_on_the_way(site: Site, page: Page) -> None:
    proposal = drafted(site.shop.world, "producer", "shop-keys", suggestions())
    page.goto(f"{site.address}/review?proposal={proposal}")
    expect(page.get_by_text("0 of 10 decided")).to_be_visible()
    settled(page)
    way = []
    for _ in range(80):
        page.keyboard.press("Tab")
        way.append(page.evaluate(FOCUSED))
        if "st-key-accept-" in way[-1]["key"] and "accept-all" not in way[-1]["key"]:
            break
    page.keyboard.press("Enter")

    expect(page.get_by_text("1 of 10 decided")).to_be_visible()
    assert {each["what"] for each in way if not (each["lit"] and each["seen"])} == set()

    page.keyboard.press("Alt+a")
    expect(page.get_by_text("10 suggestions: 2 accepted, 0 rejected, 8 pending")).to_be_visible()
    page.keyboard.press("Alt+x")
    expect(page.get_by_label("Reason for rejection")).to_be_visible()


def test_of_two_who_decide_on_cards_the_second_is_told_and_goes_on_from_there(site: Site, page: Page) -> None:
    proposal = drafted(site.shop.world, "producer", "shop-both", suggestions())
    page.goto(f"{site.address}/review?proposal={proposal}")
    first, second, third = (site.shop.client("other-owner").proposal(proposal).suggestions[at].id for at in range(3))
    page.locator(f".st-key-accept-{first} button").click()
    page.locator(f".st-key-accept-{second} button").click()
    expect(page.get_by_text("2 of 10 decided")).to_be_visible()

    other = site.shop.client("other-owner")
    other.decide(proposal, [third], Decision.ACCEPTED, revision=other.proposal(proposal).revision)
    page.locator(f".st-key-undo-{second} button").click()

    expect(page.get_by_text("This was changed in the meantime").first).to_be_visible()
    expect(page.get_by_text("3 of 10 decided")).to_be_visible()
    page.locator(f".st-key-undo-{second} button").click()
    expect(page.get_by_text("2 of 10 decided")).to_be_visible()


@pytest.fixture(scope="module")
def spoiled(site: Site) -> dict[str, UUID]:
    return spoilt(site.shop)


SPOILED = [
    ("/", "7 failed, 7 not evaluated"),
    ("/incidents", "spoilt-live"),
    ("/incidents?id={incident}", "Failed checks"),
    ("/contracts", "tracker"),
    ("/catalog", "spoilt-live"),
    ("/contract?id=spoilt-live", "Columns (20)"),
    ("/contract?id=spoilt-live&tab=Checks", "Explicit checks"),
    ("/contract?id=spoilt-live&tab=Versions", "Show version"),
    ("/contract?id=spoilt-live&tab=Consumers", "Inferred consumers"),
    ("/contract?id=spoilt-live&tab=Runs", "version 1.0.0"),
    ("/contract?id=spoilt-live&tab=History", "Show as table"),
    ("/contract?id=spoilt-live&tab=Activity", "spoilt-live"),
    ("/review?proposal={review}", "20 suggestions"),
    ("/review?proposal={review}&view=Table", "20 suggestions"),
    ("/profile?proposal={review}", "20 columns"),
    ("/profile?dataset=spoilt-live", "spoilt-live"),
    ("/run?id={run}", "How to reproduce"),
    ("/metric?contract=spoilt-live&check=check-0", "Range"),
    ("/lineage?node=dataset:file:/lake/shop/orders/spoilt-live", "Depth"),
    ("/lineage?tab=Events", "Duplicates"),
    ("/lineage?tab=Without contract", "written 1 time"),
    ("/subscriptions", "Subscriptions"),
    ("/tasks", "Tasks"),
    ("/draft?location={text}", "Table location"),
    ("/patterns", "Common domains"),
    ("/start", "Connect Spark's listener"),
    ("/reference", "approx_quantile"),
]
SPOILED_FOR_ADMINISTRATORS = [
    ("/audit", "Latest"),
    ("/admin", "Edit user"),
    ("/admin?tab=Tokens", "Create token"),
    ("/admin?tab=Locations", "Allow location"),
    ("/admin?tab=Undelivered", "Undelivered"),
]


@pytest.mark.parametrize(("path", "said"), SPOILED)
def test_no_text_is_more_than_text_on_any_page(
    site: Site, page: Page, spoiled: dict[str, UUID], path: str, said: str
) -> None:
    incident = next(each.id for each in site.shop.client("owner").incidents() if each.contract_id == "spoilt-live")
    text = quote("".join(CORPUS[:12]), safe="")
    page.goto(site.address + path.format(incident=incident, text=text, **spoiled))
    expect(page.get_by_text(said).first).to_be_visible()
    assert hurt(page) == []


def test_no_text_is_more_than_text_on_pages_of_administrators(site: Site, spoiled: dict[str, UUID]) -> None:
    page = site.visitor()
    page.goto(site.address)
    sign_in(page, "admin", PASSWORD)
    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()
    for path, said in SPOILED_FOR_ADMINISTRATORS:
        page.goto(site.address + path)
        expect(page.get_by_text(said).first).to_be_visible()
        assert hurt(page) == [], path
    page.context.close()
    site.watch.clean()


def test_every_page_is_tested_with_hostile_texts() -> None:
    tested = {path.partition("?")[0] for path, _ in (*SPOILED, *SPOILED_FOR_ADMINISTRATORS)}
    assert tested == {*addresses()}


def hurt(page: Page) -> list[str]:
    """What a text did to the page besides being shown."""
    settled(page)
    for part in page.get_by_test_id("stExpander").locator("summary").all()[:3]:
        part.click()
    settled(page)
    faults = {
        "a script ran": page.evaluate("window.hurt") is not None,
        "a script was added": page.locator("script:not([src])").count() != 1,
        "an element was added": page.locator("iframe, base, object, embed").count() != 0,
        "a link leads away": page.evaluate(LED_AWAY) != [],
        "the page failed": page.get_by_test_id("stException").count() != 0
        or page.get_by_text("Something went wrong").count() != 0,
    }
    return [fault for fault, holds in faults.items() if holds]


@pytest.mark.parametrize("shown", ["review", "inbox"])
def test_hostile_texts_stay_texts(site: Site, page: Page, shown: str) -> None:
    page.goto(f"{site.address}/review?proposal={site.shop.hostile}" if shown == "review" else site.address)
    # The name of a box to choose it by stands before it, for screen readers alone.
    expect(page.get_by_text("x.png").locator("visible=true").first).to_be_visible()
    settled(page)

    assert page.evaluate("window.hurt") is None
    assert page.locator("script:not([src])").count() == 1
    assert page.evaluate(LED_AWAY) == []
    assert "📷" not in page.inner_text("body")
    if shown == "review":
        said = page.inner_text("body").replace("\u2060", "")
        assert HOSTILE["script"] in said
        assert HOSTILE["colour"] in said


SHOWN = [
    ("/", "Inbox"),
    ("/contracts", "Contracts"),
    ("/catalog", "shop-sales"),
    ("/contract?id=shop-sales", "Columns (6)"),
    ("/contract?id=shop-sales&tab=Versions", "Show version"),
    ("/contract?id=shop-sales&tab=Consumers", "Notify me about"),
    ("/contract?id=shop-sales&tab=Runs", "version 1.0.0"),
    ("/contract?id=shop-sales&tab=History", "Show as table"),
    ("/contract?id=shop-sales&tab=Checks", "Explicit checks"),
    ("/contract?id=shop-sales&tab=Activity", "shop-sales"),
    ("/metric?contract=shop-sales&check=row-count", "Partition comparison"),
    ("/metric?contract=shop-sales&check=row-count&marking=true", "Mark as"),
    ("/start", "Connect Spark's listener"),
    ("/subscriptions", "Subscriptions"),
    ("/subscriptions?tab=Channels", "New channel"),
    ("/draft", "Table location"),
    ("/run?id={failed}", "How to reproduce"),
    ("/run", "No run selected"),
    ("/patterns", "Common domains"),
    ("/profile?proposal={spoilt}", "20 columns"),
    ("/reference", "approx_quantile"),
    ("/tasks", "Latest"),
    ("/lineage?node=dataset:file:/lake/shop/orders/spoilt-live", "Depth"),
    ("/lineage?tab=Events", "Duplicates"),
    ("/lineage?tab=Without contract", "written 1 time"),
    ("/incidents", "shop-sales"),
    ("/incidents?id={incident}", "Failed checks"),
    ("/review?proposal={own}", "Submit for review"),
    ("/review?proposal={spoilt}&view=Table", "20 suggestions"),
]
ADMINISTERED = [
    ("/audit", "Latest"),
    ("/admin", "Edit user"),
    ("/admin?tab=Tokens", "Create token"),
    ("/admin?tab=Locations", "Allow location"),
    ("/admin?tab=Health", "Event lag"),
    ("/admin?tab=Undelivered", "No undelivered messages"),
]


@pytest.mark.parametrize(("path", "said"), SHOWN)
def test_every_page_fits_a_phone_and_bars_nobody(
    site: Site, page: Page, spoiled: dict[str, UUID], path: str, said: str
) -> None:
    incident = next(each.id for each in site.shop.client("owner").incidents() if each.contract_id == "shop-sales")
    shown = {"failed": site.shop.failed_run, "own": site.shop.own, "spoilt": spoiled["review"], "incident": incident}
    assert barriers_of(page, site.address + path.format(**shown), said) == []


def test_pages_of_administrators_fit_a_phone_and_bar_nobody(site: Site) -> None:
    page = site.visitor()
    page.goto(site.address)
    assert barriers(page) == []
    sign_in(page, "admin", PASSWORD)
    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()

    assert {path: barriers_of(page, site.address + path, said) for path, said in ADMINISTERED} == {
        path: [] for path, _ in ADMINISTERED
    }
    page.context.close()


def barriers_of(page: Page, address: str, said: str) -> list[str]:
    """What bars somebody from that page: on a light screen, and on a phone in the dark."""
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(WIDE)
    page.goto(address)
    expect(page.get_by_text(said).first).to_be_visible()
    found = [f"light: {each}" for each in barriers(settled(page))]
    page.set_viewport_size(NARROW)
    page.emulate_media(color_scheme="dark")
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", DARK)
    found += [f"dark, on a phone: {each}" for each in barriers(settled(page))]
    width = page.evaluate("document.documentElement.scrollWidth")
    return found if width <= NARROW["width"] else [*found, f"{width} pixels wide on a phone"]


def test_in_the_dark_texts_and_charts_are_read_on_a_dark_page(site: Site, page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto(f"{site.address}/metric?contract=shop-sales&check=row-count")
    expect(page.get_by_text("Triangle: the check failed")).to_be_visible()
    settled(page)

    expect(page.get_by_test_id("stApp")).to_have_css("background-color", DARK)
    chart = page.get_by_test_id("stVegaLiteChart").locator("svg").first
    expect(chart.locator("path[stroke='#E4EAF0']")).not_to_have_count(0)
    assert chart.locator("path[stroke='#1B2733']").count() == 0


LOOKS = {
    "catalog": ("/catalog?q=shop-sales", "shop-sales"),
    "contract": ("/contract?id=shop-sales", "Columns (6)"),
    "metric": ("/metric?contract=shop-sales&check=row-count", "Triangle: the check failed"),
    "run": ("/run?id={failed}", "Failed (1)"),
    "review": ("/review?proposal={own}", "Submit for review"),
    "draft": ("/draft", "Table location"),
}


@pytest.mark.parametrize("name", LOOKS)
def test_pages_look_as_they_did_from_afar(site: Site, page: Page, name: str) -> None:
    path, said = LOOKS[name]
    page.goto(site.address + path.format(failed=site.shop.failed_run, own=site.shop.own))
    expect(page.get_by_text(said).first).to_be_visible()
    settled(page)
    page.wait_for_load_state("networkidle")
    page.mouse.move(0, 0)
    light = page.screenshot(animations="disabled")
    if os.environ.get("TREATY_WRITE_LOOKS"):
        looks.keep(name, light)

    page.emulate_media(color_scheme="dark")
    settled(page)
    dark = page.screenshot(animations="disabled")
    assert looks.difference(name, light) <= looks.LARGEST
    assert looks.difference(name, dark) > looks.LARGEST


DARK = "rgb(18, 24, 31)"
LED_AWAY = """() => [...document.querySelectorAll('img[src], a[href]')]
    .map(each => each.getAttribute('src') ?? each.getAttribute('href'))
    .filter(address => !address.startsWith('#') && /tracker|javascript/.test(address))"""


def test_signing_out_ends_the_session_everywhere(site: Site) -> None:
    page = site.visitor()
    page.goto(site.address)
    sign_in(page, "viewer", PASSWORD)
    expect(page.get_by_text("Your inbox is empty")).to_be_visible()
    secret = session_of(page)
    other = page.context.new_page()
    other.goto(f"{site.address}/contracts")
    expect(other.get_by_role("heading", name="Contracts")).to_be_visible()

    page.get_by_role("button", name="Sign out").click()

    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert session_of(page) is None
    other.get_by_label("Search").fill("shop")
    expect(other.get_by_text("Your session has ended")).to_be_visible()
    expect(other.get_by_role("link", name="Sign in")).to_have_attribute("href", "/sign-in?next=/contracts%3Fq%3Dshop")
    assert site.shop.world.http.get("/api/v1/me", headers={"Authorization": f"Bearer {secret}"}).status_code == 401
    page.context.close()


@pytest.mark.parametrize("path", ["/", "/sign-in", "/_stcore/health"])
def test_a_foreign_host_is_refused(site: Site, path: str) -> None:
    assert httpx.get(site.address + path, headers={"Host": "evil.example"}, trust_env=False).status_code == 400


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/agent/openapi.json"])
def test_the_servers_own_interfaces_are_closed(site: Site, path: str) -> None:
    assert httpx.get(site.address + path, trust_env=False).status_code == 404


def test_the_first_administrator_comes_through_the_one_time_link(site: Site, tmp_path: Path) -> None:
    engine = sqlite_copy(sqlite_template(tmp_path), tmp_path)
    with transaction(engine) as tx:
        token = first_admin.issue(tx, token_id=ids.new(), now=clock.now(), lasts=timedelta(hours=1))
        tx.commit()
    with served(create_app(RegistrySettings(), engine)) as api, pages(api) as address:
        page = site.browser.new_context().new_page()
        page.goto(f"{address}/setup?token={token}")
        page.get_by_label("Name").fill("ada")
        page.get_by_label("Password").fill("a first password")
        page.get_by_role("button", name="Create administrator").click()

        expect(page.get_by_text("Your inbox is empty")).to_be_visible()
        expect(page.get_by_text("admin", exact=True)).to_be_visible()
        page.context.close()
    engine.dispose()


def test_somebody_signs_in_through_their_provider_and_comes_to_where_they_were_going(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    required()
    engine = sqlite_copy(sqlite_template(tmp_path), tmp_path)
    with ExitStack() as stack:
        issuer = stack.enter_context(issuing())
        told = {"oidc_issuer": issuer.address, "oidc_audience": "pages", "oidc_create_users": True}
        monkeypatch.setenv("TREATY_OIDC_ISSUER", issuer.address)
        monkeypatch.setenv("TREATY_OIDC_CLIENT_ID", "pages")
        api = stack.enter_context(served(create_app(RegistrySettings(**told), engine)))
        address = stack.enter_context(pages(api))
        issuer.person = "zoe"
        page = site.browser.new_context().new_page()
        page.goto(f"{address}/catalog?q=orders")
        page.get_by_role("link", name="Sign in with your organization").click()

        expect(page.get_by_role("heading", name="Catalog")).to_be_visible()
        expect(page.get_by_text("zoe", exact=True)).to_be_visible()
        assert page.url == f"{address}/catalog?q=orders"
        page.context.close()
    engine.dispose()


@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM])
def test_the_pages_stop_when_told_to_though_a_browser_is_connected(site: Site, told: signal.Signals) -> None:
    with served(site.shop.world.http.app) as api:
        process, address = start_pages(api, free_port())
        page = site.browser.new_context().new_page()
        page.goto(address)
        sign_in(page, "viewer", PASSWORD)
        expect(page.get_by_text("Your inbox is empty")).to_be_visible()

        stop(process, told, within=8)

        page.context.close()


def test_a_page_has_its_shape_while_the_registry_is_slow_and_then_what_it_shows(site: Site, page: Page) -> None:
    page.goto(f"{site.address}/contracts")
    expect(page.get_by_text("shop-sales").first).to_be_visible()
    shape = page.get_by_role("status", name="Loading page")
    with site.api.held():
        page.get_by_role("link", name="Incidents").click()
        expect(shape).to_be_visible()
        expect(page.get_by_text("shop-sales")).to_have_count(0)

    expect(page.get_by_role("link", name="shop-sales · orders")).to_be_visible()
    expect(shape).to_have_count(0)


def test_a_registry_that_goes_away_is_told_and_comes_back(site: Site) -> None:
    with ExitStack() as stack:
        api = ExitStack()
        port = free_port()
        address = stack.enter_context(pages(api.enter_context(served(site.shop.world.http.app, port=port))))
        page = site.browser.new_context().new_page()
        page.goto(address)
        sign_in(page, "viewer", PASSWORD)
        expect(page.get_by_text("Your inbox is empty")).to_be_visible()

        api.close()
        page.get_by_role("link", name="Contracts").click()
        expect(page.get_by_text("The registry is not responding")).to_be_visible()
        assert httpx.get(f"{address}/ui/ready", trust_env=False).status_code == 503

        with served(site.shop.world.http.app, port=port):
            page.get_by_role("button", name="Retry").click()
            expect(page.get_by_text("shop-sales").first).to_be_visible()
        page.context.close()


def test_an_incident_is_looked_after_with_a_click(site: Site, page: Page) -> None:
    page.goto(f"{site.address}/incidents")
    page.get_by_role("link", name="shop-sales · orders").click()
    expect(page.get_by_text("Failed checks")).to_be_visible()
    page.locator(".st-key-acknowledge").get_by_role("button").click()
    expect(page.get_by_text("Assigned to you: shop-sales · orders.").first).to_be_visible()
    expect(page.get_by_text("Acknowledged").first).to_be_visible()
    (found,) = (each for each in site.shop.client("owner").incidents() if each.contract_id == "shop-sales")
    assert (found.state, found.acknowledged_by) == ("acknowledged", "owner")
