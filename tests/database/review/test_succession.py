"""How a version may follow the one in force: by its number, and by the modes of compatibility that were named."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from support.api import World, drafted, plain, suggestion

from treaty.contracts.document import writer
from treaty.contracts.document.reader import read
from treaty.registry import schemas
from treaty.registry.client import ClientError
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import Decision

CONTRACT = "shop-orders"
SIZE = {
    "id": "few",
    "name": "few",
    "type": "custom",
    "engine": "treaty",
    "implementation": {"analyzer": "size", "mustBeLessThan": 100},
}


def document(version: str, *, most: int | None = 100, columns: int = 2, **terms: Any) -> str:
    """A contract of one table of that many columns, and with a limit on its rows where one is given."""
    content = deepcopy(plain(version=version))
    content["customProperties"] = [{"property": "treaty", "value": terms}] if terms else []
    table = content["schema"][0]
    table["properties"] = table["properties"][:columns]
    if most is not None:
        table["quality"] = [{**SIZE, "implementation": {"analyzer": "size", "mustBeLessThan": most}}]
    return writer.write(content).decode()


def approve(world: World, text: str) -> schemas.ApprovalResultOut:
    made = world.client("producer").propose(text)
    owner = world.client("owner")
    seen = owner.preview(made.id)
    return owner.approve(made.id, seen.fingerprint, revision=seen.revision, follows=seen.follows_version)


def previewed(world: World, text: str) -> schemas.PreviewOut:
    return world.client("owner").preview(world.client("producer").propose(text).id)


def refused(call: Callable[[], object]) -> ClientError:
    with pytest.raises(ClientError) as caught:
        call()
    return caught.value


def test_a_first_version_follows_nothing(world: World) -> None:
    seen = previewed(world, document("1.0.0", review={"versions": "enforced"}, compatibility={"guarantees": "FULL"}))
    assert (seen.follows_version, seen.bump, seen.suggested_version, seen.breaking_reasons, seen.approval_blockers) == (
        None,
        None,
        None,
        (),
        (),
    )


@pytest.mark.parametrize(
    ("change", "bump", "suggested"),
    [
        ({}, "patch", "1.0.1"),
        ({"most": 50}, "minor", "1.1.0"),
        ({"most": 200}, "major", "2.0.0"),
        ({"most": None}, "major", "2.0.0"),
    ],
)
def test_the_preview_says_how_large_the_change_is_and_the_number_that_says_so(
    world: World, change: dict[str, Any], bump: str, suggested: str
) -> None:
    approve(world, document("1.0.0"))
    seen = previewed(world, document("1.0.9", **change))
    assert (seen.follows_version, seen.bump, seen.suggested_version) == ("1.0.0", bump, suggested)


@pytest.mark.parametrize(
    ("most", "version", "told"),
    [
        (200, "1.0.1", "use 2.0.0"),
        (200, "1.1.0", "use 2.0.0"),
        (200, "2.0.0", None),
        (50, "1.0.1", "use 1.1.0"),
        (50, "1.1.0", None),
        (100, "0.9.0", "use 1.0.1"),
        (100, "1.0.1", None),
    ],
)
def test_a_number_that_says_less_than_the_change_is_refused_where_that_is_enforced(
    world: World, most: int, version: str, told: str | None
) -> None:
    terms: dict[str, Any] = {"review": {"versions": "enforced"}}
    approve(world, document("1.0.0", **terms))
    following = document(version, most=most, **terms)
    if told is None:
        assert approve(world, following).version
        return
    error = refused(lambda: approve(world, following))
    assert (error.status, [(each.code, each.where, each.remedy) for each in error.faults]) == (
        422,
        [("TR-VERSION", "version", told)],
    )


def test_a_number_is_only_suggested_where_nothing_else_is_said(world: World) -> None:
    approve(world, document("1.0.0"))
    assert approve(world, document("1.0.1", most=200)).version


@pytest.mark.parametrize(
    ("modes", "change", "breaks"),
    [
        ({"guarantees": "FORWARD"}, {"most": 200}, True),
        ({"guarantees": "FORWARD"}, {"most": 50}, False),
        ({"guarantees": "BACKWARD"}, {"most": 50}, True),
        ({"guarantees": "BACKWARD"}, {"most": 200}, False),
        ({"guarantees": "NONE"}, {"most": None}, False),
        ({"structure": "FORWARD"}, {"columns": 1}, True),
        ({"structure": "FORWARD"}, {"most": 200}, False),
        ({"structure": "NONE", "guarantees": "FULL"}, {"columns": 1}, False),
    ],
)
def test_a_mode_that_the_terms_in_force_name_is_kept(
    world: World, modes: dict[str, str], change: dict[str, Any], breaks: bool
) -> None:
    approve(world, document("1.0.0", compatibility=modes))
    following = document("2.0.0", compatibility={"structure": "NONE", "guarantees": "NONE"}, **change)
    if not breaks:
        assert approve(world, following).version
        return
    assert previewed(world, following).approval_blockers
    error = refused(lambda: approve(world, following))
    assert (error.status, {each.code for each in error.faults}) == (422, {"TR-COMPATIBILITY"})
    assert "start a new group with version 2.0.0" in error.faults[0].remedy or "3.0.0" in error.faults[0].remedy
    assert world.client("viewer").contract(CONTRACT).active_version == "1.0.0"


def test_a_mode_that_nobody_named_is_told_and_not_enforced(world: World) -> None:
    approve(world, document("1.0.0"))
    seen = previewed(world, document("2.0.0", most=200))
    assert (len(seen.breaking_reasons), seen.approval_blockers) == (1, ())
    assert seen.breaking_reasons[0].startswith(
        "FORWARD of version 1.0.0 ('Existing consumers keep every guarantee they had'): "
    )
    assert approve(world, document("2.0.0", most=200)).version


@pytest.mark.parametrize(("version", "begins"), [("2.0.0", True), ("1.1.0", False)])
def test_what_breaks_a_mode_may_begin_a_group_of_its_own_as_a_major_version(
    world: World, version: str, begins: bool
) -> None:
    approve(world, document("1.0.0", compatibility={"guarantees": "FORWARD"}))
    following = document(version, most=200, group="next")
    if not begins:
        assert refused(lambda: approve(world, following)).status == 422
        return
    approve(world, following)
    states = {each.version: each.state.value for each in world.client("viewer").contract(CONTRACT).versions}
    assert states == {"1.0.0": "active", "2.0.0": "active"}


def test_nothing_is_approved_that_was_compared_with_another_version(world: World) -> None:
    approve(world, document("1.0.0"))
    made = world.client("producer").propose(document("2.0.0", most=200))
    owner = world.client("owner")
    seen = owner.preview(made.id)
    approve(world, document("1.1.0", most=50))
    error = refused(lambda: owner.approve(made.id, seen.fingerprint, follows=seen.follows_version))
    assert (error.status, error.message) == (
        409,
        "the version in force is now 1.1.0, not 1.0.0: reload and review the changes",
    )
    assert owner.approve(made.id, seen.fingerprint, follows="1.1.0").version


@pytest.mark.parametrize(("most", "version"), [(50, "1.1.0"), (200, "2.0.0")])
def test_a_draft_takes_the_number_that_its_change_asks_for(world: World, most: int, version: str) -> None:
    approve(world, document("1.0.0"))
    changed = suggestion("id", quality={**SIZE, "implementation": {"analyzer": "size", "mustBeLessThan": most}})
    with transaction(world.engine) as tx:
        made = drafted(tx, world.users["producer"], {**changed, "column": None}, base=document("1.0.0"))
        tx.commit()
    owner = world.client("owner")
    chosen = [each.id for each in owner.proposal(made.id).suggestions]
    owner.decide(made.id, chosen, Decision.ACCEPTED, revision=1)
    seen = owner.preview(made.id)
    assert (seen.version, read(seen.document.encode()).version) == (version, version)
