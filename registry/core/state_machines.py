"""Define the legal transitions of proposals, versions and incidents.

Imports no database code."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from treaty.registry.core.enums import IncidentState, ProposalState, VersionState
from treaty.registry.core.errors import IllegalTransition

State = TypeVar("State", ProposalState, VersionState, IncidentState)


@dataclass(frozen=True)
class Lifecycle(Generic[State]):
    """The legal steps in each state of a subject, and the state after each step."""

    subject: str
    steps: Mapping[State, Mapping[str, State]]

    def step(self, state: State, name: str) -> State:
        """Return the state after a step. Raises IllegalTransition, which names the legal steps."""
        legal = self.steps[state]
        if name not in legal:
            raise IllegalTransition(self.subject, state=state.value, step=name, legal=legal)
        return legal[name]

    def states_allowing(self, name: str) -> frozenset[State]:
        """Return the states in which a step is legal."""
        return frozenset(state for state, legal in self.steps.items() if name in legal)


PROPOSAL = Lifecycle(
    "proposal",
    {
        ProposalState.DRAFT: {
            "edit": ProposalState.DRAFT,
            "decide": ProposalState.DRAFT,
            "submit": ProposalState.IN_REVIEW,
            "withdraw": ProposalState.WITHDRAWN,
        },
        ProposalState.IN_REVIEW: {
            "edit": ProposalState.IN_REVIEW,
            "decide": ProposalState.IN_REVIEW,
            "approve": ProposalState.APPROVED,
            "return": ProposalState.CHANGES_REQUESTED,
            "reject": ProposalState.REJECTED,
            "withdraw": ProposalState.WITHDRAWN,
        },
        ProposalState.CHANGES_REQUESTED: {
            "edit": ProposalState.CHANGES_REQUESTED,
            "decide": ProposalState.CHANGES_REQUESTED,
            "return": ProposalState.CHANGES_REQUESTED,
            "resume": ProposalState.IN_REVIEW,
            "reject": ProposalState.REJECTED,
            "withdraw": ProposalState.WITHDRAWN,
        },
        ProposalState.APPROVED: {},
        ProposalState.REJECTED: {},
        ProposalState.WITHDRAWN: {},
    },
)
# A superseded or retired version never returns: its content has to be proposed again under another number.
VERSION = Lifecycle(
    "version",
    {
        VersionState.APPROVED: {
            "activate": VersionState.ACTIVE,
            "supersede": VersionState.SUPERSEDED,
            "retire": VersionState.RETIRED,
        },
        VersionState.ACTIVE: {
            "deprecate": VersionState.DEPRECATED,
            "supersede": VersionState.SUPERSEDED,
            "retire": VersionState.RETIRED,
        },
        VersionState.DEPRECATED: {
            "supersede": VersionState.SUPERSEDED,
            "retire": VersionState.RETIRED,
        },
        VersionState.RETIRED: {},
        VersionState.SUPERSEDED: {},
    },
)
INCIDENT = Lifecycle(
    "incident",
    {
        IncidentState.OPEN: {
            "acknowledge": IncidentState.ACKNOWLEDGED,
            "assign": IncidentState.OPEN,
            "snooze": IncidentState.OPEN,
            "resolve": IncidentState.RESOLVED,
        },
        IncidentState.ACKNOWLEDGED: {
            "assign": IncidentState.ACKNOWLEDGED,
            "snooze": IncidentState.ACKNOWLEDGED,
            "resolve": IncidentState.RESOLVED,
            "reopen": IncidentState.OPEN,
        },
        IncidentState.RESOLVED: {"reopen": IncidentState.OPEN},
    },
)
OPEN = PROPOSAL.states_allowing("edit")
# Under review, whether the owners or the author have to act next.
REVIEWED = PROPOSAL.states_allowing("reject")
# Versions that are validated and that the gate answers for: a deprecated version stays binding until it is retired.
IN_FORCE = frozenset({VersionState.ACTIVE, VersionState.DEPRECATED})
ODCS: Mapping[str, str] = {
    ProposalState.DRAFT: "draft",
    ProposalState.IN_REVIEW: "proposed",
    ProposalState.CHANGES_REQUESTED: "proposed",
    # An approved proposal is an approved version that is not in force yet.
    VersionState.APPROVED: "proposed",
    VersionState.ACTIVE: "active",
    VersionState.DEPRECATED: "deprecated",
    VersionState.SUPERSEDED: "retired",
    VersionState.RETIRED: "retired",
}


def odcs_status(state: ProposalState | VersionState) -> str | None:
    """Return the `status` of an exported ODCS document; None for states that are never exported."""
    return ODCS.get(state)
