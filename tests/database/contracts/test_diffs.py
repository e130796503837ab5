"""Differences between versions that are kept, and between a proposal and the version in force."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import pytest
from support.api import World, drafted, suggestion
from support.orders import check
from support.versions import document

from treaty.contracts.document.writer import write
from treaty.registry import schemas
from treaty.registry.client import ClientError
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import PinKind


def text(rows: int, version: str, **terms: Any) -> str:
    content: Mapping[str, Any] = document(
        check("size", mustBeGreaterThan=rows), terms=terms or None, version=version, apiVersion="v3.1.0"
    )
    return write(content).decode()


def proposed(world: World, document: str) -> UUID:
    return world.client("producer").propose(document).id


def in_force(world: World, document: str) -> None:
    made, owner = proposed(world, document), world.client("owner")
    owner.approve(made, owner.preview(made).fingerprint)


def test_two_versions_are_compared(world: World) -> None:
    in_force(world, text(10, "1.0.0"))
    in_force(world, text(20, "1.1.0"))
    client = world.client("viewer")

    found = client.diff("shop", "1.0.0", "1.1.0")

    changes = [(each.element, each.direction, each.check) for each in found.differences]
    assert changes == [("threshold", "tightens", "c")]
    assert (found.bump, found.suggested_version, found.is_bump_sufficient) == ("minor", "1.2.0", True)
    assert client.diff("shop", "1.1.0", "1.0.0").differences[0].direction == "loosens"
    assert client.diff("shop", "1.0.0") == found
    assert client.diff("shop").differences == ()


def test_a_proposal_is_compared_with_the_version_in_force(world: World) -> None:
    in_force(world, text(10, "1.0.0"))
    made = proposed(world, text(5, "1.1.0"))

    found = world.client("owner").proposal_diff(made)

    assert (found.old, found.new, found.bump, found.suggested_version, found.is_bump_sufficient) == (
        "1.0.0", "1.1.0", "major", "2.0.0", False
    )  # fmt: skip
    assert [(each.version, each.mode, each.difference.element) for each in found.breaches] == [
        ("1.0.0", "FORWARD", "threshold")
    ]
    assert {each.section: each.is_kept for each in found.modes} == {"structure": True, "guarantees": False}


def test_the_terms_in_force_decide_and_not_those_that_are_proposed(world: World) -> None:
    in_force(world, text(10, "1.0.0", compatibility={"guarantees": "BACKWARD"}))
    made = proposed(world, text(5, "1.1.0", compatibility={"guarantees": "FULL"}))

    found = world.client("owner").proposal_diff(made)

    assert [each.mode for each in found.modes] == ["FORWARD", "BACKWARD"]
    assert found.breaches == ()


def test_a_first_version_differs_from_nothing(world: World) -> None:
    found = world.client("owner").proposal_diff(proposed(world, text(5, "1.0.0")))
    assert (found.old, found.differences, found.suggested_version, found.is_bump_sufficient) == (
        None,
        (),
        "1.0.0",
        True,
    )


def test_accepted_suggestions_are_what_a_drafted_proposal_changes(world: World) -> None:
    in_force(world, text(10, "1.0.0"))
    with transaction(world.engine) as tx:
        made = drafted(tx, world.users["producer"], suggestion(), base=text(10, "1.0.0"))
        tx.commit()
        proposal, first = made.id, world.client("owner").proposal(made.id).suggestions[0].id
    owner = world.client("owner")
    assert owner.proposal_diff(proposal).differences == ()

    owner.decide(proposal, [first], "accepted", revision=1)  # type: ignore[arg-type]

    assert [each.element for each in owner.proposal_diff(proposal).differences] == ["required"]


@pytest.mark.parametrize(("contract", "old"), [("shop", "9.9.9"), ("elsewhere", None)])
def test_versions_that_do_not_exist_are_not_found(world: World, contract: str, old: str | None) -> None:
    in_force(world, text(10, "1.0.0"))
    with pytest.raises(ClientError) as refused:
        world.client("owner").diff(contract, old)
    assert refused.value.status == 404


def test_transitive_modes_look_at_the_versions_that_consumers_are_pinned_to(world: World) -> None:
    unasked = {"compatibility": {"guarantees": "NONE"}, "review": {"acknowledge_days": 0}}
    in_force(world, text(20, "1.0.0", **unasked))
    pinned = schemas.SubscriptionIn(
        contract_id="shop", purpose="reports", contact="me@example.org", pin=PinKind.VERSION, pinned_to="1.0.0"
    )
    world.client("consumer").subscribe(pinned)
    in_force(world, text(10, "2.0.0", compatibility={"guarantees": "FORWARD_TRANSITIVE"}))
    made = proposed(world, text(10, "2.0.1", compatibility={"guarantees": "FORWARD_TRANSITIVE"}))

    found = world.client("owner").proposal_diff(made)

    assert (found.old, found.differences) == ("2.0.0", ())
    assert [(each.version, each.difference.direction) for each in found.breaches] == [("1.0.0", "loosens")]
