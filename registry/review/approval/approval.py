"""Submit, approve, reject and withdraw proposals; approvers are owners who did not write them."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlmodel import Session, select

from treaty.contracts.document.model import Contract as Document
from treaty.engine.core.locations.rules import LocationRules
from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal, require_permission, require_permission_anywhere
from treaty.registry.audit import audit_log
from treaty.registry.contracts import subscriptions
from treaty.registry.contracts.documents import Documents
from treaty.registry.contracts.locations import claimed_locations
from treaty.registry.contracts.numbering import next_free
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.database import UNKEYED, lock
from treaty.registry.core.enums import Decision, Permission, VersionState
from treaty.registry.core.errors import Conflict, Forbidden, InvalidRequest, RevisionConflict
from treaty.registry.core.state_machines import PROPOSAL
from treaty.registry.notifications import dispatch, messages
from treaty.registry.review.approval import activation, records, reference_permissions, required_approvals, succession
from treaty.registry.review.approval.records import ApprovalEvidence
from treaty.registry.review.approval.succession import SuccessionCheck
from treaty.registry.review.consumers import acknowledgements
from treaty.registry.review.proposals import proposals, revisions
from treaty.registry.review.proposals.revisions import RevisionAction
from treaty.registry.tables import ContractRow, ContractVersionRow, ProposalApprovalRow, ProposalRow

DONE = {
    "submit": "submitted the proposal",
    "withdraw": "withdrew the proposal",
    "reject": "rejected the proposal",
    "approve": "approved the proposal",
}


@dataclass(frozen=True, kw_only=True)
class ApprovalInput:
    """Input of an approval: the fingerprint and revision that were reviewed.

    `revision`: reviewed revision; None identifies the reviewed document by its fingerprint alone. `follows`: version
    in force that it was compared with; None accepts the current one. `replay`: summary of the replay that the
    approver was shown; None means none was shown. `summary`: note for the author and for consumers. `make_id`:
    generates the ids of new rows. `rules`: locations that may be read. `documents`: cache of parsed documents of this
    request."""

    fingerprint: str
    make_id: Callable[[], UUID]
    rules: LocationRules
    revision: int | None = None
    follows: str | None = None
    replay: Mapping[str, Any] | None = None
    summary: str | None = None
    documents: Documents = field(default_factory=Documents)


@dataclass(frozen=True)
class ApprovalResult:
    """Result of an approval: the new version, or the approvals still missing.

    `version`: None while approvals are missing. `missing`: one sentence fragment per missing approval."""

    version: ContractVersionRow | None
    missing: tuple[str, ...] = ()


def may_approve(
    proposal: ProposalRow, by: Principal, *, writers: Collection[UUID], approvers: Collection[UUID]
) -> bool:
    """Return whether the principal's approval would count.

    True for an owner who neither edited the proposal nor approved it already, while the proposal is in review."""
    in_review = proposal.state in PROPOSAL.states_allowing("approve")
    decides = by.may(Permission.DECIDE, visibility.proposal_resource(proposal))
    return in_review and decides and by.user_id not in {*writers, *approvers}


def submit(session: Session, proposal_id: UUID, *, by: Principal, now: datetime) -> ProposalRow:
    """Submit the author's draft for review."""
    proposal = proposals.get(session, proposal_id, by=by, lock=True)
    _only_author(proposal, by, "submit")
    _step(session, proposal, "submit", by=by, now=now)
    dispatch.notify(session, messages.proposal_submitted(proposal, by=by.user_id), now=now)
    audit_log.record(session, AuditAction.PROPOSAL_SUBMITTED, actor=by.name, object_id=proposal.id, now=now)
    return proposal


def withdraw(session: Session, proposal_id: UUID, *, by: Principal, reason: str | None, now: datetime) -> ProposalRow:
    """Withdraw the author's proposal."""
    proposal = proposals.get(session, proposal_id, by=by, lock=True)
    _only_author(proposal, by, "withdraw")
    _step(session, proposal, "withdraw", by=by, now=now)
    _close(proposal, by, reason=reason, now=now)
    details = {"reason": reason}
    dispatch.notify(session, messages.proposal_decided(proposal, "withdrawn", reason, by=by.user_id), now=now)
    audit_log.record(
        session, AuditAction.PROPOSAL_WITHDRAWN, actor=by.name, object_id=proposal.id, now=now, details=details
    )
    return proposal


def reject(session: Session, proposal_id: UUID, *, by: Principal, reason: str, now: datetime) -> ProposalRow:
    """Reject the proposal with a reason, which the author is notified of."""
    proposal = proposals.get(session, proposal_id, by=by, lock=True)
    require_permission(by, Permission.DECIDE, visibility.proposal_resource(proposal))
    _step(session, proposal, "reject", by=by, now=now)
    _close(proposal, by, reason=reason, now=now)
    details = {"reason": reason}
    dispatch.notify(session, messages.proposal_decided(proposal, "rejected", reason, by=by.user_id), now=now)
    audit_log.record(
        session, AuditAction.PROPOSAL_REJECTED, actor=by.name, object_id=proposal.id, now=now, details=details
    )
    return proposal


def approve(
    session: Session, proposal_id: UUID, approval: ApprovalInput, *, by: Principal, now: datetime
) -> ApprovalResult:
    """Record an owner's approval of the document reviewed.

    The last required approval turns the proposal into a version, which is in force at once unless its effective
    period begins later or consumers must acknowledge it first. Raises Forbidden for the author and for editors of
    the proposal, administrators included; Conflict while a suggestion is pending, if the document changed since it
    was reviewed, or if its version number is in use; InvalidRequest if the document may not follow the version in
    force."""
    require_permission_anywhere(by, Permission.DECIDE)
    lock(session, activation.CHANGING)
    proposal = proposals.get(session, proposal_id, by=by, lock=True)
    require_permission(by, Permission.DECIDE, visibility.proposal_resource(proposal))
    PROPOSAL.step(proposal.state, "approve")
    _refuse_writers(session, proposal, by)
    _refuse_pending(session, proposal)
    reviewed = _as_seen(session, proposal, approval)
    document = reviewed.contract
    _refuse_beyond(session, document, by)
    claimed_locations.refuse_document(session, document, proposal.source or {}, approval.rules)
    _refuse_taken(session, document)
    check = _following(session, document, approval)
    evidence = ApprovalEvidence(comparison=check.summary(), replay=approval.replay)
    record = records.make(session, proposal, reviewed, evidence=evidence, by=by, now=now)
    row = _row(proposal, reviewed, approval.make_id(), by=by, now=now)
    required_approvals.record_approval(session, row, record=record.hash, by=by, now=now)
    status = required_approvals.approval_status(session, proposal, document, approval.documents)
    if status.missing:
        return ApprovalResult(None, status.missing)
    return ApprovalResult(_conclude(session, proposal, document, approval, by=by, now=now))


def _following(session: Session, document: Document, approval: ApprovalInput) -> SuccessionCheck:
    """Check the document against the version that it follows.

    Raises RevisionConflict if that is not the version the approver saw, and InvalidRequest with all reasons that
    forbid it."""
    check = succession.check_succession(session, document, approval.documents)
    if approval.follows is not None and approval.follows != check.follows:
        raise RevisionConflict(
            f"the version in force is now {check.follows or 'none'}, not {approval.follows}:"
            " reload and review the changes"
        )
    if check.refusals:
        raise InvalidRequest("the document cannot replace the version in force", faults=check.refusals)
    return check


def _refuse_beyond(session: Session, document: Document, by: Principal) -> None:
    """Require ownership of every affected domain, and read access to all referenced datasets."""
    for resource in visibility.affected_resources(session, document):
        require_permission(by, Permission.DECIDE, resource)
    reference_permissions.refuse_beyond(session, document, by)


def _step(session: Session, proposal: ProposalRow, name: str, *, by: Principal, now: datetime) -> None:
    proposal.state = PROPOSAL.step(proposal.state, name)
    revisions.record_change(session, proposal, RevisionAction(DONE[name]), by=by, now=now)


def _only_author(proposal: ProposalRow, by: Principal, name: str) -> None:
    require_permission(by, Permission.PROPOSE, visibility.proposal_resource(proposal))
    if proposal.author_id != by.user_id:
        raise Forbidden(f"only the author can {name} a proposal")


def _close(proposal: ProposalRow, by: Principal, *, reason: str | None, now: datetime) -> None:
    proposal.decided_by_id, proposal.decided_at, proposal.reason = by.user_id, now, reason


def _refuse_writers(session: Session, proposal: ProposalRow, by: Principal) -> None:
    if proposal.author_id == by.user_id:
        raise Forbidden("you cannot approve your own proposal: ask another owner to approve it")
    if by.user_id in revisions.editors(session, proposal):
        raise Forbidden("you cannot approve a proposal that you edited: ask another owner to approve it")


def _refuse_pending(session: Session, proposal: ProposalRow) -> None:
    rows = proposals.suggestions_of(session, proposal)
    pending = sum(row.decision is Decision.PENDING and not row.optional for row in rows)
    if pending:
        raise Conflict(f"undecided suggestions: {pending:,}; accept or reject each of them before approving")


def _as_seen(session: Session, proposal: ProposalRow, approval: ApprovalInput) -> proposals.ProposalPreview:
    """Return the document as the approver reviewed it.

    Raises RevisionConflict if it has changed since, and InvalidRequest if the proposal has an effective period but
    no revision was named, because the fingerprint does not cover the period."""
    if approval.revision is not None:
        revisions.require(session, proposal, approval.revision)
    elif proposal.effective_from or proposal.effective_until:
        raise InvalidRequest(
            "the proposal has an effective period, which the fingerprint does not cover:"
            " specify the revision that you reviewed"
        )
    shown = proposals.preview(session, proposal, approval.documents)
    if shown.fingerprint != approval.fingerprint:
        last = revisions.last(session, proposal)
        raise RevisionConflict(
            f"the document has changed since you reviewed it{last}: review it again before approving"
        )
    return shown


def _refuse_taken(session: Session, document: Document) -> None:
    query = select(ContractVersionRow.version).where(ContractVersionRow.contract_id == document.id)
    numbers = frozenset(session.exec(query).all())
    if document.version in numbers:
        free = next_free(numbers)
        raise Conflict(
            f"version {document.version} of contract {document.id} already exists; the next free version is {free}"
        )


def _row(
    proposal: ProposalRow, shown: proposals.ProposalPreview, row_id: UUID, *, by: Principal, now: datetime
) -> ProposalApprovalRow:
    return ProposalApprovalRow(
        id=row_id,
        proposal_id=proposal.id,
        approver_id=by.user_id,
        version=shown.version,
        fingerprint=shown.fingerprint,
        revision=proposal.revision,
        approved_at=now,
    )


def _conclude(
    session: Session,
    proposal: ProposalRow,
    document: Document,
    approval: ApprovalInput,
    *,
    by: Principal,
    now: datetime,
) -> ContractVersionRow:
    _ensure_contract(session, document, by=by, now=now)
    version = ContractVersionRow(
        id=approval.make_id(),
        contract_id=document.id,
        version=document.version,
        body=document.source,
        fingerprint=document.fingerprint,
        group=document.terms.group,
        state=VersionState.APPROVED,
        proposal_id=proposal.id,
        approved_by_id=by.user_id,
        approved_at=now,
        effective_from=proposal.effective_from,
        effective_until=proposal.effective_until,
    )
    session.add(version)
    _step(session, proposal, "approve", by=by, now=now)
    _close(proposal, by, reason=None, now=now)
    session.flush()
    acknowledgements.request_acknowledgements(session, version, approval.documents, make_id=approval.make_id, now=now)
    if activation.activation_blockers(session, version, now=now) is None:
        activation.activate(session, version, approval.documents, actor=by.name, now=now, ids=approval.make_id)
    details = {"contract": version.contract_id, "version": version.version, "fingerprint": version.fingerprint}
    subscribers = subscriptions.active(session, version.contract_id) if approval.summary else ()
    user_ids = {each.user_id for each in subscribers}
    notice = messages.proposal_decided(proposal, "approved", approval.summary, by=by.user_id, to=user_ids)
    dispatch.notify(session, notice, now=now)
    audit_log.record(
        session, AuditAction.PROPOSAL_APPROVED, actor=by.name, object_id=proposal.id, now=now, details=details
    )
    return version


def _ensure_contract(session: Session, document: Document, *, by: Principal, now: datetime) -> None:
    """Create the contract with its first approved version; the final approver becomes its owner."""
    if session.get(ContractRow, document.id, with_for_update=UNKEYED) is None:
        domain = visibility.domain_of(document)
        session.add(ContractRow(id=document.id, name=document.name, owner_id=by.user_id, domain=domain, created_at=now))
