"""Contracts that people ask for: who is told, who sees them, and what ends them."""

from collections.abc import Callable

import pytest
from sqlmodel import select
from support.api import World, document

from treaty.registry import schemas
from treaty.registry.client import ClientError
from treaty.registry.core.database import read_session
from treaty.registry.core.enums import ChannelKind
from treaty.registry.tables import OutboxMessageRow, ProposalRow

LAKE = "/lake/shop-orders"


@pytest.fixture
def asked(world: World) -> World:
    for who in ("owner", "consumer", "viewer"):
        made = schemas.ChannelIn(kind=ChannelKind.EMAIL, target=f"{who}@shop.example")
        world.client(who).add_channel(made)
    world.client("consumer").request_contract(LAKE, "our weekly report reads it")
    return world


def told(world: World) -> dict[str, list[str]]:
    """By the address of a channel, the titles of what went there."""
    channels = {f"channel/{each.id}": each.target for each in world.client("admin").channels()}
    with read_session(world.engine) as tx:
        found = tx.exec(select(OutboxMessageRow).order_by(OutboxMessageRow.id)).all()
    result: dict[str, list[str]] = {}
    for each in found:
        result.setdefault(channels[each.destination], []).append(each.payload["notice"]["title"])
    return result


def test_who_decides_is_told_once_and_finds_it_in_the_inbox(asked: World) -> None:
    assert told(asked) == {"owner@shop.example": [f"consumer requests a contract for {LAKE}"]}
    (found,) = asked.client("owner").inbox().contract_requests
    assert (found.name, found.author, found.purpose, found.can_decide) == (
        LAKE,
        "consumer",
        "our weekly report reads it",
        True,
    )
    assert [asked.client(who).inbox().contract_requests for who in ("consumer", "viewer", "producer")] == [(), (), ()]
    assert [each.is_own for each in asked.client("consumer").contract_requests()] == [True]
    with pytest.raises(ClientError, match="you have already requested a contract for this dataset"):
        asked.client("consumer").request_contract(f"{LAKE}/", "once more")


def test_who_asked_is_told_why_there_will_be_none(asked: World) -> None:
    (found,) = asked.client("owner").inbox().contract_requests
    with pytest.raises(ClientError, match="enter a reason"):
        asked.client("owner").close_contract_request(found.id)
    for who in ("viewer", "producer"):
        with pytest.raises(ClientError, match="requires the permission"):
            asked.client(who).close_contract_request(found.id, "no")
    asked.client("owner").close_contract_request(found.id, "it goes away in May")

    assert told(asked)["consumer@shop.example"] == [f"Contract request for {LAKE} declined"]
    assert asked.client("owner").inbox().contract_requests == ()
    with pytest.raises(ClientError, match="Cannot"):
        asked.client("owner").close_contract_request(found.id, "again")


def test_who_asked_takes_it_back(asked: World) -> None:
    (found,) = asked.client("consumer").contract_requests()
    asked.client("consumer").close_contract_request(found.id)
    assert asked.client("owner").contract_requests() == []
    asked.client("consumer").request_contract(LAKE, "after all")


def approved(world: World) -> None:
    made = world.client("producer").propose(document("shop-orders"))
    owner = world.client("owner")
    owner.approve(made.id, owner.preview(made.id).fingerprint)


def drafted(world: World) -> None:
    made = world.client("producer").propose(document("another"))
    with world.engine.begin() as connection:
        connection.execute(ProposalRow.__table__.update().values(source={"location": LAKE}))  # type: ignore[attr-defined]
    assert made.state == "in_review"


@pytest.mark.parametrize("answer", [approved, drafted])
def test_a_draft_or_a_contract_answers_it(asked: World, answer: Callable[[World], None]) -> None:
    answer(asked)
    assert asked.client("owner").inbox().contract_requests == ()
    with pytest.raises(ClientError, match="already has a draft or a contract"):
        asked.client("producer").request_contract(LAKE, "we read it, too")


def test_a_draft_that_is_withdrawn_answers_nothing(asked: World) -> None:
    drafted(asked)
    (made,) = asked.client("producer").proposals()
    asked.client("producer").withdraw(made.id)
    assert len(asked.client("owner").inbox().contract_requests) == 1
