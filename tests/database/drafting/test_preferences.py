"""What owners made of kinds of suggestions, and the order that follows from it."""

from typing import Any

import pytest
from support.api import World, drafted, suggestion

from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import Decision
from treaty.registry.drafting import preferences
from treaty.registry.drafting.preferences import KindPreference


def of_kind(kind: str, name: str, **evidence: Any) -> dict[str, Any]:
    return suggestion(name) | {"kind": kind, "evidence": evidence}


def decide(world: World, kind: str, *, accepted: int, rejected: int) -> None:
    decisions = [Decision.ACCEPTED] * accepted + [Decision.REJECTED] * rejected
    with transaction(world.engine) as tx:
        content = [of_kind(kind, "id") | {"id": f"{kind}-{at}"} for at in range(len(decisions))]
        proposal = drafted(tx, world.users["producer"], *content)
        tx.commit()
    owner, found = world.client("owner"), None
    found = owner.proposal(proposal.id)
    for at, decision in enumerate(decisions):
        chosen = [found.suggestions[at].id]
        found = owner.decide(proposal.id, chosen, decision, revision=found.revision, reason="because")


def ordered(world: World, *suggestions: dict[str, Any]) -> list[dict[str, Any]]:
    with read_session(world.engine) as tx:
        return [dict(each) for each in preferences.ordered(tx, suggestions)]


def test_what_nobody_decided_about_keeps_the_order_of_its_worth(world: World) -> None:
    given = [of_kind("a", "id", worth=0.2), of_kind("b", "day", worth=0.9), of_kind("c", "amount")]
    assert [each["kind"] for each in ordered(world, *given)] == ["b", "c", "a"]
    assert ordered(world, *given)[0] == given[1]


def test_kinds_that_owners_reject_come_later_and_say_so(world: World) -> None:
    decide(world, "a", accepted=0, rejected=3)
    decide(world, "b", accepted=2, rejected=1)
    with read_session(world.engine) as tx:
        assert preferences.liked(tx) == {"a": KindPreference(0, 3), "b": KindPreference(2, 3)}
    found = ordered(world, of_kind("a", "id", worth=0.6), of_kind("b", "day", worth=0.5))
    assert [each["kind"] for each in found] == ["b", "a"]
    assert found[0]["evidence"]["owners"] == {"accepted": 2, "decided": 3}


@pytest.mark.parametrize(
    ("liked", "share"), [(KindPreference(), 0.5), (KindPreference(0, 4), 0.25), (KindPreference(4, 4), 0.75)]
)
def test_a_few_decisions_do_not_decide(liked: KindPreference, share: float) -> None:
    assert liked.share == share
