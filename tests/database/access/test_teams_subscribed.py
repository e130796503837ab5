"""Subscriptions of teams: every member acts for the team, and nobody else does."""

import pytest
from support.api import World
from support.consumers import CONTRACT, approve, content

from treaty.registry import schemas
from treaty.registry.client import ClientError
from treaty.registry.core.enums import AcknowledgementState

TEAM = "analysts"
READS = {"orders": ["amount"]}


@pytest.fixture
def shop(world: World) -> World:
    """The contract in force, and a team of two."""
    approve(world, content())
    admin = world.client("admin")
    team = admin.create_team(TEAM)
    for name in ("consumer", "producer"):
        admin.set_member(team.id, name)
    return world


def subscribed(shop: World, who: str = "consumer", **more: str) -> schemas.SubscriptionOut:
    use = {"contract_id": CONTRACT, "purpose": "reports", "contact": "us@example.org", "reads": READS, "team": TEAM}
    return shop.client(who).subscribe(schemas.SubscriptionIn.model_validate({**use, **more}))


def refused(call: object) -> int:
    assert callable(call)
    with pytest.raises(ClientError) as caught:
        call()
    return caught.value.status


def change(of: schemas.SubscriptionOut) -> schemas.SubscriptionUpdateIn:
    told = of.model_dump(include={"contact", "pin", "pinned_to", "reads", "revision"})
    return schemas.SubscriptionUpdateIn(**{**told, "purpose": "weekly reports"})


def test_it_bears_the_team_s_name_and_is_every_member_s(shop: World) -> None:
    made = subscribed(shop)
    assert (made.subscriber, made.team, made.is_own) == (TEAM, True, True)
    assert shop.client("producer").subscription(made.id) == made
    assert shop.client("viewer").subscription(made.id).is_own is False
    mine = {who: [each.id for each in shop.client(who).subscriptions(mine=True)] for who in ("producer", "owner")}
    assert mine == {"producer": [made.id], "owner": []}


def test_every_member_changes_it_and_adds_checks_and_others_do_not(shop: World) -> None:
    made = subscribed(shop)
    asked = schemas.ConsumerCheckIn(object="orders", column="amount", patch={"required": True})
    assert shop.client("producer").change_subscription(made.id, change(made)).purpose == "weekly reports"
    assert shop.client("producer").add_consumer_check(made.id, asked).id
    owner = shop.client("owner")
    assert refused(lambda: owner.change_subscription(made.id, change(made))) == 403
    assert refused(lambda: owner.add_consumer_check(made.id, asked)) == 403
    assert shop.client("producer").end_subscription(made.id).ended_at


def test_a_team_subscribes_once_for_a_purpose_beside_its_members(shop: World) -> None:
    subscribed(shop)
    assert refused(lambda: subscribed(shop, "producer")) == 409
    alone = schemas.SubscriptionIn(contract_id=CONTRACT, purpose="reports", contact="me@example.org", reads=READS)
    assert shop.client("consumer").subscribe(alone).subscriber == "consumer"


@pytest.mark.parametrize(("who", "team"), [("owner", TEAM), ("consumer", "nobody")])
def test_nobody_subscribes_for_a_team_that_is_not_theirs(shop: World, who: str, team: str) -> None:
    assert refused(lambda: subscribed(shop, who, team=team)) == 404


def test_what_breaks_the_team_waits_for_one_of_its_members(shop: World) -> None:
    subscribed(shop)
    narrower = content("2.0.0")
    narrower["schema"][0]["properties"] = [
        each for each in narrower["schema"][0]["properties"] if each["name"] != "amount"
    ]
    narrower["schema"][0]["quality"] = narrower["schema"][0]["quality"][:1]
    assert approve(shop, narrower, by="owner", owner="other-owner").state == "approved"
    inboxes = {who: len(shop.client(who).inbox().acknowledgements) for who in ("consumer", "producer", "owner")}
    assert inboxes == {"consumer": 1, "producer": 1, "owner": 0}
    (asked,) = shop.client("producer").inbox().acknowledgements
    assert asked.subscriber == TEAM
    assert refused(lambda: shop.client("other-owner").answer(asked.id, AcknowledgementState.ACKNOWLEDGED)) == 403
    assert (
        shop.client("producer").answer(asked.id, AcknowledgementState.ACKNOWLEDGED).state
        is AcknowledgementState.ACKNOWLEDGED
    )
    assert shop.client("consumer").inbox().acknowledgements == ()


def test_who_leaves_the_team_leaves_its_subscriptions_and_a_removed_team_leaves_them_to_who_subscribed(
    shop: World,
) -> None:
    made, admin = subscribed(shop), shop.client("admin")
    (team,) = admin.teams()
    admin.remove_member(team.id, "consumer")
    assert shop.client("consumer").subscription(made.id).is_own is False
    assert refused(lambda: shop.client("consumer").change_subscription(made.id, change(made))) == 403
    admin.remove_team(team.id)
    found = shop.client("consumer").subscription(made.id)
    assert (found.subscriber, found.team, found.is_own) == ("consumer", False, True)


def test_a_team_s_subscription_is_told_in_the_inboxes_of_its_members(shop: World) -> None:
    subscribed(shop)
    made = shop.client("owner").propose(content_text())
    concerned = {who: [each.id for each in shop.client(who).inbox().affecting] for who in ("consumer", "producer")}
    assert concerned == {"consumer": [made.id], "producer": [made.id]}


def content_text() -> str:
    """A next version that changes nothing."""
    from treaty.contracts.document import writer

    return writer.write(content("1.1.0")).decode()
