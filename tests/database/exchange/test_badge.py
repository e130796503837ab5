"""Badges: two words and a colour about a contract's data, and nothing else."""

from xml.etree import ElementTree

import pytest
from support.api import World, document, failed_run

from treaty.engine.core.results import Verdict
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.exchange import badge
from treaty.registry.tables import RunRow

ID = "shop-orders"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def shop(world: World) -> World:
    made, owner = world.client("producer").propose(document()), world.client("owner")
    owner.approve(made.id, owner.preview(made.id).fingerprint)
    return world


def ran(world: World, *runs: tuple[str, Verdict]) -> None:
    """Runs of these objects that ended so, one after the other."""
    with transaction(world.engine) as tx:
        for name, verdict in runs:
            made: RunRow = failed_run(ID)
            made.id, made.object, made.verdict = ids.new(), name, verdict
            tx.add(made)
        tx.commit()


def said(picture: bytes) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(picture).iter(f"{SVG}text")]


@pytest.mark.parametrize(
    ("runs", "word"),
    [
        ((), badge.NEVER),
        ((("orders", Verdict.FAILED), ("orders", Verdict.PASSED)), "passed"),
        ((("orders", Verdict.PASSED), ("returns", Verdict.FAILED)), "failed"),
        ((("orders", Verdict.WARNED), ("returns", Verdict.NOT_EVALUATED)), "not evaluated"),
    ],
)
def test_it_says_the_worst_that_the_last_run_of_each_table_found(
    shop: World, runs: tuple[tuple[str, Verdict], ...], word: str
) -> None:
    ran(shop, *runs)
    picture = shop.call("viewer", "GET", f"/contract/badge?contract_id={ID}").content
    assert said(picture) == [badge.LABEL, word]
    assert ID not in picture.decode()


def test_it_is_sent_once_for_each_word_and_nothing_in_it_runs(shop: World) -> None:
    ran(shop, ("orders", Verdict.FAILED))
    first = shop.call("viewer", "GET", f"/contract/badge?contract_id={ID}")
    assert (first.status_code, first.headers["Content-Type"]) == (200, "image/svg+xml")
    assert first.headers["Cache-Control"] == "private, max-age=60"
    assert first.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
    seen = {"If-None-Match": first.headers["ETag"]}
    assert shop.call("viewer", "GET", f"/contract/badge?contract_id={ID}", seen).status_code == 304
    ran(shop, ("orders", Verdict.PASSED))
    assert shop.call("viewer", "GET", f"/contract/badge?contract_id={ID}", seen).status_code == 200


def test_of_what_is_not_there_there_is_none(shop: World) -> None:
    assert shop.call("viewer", "GET", "/contract/badge?contract_id=unknown").status_code == 404


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_has_a_word(verdict: Verdict) -> None:
    assert badge.word([verdict]) == verdict.value.replace("_", " ")
