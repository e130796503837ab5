"""What waits for the viewer, put in order: what hurts first, then what has a date, then the oldest."""

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
VERDICTS = ("failed", "not_evaluated", "warned", "passed")
Urgent = RunSummaryOut | AcknowledgementOut | ProposalSummaryOut | ContractRequestOut


def failed(found: InboxOut) -> list[RunSummaryOut]:
    """The runs that need attention, the worst first, and of those alike the newest."""
    newest = sorted(found.failed_runs, key=lambda run: run.finished_at, reverse=True)
    return sorted(newest, key=lambda run: VERDICTS.index(run.verdict))


def incidents(found: InboxOut) -> dict[UUID, IncidentOut]:
    """By the runs that need attention the incidents that they are the last word of."""
    return {part.last_run_id: each for each in found.incidents for part in each.objects}


def pending_acknowledgements(found: InboxOut) -> list[AcknowledgementOut]:
    """The versions that wait for the viewer's answer, the one with the nearest deadline first."""
    waiting = (each for each in found.acknowledgements if each.state is AcknowledgementState.PENDING)
    return sorted(waiting, key=lambda each: (each.due_at or LATER, each.requested_at))


def oldest(proposals: Sequence[ProposalSummaryOut]) -> list[ProposalSummaryOut]:
    """The proposals, the one that waits longest first."""
    return sorted(proposals, key=lambda each: each.created_at)


def urgent(found: InboxOut) -> list[Urgent]:
    """All that waits for the viewer themself: what the menu counts."""
    return [
        *failed(found),
        *pending_acknowledgements(found),
        *oldest(found.to_change),
        *oldest(found.to_decide),
        *found.contract_requests,
    ]


def is_empty(found: InboxOut) -> bool:
    """Whether nothing waits for anybody, and nothing concerns the viewer."""
    return not (urgent(found) or found.awaiting_others or found.affecting or found.outdated_pins or found.snoozed)
