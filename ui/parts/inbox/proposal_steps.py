"""Assign and snooze proposals, with undo."""

from collections.abc import Sequence
from datetime import datetime

from treaty.registry.client import ClientError
from treaty.registry.schemas import ProposalSummaryOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import drafts as texts
from treaty.ui.texts import incidents
from treaty.ui.widgets import bulk_steps, step_runner, viewer
from treaty.ui.widgets.bulk_steps import BulkStep

DECIDER = "decider"
Drafts = Sequence[ProposalSummaryOut]


def name(proposal: ProposalSummaryOut) -> str:
    """Return the display name of a proposal."""
    return proposal.title or proposal.contract_id


def assign(drafts: Drafts) -> None:
    """Assign the proposals to the typed user, or unassign them if the input is empty."""
    to, registry = bulk_steps.input_text(DECIDER) or None, viewer.registry()
    result = incidents.given_to(to) if to else incidents.GIVEN_TO_NOBODY

    def back(before: ProposalSummaryOut, after: ProposalSummaryOut) -> None:
        if registry.proposal(after.id).assignee != after.assignee:
            raise ClientError(409, incidents.changed_since(name(after)))
        registry.assign_proposal(after.id, before.assignee)

    step = BulkStep[ProposalSummaryOut](
        lambda each: registry.assign_proposal(each.id, to),
        name,
        lambda names: incidents.impact_line(names, result),
        back,
    )
    bulk_steps.run_bulk_step(drafts, step)


def snooze(drafts: Drafts, until: datetime) -> None:
    """Snooze the proposals for the viewer only."""
    registry = viewer.registry()
    result = texts.put_off(ui_texts.moment(until, timezone=viewer.timezone()))

    def back(_: ProposalSummaryOut, after: ProposalSummaryOut) -> None:
        registry.snooze_proposal(after.id, None)

    step = BulkStep[ProposalSummaryOut](
        lambda each: registry.snooze_proposal(each.id, until),
        name,
        lambda names: incidents.impact_line(names, result),
        back,
    )
    bulk_steps.run_bulk_step(drafts, step)


def bring_back(proposal: ProposalSummaryOut) -> None:
    """End the snooze of the proposal."""
    registry = viewer.registry()
    step_runner.run_step(lambda: registry.snooze_proposal(proposal.id, None), done=texts.waits_again(name(proposal)))
