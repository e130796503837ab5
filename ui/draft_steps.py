"""What can be done about drafts that wait: put off, given to somebody; both with the way back."""

from collections.abc import Sequence
from datetime import datetime

from registry.api.schemas import ProposalSummary
from registry.client import ClientError
from ui import actions, session, taking, words
from ui.taking import Step
from ui.words import drafts as texts
from ui.words import incidents

DECIDER = "decider"
Drafts = Sequence[ProposalSummary]


def name(proposal: ProposalSummary) -> str:
    """What a proposal is called."""
    return proposal.title or proposal.contract_id


def assign(found: Drafts) -> None:
    """Gives them to whom the input names; to nobody where it is empty."""
    to, registry = taking.typed(DECIDER) or None, session.registry()
    said = incidents.given_to(to) if to else incidents.GIVEN_TO_NOBODY

    def back(before: ProposalSummary, after: ProposalSummary) -> None:
        if registry.proposal(after.id).assignee != after.assignee:
            raise ClientError(409, incidents.changed_since(name(after)))
        registry.assign_proposal(after.id, before.assignee)

    step = Step[ProposalSummary](
        lambda each: registry.assign_proposal(each.id, to), name, lambda names: incidents.told(names, said), back
    )
    taking.take(found, step)


def snooze(found: Drafts, until: datetime) -> None:
    """Puts them off, for the viewer alone."""
    registry = session.registry()
    told = texts.put_off(words.moment(until, timezone=session.timezone()))

    def back(_: ProposalSummary, after: ProposalSummary) -> None:
        registry.snooze_proposal(after.id, None)

    step = Step[ProposalSummary](
        lambda each: registry.snooze_proposal(each.id, until), name, lambda names: incidents.told(names, told), back
    )
    taking.take(found, step)


def bring_back(proposal: ProposalSummary) -> None:
    """Has it wait for the viewer again."""
    registry = session.registry()
    actions.attempt(lambda: registry.snooze_proposal(proposal.id, None), done=texts.waits_again(name(proposal)))
