"""Assignee and snooze of a proposal.

The assignee is visible to everyone; a snooze hides the proposal from one user's inbox. Neither changes the proposal."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select

from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal, principal_for_user, require_permission
from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import Permission
from treaty.registry.core.errors import InvalidRequest
from treaty.registry.core.state_machines import PROPOSAL
from treaty.registry.review.proposals import proposals, revisions
from treaty.registry.tables import ProposalApprovalRow, ProposalRevisionRow, ProposalRow, ProposalSnoozeRow, UserRow

UNKNOWN = "this user cannot be assigned: they are unknown, cannot decide about this proposal, or edited it"


def assign(session: Session, proposal_id: UUID, name: str | None, *, by: Principal, now: datetime) -> ProposalRow:
    """Assign the proposal to a user who may decide about it; None unassigns it.

    Raises InvalidRequest if the user may not decide about it or edited it, and IllegalTransition if it is not in
    review."""
    proposal = proposals.get(session, proposal_id, by=by, lock=True)
    require_permission(by, Permission.DECIDE, visibility.proposal_resource(proposal))
    PROPOSAL.step(proposal.state, "reject")
    proposal.assignee_id = _decider(session, proposal, name) if name is not None else None
    details = {"contract": proposal.contract_id, "assignee": name}
    audit_log.record(
        session, AuditAction.PROPOSAL_ASSIGNED, actor=by.name, object_id=proposal.id, now=now, details=details
    )
    return proposal


def snooze(session: Session, proposal_id: UUID, until: datetime | None, *, by: Principal, now: datetime) -> ProposalRow:
    """Snooze the proposal for the principal until a time; None ends the snooze.

    Raises InvalidRequest if the time has passed."""
    proposal = proposals.get(session, proposal_id, by=by, lock=True)
    if until is not None and until <= now:
        raise InvalidRequest("snooze until a time in the future")
    before = session.get(ProposalSnoozeRow, (by.user_id, proposal.id))
    if until is None:
        if before is not None:
            session.delete(before)
    elif before is None:
        session.add(ProposalSnoozeRow(user_id=by.user_id, proposal_id=proposal.id, snoozed_until=until))
    else:
        before.snoozed_until = until
    details = {"contract": proposal.contract_id, "until": until.isoformat() if until else None}
    audit_log.record(
        session, AuditAction.PROPOSAL_SNOOZED, actor=by.name, object_id=proposal.id, now=now, details=details
    )
    return proposal


def snoozed_by(by: Principal, *, now: datetime) -> ColumnElement[bool]:
    """Return the SQL filter for proposals that the principal snoozed."""
    snoozed = select(ProposalSnoozeRow.proposal_id).where(
        ProposalSnoozeRow.user_id == by.user_id, ProposalSnoozeRow.snoozed_until > now
    )
    return col(ProposalRow.id).in_(snoozed)


def assigned_elsewhere(by: Principal) -> ColumnElement[bool]:
    """Return the SQL filter for proposals assigned to another user who can still decide.

    The assignee must be active, and must neither have approved nor edited the proposal."""
    assignee_id = col(ProposalRow.assignee_id)
    active_user = select(UserRow.id).where(UserRow.id == assignee_id, col(UserRow.active))
    approved = select(ProposalApprovalRow.id).where(
        ProposalApprovalRow.proposal_id == ProposalRow.id,
        ProposalApprovalRow.approver_id == assignee_id,
        col(ProposalApprovalRow.voided_at).is_(None),
    )
    edited = select(ProposalRevisionRow.revision).where(
        ProposalRevisionRow.proposal_id == ProposalRow.id,
        ProposalRevisionRow.author_id == assignee_id,
        col(ProposalRevisionRow.edited_document),
    )
    # The surrounding query may select from the same tables.
    is_active, has_approved, has_edited = (
        each.correlate(ProposalRow).exists() for each in (active_user, approved, edited)
    )
    return (assignee_id != by.user_id) & is_active & ~has_approved & ~has_edited


def _decider(session: Session, proposal: ProposalRow, name: str) -> UUID:
    user = session.exec(select(UserRow).where(UserRow.name == name, col(UserRow.active).is_(True))).first()
    may_decide = user is not None and principal_for_user(session, user).may(
        Permission.DECIDE, visibility.proposal_resource(proposal)
    )
    if user is None or not may_decide or user.id in revisions.editors(session, proposal):
        raise InvalidRequest(UNKNOWN)
    return user.id
