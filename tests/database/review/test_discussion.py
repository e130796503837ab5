"""What people say about a proposal, what they meant when somebody else was first, and what waits for whom."""

from collections.abc import Callable
from copy import deepcopy

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from support.api import NOW, World, document, drafted, plain, suggestion

from treaty.contracts.document import writer
from treaty.contracts.document.reader import read
from treaty.registry import schemas
from treaty.registry.access.authentication import Principal, permissions_of
from treaty.registry.browse import inbox
from treaty.registry.client import ClientError
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import Decision, Role


def refused(call: Callable[[], object]) -> ClientError:
    with pytest.raises(ClientError) as caught:
        call()
    return caught.value


def said(world: World, proposal: schemas.ProposalOut) -> list[tuple[str, str, int]]:
    return [(each.author, each.text, each.revision) for each in world.client("viewer").comments(proposal.id)]


def draft(world: World, *suggestions: dict[str, object]) -> schemas.ProposalOut:
    with transaction(world.engine) as tx:
        made = drafted(tx, world.users["producer"], *suggestions)
        tx.commit()
    return world.client("producer").proposal(made.id)


def changed(**words: object) -> str:
    content = deepcopy(plain())
    content["schema"][0]["properties"][0].update(words)
    return writer.write(content).decode()


def test_comments_are_kept_in_their_order_whatever_becomes_of_the_proposal(world: World) -> None:
    made = world.client("producer").propose(document())
    world.client("consumer").add_comment(made.id, "who needs the day?")
    world.client("owner").reject(made.id, "not yet")
    world.client("producer").add_comment(made.id, "  everybody  ")
    assert said(world, made) == [("consumer", "who needs the day?", 1), ("producer", "everybody", 2)]


@pytest.mark.parametrize("words", ["", "   ", "x" * 4001, "a\x00b"])
def test_a_comment_says_something_that_can_be_kept(world: World, words: str) -> None:
    made = world.client("producer").propose(document())
    assert world.call("owner", "POST", f"/proposals/{made.id}/comments", json={"text": words}).status_code == 422


def test_a_draft_of_somebody_else_is_not_discussed(world: World) -> None:
    made = world.client("producer").propose(document(), submit=False)
    assert refused(lambda: world.client("owner").add_comment(made.id, "hm")).status == 404
    assert refused(lambda: world.client("owner").comments(made.id)).status == 404


@pytest.mark.parametrize("table", ["proposal_comment", "proposal_revision", "proposal_approval"])
@pytest.mark.parametrize("change", ["update {} set {} = {}", "delete from {}"])
def test_the_database_itself_keeps_what_was_said_and_approved(world: World, table: str, change: str) -> None:
    made = world.client("producer").propose(document())
    world.client("producer").edit(made.id, document(name="Again"), revision=1, comment="typo")
    owner = world.client("owner")
    owner.approve(made.id, owner.preview(made.id).fingerprint)
    column, value = {
        "proposal_comment": ("text", "''"),
        "proposal_revision": ("description", "''"),
        "proposal_approval": ("fingerprint", "''"),
    }[table]
    with world.engine.connect() as connection, pytest.raises(DBAPIError, match="kept as they were written"):
        connection.execute(text(change.format(table, column, value)))


def test_an_edit_keeps_the_document_byte_for_byte_and_its_comment(world: World) -> None:
    made = world.client("producer").propose(document())
    written = "# better\n" + document(name="Better")
    edited = world.client("owner").edit(made.id, written, revision=1, comment="the name was wrong")
    assert world.client("producer").preview(made.id).document == written
    assert (edited.revision, edited.may_edit) == (2, True)
    assert said(world, made) == [("owner", "the name was wrong", 2)]


def test_of_two_edits_of_one_revision_the_second_is_refused_and_its_comment_kept(world: World) -> None:
    made = world.client("producer").propose(document())
    world.client("owner").edit(made.id, changed(required=True), revision=1)
    error = refused(
        lambda: world.client("other-owner").edit(made.id, changed(unique=True), revision=1, comment="ids are unique")
    )
    assert (error.status, error.message) == (
        409,
        "owner edited the document in the meantime; revision 2 is current: reload and review the changes; "
        "your comment was saved in the discussion",
    )
    assert said(world, made) == [("other-owner", "ids are unique", 2)]
    assert read(world.client("owner").preview(made.id).document.encode()).object("orders").properties[0].required


def test_the_reason_of_a_rejection_that_came_too_late_is_kept(world: World) -> None:
    made = world.client("producer").propose(document())
    owner = world.client("owner")
    owner.approve(made.id, owner.preview(made.id).fingerprint)
    error = refused(lambda: world.client("other-owner").reject(made.id, "the unit is missing"))
    assert (error.status, error.message) == (
        409,
        "Cannot reject this proposal: its state is approved. Allowed actions: none, the state is final; "
        "your comment was saved in the discussion",
    )
    assert said(world, made) == [("other-owner", "the unit is missing", 2)]


def test_the_reason_of_a_decision_that_came_too_late_is_kept(world: World) -> None:
    made = draft(world, suggestion("id"), suggestion("day"))
    first, second = (each.id for each in made.suggestions)
    world.client("owner").decide(made.id, [first, second], Decision.ACCEPTED, revision=1)
    error = refused(
        lambda: world.client("other-owner").decide(made.id, [first], Decision.REJECTED, revision=1, reason="not always")
    )
    assert error.message.startswith("owner set suggestions 1, 2 to accepted in the meantime")
    assert [words for _, words, _ in said(world, made)] == ["not always"]


def test_three_changes_that_somebody_missed_are_told_and_more_are_counted(world: World) -> None:
    made = world.client("producer").propose(document())
    for revision in range(1, 5):
        world.client("producer").edit(made.id, document(name=f"Name {revision}"), revision=revision)
    error = refused(lambda: world.client("owner").edit(made.id, document(), revision=1))
    told = "; ".join(["producer edited the document"] * 3)
    assert error.message == (
        f"1 earlier change; {told} in the meantime; revision 5 is current: reload and review the changes"
    )


@pytest.mark.parametrize(
    ("by", "text_", "status", "where"),
    [
        ("other-owner", document("another"), 422, ["id"]),
        ("other-owner", "id: [", 422, None),
        ("consumer", document(), 403, []),
        ("viewer", document(), 403, []),
    ],
)
def test_what_cannot_be_put_in_its_place_is_refused(
    world: World, by: str, text_: str, status: int, where: list[str] | None
) -> None:
    made = world.client("producer").propose(document())
    error = refused(lambda: world.client(by).edit(made.id, text_, revision=1))
    assert error.status == status
    assert where is None or [each.where for each in error.faults] == where
    assert world.client("producer").proposal(made.id).revision == 1


def test_a_suggestion_is_accepted_with_another_content_beside_the_one_drafted(world: World) -> None:
    made = draft(world, suggestion("id", required=True))
    chosen, owner = made.suggestions[0], world.client("owner")
    found = owner.change(made.id, chosen.id, {"unique": True}, revision=1, reason="they may be missing").suggestions[0]
    assert (found.decision, found.edited_patch, found.content) == (Decision.ACCEPTED, {"unique": True}, chosen.content)
    properties = read(owner.preview(made.id).document.encode()).object("orders").properties
    assert (properties[0].required, properties[0].unique) == (False, True)
    assert world.audited()[-1] == "suggestion:edited"
    seen = owner.preview(made.id)
    assert refused(lambda: owner.approve(made.id, seen.fingerprint)).status == 403
    other = world.client("other-owner")
    assert other.approve(made.id, seen.fingerprint).version


def test_an_edited_suggestion_can_be_accepted_as_it_was_drafted_after_all(world: World) -> None:
    made = draft(world, suggestion("id", required=True))
    owner, chosen = world.client("owner"), made.suggestions[0].id
    owner.change(made.id, chosen, {"unique": True}, revision=1)
    found = owner.decide(made.id, [chosen], Decision.ACCEPTED, revision=2).suggestions[0]
    assert (
        found.edited_patch,
        read(owner.preview(made.id).document.encode()).object("orders").properties[0].required,
    ) == (
        None,
        True,
    )


@pytest.mark.parametrize(
    ("decision", "patch", "where"),
    [
        ("rejected", {"unique": True}, "patch"),
        ("pending", {"unique": True}, "patch"),
        ("accepted", {"colour": "red"}, "schema[0].properties[0].colour"),
        ("accepted", {"quality": {"id": "x", "type": "library", "metric": "nullValue", "mustBe": 0}}, None),
    ],
)
def test_another_content_must_fit_the_document(
    world: World, decision: str, patch: dict[str, object], where: str | None
) -> None:
    made = draft(world, suggestion("id"))
    body = {"decision": decision, "revision": 1, "patch": patch, "reason": "why"}
    path = f"/proposals/{made.id}/suggestions/{made.suggestions[0].id}"
    answer = world.call("owner", "PUT", path, json=body)
    assert answer.status_code == 422
    assert where is None or [each["where"] for each in answer.json()["faults"]] == [where]
    assert world.client("owner").proposal(made.id).pending == 1


def test_what_concerns_somebody_who_does_not_decide_affects_them(world: World) -> None:
    made = world.client("producer").propose(document())
    owner = world.client("owner")
    owner.approve(made.id, owner.preview(made.id).fingerprint)
    second = world.client("producer").propose(document(version="2.0.0"))
    assert [each.id for each in owner.inbox().to_decide] == [second.id]
    assert owner.inbox().affecting == ()
    viewer = Principal(
        user_id=world.users["owner"].id,
        name="owner",
        roles=frozenset({Role.VIEWER}),
        permissions=permissions_of([Role.VIEWER]),
    )
    with read_session(world.engine) as tx:
        found = inbox.inbox(tx, viewer, now=NOW)
    assert ([each.proposal.id for each in found.affecting], found.to_decide) == ([second.id], [])
    assert world.client("consumer").inbox().affecting == ()
