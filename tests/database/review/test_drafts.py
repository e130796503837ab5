"""Proposals and the decisions about their suggestions."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any
from uuid import UUID

import pytest
from support.api import World, document, drafted, plain, suggestion

from treaty.contracts.document import writer
from treaty.contracts.document.reader import read
from treaty.registry import schemas
from treaty.registry.client import ClientError
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import Decision, ProposalState
from treaty.registry.core.errors import InvalidRequest
from treaty.registry.tables import ProposalRow

ACCEPTED, REJECTED, PENDING = Decision.ACCEPTED, Decision.REJECTED, Decision.PENDING


def draft(world: World, *suggestions: dict[str, Any], base: str | None = None) -> schemas.ProposalOut:
    with transaction(world.engine) as tx:
        proposal = drafted(tx, world.users["producer"], *(suggestions or (suggestion(),)), base=base)
        tx.commit()
    return world.client("owner").proposal(proposal.id)


def refused(call: Callable[[], object]) -> ClientError:
    with pytest.raises(ClientError) as caught:
        call()
    return caught.value


def test_suggestions_keep_their_order_and_everything_that_was_drafted(world: World) -> None:
    content = [suggestion("id") | {"evidence": {"held": ["2026-01-01"], "share": 0.5}}, suggestion("day")]
    found = draft(world, *content)
    assert [each.content for each in found.suggestions] == content
    assert (found.pending, found.accepted, found.rejected) == (2, 0, 0)
    assert (found.author, found.title) == ("producer", "Draft of Orders")


def test_a_decision_is_kept_with_who_made_it_and_raises_the_revision(world: World) -> None:
    proposal = draft(world)
    found = world.client("owner").decide(proposal.id, [proposal.suggestions[0].id], REJECTED, revision=1, reason="no")
    row = found.suggestions[0]
    assert (row.decision, row.reason, row.decided_by) == (REJECTED, "no", "owner")
    assert (found.revision, found.rejected, row.decided_at is not None) == (2, 1, True)


def test_a_decision_can_be_taken_back(world: World) -> None:
    proposal = draft(world)
    owner, chosen = world.client("owner"), [proposal.suggestions[0].id]
    owner.decide(proposal.id, chosen, REJECTED, revision=1, reason="no")
    found = owner.decide(proposal.id, chosen, PENDING, revision=2).suggestions[0]
    assert (found.decision, found.reason) == (PENDING, None)
    assert world.audited()[-2:] == ["suggestion:rejected", "suggestion:reset"]


def test_many_suggestions_are_accepted_at_once_with_an_audit_entry_each(world: World) -> None:
    proposal = draft(world, suggestion("id"), suggestion("day"), suggestion("id", unique=True))
    chosen = [each.id for each in proposal.suggestions[:2]]
    found = world.client("owner").decide(proposal.id, chosen, ACCEPTED, revision=1)
    assert [each.decision for each in found.suggestions] == [ACCEPTED, ACCEPTED, PENDING]
    assert (found.revision, world.audited()[-2:]) == (2, ["suggestion:accepted"] * 2)


def test_a_rejection_needs_a_reason(world: World) -> None:
    proposal = draft(world)
    for reason in (None, "", "   "):
        error = refused(
            lambda reason=reason: world.client("owner").decide(
                proposal.id, [proposal.suggestions[0].id], REJECTED, revision=1, reason=reason
            )
        )
        assert (error.status, error.message) == (422, "enter a reason for the rejection")


def test_a_decision_on_an_older_revision_is_refused_and_says_who_changed_what(world: World) -> None:
    proposal = draft(world, suggestion("id"), suggestion("day"))
    first, second = (each.id for each in proposal.suggestions)
    world.client("other-owner").decide(proposal.id, [second], ACCEPTED, revision=1)
    error = refused(lambda: world.client("owner").decide(proposal.id, [first], ACCEPTED, revision=1))
    assert error.status == 409
    assert error.message == (
        "other-owner set suggestion 2 to accepted in the meantime; revision 2 is current: reload and review the changes"
    )


def test_of_two_decisions_at_once_one_wins(world: World) -> None:
    proposal = draft(world, suggestion("id"), suggestion("day"))
    start = Barrier(2)

    def race(number: int) -> int:
        body = {"decision": "accepted", "revision": 1}
        start.wait()
        path = f"/proposals/{proposal.id}/suggestions/{proposal.suggestions[number].id}"
        return int(world.call(["owner", "other-owner"][number], "PUT", path, json=body).status_code)

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(race, [0, 1])) == [200, 409]
    assert world.client("owner").proposal(proposal.id).accepted == 1


def test_a_brief_answer_has_what_was_decided_alone_and_counts_all(world: World) -> None:
    proposal, owner = draft(world, suggestion("id"), suggestion("day")), world.client("owner")
    chosen = proposal.suggestions[1]
    brief = owner.decide(proposal.id, [chosen.id], ACCEPTED, revision=1, decided_only=True)
    whole = owner.proposal(proposal.id)
    assert (brief.accepted, brief.pending, [each.identity for each in brief.suggestions]) == (1, 1, [chosen.identity])
    assert brief == whole.model_copy(update={"suggestions": whole.suggestions[1:]})


@pytest.mark.parametrize("foreign", ["another proposal's", "nobody's"])
def test_suggestions_of_another_proposal_are_refused_and_none_is_decided(world: World, foreign: str) -> None:
    proposal, other = draft(world), draft(world, suggestion("day"))
    strange: UUID = other.suggestions[0].id if foreign == "another proposal's" else ids.new()
    chosen = [proposal.suggestions[0].id, strange]
    assert refused(lambda: world.client("owner").decide(proposal.id, chosen, ACCEPTED, revision=1)).status == 404
    assert world.client("owner").proposal(proposal.id).pending == 1


def test_nothing_is_decided_once_the_proposal_is_closed(world: World) -> None:
    proposal = draft(world)
    world.client("producer").withdraw(proposal.id, "superseded by another")
    chosen = [proposal.suggestions[0].id]
    error = refused(lambda: world.client("owner").decide(proposal.id, chosen, ACCEPTED, revision=2))
    assert (error.status, error.message) == (
        409,
        "Cannot decide this proposal: its state is withdrawn. Allowed actions: none, the state is final",
    )


def test_a_suggestion_rejected_once_does_not_come_again_on_the_same_evidence(world: World) -> None:
    proposal = draft(world, suggestion("id"), suggestion("day"))
    owner, (first, second) = world.client("owner"), [each.id for each in proposal.suggestions]
    owner.decide(proposal.id, [first], REJECTED, revision=1, reason="ids may be missing")
    owner.decide(proposal.id, [second], ACCEPTED, revision=2)
    again = draft(world, suggestion("id"), suggestion("day"), suggestion("id", unique=True))
    assert [each.identity for each in again.suggestions] == ["orders.day.required", "orders.id.unique"]
    assert not any(each.rejected_before for each in again.suggestions)


def seen_on(partitions: int, column: str = "id") -> dict[str, Any]:
    return suggestion(column) | {"evidence": {"rows": 10, "partitions": partitions, "held": partitions}}


def test_a_rejected_suggestion_comes_again_with_new_evidence_and_says_what_is_new(world: World) -> None:
    proposal = draft(world, seen_on(2))
    world.client("owner").decide(proposal.id, [proposal.suggestions[0].id], REJECTED, revision=1, reason="no")
    assert draft(world, seen_on(3), suggestion("day")).suggestions[0].identity == "orders.day.required"
    again = draft(world, seen_on(4)).suggestions[0]
    assert (again.rejected_before, again.new_evidence) == (True, "now based on 4 partitions; when rejected: 2")


def test_a_suggestion_accepted_since_is_no_longer_marked(world: World) -> None:
    owner = world.client("owner")
    for decision, reason, partitions in ((REJECTED, "no", 2), (ACCEPTED, None, 4)):
        proposal = draft(world, seen_on(partitions))
        owner.decide(proposal.id, [proposal.suggestions[0].id], decision, revision=1, reason=reason)
    assert not draft(world, seen_on(4)).suggestions[0].rejected_before


def test_a_rejection_counts_for_its_own_contract_alone(world: World) -> None:
    proposal = draft(world)
    world.client("owner").decide(proposal.id, [proposal.suggestions[0].id], REJECTED, revision=1, reason="no")
    assert not draft(world, base=document("other")).suggestions[0].rejected_before


def test_the_preview_of_a_draft_is_the_document_with_what_was_accepted(world: World) -> None:
    proposal = draft(world, suggestion("id"), suggestion("day"))
    owner = world.client("owner")
    owner.decide(proposal.id, [proposal.suggestions[0].id], ACCEPTED, revision=1)
    shown = owner.preview(proposal.id)
    expected = plain() | {"status": "active"}
    expected["schema"][0]["properties"][0]["required"] = True
    assert read(shown.document.encode()).document == expected
    assert (shown.version, shown.revision) == ("1.0.0", 2)
    assert shown.fingerprint == read(shown.document.encode()).fingerprint


def test_a_suggestion_that_does_not_fit_the_document_is_named_in_the_preview(world: World) -> None:
    proposal = draft(world, suggestion("idd"))
    owner = world.client("owner")
    owner.decide(proposal.id, [proposal.suggestions[0].id], ACCEPTED, revision=1)
    error = refused(lambda: owner.preview(proposal.id))
    assert (error.status, ["idd" in each.message for each in error.faults]) == (422, [True])


def test_a_faulty_draft_is_refused_with_all_its_faults(world: World) -> None:
    broken = writer.write(plain() | {"apiVersion": "v9", "colour": "red"}).decode()
    with transaction(world.engine) as tx, pytest.raises(InvalidRequest) as caught:
        drafted(tx, world.users["producer"], base=broken)
    assert len(caught.value.faults) >= 2


def test_a_document_of_a_person_takes_its_title_from_its_name_and_version(world: World) -> None:
    proposal = world.client("producer").propose(document())
    assert (proposal.title, proposal.contract_id, proposal.suggestions) == ("Orders 1.0.0", "shop-orders", ())
    assert world.client("producer").propose(document(), title="Mine", comment="why").title == "Mine"


def test_proposals_are_listed_by_state_and_contract_newest_first(world: World) -> None:
    first, second = (world.client("producer").propose(document(each)) for each in ("a", "b"))
    world.client("owner").reject(first.id, "no")
    client = world.client("viewer")
    assert [each.id for each in client.proposals()] == [second.id, first.id]
    assert [each.id for each in client.proposals(state=ProposalState.REJECTED)] == [first.id]
    assert [each.id for each in client.proposals(contract_id="b")] == [second.id]


def test_the_inbox_shows_what_to_decide_and_what_to_wait_for(world: World) -> None:
    mine = world.client("owner").propose(document("mine"))
    theirs = world.client("producer").propose(document("theirs"))
    inbox = world.client("owner").inbox()
    assert [each.id for each in inbox.to_decide] == [theirs.id]
    assert [each.id for each in inbox.awaiting_others] == [mine.id]
    assert [each.id for each in world.client("producer").inbox().to_decide] == []


def test_reading_a_proposal_leaves_it_as_it_is(world: World) -> None:
    proposal = draft(world)
    with read_session(world.engine) as tx:
        before = tx.get_one(ProposalRow, proposal.id).model_dump()
    world.client("owner").preview(proposal.id)
    with read_session(world.engine) as tx:
        assert tx.get_one(ProposalRow, proposal.id).model_dump() == before
