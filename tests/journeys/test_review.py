"""An owner's morning in a real browser: a draft of real data is decided and approved, and the next bad load is read."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect
from support.browser import Watch, chromium, picture, settled, sign_in
from support.loops import Services

from treaty.registry.demo import shop_data
from treaty.registry.demo.deliveries import DemoDelivery, shop_lake
from treaty.registry.demo.producer import DemoProducer
from treaty.registry.demo.scenario import DemoLoop
from treaty.registry.schemas import AliasIn, DraftIn

TABLE = "web_orders"
COLUMNS = ("order_id", "customer_id", "status", "amount")
ARTIFACTS = Path(__file__).parents[2] / "artifacts"
REASON = "numbers of customers may be negative: guests"


@pytest.fixture(scope="module")
def producer(services: Services, producer_spark: Any) -> DemoProducer:
    return services.producer(producer_spark, "day")


@pytest.fixture(scope="module")
def proposal(services: Services, producer: DemoProducer) -> UUID:
    """The draft of a table with ten days of orders, before the owners."""
    lake = shop_lake(days=28, history=27, tables=shop_data.TABLES[:1])
    for each in lake.history[-10:]:
        producer.write(renamed(each))
    place = producer.location(TABLE)
    asked = DraftIn(
        location=place,
        contract_id=TABLE,
        object=TABLE,
        partition_by=("day",),
        columns=COLUMNS,
        aliases=(AliasIn(namespace="file", name=place),),
    )
    people = services.people
    drafted = DemoLoop(lake=lake, people=people, report=print).finished_draft(people.producer.request_draft(asked))
    return people.producer.submit(drafted).id


def renamed(delivery: DemoDelivery) -> DemoDelivery:
    """The delivery as one of a table of this journey's own."""
    return replace(delivery, table=TABLE)


@pytest.fixture
def page(services: Services) -> Iterator[Page]:
    """A page of a browser that nobody is signed in to; its console stays clean and it asks no other site."""
    watch = Watch(services.settings.ui_url)
    with chromium(viewport={"width": 1280, "height": 900}, timezone_id="Europe/Stockholm") as own:
        found = own.new_page()
        watch.on(found)
        yield found
    watch.clean()


def test_an_owner_approves_a_draft_and_reads_why_the_next_load_failed(
    services: Services, producer: DemoProducer, proposal: UUID, page: Page
) -> None:
    address = services.settings.ui_url
    page.goto(f"{address}/review?proposal={proposal}")
    sign_in(page, "owner", services.people.passwords["owner"])
    expect(page.get_by_role("heading", name=f"Draft of {TABLE}")).to_be_visible()
    keep_picture(page, "review.png")

    decide(page, services, proposal)
    page.get_by_role("button", name="Approve version 1.0.0").click()
    expect(page.get_by_text("Version 1.0.0 is active").first).to_be_visible()
    (history,) = [services.next_run(TABLE, ())]
    assert (history.verdict, len(history.partitions)) == ("passed", 10)
    approved = services.people.owner.document(TABLE).decode()
    assert "customer_id is required" in approved or "required: true" in approved
    assert "customer_id is never negative" not in approved

    (bad,) = [each for day in shop_lake(tables=shop_data.TABLES[:1]).deliveries for each in day if each.incidents][:1]
    producer.deliver(renamed(bad))
    run = services.next_run(TABLE, [history])
    page.goto(address)
    page.get_by_role("link", name=TABLE).first.click()
    expect(page.get_by_text("Contract violated: 1 check failed").first).to_be_visible()
    expect(page.get_by_text("customer_id is required").first).to_be_visible()
    expect(page.get_by_text(f"{bad.partition}: 69.1 % of 624 rows").first).to_be_visible()
    assert page.url.endswith(f"/run?id={run.id}")
    keep_picture(page, "run.png")


def decide(page: Page, services: Services, proposal: UUID) -> None:
    """Rejects one suggestion with a reason and accepts all others, which held everywhere, at once."""
    suggestions = [each for each in services.people.owner.proposal(proposal).suggestions if not each.optional]
    (unwanted,) = [each.id for each in suggestions if each.content["sentence"] == "customer_id is never negative"]
    whole = page.url
    page.goto(f"{whole}&column=customer_id")
    page.locator(f".st-key-reject-{unwanted}").get_by_role("button").click()
    page.get_by_label("Reason for rejection").fill(REASON)
    page.locator(f".st-key-confirm-{unwanted}").get_by_role("button").click()
    expect(page.get_by_text(f"“{REASON}”").first).to_be_visible()
    page.goto(whole)
    page.get_by_role("button", name=f"Accept all {len(suggestions) - 1} without violations").click()
    done = f"{len(suggestions)} suggestions: {len(suggestions) - 1} accepted, 1 rejected, 0 pending"
    expect(page.get_by_text(done).first).to_be_visible()


def keep_picture(page: Page, name: str) -> None:
    """Keeps a picture of the page, once its charts are drawn and no part of it is a placeholder."""
    ARTIFACTS.mkdir(exist_ok=True)
    expect(page.get_by_test_id("stVegaLiteChart").locator("svg, canvas").first).to_be_visible()
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    picture(settled(page), ARTIFACTS / name)
