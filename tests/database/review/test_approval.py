"""From proposal to version: who may, when not, and what an approval brings about."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlmodel import select
from support.api import NOW, World, document, drafted, plain, suggestion

from treaty.contracts.document import writer
from treaty.contracts.document.reader import read
from treaty.registry import schemas
from treaty.registry.client import ClientError
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import Decision, ProposalState, VersionState
from treaty.registry.datasets import contract_datasets
from treaty.registry.review.proposals import proposals as proposals_proposals
from treaty.registry.tables import ContractRow, ContractVersionRow, DatasetRow, ProposalRow, TaskRow


def propose(world: World, text_: str | None = None, *, by: str = "producer") -> schemas.ProposalOut:
    return world.client(by).propose(text_ or document())


def approve(world: World, proposal: schemas.ProposalOut, *, by: str = "owner") -> schemas.VersionOut:
    client = world.client(by)
    version = client.approve(proposal.id, client.preview(proposal.id).fingerprint).version
    assert version
    return version


def draft(world: World, *suggestions: dict[str, Any], by: str = "producer") -> schemas.ProposalOut:
    with transaction(world.engine) as tx:
        proposal = drafted(tx, world.users[by], *suggestions)
        tx.commit()
    return world.client(by).proposal(proposal.id)


def refused(call: Callable[[], object]) -> ClientError:
    with pytest.raises(ClientError) as caught:
        call()
    return caught.value


def test_an_approved_document_is_kept_byte_for_byte(world: World) -> None:
    written = "# kept, with its comment\n" + document()
    version = approve(world, propose(world, written))
    assert world.client("viewer").document("shop-orders") == written.encode()
    assert version.fingerprint == read(written.encode()).fingerprint


def test_an_approval_makes_the_version_active_and_supersedes_the_last(world: World) -> None:
    approve(world, propose(world))
    approve(world, propose(world, document(version="2.0.0")))
    found = world.client("viewer").contract("shop-orders")
    assert found.active_version == "2.0.0"
    assert [(each.version, each.state) for each in found.versions] == [
        ("2.0.0", VersionState.ACTIVE),
        ("1.0.0", VersionState.SUPERSEDED),
    ]
    assert found.owner == "owner"


def test_an_approval_asks_for_the_validation_of_each_table_once(world: World) -> None:
    approve(world, propose(world))
    with read_session(world.engine) as tx:
        task = tx.exec(select(TaskRow)).one()
    assert (task.kind, task.key) == ("validate", "validate/shop-orders/1.0.0/orders")
    assert task.payload == {"contract_id": "shop-orders", "version": "1.0.0", "object": "orders", "all": True}


@pytest.mark.parametrize(
    ("physical", "namespace", "name", "location"),
    [
        ("/lake/orders", "file", "/lake/orders", "/lake/orders"),
        ("s3a://bucket/orders/", "s3://bucket", "orders", "s3a://bucket/orders"),
        ("shop.orders", "spark", "shop.orders", "shop.orders"),
        ("file:///lake/orders", "file", "/lake/orders", "/lake/orders"),
    ],
)
def test_an_approval_registers_the_dataset_by_its_physical_name(
    world: World, physical: str, namespace: str, name: str, location: str
) -> None:
    approve(world, propose(world, document(physical=physical)))
    found = world.client("viewer").contract("shop-orders").datasets
    assert [(each.namespace, each.name, each.location, each.object) for each in found] == [
        (namespace, name, location, "orders")
    ]
    assert found[0].partition_by == ("day",)


def test_a_declared_alias_takes_the_place_of_the_physical_name(world: World) -> None:
    alias = {"object": "orders", "namespace": "s3a://lake", "name": "/shop/orders"}
    custom = f"customProperties:\n- property: treaty\n  value:\n    aliases:\n    - {alias}\n"
    approve(world, propose(world, document() + custom))
    found = world.client("viewer").contract("shop-orders").datasets
    assert [(each.namespace, each.name) for each in found] == [("s3://lake", "shop/orders")]


def test_a_dataset_that_a_new_version_no_longer_names_is_free_again(world: World) -> None:
    approve(world, propose(world, document(physical="/lake/a")))
    approve(world, propose(world, document(version="1.1.0", physical="/lake/b")))
    approve(world, propose(world, document("other", physical="/lake/a")))
    with read_session(world.engine) as tx:
        about = {each.name: contract_datasets.objects_of(tx, each.id) for each in tx.exec(select(DatasetRow))}
    assert about == {"/lake/a": [("other", "orders")], "/lake/b": [("shop-orders", "orders")]}


def test_a_dataset_of_another_contract_is_that_of_both(world: World) -> None:
    for name in ("shop-orders", "other"):
        approve(world, propose(world, document(name, physical="/lake/a")))
    with read_session(world.engine) as tx:
        (dataset,) = tx.exec(select(DatasetRow)).all()
        assert contract_datasets.objects_of(tx, dataset.id) == [("other", "orders"), ("shop-orders", "orders")]
    for name in ("shop-orders", "other"):
        assert [each.name for each in world.client("viewer").contract(name).datasets] == ["/lake/a"]
    approve(world, propose(world, document("other", version="2.0.0", physical="/lake/b")))
    with read_session(world.engine) as tx:
        assert contract_datasets.objects_of(tx, dataset.id) == [("shop-orders", "orders")]


def test_a_contract_that_does_not_say_how_a_dataset_is_parted_leaves_that_to_others(world: World) -> None:
    bare = plain("other", physical="/lake/a")
    bare["schema"][0]["properties"].pop()
    approve(world, propose(world, document(physical="/lake/a")))
    approve(world, propose(world, writer.write(bare).decode()))
    (dataset,) = world.client("viewer").contract("shop-orders").datasets
    assert dataset.partition_by == ("day",)


@pytest.mark.parametrize("author", ["owner", "admin"])
def test_nobody_approves_their_own_proposal(world: World, author: str) -> None:
    error = refused(lambda: approve(world, propose(world, by=author), by=author))
    assert (error.status, error.message) == (
        403,
        "you cannot approve your own proposal: ask another owner to approve it",
    )


@pytest.mark.parametrize("by", ["producer", "consumer", "viewer", "service"])
def test_only_owners_and_administrators_approve(world: World, by: str) -> None:
    assert refused(lambda: approve(world, propose(world, by="other-owner"), by=by)).status == 403


def test_an_approval_of_another_document_than_the_one_shown_is_refused(world: World) -> None:
    proposal = draft(world, suggestion("id"))
    seen = world.client("owner").preview(proposal.id)
    world.client("producer").decide(proposal.id, [proposal.suggestions[0].id], Decision.ACCEPTED, revision=1)
    error = refused(lambda: world.client("owner").approve(proposal.id, seen.fingerprint))
    assert (error.status, "changed since you reviewed it" in error.message) == (409, True)


def test_an_approval_is_refused_while_a_suggestion_is_pending(world: World) -> None:
    proposal = draft(world, suggestion("id"), suggestion("day"))
    world.client("owner").decide(proposal.id, [proposal.suggestions[0].id], Decision.ACCEPTED, revision=1)
    error = refused(lambda: approve(world, proposal))
    assert (error.status, error.message[:24]) == (409, "undecided suggestions: 1")


def test_an_optional_suggestion_needs_no_decision(world: World) -> None:
    proposal = draft(world, suggestion("id"), {**suggestion("day"), "optional": True})
    owner = world.client("owner")
    assert [each.optional for each in proposal.suggestions] == [False, True]
    assert (proposal.pending, proposal.accepted) == (1, 0)
    owner.decide(proposal.id, [proposal.suggestions[0].id], Decision.ACCEPTED, revision=1)
    approve(world, proposal)
    assert [each.required for each in read(owner.document("shop-orders")).object("orders").properties] == [True, False]


def test_an_accepted_optional_suggestion_is_in_the_version(world: World) -> None:
    proposal = draft(world, suggestion("id"), {**suggestion("day"), "optional": True})
    owner = world.client("owner")
    revision = owner.decide(
        proposal.id, [each.id for each in proposal.suggestions], Decision.ACCEPTED, revision=1
    ).revision
    decided = owner.proposal(proposal.id)
    assert decided.accepted == 2
    assert owner.decide(proposal.id, [decided.suggestions[1].id], Decision.PENDING, revision=revision).pending == 0
    revision = owner.proposal(proposal.id).revision
    owner.decide(proposal.id, [decided.suggestions[1].id], Decision.ACCEPTED, revision=revision)
    approve(world, proposal)
    assert [each.required for each in read(owner.document("shop-orders")).object("orders").properties] == [True, True]


def test_a_draft_becomes_active_with_what_was_accepted_and_without_what_was_not(world: World) -> None:
    proposal = draft(world, suggestion("id"), suggestion("day"))
    first, second = (each.id for each in proposal.suggestions)
    owner = world.client("owner")
    revision = owner.decide(proposal.id, [first], Decision.ACCEPTED, revision=1).revision
    owner.decide(proposal.id, [second], Decision.REJECTED, revision=revision, reason="not always")
    approve(world, proposal)
    contract = read(owner.document("shop-orders"))
    assert contract.status == "active"
    assert [(each.name, each.required) for each in contract.object("orders").properties] == [
        ("id", True),
        ("day", False),
    ]


def test_drafts_take_the_next_free_version(world: World) -> None:
    approve(world, propose(world))
    assert approve(world, draft(world)).version == "1.1.0"
    assert approve(world, draft(world)).version == "1.2.0"


def test_a_version_that_exists_is_refused_with_the_next_free_one(world: World) -> None:
    approve(world, propose(world))
    again = propose(world, document(name="Orders, again"))
    error = refused(lambda: approve(world, again))
    assert (error.status, error.message) == (
        409,
        "version 1.0.0 of contract shop-orders already exists; the next free version is 1.1.0",
    )


@pytest.mark.parametrize(
    ("step", "legal"),
    [(step, "the state is final") for step in ("approve", "reject", "withdraw", "submit")],
)
def test_what_was_withdrawn_goes_no_further(world: World, step: str, legal: str) -> None:
    proposal = propose(world)
    world.client("producer").withdraw(proposal.id)
    by = "producer" if step in {"withdraw", "submit"} else "owner"
    body = {"approve": {"fingerprint": "x"}, "reject": {"reason": "no"}, "withdraw": {}}.get(step)
    answer = world.call(by, "POST", f"/proposals/{proposal.id}/{step}", {"If-Match": "*"}, json=body)
    assert (answer.status_code, answer.json()["error"]) == (409, "IllegalTransition")
    assert legal in answer.json()["message"]


def test_a_draft_is_seen_by_its_author_alone_until_it_is_submitted(world: World) -> None:
    proposal = world.client("producer").propose(document(), submit=False)
    assert refused(lambda: world.client("owner").proposal(proposal.id)).status == 404
    assert world.client("owner").inbox().to_decide == ()
    world.client("producer").submit(proposal.id)
    assert [each.id for each in world.client("owner").inbox().to_decide] == [proposal.id]


def test_a_rejection_keeps_its_reason_for_the_author(world: World) -> None:
    proposal = propose(world)
    world.client("owner").reject(proposal.id, "the unit of amount is missing")
    found = world.client("producer").proposal(proposal.id)
    assert (found.state, found.reason, found.decided_by) == (
        ProposalState.REJECTED,
        "the unit of amount is missing",
        "owner",
    )


def test_of_two_owners_who_approve_at_once_one_wins(world: World) -> None:
    proposal = propose(world)
    fingerprint = world.client("owner").preview(proposal.id).fingerprint
    start = Barrier(2)

    def race(who: str) -> int:
        start.wait()
        return world.call(
            who, "POST", f"/proposals/{proposal.id}/approve", json={"fingerprint": fingerprint}
        ).status_code

    with ThreadPoolExecutor(2) as threads:
        statuses = sorted(threads.map(race, ["owner", "other-owner"]))
    assert statuses == [200, 409]
    assert world.audited().count("proposal:approved") == 1


def test_of_two_first_versions_approved_at_once_one_wins(world: World) -> None:
    proposals = [propose(world, document(name=name)) for name in ("One", "Two")]
    prints = [world.client("owner").preview(each.id).fingerprint for each in proposals]
    start = Barrier(2)

    def race(number: int) -> int:
        start.wait()
        path = f"/proposals/{proposals[number].id}/approve"
        return world.call("owner", "POST", path, json={"fingerprint": prints[number]}).status_code

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(race, [0, 1])) == [200, 409]
    with read_session(world.engine) as tx:
        assert len(tx.exec(select(ContractVersionRow)).all()) == len(tx.exec(select(ContractRow)).all()) == 1


def test_a_refused_approval_leaves_nothing_behind(world: World) -> None:
    second = propose(world, document(physical="/lake/b"))
    approve(world, propose(world, document(physical="/lake/a")))
    before = world.audited()
    refused(lambda: approve(world, second))
    assert world.audited() == before
    with read_session(world.engine) as tx:
        assert [each.name for each in tx.exec(select(DatasetRow))] == ["/lake/a"]


@pytest.mark.parametrize("change", ["update contract_version set body = ''", "delete from contract_version"])
def test_the_database_itself_refuses_to_change_a_version(world: World, change: str) -> None:
    approve(world, propose(world))
    with world.engine.connect() as connection, pytest.raises(DBAPIError, match="kept as they were written"):
        connection.execute(text(change))


def test_a_preview_of_a_person_s_proposal_is_its_own_text(world: World) -> None:
    proposal = propose(world)
    with read_session(world.engine) as tx:
        row = tx.get_one(ProposalRow, proposal.id)
        assert proposals_proposals.preview(tx, row).document == document().encode() == row.base
        assert row.created_at != NOW
