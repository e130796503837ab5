"""Who is told of what, through which channel, once; and what a channel gets."""

import json
from collections.abc import Iterator
from dataclasses import replace
from email import message_from_string, policy
from typing import Any
from uuid import UUID

import pytest
from standardwebhooks import Webhook
from support.api import NOW, World, document
from support.consumers import CONTRACT, PRODUCER, approve, check, content, subscribe
from support.receivers import Post, Receiver, Reply, post_office, receiver
from support.scenes import add, rows

from treaty.contracts.document import writer
from treaty.engine.core import clock
from treaty.engine.core.results import Outcome, Verdict
from treaty.registry import schemas
from treaty.registry.client import ClientError
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import GrantScope, NotificationKind, PinKind, Role, TeamRole
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.notifications import dispatch
from treaty.registry.notifications import messages as notifications_messages
from treaty.registry.notifications.delivery import OutboxDeliverer
from treaty.registry.notifications.messages import Notification
from treaty.registry.review.consumers import lag_reminders
from treaty.registry.tables import (
    ChannelRow,
    CheckResultRow,
    OutboxMessageRow,
    RoleGrantRow,
    RunRow,
    TeamMemberRow,
    TeamRow,
)

SECRET_PATH = "/T000/B000/very-secret"
VIOLATION = Notification(
    kind=NotificationKind.VIOLATION,
    contract_id=CONTRACT,
    subject="incident-1",
    title="shop-orders 1.0.0: contract violated",
    table="orders",
    details=("dear failed: minimum must be greater than 0",),
    next_step="Review the run.",
    page="run?id=7",
)


@pytest.fixture
def hook() -> Iterator[Receiver]:
    with receiver() as made:
        yield made


@pytest.fixture
def office() -> Iterator[Post]:
    with post_office() as made:
        yield made


def channel(
    world: World, who: str, kind: str = "webhook", target: str = "https://hooks.example/x", **more: Any
) -> schemas.NewChannelOut:
    body = schemas.ChannelIn.model_validate({"kind": kind, "target": target, **more})
    return world.client(who).add_channel(body)


def tell(world: World, notice: Notification) -> int:
    with transaction(world.engine) as tx:
        told = dispatch.notify(tx, notice, now=NOW)
        tx.commit()
    return told


def waiting(world: World) -> list[tuple[str, str]]:
    """The kind of each notice that waits, and whose channel it goes to."""
    names = {each.id: name for name, each in world.users.items()}
    holders = {each.id: names.get(each.user_id, "team") for each in rows(world.engine, ChannelRow)}
    messages = rows(world.engine, OutboxMessageRow)
    return sorted((each.payload["notice"]["kind"], holders[UUID(each.payload["channel"])]) for each in messages)


def deliver(world: World, **settings: Any) -> list[OutboxMessageRow]:
    given = {
        "webhook_allowed_hosts": "127.0.0.1",
        "public_url": "https://treaty.example",
        "mail_from": "treaty@shop.example",
    }
    moment = clock.now()
    OutboxDeliverer(
        database=world.engine,
        settings=RegistrySettings(**{**given, **settings}),
        clock=lambda: moment,
        jitter=lambda: 0.0,
    ).drain()
    return rows(world.engine, OutboxMessageRow)


def test_a_webhook_gets_the_notice_signed_by_the_secret_that_was_shown_once(world: World, hook: Receiver) -> None:
    approve(world, content())
    made = channel(world, "owner", target=f"{hook.url}/in?key=1")
    tell(world, VIOLATION)
    deliver(world)
    (got,) = hook.got
    assert made.secret
    assert Webhook(made.secret).verify(got.body, dict(got.headers)) == json.loads(got.body)
    assert got.headers["webhook-id"].startswith("msg_")
    assert got.path == "/in?key=1"
    assert json.loads(got.body) == {
        "type": "treaty.violation",
        "timestamp": NOW.isoformat(),
        "data": {
            "contract": CONTRACT,
            "subject": "incident-1",
            "title": "shop-orders 1.0.0: contract violated",
            "table": "orders",
            "details": ["dear failed: minimum must be greater than 0"],
            "next_step": "Review the run.",
            "link": "https://treaty.example/run?id=7",
        },
    }


def test_a_chat_gets_the_notice_as_text(world: World, hook: Receiver) -> None:
    approve(world, content())
    channel(world, "owner", "slack", f"{hook.url}/in")
    tell(world, VIOLATION)
    deliver(world)
    (got,) = hook.got
    text = json.loads(got.body)["text"]
    assert text.startswith("*shop-orders 1.0.0: contract violated*\n")
    for part in ("Table: orders", "- dear failed", "Next step: Review the run", "https://treaty.example/run?id=7"):
        assert part in text


def test_a_mail_says_the_same(world: World, office: Post) -> None:
    approve(world, content())
    channel(world, "owner", "email", "ada@shop.example")
    tell(world, VIOLATION)
    (kept,) = deliver(world, smtp_url=office.url)
    ((sender, to, text),) = office.mails
    assert kept.state.value == "sent"
    message = message_from_string(text, policy=policy.default)
    assert (sender, to) == ("treaty@shop.example", ("ada@shop.example",))
    assert message["Subject"] == "[Treaty] shop-orders 1.0.0: contract violated"
    assert message["Message-ID"].endswith("@treaty>")
    assert "- dear failed: minimum must be greater than 0" in message.get_content()


def test_a_title_with_a_line_break_makes_no_header_of_its_own(world: World, office: Post) -> None:
    approve(world, content())
    channel(world, "owner", "email", "ada@shop.example")
    tell(
        world,
        Notification(
            kind=NotificationKind.VIOLATION, contract_id=CONTRACT, subject="i", title="a\r\nBcc: eve@evil.example"
        ),
    )
    deliver(world, smtp_url=office.url)
    ((_, to, text),) = office.mails
    message = message_from_string(text, policy=policy.default)
    assert (to, message["Bcc"]) == (("ada@shop.example",), None)


@pytest.mark.parametrize(
    ("refuses", "state", "why"),
    [
        ({"MAIL": "451 later"}, "waiting", "451"),
        ({"RCPT": "550 nobody here"}, "dead", "rejected the address"),
        ({"RCPT": "450 busy"}, "waiting", "rejected the address"),
        ({"DATA": "554 no"}, "dead", "554"),
        ({"EHLO": "502 what", "HELO": "421 not now"}, "waiting", "421"),
        ({"QUIT": "500 stay"}, "sent", "None"),
    ],
)
def test_a_mail_that_is_not_taken_waits_or_is_given_up(
    world: World, refuses: dict[str, str], state: str, why: str
) -> None:
    approve(world, content())
    channel(world, "owner", "email", "ada@shop.example")
    tell(world, VIOLATION)
    with post_office(**refuses) as refusing:
        (message,) = deliver(world, smtp_url=refusing.url)
    assert message.state.value == state
    assert why in str(message.error)


def test_without_a_mail_server_mails_wait(world: World) -> None:
    approve(world, content())
    channel(world, "owner", "email", "ada@shop.example")
    tell(world, VIOLATION)
    (message,) = deliver(world)
    assert (message.state.value, message.error) == ("waiting", "no mail server is configured: set TREATY_SMTP_URL")


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/x", "http://localhost/x", "http://169.254.169.254/latest"])
def test_a_webhook_to_this_machine_or_a_private_network_is_never_asked(world: World, url: str) -> None:
    approve(world, content())
    channel(world, "owner", target=url)
    tell(world, VIOLATION)
    (message,) = deliver(world, webhook_allowed_hosts="")
    assert message.state.value == "dead"
    assert "not public" in str(message.error)


def test_a_redirect_to_this_machine_is_not_followed(world: World, hook: Receiver) -> None:
    approve(world, content())
    with receiver(Reply(307, {"Location": hook.url})) as first:
        channel(world, "owner", target=first.url)
        tell(world, VIOLATION)
        (message,) = deliver(world)
    assert (message.state.value, hook.got) == ("dead", [])


def test_of_an_incident_everybody_is_told_once(world: World) -> None:
    approve(world, content())
    channel(world, "owner")
    assert (tell(world, VIOLATION), tell(world, VIOLATION)) == (1, 0)
    assert len(rows(world.engine, OutboxMessageRow)) == 1


def test_owners_and_consumers_are_told_of_a_violation_and_nobody_else(world: World) -> None:
    approve(world, content())
    for who in ("owner", "other-owner", "consumer", "producer", "viewer"):
        channel(world, who)
    subscribe(world, "consumer")
    tell(world, VIOLATION)
    assert waiting(world) == [("violation", who) for who in ("consumer", "other-owner", "owner")]


def test_a_channel_of_one_contract_is_told_of_that_whoever_holds_it(world: World) -> None:
    approve(world, content())
    approve(world, content(contract_id="other"))
    channel(world, "viewer", contract_id=CONTRACT)
    channel(world, "owner", contract_id="other")
    tell(world, VIOLATION)
    assert waiting(world) == [("violation", "viewer")]


def test_a_channel_for_some_kinds_is_told_of_no_other(world: World) -> None:
    approve(world, content())
    channel(world, "owner", notification_kinds=["recovery"])
    assert tell(world, VIOLATION) == 0


def test_who_may_not_read_a_contract_is_not_told_of_it(world: World) -> None:
    approve(world, content())
    channel(world, "viewer", contract_id=CONTRACT)
    with transaction(world.engine) as tx:
        tx.merge(world.users["viewer"]).roles = []
        tx.commit()
    assert tell(world, VIOLATION) == 0


def test_who_is_not_active_any_more_is_not_told(world: World) -> None:
    approve(world, content())
    channel(world, "other-owner")
    world.client("admin").change_user(world.users["other-owner"].id, schemas.UserUpdateIn(active=False))
    assert tell(world, VIOLATION) == 0


def test_a_team_that_owns_a_contract_is_told_through_its_channel(world: World) -> None:
    approve(world, content())
    team = TeamRow(id=ids.new(), name="sellers", created_at=NOW)
    lead = TeamMemberRow(team_id=team.id, user_id=world.users["viewer"].id, role=TeamRole.LEAD)
    given = RoleGrantRow(
        id=ids.new(), team_id=team.id, role=Role.OWNER, scope=GrantScope.CONTRACT, target=CONTRACT, created_at=NOW
    )
    add(world.engine, team, lead, given)
    with pytest.raises(ClientError):
        channel(world, "producer", team_id=str(team.id))
    channel(world, "viewer", team_id=str(team.id))
    tell(world, VIOLATION)
    assert waiting(world) == [("violation", "team")]
    world.client("admin").remove_team(team.id)
    assert rows(world.engine, ChannelRow) == []


def test_a_team_is_told_of_what_it_subscribed_to_for_as_long_as_who_did_so_may_read_it(world: World) -> None:
    approve(world, content())
    team, other = (TeamRow(id=ids.new(), name=name, created_at=NOW) for name in ("buyers", "others"))
    people = [(team, "consumer", TeamRole.MEMBER), (team, "viewer", TeamRole.LEAD), (other, "viewer", TeamRole.LEAD)]
    members = [TeamMemberRow(team_id=of.id, user_id=world.users[who].id, role=role) for of, who, role in people]
    add(world.engine, team, other, *members)
    for each in (team, other):
        channel(world, "viewer", team_id=str(each.id))
    assert tell(world, VIOLATION) == 0
    use = {"contract_id": CONTRACT, "purpose": "reports", "contact": "buyers@shop.example", "team": "buyers"}
    world.client("consumer").subscribe(schemas.SubscriptionIn.model_validate(use))
    consumer = world.users["consumer"].id
    lag = Notification(
        kind=NotificationKind.LAG,
        contract_id=CONTRACT,
        subject="x",
        title="your pin is outdated",
        to=frozenset({consumer}),
    )
    assert (tell(world, VIOLATION), tell(world, lag)) == (1, 1)
    world.client("admin").change_user(world.users["consumer"].id, schemas.UserUpdateIn(active=False))
    assert (tell(world, replace(VIOLATION, subject="b")), tell(world, replace(lag, subject="y"))) == (0, 0)


def test_a_proposal_is_told_to_owners_and_the_decision_to_its_author(world: World) -> None:
    for who in ("owner", "producer", "consumer"):
        channel(world, who)
    proposal = world.client("producer").propose(document())
    assert waiting(world) == [("proposal", "owner")]
    world.client("owner").reject(proposal.id, reason="too loose")
    assert waiting(world) == [("decision", "producer"), ("proposal", "owner")]
    told = next(each.payload["notice"] for each in rows(world.engine, OutboxMessageRow) if "decision" in each.key)
    assert told["details"][1] == "Reason: too loose"


def test_a_draft_is_told_to_nobody_before_it_is_submitted(world: World) -> None:
    channel(world, "owner")
    proposal = world.client("producer").propose(document(), submit=False)
    assert waiting(world) == []
    world.client("producer").submit(proposal.id)
    assert waiting(world) == [("proposal", "owner")]


def test_a_breaking_version_is_told_to_whom_it_breaks(world: World) -> None:
    approve(world, content(review={"acknowledge_days": 7}))
    subscribe(world, "consumer", reads={"orders": ["amount"]})
    channel(world, "consumer")
    made = content("2.0.0", quality=[PRODUCER[0]], review={"acknowledge_days": 7})
    made["schema"][0]["properties"] = [each for each in made["schema"][0]["properties"] if each["name"] != "amount"]
    proposal = world.client("producer").propose(writer.write(made).decode())
    client = world.client("owner")
    client.approve(proposal.id, client.preview(proposal.id).fingerprint)
    assert waiting(world) == [("breaking", "consumer")]


def test_who_is_behind_is_told_once_for_each_version(world: World) -> None:
    approve(world, content())
    subscribe(world, "consumer", pin=(PinKind.VERSION, "1.0.0"))
    channel(world, "consumer", notification_kinds=["lag"])

    def remind() -> int:
        with transaction(world.engine) as tx:
            told = lag_reminders.tell_lagging(tx, now=NOW)
            tx.commit()
        return told

    assert remind() == 0
    for number in ("1.1.0", "1.2.0"):
        approve(
            world, content(number, quality=[*PRODUCER, check("more", "size", mustBeLessThan=99999 - int(number[2]))])
        )
        assert (remind(), remind()) == (1, 0)


def test_a_channel_is_tried_and_shows_what_became_of_it(world: World, hook: Receiver) -> None:
    made = channel(world, "viewer", target=f"{hook.url}{SECRET_PATH}")
    tried = world.client("viewer").test_channel(made.channel.id)
    assert tried.last_message
    assert tried.last_message.state.value == "waiting"
    deliver(world)
    (found,) = world.client("viewer").channels()
    assert found.last_message
    assert found.last_message.state.value == "sent"
    assert json.loads(hook.got[0].body)["type"] == "treaty.test"


def test_a_url_is_never_shown_again(world: World) -> None:
    made = channel(world, "viewer", "slack", f"https://hooks.example{SECRET_PATH}")
    shown = world.call("admin", "GET", "/channels").text + world.call("admin", "GET", "/audit").text
    assert "very-secret" not in shown
    assert made.channel.target == "https://hooks.example/..."


@pytest.mark.parametrize(
    ("kind", "target"),
    [
        ("email", "nobody"),
        ("email", "a@b.example, c@d.example"),
        ("email", "a@b.example\r\nBcc: c@d.example"),
        ("email", "Ada <a@b.example>"),
        ("slack", "ftp://hooks.example/x"),
        ("webhook", "https://user:word@hooks.example/x"),
        ("webhook", "file:///etc/passwd"),
    ],
)
def test_a_target_that_is_none_is_refused_and_not_quoted(world: World, kind: str, target: str) -> None:
    answer = world.call("viewer", "POST", "/channels", json={"kind": kind, "target": target})
    assert answer.status_code == 422
    assert target not in answer.text


def test_nobody_has_channels_without_end(world: World) -> None:
    for at in range(20):
        channel(world, "viewer", target=f"https://hooks.example/{at}")
    with pytest.raises(ClientError) as refused:
        channel(world, "viewer")
    assert refused.value.status == 409


def test_what_waits_for_a_channel_that_is_removed_is_given_up(world: World) -> None:
    made = channel(world, "viewer")
    world.client("viewer").test_channel(made.channel.id)
    world.client("viewer").remove_channel(made.channel.id)
    (message,) = deliver(world)
    assert (message.state.value, message.error) == ("dead", "the channel was removed")


def test_what_was_given_up_is_delivered_again_when_an_administrator_says_so(world: World) -> None:
    with receiver(Reply(422)) as hook:
        made = channel(world, "viewer", target=hook.url)
        world.client("viewer").test_channel(made.channel.id)
        deliver(world)
        (dead,) = world.client("admin").messages()
        assert dead.state.value == "dead"
        assert world.client("admin").retry_message(dead.id).state.value == "waiting"
        (message,) = deliver(world)
    assert message.state.value == "sent"
    assert len({(each.body, each.headers["webhook-id"]) for each in hook.got}) == 1
    with pytest.raises(ClientError) as refused:
        world.client("admin").retry_message(dead.id)
    assert refused.value.status == 409


def test_a_violation_says_what_failed_and_no_value(world: World) -> None:
    run = RunRow(
        id=ids.new(), contract_id=CONTRACT, version="1.0.0", fingerprint="", object="orders", partitions=[],
        verdict=Verdict.FAILED, outcome_counts={}, started_at=NOW, finished_at=NOW,
    )  # fmt: skip
    said = {"run_id": run.id, "severity": "error", "scope": "delta", "value": "4711", "finding": "found 4711"}
    results = [
        CheckResultRow(position=at, check_id=name, name=name, outcome=outcome, sentence=f"{name} must be", **said)
        for at, (name, outcome) in enumerate(
            [("a", Outcome.PASSED), ("b", Outcome.FAILED), ("b", Outcome.FAILED), ("c", Outcome.NOT_EVALUATED)]
        )
    ]
    notice = notifications_messages.violated(run, results, subject="i")
    assert notice.details == ("b failed: b must be", "c could not be evaluated: c must be")
    assert "4711" not in str(notice)
    assert notifications_messages.recovered(run, subject="i").kind is NotificationKind.RECOVERY


def test_long_lists_are_cut(world: World) -> None:
    many = Notification(
        kind=NotificationKind.VIOLATION,
        contract_id=CONTRACT,
        subject="i",
        title="t",
        details=tuple(f"check {at}" for at in range(50)),
    )
    told = notifications_messages.RenderedNotice.of(many, now=NOW)
    assert (len(told.details), told.details[-1]) == (21, "and 30 more")


def use(**more: Any) -> schemas.SubscriptionIn:
    told: dict[str, Any] = {"contract_id": CONTRACT, "purpose": "reports", "contact": "c@shop.example"}
    return schemas.SubscriptionIn.model_validate({**told, **more})


@pytest.mark.parametrize(("kinds", "heard"), [((), 2), (("violation",), 2), (("breaking", "lag"), 0)])
def test_a_consumer_is_told_of_what_they_chose(world: World, kinds: tuple[str, ...], heard: int) -> None:
    approve(world, content())
    for at in range(2):
        channel(world, "consumer", target=f"https://hooks.example/{at}")
    world.client("consumer").subscribe(use(notification_kinds=kinds))
    assert tell(world, VIOLATION) == heard


def test_a_consumer_is_told_through_the_channel_that_they_chose(world: World) -> None:
    approve(world, content())
    first, second = (channel(world, "consumer", target=f"https://hooks.example/{at}") for at in range(2))
    world.client("consumer").subscribe(use(channel_id=first.channel.id))
    tell(world, VIOLATION)
    assert [each.payload["channel"] for each in rows(world.engine, OutboxMessageRow)] == [str(first.channel.id)]
    world.client("consumer").remove_channel(first.channel.id)
    tell(world, replace(VIOLATION, subject="incident-2"))
    assert str(second.channel.id) in {each.payload["channel"] for each in rows(world.engine, OutboxMessageRow)}


def test_nobody_chooses_the_channel_of_another(world: World) -> None:
    approve(world, content())
    made = channel(world, "owner")
    with pytest.raises(ClientError) as caught:
        world.client("consumer").subscribe(use(channel_id=made.channel.id))
    assert [each.where for each in caught.value.faults] == ["channel_id"]
