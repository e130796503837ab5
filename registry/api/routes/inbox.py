"""Routes of the inbox."""

from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.access import authentication
from treaty.registry.api.http import presenters
from treaty.registry.api.http.admission import admission_router
from treaty.registry.api.http.dependencies import Caller, Reader
from treaty.registry.browse import inbox as browse_inbox
from treaty.registry.contracts import subscriptions
from treaty.registry.core.enums import Permission
from treaty.registry.incidents import actions
from treaty.registry.review.consumers import acknowledgements
from treaty.registry.review.proposals import (
    contract_requests,
)

router = admission_router(tags=["proposals"])


@router.get("/inbox")
def inbox(by: Caller, tx: Reader) -> schemas.InboxOut:
    """Retrieve the inbox of the caller."""
    authentication.require_permission_anywhere(by, Permission.READ)
    sections = browse_inbox.inbox(tx, by, now=clock.now())
    incidents = actions.of_runs(tx, [each.id for each in sections.failed_runs], by)
    return schemas.InboxOut(
        to_decide=presenters.proposal_summaries(sections.to_decide, by),
        to_change=presenters.proposal_summaries(sections.to_change, by),
        snoozed=presenters.proposal_summaries(sections.snoozed, by),
        awaiting_others=presenters.proposal_summaries(sections.waiting, by),
        affecting=presenters.proposal_summaries(sections.affecting, by),
        failed_runs=tuple(map(schemas.RunSummaryOut.model_validate, sections.failed_runs)),
        incidents=tuple(map(presenters.incident, incidents)),
        acknowledgements=tuple(map(presenters.acknowledgement, acknowledgements.waiting(tx, by))),
        outdated_pins=tuple(presenters.subscription(each, by) for each in subscriptions.lagging(tx, by)),
        contract_requests=tuple(
            presenters.contract_request(each, by) for each in contract_requests.pending_requests(tx, by)
        ),
    )


@router.get("/inbox/counts")
def count_inbox(by: Caller, tx: Reader) -> schemas.InboxCountsOut:
    """Count the inbox items that wait for the caller."""
    authentication.require_permission_anywhere(by, Permission.READ)
    counts = browse_inbox.counts(tx, by, now=clock.now())
    return schemas.InboxCountsOut(**vars(counts), contract_requests=len(contract_requests.pending_requests(tx, by)))
