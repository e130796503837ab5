"""Order the items of the inbox: by severity, then by deadline, then by age."""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from treaty.registry.core.enums import AcknowledgementState
from treaty.registry.schemas import (
    AcknowledgementOut,
    ContractRequestOut,
    InboxOut,
    IncidentOut,
    ProposalSummaryOut,
    RunSummaryOut,
)

LATER = datetime.max.replace(tzinfo=UTC)
# The worst first.
VERDICTS = ("failed", "not_evaluated", "uncertain", "warned", "passed")
Urgent = RunSummaryOut | AcknowledgementOut | ProposalSummaryOut | ContractRequestOut


def failed(inbox: InboxOut) -> list[RunSummaryOut]:
    """Return the runs that need attention, worst verdict first, then newest first."""
    newest = sorted(inbox.failed_runs, key=lambda run: run.finished_at, reverse=True)
    return sorted(newest, key=lambda run: VERDICTS.index(run.verdict))


def incidents(inbox: InboxOut) -> dict[UUID, IncidentOut]:
    """Return the incidents by the id of the last run of each of their objects."""
    return {part.last_run_id: each for each in inbox.incidents for part in each.objects}


def pending_acknowledgements(inbox: InboxOut) -> list[AcknowledgementOut]:
    """Return the pending acknowledgements, nearest deadline first."""
    waiting = (each for each in inbox.acknowledgements if each.state is AcknowledgementState.PENDING)
    return sorted(waiting, key=lambda each: (each.due_at or LATER, each.requested_at))


def oldest(proposals: Sequence[ProposalSummaryOut]) -> list[ProposalSummaryOut]:
    """Return the proposals, oldest first."""
    return sorted(proposals, key=lambda each: each.created_at)


def urgent(inbox: InboxOut) -> list[Urgent]:
    """Return all items that the viewer must act on: those that the menu counts."""
    return [
        *failed(inbox),
        *pending_acknowledgements(inbox),
        *oldest(inbox.to_change),
        *oldest(inbox.to_decide),
        *inbox.contract_requests,
    ]


def is_empty(inbox: InboxOut) -> bool:
    """Return True if nothing needs the viewer, awaits others, affects the viewer, or is snoozed."""
    return not (urgent(inbox) or inbox.awaiting_others or inbox.affecting or inbox.outdated_pins or inbox.snoozed)
