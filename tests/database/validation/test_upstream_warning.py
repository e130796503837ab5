"""Bad data from further up: said with the gate's answer and in lists, and no answer of its own unless it is agreed."""

from typing import Any

import pytest
from support.api import World, plain
from support.flowing import ran
from support.harms import Fails, Harm

from treaty.contracts.document import writer
from treaty.registry.core.enums import GateAnswer


def promise(harm: Harm, contract_id: str, said: str | None) -> None:
    """A contract in force about the dataset of that name, which says what becomes of bad data from further up."""
    terms = {"property": "treaty", "value": {"lineage": {"on_upstream_failed": said}}}
    made: dict[str, Any] = {**plain(contract_id, physical=f"/lake/{contract_id}")}
    text = writer.write({**made, "customProperties": [terms]} if said else made).decode()
    proposal, owner = harm.world.client("producer").propose(text), harm.world.client("owner")
    owner.approve(proposal.id, owner.preview(proposal.id).fingerprint)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (None, GateAnswer.UNKNOWN),
        ("allow", GateAnswer.UNKNOWN),
        ("warn", GateAnswer.UNKNOWN),
        ("block", GateAnswer.BLOCK),
    ],
)
def test_what_came_from_further_up_is_a_reason_and_an_answer_where_the_contract_has_it_so(
    world: World, said: str | None, answer: GateAnswer
) -> None:
    harm = Harm(world)
    harm.promise("orders")
    promise(harm, "report", said)
    viewer = world.client("viewer")
    assert (viewer.gate("report").upstream_failed, viewer.contract("report").upstream_failed) == (False, False)
    harm.events(*ran("load", 1, 2, writes=["orders"]), *ran("report", 3, 4, reads=["orders"], writes=["report"]))
    harm.judge("orders", Fails(), at=5, by=("load", 1))
    found = viewer.gate("report")
    (incident,) = harm.incidents
    assert found.upstream_failed
    assert found.answer is answer
    assert found.reason is not None
    assert found.reason.endswith(f"affected by bad data from upstream (incident {incident.id})")
    assert {each.id: each.upstream_failed for each in viewer.contracts()} == {"orders": False, "report": True}
    assert not viewer.gate("orders").upstream_failed
