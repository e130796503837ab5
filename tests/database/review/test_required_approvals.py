"""Whose approvals make a version: a quorum of owners who did not write it, the owners of touched columns, and nobody
whose approval is of something else than what is there."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from support.api import PASSWORD, World, drafted, plain, suggestion

from treaty.contracts.document import writer
from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.access import authentication, users
from treaty.registry.client import ClientError
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import Decision, ProposalState, Role

CONTRACT = "shop-orders"


def document(version: str = "1.0.0", *, owner: str | None = None, required: bool = False, **review: Any) -> str:
    content = deepcopy(plain(version=version))
    content["customProperties"] = [{"property": "treaty", "value": {"review": review}}]
    column = content["schema"][0]["properties"][0]
    if owner:
        column["customProperties"] = [{"property": "owner", "value": owner}]
    if required:
        column["required"] = True
    return writer.write(content).decode()


def approve(world: World, proposal_id: Any, *, by: str = "owner") -> schemas.ApprovalResultOut:
    client = world.client(by)
    seen = client.preview(proposal_id)
    return client.approve(proposal_id, seen.fingerprint, revision=seen.revision)


def refused(call: Callable[[], object]) -> ClientError:
    with pytest.raises(ClientError) as caught:
        call()
    return caught.value


def shown(world: World, proposal_id: Any, *, to: str = "producer") -> schemas.ProposalOut:
    return world.client(to).proposal(proposal_id)


def test_a_quorum_of_owners_makes_a_version_and_the_first_waits_for_the_second(world: World) -> None:
    made = world.client("producer").propose(document(quorum=2))
    assert shown(world, made.id).approvals_missing == ("2 of 2 owner approvals",)
    first = approve(world, made.id)
    assert (first.version, first.missing) == (None, ("1 of 2 owner approvals",))
    waiting = shown(world, made.id, to="owner")
    assert (waiting.state, waiting.approvals, waiting.may_approve) == (ProposalState.IN_REVIEW, 1, False)
    assert approve(world, made.id, by="other-owner").version
    assert [each.approver for each in shown(world, made.id).approvals_given] == ["owner", "other-owner"]
    given, activated = world.audited().index("approval:given"), world.audited().index("version:activated")
    assert given < activated


def test_the_same_owner_is_not_two(world: World) -> None:
    made = world.client("producer").propose(document(quorum=2))
    approve(world, made.id)
    error = refused(lambda: approve(world, made.id))
    assert (error.status, error.message) == (
        409,
        "you have already approved this document: it is waiting for other owners",
    )


def test_the_terms_in_force_decide_about_the_next_version_not_its_own(world: World) -> None:
    first = world.client("producer").propose(document(quorum=2))
    approve(world, first.id)
    approve(world, first.id, by="other-owner")
    second = world.client("producer").propose(document("2.0.0", quorum=1))
    assert approve(world, second.id).missing == ("1 of 2 owner approvals",)
    assert approve(world, second.id, by="other-owner").version
    third = world.client("producer").propose(document("3.0.0", quorum=5))
    assert approve(world, third.id).version


def test_a_group_of_its_own_does_not_escape_the_terms(world: World) -> None:
    first = world.client("producer").propose(document(quorum=2))
    approve(world, first.id)
    approve(world, first.id, by="other-owner")
    content = plain(version="2.0.0") | {"customProperties": [{"property": "treaty", "value": {"group": "next"}}]}
    second = world.client("producer").propose(writer.write(content).decode())
    assert approve(world, second.id).missing == ("1 of 2 owner approvals",)


def test_an_edit_voids_approvals_and_tells_those_who_gave_them(world: World) -> None:
    made = world.client("producer").propose(document(quorum=2))
    approve(world, made.id)
    assert [each.id for each in world.client("owner").inbox().awaiting_others] == [made.id]
    edited = world.client("producer").edit(made.id, document(quorum=2, required=True), revision=1)
    assert (edited.revision, edited.approvals, [each.voided_at is None for each in edited.approvals_given]) == (
        2,
        0,
        [False],
    )
    (told,) = world.client("owner").inbox().to_decide
    assert (told.id, told.voided_approvals) == (made.id, True)
    assert approve(world, made.id, by="other-owner").version is None
    assert approve(world, made.id).version
    assert world.audited().count("approval:voided") == 1


def test_a_decision_about_a_suggestion_voids_approvals(world: World) -> None:
    with transaction(world.engine) as tx:
        made = drafted(tx, world.users["producer"], suggestion(), base=document(quorum=2))
        tx.commit()
    chosen = [shown(world, made.id).suggestions[0].id]
    world.client("producer").decide(made.id, chosen, Decision.ACCEPTED, revision=1)
    approve(world, made.id)
    world.client("producer").decide(made.id, chosen, Decision.REJECTED, revision=2, reason="no")
    assert shown(world, made.id).approvals_missing == ("2 of 2 owner approvals",)


def test_who_edited_does_not_approve(world: World) -> None:
    made = world.client("producer").propose(document())
    edited = world.client("owner").edit(made.id, document(required=True), revision=1)
    assert (edited.may_approve, edited.may_reject) == (False, True)
    error = refused(lambda: approve(world, made.id))
    assert (error.status, error.message) == (
        403,
        "you cannot approve a proposal that you edited: ask another owner to approve it",
    )
    assert approve(world, made.id, by="other-owner").version


def test_an_approval_of_a_document_edited_meanwhile_is_refused_and_says_who_edited(world: World) -> None:
    made = world.client("producer").propose(document())
    owner = world.client("owner")
    seen = owner.preview(made.id)
    world.client("producer").edit(made.id, document(required=True), revision=1)
    with_revision = refused(lambda: owner.approve(made.id, seen.fingerprint, revision=seen.revision, comment="fine"))
    assert (with_revision.status, with_revision.message) == (
        409,
        "producer edited the document in the meantime; revision 2 is current: reload and review the changes; "
        "your comment was saved in the discussion",
    )
    assert [(each.author, each.text) for each in owner.comments(made.id)] == [("owner", "fine")]
    without = refused(lambda: owner.approve(made.id, seen.fingerprint))
    assert (without.status, "(last change: producer edited the document)" in without.message) == (409, True)


def test_an_owner_who_lost_the_right_no_longer_counts(world: World) -> None:
    made = world.client("producer").propose(document(quorum=2))
    approve(world, made.id)
    world.client("admin").change_user(world.users["owner"].id, schemas.UserUpdateIn(roles=[Role.VIEWER]))
    assert approve(world, made.id, by="other-owner").missing == ("1 of 2 owner approvals",)
    assert approve(world, made.id, by="admin").version


def person(world: World, name: str, role: Role) -> None:
    """Another user, signed in."""
    now = clock.now()
    with transaction(world.engine) as tx:
        user = users.new_user(ids.new(), name=name, password=PASSWORD, roles=[role], now=now)
        users.create_user(tx, user, actor="test", now=now)
        lasts = authentication.USED_EVERY
        world.secrets[name] = authentication.sign_in(tx, user, session_id=ids.new(), now=now, lasts=lasts)[0]  # type: ignore[index]
        tx.commit()


@pytest.mark.parametrize(
    ("owner", "approver", "missing"),
    [
        ("other-owner", "owner", ("approval by other-owner for orders.id",)),
        ("other-owner", "other-owner", ()),
        ("Other-Owner", "other-owner", ()),
        ("producer", "owner", ("approval by an administrator (owner producer cannot approve here) for orders.id",)),
        ("nobody", "owner", ("approval by an administrator (owner nobody cannot approve here) for orders.id",)),
        ("nobody", "admin", ()),
        ("other-owner", "admin", ("approval by other-owner for orders.id",)),
    ],
)  # fmt: skip
def test_the_owner_of_a_touched_column_must_approve(
    world: World, owner: str, approver: str, missing: tuple[str, ...]
) -> None:
    made = world.client("producer").propose(document(owner=owner, columns=True))
    came = approve(world, made.id, by=approver)
    assert (came.missing, came.version is None) == (missing, bool(missing))


def test_the_owner_of_a_column_that_is_left_alone_is_not_asked(world: World) -> None:
    first = world.client("producer").propose(document(owner="other-owner", columns=True))
    approve(world, first.id, by="other-owner")
    second = world.client("producer").propose(document("1.1.0", owner="other-owner", columns=True))
    assert approve(world, second.id).version


def test_who_takes_a_column_over_needs_the_consent_of_who_had_it(world: World) -> None:
    first = world.client("producer").propose(document(owner="other-owner", columns=True))
    approve(world, first.id, by="other-owner")
    second = world.client("producer").propose(document("1.1.0", owner="owner", columns=False))
    assert approve(world, second.id).missing == ("approval by other-owner for orders.id",)


def test_an_owner_consents_to_what_they_wrote_but_another_must_approve_it(world: World) -> None:
    made = world.client("other-owner").propose(document(owner="other-owner", columns=True))
    assert approve(world, made.id).version


def test_what_somebody_else_edited_after_the_owner_is_theirs_no_more(world: World) -> None:
    person(world, "third-owner", Role.OWNER)
    made = world.client("other-owner").propose(document(owner="other-owner", columns=True))
    world.client("owner").edit(made.id, document(owner="other-owner", columns=True, required=True), revision=1)
    assert approve(world, made.id, by="third-owner").missing == ("approval by other-owner for orders.id",)
