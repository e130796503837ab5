"""New versions and their consumers: who is asked, who is told, what a version waits for, and how long."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlmodel import select
from support.api import World
from support.consumers import CONTRACT, approve, ask, check, content, subscribe

from treaty.contracts.document import writer
from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.client import ClientError
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import AcknowledgementState, PinKind, VersionState
from treaty.registry.review.approval import activation
from treaty.registry.review.consumers import acknowledgements
from treaty.registry.tables import ContractVersionRow

DAY = timedelta(days=1)


def loosened(version: str = "2.0.0", **terms: Any) -> dict[str, Any]:
    """The next version: `amount` may be negative, and nobody promises that there is a row."""
    return content(version, quality=[check("dear", "minimum", column="amount", mustBeGreaterThan=-9)], **terms)


@pytest.fixture
def shop(world: World) -> World:
    approve(world, content())
    return world


def refused(call: Callable[[], object]) -> ClientError:
    with pytest.raises(ClientError) as caught:
        call()
    return caught.value


def asked(world: World, made: dict[str, Any]) -> UUID:
    """The version, approved; its consumers were asked."""
    number = approve(world, made).version
    with read_session(world.engine) as tx:
        return tx.exec(select(ContractVersionRow.id).where(ContractVersionRow.version == number)).one()


def outstanding(world: World, version_id: UUID, *, after: timedelta = timedelta(0)) -> list[UUID]:
    with read_session(world.engine) as tx:
        version = tx.get_one(ContractVersionRow, version_id)
        moment = version.approved_at + after
        return [row.subscription_id for row in acknowledgements.outstanding(tx, version, now=moment)]


def states(world: World) -> dict[str, VersionState]:
    return {each.version: each.state for each in world.client("viewer").contract(CONTRACT).versions}


def later(world: World, after: timedelta = timedelta(0)) -> dict[str, VersionState]:
    """The states of the versions once the clock was asked, so much later."""
    with transaction(world.engine) as tx:
        activation.apply_schedule(tx, now=clock.now() + after, ids=ids.new)
        tx.commit()
    return states(world)


def told(world: World, **which: Any) -> list[tuple[str, AcknowledgementState]]:
    found = world.client("viewer").acknowledgements(contract_id=CONTRACT, **which)
    return [(each.subscriber, each.state) for each in found]


def mine(world: World, who: str = "consumer") -> schemas.AcknowledgementOut:
    (found,) = world.client(who).acknowledgements(mine=True)
    return found


def test_whom_a_version_breaks_is_asked_and_the_others_are_told(shop: World) -> None:
    first = subscribe(shop, reads={"orders": ["amount"]})
    subscribe(shop, "producer", reads={})
    version = asked(shop, loosened())
    assert outstanding(shop, version) == [first.id]
    assert told(shop) == [("producer", AcknowledgementState.NOTIFIED), ("consumer", AcknowledgementState.PENDING)]
    found = mine(shop)
    assert (found.version, found.due_at, found.purpose) == ("2.0.0", found.requested_at + 14 * DAY, "reports")
    assert [name for name in ("many", "dear") if any(name in each for each in found.breaking_reasons)] == [
        "many",
        "dear",
    ]
    assert mine(shop, "producer").breaking_reasons == ()


@pytest.mark.parametrize(
    ("answers", "waited_for"),
    [
        ([], True),
        ([(AcknowledgementState.ACKNOWLEDGED, None)], False),
        ([(AcknowledgementState.OBJECTED, "our report needs it")], True),
        (
            [
                (AcknowledgementState.OBJECTED, "our report needs it"),
                (AcknowledgementState.ACKNOWLEDGED, "we changed it"),
            ],
            False,
        ),
    ],
)
def test_a_version_waits_until_all_acknowledge(
    shop: World, answers: Sequence[tuple[Any, str | None]], waited_for: bool
) -> None:
    subscribe(shop)
    version = asked(shop, loosened())
    for answer, comment in answers:
        found = shop.client("consumer").answer(mine(shop).id, answer, comment=comment)
        assert (found.state, found.comment) == (answer, comment)
    assert bool(outstanding(shop, version)) is waited_for


def test_a_version_waits_no_longer_than_its_deadline(shop: World) -> None:
    subscribe(shop)
    version = asked(shop, loosened())
    waits = [bool(outstanding(shop, version, after=14 * DAY - each)) for each in (timedelta(seconds=1), timedelta(0))]
    assert waits == [True, False]


@pytest.mark.parametrize("days", [0, 3])
def test_the_version_in_force_says_how_long_consumers_have(world: World, days: int) -> None:
    approve(world, content(review={"acknowledge_days": days}))
    subscribe(world)
    version = asked(world, loosened(review={"acknowledge_days": 99}))
    assert bool(outstanding(world, version)) is bool(days)
    assert mine(world).due_at == mine(world).requested_at + days * DAY


def test_nobody_waits_for_a_consumer_who_has_left(shop: World) -> None:
    subscription = subscribe(shop)
    version = asked(shop, loosened())
    shop.client("consumer").end_subscription(subscription.id)
    assert outstanding(shop, version) == []


@pytest.mark.parametrize(
    ("pin", "group", "affected"),
    [
        ((PinKind.NONE, None), "main", True),
        ((PinKind.GROUP, "main"), "main", True),
        ((PinKind.VERSION, "1.0.0"), "main", True),
        ((PinKind.NONE, None), "v2", True),
        ((PinKind.GROUP, "main"), "v2", False),
        ((PinKind.VERSION, "1.0.0"), "v2", False),
    ],
)
def test_a_version_of_another_group_changes_nothing_for_who_is_pinned(
    shop: World, pin: tuple[PinKind, str | None], group: str, affected: bool
) -> None:
    subscribe(shop, pin=pin)
    assert bool(outstanding(shop, asked(shop, loosened(group=group)))) is affected


def test_a_consumer_whose_own_checks_need_it_is_asked(shop: World) -> None:
    reader, asker = subscribe(shop, reads={"orders": ["country"]}), subscribe(shop, "producer", reads={})
    entry = check("mean-amount", "mean", column="amount", mustBeGreaterThan=10)
    ask(shop, asker.id, entry, who="producer")
    kept = content("2.0.0", quality=[check("many", "size", mustBeGreaterThan=0)])
    assert outstanding(shop, asked(shop, kept)) == [asker.id]
    assert reader.id != asker.id


@pytest.mark.parametrize(
    ("who", "body", "status"),
    [
        ("producer", {"state": "acknowledged"}, 403),
        ("viewer", {"state": "acknowledged"}, 403),
        ("consumer", {"state": "objected"}, 422),
        ("consumer", {"state": "notified"}, 422),
        ("consumer", {"state": "pending"}, 409),
    ],
)
def test_only_who_was_asked_answers_and_says_why_they_object(
    shop: World, who: str, body: dict[str, str], status: int
) -> None:
    subscribe(shop)
    version = asked(shop, loosened())
    assert (
        shop.call(who, "POST", f"/acknowledgements/{mine(shop).id}/answer", {"If-Match": "*"}, json=body).status_code
        == status
    )
    assert outstanding(shop, version)


def test_an_answer_that_was_given_stays(shop: World) -> None:
    subscribe(shop)
    asked(shop, loosened())
    client, found = shop.client("consumer"), mine(shop).id
    client.answer(found, AcknowledgementState.ACKNOWLEDGED)
    error = refused(lambda: client.answer(found, AcknowledgementState.OBJECTED, comment="no"))
    assert (error.status, "its state is acknowledged. Allowed actions: none" in error.message) == (409, True)


@pytest.mark.parametrize("given", [AcknowledgementState.ACKNOWLEDGED, AcknowledgementState.OBJECTED])
def test_an_answer_is_taken_back_while_the_version_waits(shop: World, given: Any) -> None:
    subscribe(shop, "consumer")
    version = asked(shop, loosened(review={"acknowledge_days": 7}))
    consumer, row = shop.client("consumer"), mine(shop)
    consumer.answer(row.id, given, comment="why?")
    back = consumer.answer(row.id, AcknowledgementState.PENDING)
    assert (back.state, back.comment, back.answered_at) == (AcknowledgementState.PENDING, None, None)
    assert outstanding(shop, version) == [row.subscription_id]
    assert shop.audited()[-1] == "acknowledgement:reset"
    assert refused(lambda: consumer.answer(row.id, AcknowledgementState.PENDING)).status == 409


def test_an_answer_to_a_version_in_force_stands(shop: World) -> None:
    subscribe(shop, "consumer")
    asked(shop, loosened(review={"acknowledge_days": 7}))
    consumer, row = shop.client("consumer"), mine(shop)
    consumer.answer(row.id, AcknowledgementState.ACKNOWLEDGED)
    assert later(shop)["2.0.0"] is VersionState.ACTIVE
    error = refused(lambda: consumer.answer(row.id, AcknowledgementState.PENDING))
    assert error.message == "the version is no longer waiting for acknowledgements: the answer cannot be withdrawn"


def test_who_is_told_cannot_answer(shop: World) -> None:
    subscribe(shop, reads={})
    asked(shop, loosened())
    assert (
        refused(lambda: shop.client("consumer").answer(mine(shop).id, AcknowledgementState.ACKNOWLEDGED)).status == 409
    )


def test_what_is_asked_and_answered_is_audited(shop: World) -> None:
    subscribe(shop)
    before = len(shop.audited())
    asked(shop, loosened())
    shop.client("consumer").answer(mine(shop).id, AcknowledgementState.ACKNOWLEDGED)
    done = [each for each in shop.audited()[before:] if each.startswith("acknowledgement")]
    assert done == ["acknowledgement:requested", "acknowledgement:given"]


def test_a_version_of_a_contract_without_consumers_waits_for_nobody(shop: World) -> None:
    assert outstanding(shop, asked(shop, loosened())) == []
    assert (told(shop), [each for each in shop.audited() if each.startswith("acknowledgement")]) == ([], [])
    assert states(shop) == {"1.0.0": VersionState.SUPERSEDED, "2.0.0": VersionState.ACTIVE}


WAITING = {"1.0.0": VersionState.ACTIVE, "2.0.0": VersionState.APPROVED}
IN_FORCE = {"1.0.0": VersionState.SUPERSEDED, "2.0.0": VersionState.ACTIVE}


def test_the_old_version_stays_in_force_until_all_acknowledge(shop: World) -> None:
    subscribe(shop)
    subscribe(shop, "producer")
    asked(shop, loosened())
    for who in ("consumer", "producer"):
        assert (states(shop), later(shop)) == (WAITING, WAITING)
        shop.client(who).answer(mine(shop, who).id, AcknowledgementState.ACKNOWLEDGED)
    assert later(shop) == IN_FORCE
    assert shop.client("viewer").contract(CONTRACT).active_version == "2.0.0"


def test_the_old_version_stays_in_force_until_the_deadline_at_most(shop: World) -> None:
    subscribe(shop)
    asked(shop, loosened())
    shop.client("consumer").answer(mine(shop).id, AcknowledgementState.OBJECTED, comment="our report needs it")
    assert later(shop, 14 * DAY - timedelta(minutes=1)) == WAITING
    assert later(shop, 14 * DAY + timedelta(minutes=1)) == IN_FORCE


def test_a_version_that_breaks_nobody_is_in_force_at_once(shop: World) -> None:
    subscribe(shop, reads={})
    asked(shop, loosened())
    assert states(shop) == IN_FORCE


def test_the_inbox_of_a_consumer_has_what_affects_them(shop: World) -> None:
    subscribe(shop, pin=(PinKind.VERSION, "1.0.0"))
    proposal = shop.client("producer").propose(writer.write(loosened("3.0.0")).decode())
    assert [each.id for each in shop.client("consumer").inbox().affecting] == [proposal.id]
    assert shop.client("viewer").inbox().affecting == ()
    asked(shop, loosened())
    found = shop.client("consumer").inbox()
    assert [(each.version, each.state) for each in found.acknowledgements] == [("2.0.0", AcknowledgementState.PENDING)]
    assert found.outdated_pins == ()
    assert shop.client("consumer").inbox_counts().acknowledgements == 1
    shop.client("consumer").answer(
        found.acknowledgements[0].id, AcknowledgementState.OBJECTED, comment="our report needs it"
    )
    assert shop.client("consumer").inbox_counts().acknowledgements == 0
    shop.client("consumer").answer(found.acknowledgements[0].id, AcknowledgementState.ACKNOWLEDGED)
    later(shop)
    found = shop.client("consumer").inbox()
    assert (found.acknowledgements, [each.outdated_reason for each in found.outdated_pins]) == (
        (), ["pinned to version 1.0.0: 1.0.0 is superseded; 2.0.0 is in force"],
    )  # fmt: skip


def test_owners_see_who_has_not_acknowledged(shop: World) -> None:
    subscribe(shop)
    asked(shop, loosened())
    (found,) = shop.client("owner").acknowledgements(waiting=True)
    assert (found.subscriber, found.state) == ("consumer", AcknowledgementState.PENDING)


def test_impact_is_shown_before_anybody_approves(shop: World) -> None:
    subscribe(shop, reads={"orders": ["amount"]})
    subscribe(shop, "producer", reads={})
    proposal = shop.client("producer").propose(writer.write(loosened()).decode())
    found = shop.client("viewer").impact(proposal.id)
    assert [(each.subscriber, each.affected, bool(each.breaks)) for each in found] == [
        ("consumer", True, True), ("producer", False, False),
    ]  # fmt: skip
    assert told(shop) == []


def test_a_first_version_affects_nobody(world: World) -> None:
    proposal = world.client("producer").propose(writer.write(content()).decode())
    assert world.client("viewer").impact(proposal.id) == []
