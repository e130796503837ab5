"""States and steps: each is taken where the table says so, and refused where not, with the legal ones named."""

from typing import Any

import pytest

from treaty.registry.core.enums import ProposalState, VersionState
from treaty.registry.core.errors import IllegalTransition
from treaty.registry.core.state_machines import IN_FORCE, OPEN, PROPOSAL, REVIEWED, VERSION, Lifecycle, odcs_status

LEGAL: dict[str, dict[str, str]] = {
    "proposal": {
        "draft": "submit withdraw edit decide",
        "in_review": "approve return reject withdraw edit decide",
        "changes_requested": "return resume reject withdraw edit decide",
        "approved": "",
        "rejected": "",
        "withdrawn": "",
    },
    "version": {
        "approved": "activate supersede retire",
        "active": "deprecate supersede retire",
        "deprecated": "supersede retire",
        "retired": "",
        "superseded": "",
    },
}
STEPS = sorted({step for states in LEGAL.values() for steps in states.values() for step in steps.split()})
CASES = [(PROPOSAL, state) for state in ProposalState] + [(VERSION, state) for state in VersionState]


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize(("lifecycle", "state"), CASES)
def test_a_step_is_taken_where_it_is_legal_and_refused_where_not(
    lifecycle: Lifecycle[Any], state: Any, name: str
) -> None:
    legal = LEGAL[lifecycle.subject][state.value].split()
    if name in legal:
        assert lifecycle.step(state, name) in type(state)
        return
    with pytest.raises(
        IllegalTransition, match=f"^Cannot {name} this {lifecycle.subject}: its state is {state.value}. "
    ) as caught:
        lifecycle.step(state, name)
    assert str(caught.value).endswith(", ".join(sorted(legal)) or "none, the state is final")


@pytest.mark.parametrize("lifecycle", [PROPOSAL, VERSION], ids=lambda each: each.subject)
def test_every_state_is_in_the_table_and_can_be_reached(lifecycle: Lifecycle[Any]) -> None:
    states = set(type(next(iter(lifecycle.steps))))
    reached = {after for steps in lifecycle.steps.values() for after in steps.values()}
    assert set(lifecycle.steps) == states
    assert states - reached <= {ProposalState.DRAFT, VersionState.APPROVED}


def test_what_can_be_edited_is_open_and_what_is_deprecated_is_in_force() -> None:
    reviewed = {ProposalState.IN_REVIEW, ProposalState.CHANGES_REQUESTED}
    assert reviewed == REVIEWED
    assert reviewed | {ProposalState.DRAFT} == OPEN
    assert {VersionState.ACTIVE, VersionState.DEPRECATED} == IN_FORCE


@pytest.mark.parametrize(
    ("state", "status"),
    [
        (ProposalState.DRAFT, "draft"),
        (ProposalState.IN_REVIEW, "proposed"),
        (ProposalState.CHANGES_REQUESTED, "proposed"),
        (ProposalState.APPROVED, "proposed"),
        (ProposalState.REJECTED, None),
        (ProposalState.WITHDRAWN, None),
        (VersionState.APPROVED, "proposed"),
        (VersionState.ACTIVE, "active"),
        (VersionState.DEPRECATED, "deprecated"),
        (VersionState.SUPERSEDED, "retired"),
        (VersionState.RETIRED, "retired"),
    ],
)
def test_a_state_has_the_status_that_the_standard_knows(
    state: ProposalState | VersionState, status: str | None
) -> None:
    assert odcs_status(state) == status
