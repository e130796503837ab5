"""Changes that reviewers ask for, drafts in somebody's hands, and what is put off: who waits for what meanwhile."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from support.api import World, document, drafted, suggestion
from support.consumers import PRODUCER, approve, content, subscribe
from support.scenes import rows

from treaty.contracts.document import writer
from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.client import ClientError
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import Decision, ProposalState
from treaty.registry.tables import OutboxMessageRow

LISTS = ("to_decide", "to_change", "snoozed", "awaiting_others", "affecting")


def refused(call: Callable[[], object]) -> ClientError:
    with pytest.raises(ClientError) as caught:
        call()
    return caught.value


def proposed(world: World) -> schemas.ProposalOut:
    return world.client("producer").propose(document())


def returned(world: World, by: str = "owner") -> schemas.ProposalOut:
    made = proposed(world)
    return world.client(by).request_changes(made.id, "say why it is unique", revision=made.revision)


def lists(world: World, who: str) -> set[str]:
    """In which lists of the inbox something is."""
    found = world.client(who).inbox()
    return {name for name in LISTS if getattr(found, name)}


def approving(world: World, who: str, proposal: schemas.ProposalOut) -> Callable[[], object]:
    client = world.client(who)
    return lambda: client.approve(proposal.id, client.preview(proposal.id).fingerprint)


def told(world: World, kind: str) -> list[tuple[str, ...]]:
    found = [each.payload["notice"] for each in rows(world.engine, OutboxMessageRow)]
    return [tuple(each["details"]) for each in found if each["kind"] == kind]


def listening(world: World, *who: str) -> None:
    for each in who:
        body = schemas.ChannelIn.model_validate({"kind": "webhook", "target": f"https://hooks.example/{each}"})
        world.client(each).add_channel(body)


def test_nobody_approves_what_somebody_wants_changed(world: World) -> None:
    made = returned(world)
    assert (made.state, made.may_approve, made.may_request, made.open) == ("changes_requested", False, False, True)
    seen = world.client("producer").proposal(made.id).change_requests
    assert [(each.author, each.text, each.revision, each.is_own) for each in seen] == [
        ("owner", "say why it is unique", 1, False)
    ]
    error = refused(approving(world, "other-owner", made))
    assert error.status == 409
    assert error.message.startswith("Cannot approve this proposal: its state is changes_requested. Allowed actions: ")


def test_it_waits_for_its_author_and_for_nobody_else(world: World) -> None:
    returned(world)
    assert lists(world, "producer") == {"to_change"}
    assert lists(world, "owner") == {"awaiting_others"}
    assert lists(world, "other-owner") == set()


@pytest.mark.parametrize("by", ["producer", "other-owner"])
def test_a_change_by_another_answers_what_was_asked(world: World, by: str) -> None:
    made = returned(world)
    after = world.client(by).edit(made.id, document(name="Explained"), revision=made.revision)
    assert (after.state, after.change_requests) == (ProposalState.IN_REVIEW, ())
    assert "change_request:addressed" in world.audited()
    assert approving(world, "owner", made)()


def test_who_asks_may_go_on_reviewing(world: World) -> None:
    with transaction(world.engine) as tx:
        row = drafted(tx, world.users["producer"], suggestion("id"), suggestion("day"))
        tx.commit()
    owner = world.client("owner")
    made = owner.request_changes(row.id, "the day may be missing", revision=1)
    first, second = (each.id for each in made.suggestions)
    same = owner.decide(made.id, [first], Decision.ACCEPTED, revision=made.revision)
    assert same.state is ProposalState.CHANGES_REQUESTED
    other = world.client("producer").decide(made.id, [second], Decision.REJECTED, revision=same.revision, reason="yes")
    assert other.state is ProposalState.IN_REVIEW


def test_it_goes_on_once_everybody_who_asked_takes_it_back(world: World) -> None:
    made = returned(world)
    second = world.client("other-owner").request_changes(made.id, "and the unit", revision=made.revision)
    assert [each.author for each in second.change_requests] == ["owner", "other-owner"]
    assert world.client("owner").withdraw_change_request(made.id).state is ProposalState.CHANGES_REQUESTED
    assert world.client("other-owner").withdraw_change_request(made.id).state is ProposalState.IN_REVIEW
    assert [each.text for each in world.client("viewer").comments(made.id)] == ["say why it is unique", "and the unit"]
    error = refused(lambda: world.client("owner").withdraw_change_request(made.id))
    assert (error.status, error.message) == (403, "you have no open change request to withdraw")


def test_an_approval_is_void_once_its_giver_wants_changes(world: World) -> None:
    made = world.client("producer").propose(writer.write(content(review={"quorum": 2})).decode())
    approving(world, "owner", made)()
    seen = world.client("owner").proposal(made.id)
    after = world.client("owner").request_changes(made.id, "on second thoughts", revision=seen.revision)
    assert [each.voided_at is not None for each in after.approvals_given] == [True]


def test_what_is_asked_of_an_older_revision_is_kept_in_the_discussion(world: World) -> None:
    made = proposed(world)
    world.client("producer").edit(made.id, document(name="Another"), revision=1)
    error = refused(lambda: world.client("owner").request_changes(made.id, "rename it", revision=1))
    assert error.message.startswith("producer edited the document in the meantime")
    assert [each.text for each in world.client("viewer").comments(made.id)] == ["rename it"]
    assert world.client("owner").proposal(made.id).state is ProposalState.IN_REVIEW


@pytest.mark.parametrize(
    ("by", "state", "status"),
    [("producer", "in_review", 403), ("viewer", "in_review", 403), ("owner", "asked", 409), ("owner", "ended", 409)],
)
def test_who_cannot_ask_is_told_why(world: World, by: str, state: str, status: int) -> None:
    made = returned(world) if state == "asked" else proposed(world)
    if state == "ended":
        world.client("producer").withdraw(made.id)
    answer = world.call(
        by, "POST", f"/proposals/{made.id}/request-changes", json={"text": "no", "revision": made.revision}
    )
    assert answer.status_code == status


def test_an_owner_does_not_ask_for_changes_of_what_they_edited(world: World) -> None:
    made = proposed(world)
    after = world.client("owner").edit(made.id, document(name="Mine"), revision=1)
    error = refused(lambda: world.client("owner").request_changes(made.id, "no", revision=after.revision))
    assert (error.status, error.message) == (
        403,
        "you cannot request changes of a proposal that you wrote or edited: edit it instead",
    )


def test_its_author_hears_what_is_asked_and_what_is_said(world: World) -> None:
    listening(world, "producer", "owner")
    made = returned(world)
    world.client("consumer").add_comment(made.id, "who needs it?")
    assert [lines[1] for lines in told(world, "decision")] == ["say why it is unique"]
    # The author and the owner, who takes part by now.
    assert [lines[1] for lines in told(world, "review")] == ["who needs it?"] * 2


def test_the_summary_of_an_approval_goes_to_its_consumers(world: World) -> None:
    approve(world, content())
    subscribe(world, "consumer")
    listening(world, "consumer", "producer")
    body = content("1.1.0", quality=[*PRODUCER])
    made = world.client("producer").propose(writer.write(body).decode())
    owner = world.client("owner")
    owner.approve(made.id, owner.preview(made.id).fingerprint, comment="nothing changes for you")
    assert [lines[1] for lines in told(world, "decision")] == ["Summary: nothing changes for you"] * 2
    assert told(world, "review") == []


def test_a_draft_in_the_hands_of_one_owner_does_not_wait_for_another(world: World) -> None:
    made = proposed(world)
    after = world.client("owner").assign_proposal(made.id, "other-owner")
    assert (after.assignee, after.revision) == ("other-owner", made.revision)
    assert (lists(world, "owner"), lists(world, "other-owner")) == (set(), {"to_decide"})
    world.client("owner").assign_proposal(made.id, None)
    assert lists(world, "owner") == {"to_decide"}


def test_whoever_it_was_given_to_holds_up_nobody_once_they_approved(world: World) -> None:
    made = world.client("producer").propose(writer.write(content(review={"quorum": 2})).decode())
    world.client("owner").assign_proposal(made.id, "other-owner")
    approving(world, "other-owner", made)()
    assert lists(world, "owner") == {"to_decide"}


def test_a_draft_given_to_who_left_waits_for_the_others(world: World) -> None:
    made = proposed(world)
    world.client("owner").assign_proposal(made.id, "other-owner")
    user = f"/users/{world.users['other-owner'].id}"
    assert world.call("admin", "PATCH", user, {"If-Match": "*"}, json={"active": False}).status_code == 200
    assert lists(world, "owner") == {"to_decide"}


@pytest.mark.parametrize("name", ["nobody", "viewer", "producer"])
def test_a_draft_is_given_to_who_may_decide(world: World, name: str) -> None:
    made = proposed(world)
    error = refused(lambda: world.client("owner").assign_proposal(made.id, name))
    assert (error.status, error.message) == (
        422,
        "this user cannot be assigned: they are unknown, cannot decide about this proposal, or edited it",
    )


def test_what_is_put_off_waits_for_others_still(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    made, owner = proposed(world), world.client("owner")
    until = clock.now() + timedelta(minutes=1)
    owner.snooze_proposal(made.id, until)
    owner.snooze_proposal(made.id, until + timedelta(minutes=1))
    assert (lists(world, "owner"), lists(world, "other-owner")) == ({"snoozed"}, {"to_decide"})
    monkeypatch.setattr(clock, "now", lambda: until + timedelta(minutes=2))
    assert lists(world, "owner") == {"to_decide"}
    owner.snooze_proposal(made.id, None)
    assert owner.proposal(made.id).revision == made.revision


def test_nothing_is_put_off_until_a_time_that_is_over(world: World) -> None:
    made = proposed(world)
    error = refused(lambda: world.client("owner").snooze_proposal(made.id, clock.now() - timedelta(hours=1)))
    assert (error.status, error.message) == (422, "snooze until a time in the future")


def test_changes_that_are_asked_for_can_be_put_off_too(world: World) -> None:
    made = returned(world)
    world.client("producer").snooze_proposal(made.id, clock.now() + timedelta(hours=1))
    assert lists(world, "producer") == {"snoozed"}
