"""Decide about the suggested checks of a proposal: accept, edit or reject them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlmodel import Session

from treaty.contracts.errors import Fault
from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal
from treaty.registry.audit import audit_log
from treaty.registry.contracts.documents import Documents
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import Decision, Permission
from treaty.registry.core.errors import Forbidden, InvalidRequest, NotFound
from treaty.registry.core.state_machines import OPEN, PROPOSAL
from treaty.registry.review.proposals import proposals, revisions
from treaty.registry.review.proposals.revisions import RevisionAction
from treaty.registry.tables import ProposalRow, ProposalSuggestionRow

DECIDED = {
    Decision.ACCEPTED: AuditAction.SUGGESTION_ACCEPTED,
    Decision.REJECTED: AuditAction.SUGGESTION_REJECTED,
    Decision.PENDING: AuditAction.SUGGESTION_RESET,
}
NAMED = 3


@dataclass(frozen=True, kw_only=True)
class SuggestionDecision:
    """A decision about suggestions.

    `revision`: revision that the user saw. `patch`: edited patch of an accepted suggestion; None keeps the drafted
    one. `documents`: cache of parsed documents of this request."""

    decision: Decision
    revision: int
    reason: str | None = None
    patch: Mapping[str, Any] | None = None
    documents: Documents = field(default_factory=Documents)


def may_judge(proposal: ProposalRow, by: Principal) -> bool:
    """Return whether the principal may decide about the suggestions and edit the document now."""
    resource = visibility.proposal_resource(proposal)
    involved = proposal.author_id == by.user_id or by.may(Permission.DECIDE, resource)
    return proposal.state in OPEN and involved and by.may(Permission.PROPOSE, resource)


def judge(
    session: Session,
    proposal_id: UUID,
    chosen: Collection[UUID],
    judgement: SuggestionDecision,
    *,
    by: Principal,
    now: datetime,
) -> ProposalRow:
    """Apply a decision to all chosen suggestions or none, as a new revision.

    Earlier approvals are voided. Raises RevisionConflict, with the changes since, if the user saw an older revision;
    InvalidRequest for a rejection without a reason and for a patch that does not fit the document; NotFound for a
    suggestion of another proposal."""
    proposal = proposals.get(session, proposal_id, by=by, lock=True)
    _refuse(session, proposal, judgement, by)
    rows = proposals.suggestions_of(session, proposal, chosen)
    if len(rows) != len(set(chosen)):
        raise NotFound
    _refuse_patch(proposal, rows, judgement, judgement.documents)
    for row in rows:
        row.decision, row.reason, row.edited_patch = judgement.decision, judgement.reason, _plain(judgement.patch)
        row.decided_by_id, row.decided_at = by.user_id, now
    edited = judgement.patch is not None
    revisions.record_change(
        session,
        proposal,
        RevisionAction(_revision_text(rows, judgement), alters=True, edited_document=edited),
        by=by,
        now=now,
    )
    action = AuditAction.SUGGESTION_EDITED if edited else DECIDED[judgement.decision]
    for row in rows:
        details = {"proposal": str(proposal.id), "identity": row.identity, "reason": judgement.reason}
        audit_log.record(session, action, actor=by.name, object_id=row.id, now=now, details=details)
    return proposal


def _plain(patch: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if patch is None else dict(patch)


def _revision_text(rows: Sequence[ProposalSuggestionRow], judgement: SuggestionDecision) -> str:
    numbers = [str(row.position + 1) for row in rows]
    names = (
        f"suggestion{'s' * (len(rows) > 1)} {', '.join(numbers)}" if len(rows) <= NAMED else f"{len(rows)} suggestions"
    )
    return f"edited {names}" if judgement.patch is not None else f"set {names} to {judgement.decision.value}"


def _refuse(session: Session, proposal: ProposalRow, judgement: SuggestionDecision, by: Principal) -> None:
    PROPOSAL.step(proposal.state, "decide")
    if not may_judge(proposal, by):
        raise Forbidden("only the author or an owner can decide about suggestions")
    revisions.require(session, proposal, judgement.revision)
    if judgement.decision is Decision.REJECTED and not judgement.reason:
        fault = Fault(
            code="TR-REASON",
            where="reason",
            message="a rejection needs a reason",
            remedy="enter a reason: the suggestion then returns only with new evidence",
        )
        raise InvalidRequest("enter a reason for the rejection", faults=[fault])


def _refuse_patch(
    proposal: ProposalRow, rows: Sequence[ProposalSuggestionRow], judgement: SuggestionDecision, documents: Documents
) -> None:
    if judgement.patch is None:
        return
    if judgement.decision is not Decision.ACCEPTED or len(rows) != 1:
        fault = Fault(
            code="TR-PATCH",
            where="patch",
            message="can only be set for a single accepted suggestion",
            remedy="accept one suggestion at a time",
        )
        raise InvalidRequest("only a single accepted suggestion can be edited", faults=[fault])
    documents.checked(
        proposals.with_patches(documents, proposal, [proposals.patch_of(rows[0].content, judgement.patch)])
    )
