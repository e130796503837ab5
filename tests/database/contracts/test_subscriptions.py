"""Subscriptions: who may, for what, pinned to what, and who is told that they lag."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from support.api import World, document
from support.consumers import CONTRACT, approve, content, subscribe

from treaty.registry import schemas
from treaty.registry.client import ClientError
from treaty.registry.core.enums import PinKind, SubscriptionState

USE = {"contract_id": CONTRACT, "purpose": "reports", "contact": "me@example.org"}


@pytest.fixture
def shop(world: World) -> World:
    approve(world, content())
    return world


def refused(call: Callable[[], object]) -> ClientError:
    with pytest.raises(ClientError) as caught:
        call()
    return caught.value


def change(of: schemas.SubscriptionOut, **words: Any) -> schemas.SubscriptionUpdateIn:
    told = of.model_dump(include={"purpose", "contact", "pin", "pinned_to", "reads", "revision"})
    return schemas.SubscriptionUpdateIn(**{**told, **words})


def test_a_subscription_is_listed_on_the_contract_for_all_who_may_read(shop: World) -> None:
    made = subscribe(shop, reads={"orders": ["amount", "buyer.city"]})
    (found,) = shop.client("viewer").subscriptions(contract_id=CONTRACT)
    assert found == made.model_copy(update={"is_own": False})
    assert (found.subscriber, found.purpose, found.reads) == (
        "consumer",
        "reports",
        {"orders": ("amount", "buyer.city")},
    )
    assert shop.client("viewer").subscription(made.id) == found


def test_who_does_not_say_what_they_read_reads_everything(shop: World) -> None:
    assert subscribe(shop).reads == {"orders": ("*",)}


@pytest.mark.parametrize(
    ("use", "where", "said"),
    [
        ({"reads": {"order": ["id"]}}, "reads.order", "has no object 'order'"),
        ({"reads": {"orders": ["amuont"]}}, "reads.orders", "has no column 'amuont'"),
        ({"reads": {"orders": ["buyer.street"]}}, "reads.orders", "has no column 'buyer.street'"),
        ({"pin": "version", "pinned_to": "9.0.0"}, "pinned_to", "is not a version of the contract"),
        ({"pin": "version"}, "pinned_to", "is not a version of the contract"),
        ({"pin": "group", "pinned_to": "v2"}, "pinned_to", "is not a group of the contract"),
        ({"pinned_to": "1.0.0"}, "pinned_to", "although nothing is pinned"),
        ({"purpose": " "}, "body.purpose", "at least 1 character"),
    ],
)
def test_what_cannot_be_subscribed_is_refused_by_name(shop: World, use: dict[str, Any], where: str, said: str) -> None:
    answer = shop.call("consumer", "POST", "/subscriptions", json={**USE, **use})
    assert answer.status_code == 422
    (fault,) = answer.json()["faults"]
    assert (fault["where"], said in fault["message"]) == (where, True)


def test_nearest_columns_are_named(shop: World) -> None:
    error = refused(lambda: subscribe(shop, reads={"orders": ["amuont"]}))
    assert error.faults[0].remedy == "did you mean 'amount'?"


def test_nobody_subscribes_to_what_is_not_there(shop: World) -> None:
    shop.client("producer").propose(document("proposed"))
    for contract_id in ("unknown", "proposed"):
        assert (
            shop.call("consumer", "POST", "/subscriptions", json={**USE, "contract_id": contract_id}).status_code == 404
        )


def test_one_consumer_subscribes_again_for_another_purpose_only(shop: World) -> None:
    first = subscribe(shop)
    assert refused(lambda: subscribe(shop, purpose="Reports")).status == 409
    second = subscribe(shop, purpose="models")
    subscribe(shop, "producer")
    client = shop.client("consumer")
    assert refused(lambda: client.change_subscription(second.id, change(second, purpose="reports"))).status == 409
    client.end_subscription(first.id)
    assert client.change_subscription(second.id, change(second, purpose="reports")).revision == 2
    assert [each.purpose for each in client.subscriptions(mine=True)] == ["reports"]


def test_of_two_who_change_a_subscription_at_once_one_wins(shop: World) -> None:
    made, start = subscribe(shop), Barrier(2)

    def race(purpose: str) -> int:
        start.wait()
        body = change(made, purpose=purpose).model_dump(mode="json")
        return int(shop.call("consumer", "PUT", f"/subscriptions/{made.id}", json=body).status_code)

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(race, ["one", "two"])) == [200, 409]


@pytest.mark.parametrize(
    ("who", "changes", "ends"), [("producer", 403, 403), ("admin", 403, 200), ("viewer", 403, 403)]
)
def test_a_subscription_is_its_subscribers(shop: World, who: str, changes: int, ends: int) -> None:
    made = subscribe(shop)
    body = change(made).model_dump(mode="json")
    assert shop.call(who, "PUT", f"/subscriptions/{made.id}", json=body).status_code == changes
    assert shop.call(who, "POST", f"/subscriptions/{made.id}/end", {"If-Match": "*"}).status_code == ends


def test_an_ended_subscription_stays_ended_and_is_listed_where_asked_for(shop: World) -> None:
    made = subscribe(shop)
    client = shop.client("consumer")
    assert client.end_subscription(made.id).state is SubscriptionState.ENDED
    assert refused(lambda: client.end_subscription(made.id)).status == 409
    assert client.subscriptions(contract_id=CONTRACT) == []
    assert [each.id for each in client.subscriptions(contract_id=CONTRACT, ended=True)] == [made.id]


@pytest.mark.parametrize(
    ("pin", "behind"),
    [
        ((PinKind.NONE, None), None),
        ((PinKind.GROUP, "main"), None),
        ((PinKind.VERSION, "1.0.0"), "pinned to version 1.0.0: 1.0.0 is superseded; 1.1.0 is in force"),
    ],
)
def test_who_is_pinned_to_what_is_no_longer_in_force_lags(
    shop: World, pin: tuple[PinKind, str | None], behind: str | None
) -> None:
    made = subscribe(shop, pin=pin)
    assert made.outdated_reason is None
    approve(shop, content("1.1.0"))
    assert shop.client("consumer").subscription(made.id).outdated_reason == behind


def test_who_is_pinned_to_a_group_lags_once_another_one_is_newer(shop: World) -> None:
    grouped, free = subscribe(shop, pin=(PinKind.GROUP, "main")), subscribe(shop, "producer")
    approve(shop, content("2.0.0", group="v2"))
    client = shop.client("consumer")
    told = "pinned to group main: 1.0.0 is not the newest version; 2.0.0 is in force"
    assert [client.subscription(each.id).outdated_reason for each in (grouped, free)] == [told, None]
    shop.client("owner").deprecate(CONTRACT, "1.0.0", "old")
    told = "pinned to group main: 1.0.0 is deprecated; 2.0.0 is in force"
    assert client.subscription(grouped.id).outdated_reason == told
    moved = client.change_subscription(grouped.id, change(grouped, pinned_to="v2"))
    assert moved.outdated_reason is None


def test_a_pin_may_follow_to_the_newest(shop: World) -> None:
    made = subscribe(shop, pin=(PinKind.VERSION, "1.0.0"))
    approve(shop, content("1.1.0"))
    moved = shop.client("consumer").change_subscription(made.id, change(made, pinned_to="1.1.0"))
    assert (moved.outdated_reason, moved.revision) == (None, 2)
