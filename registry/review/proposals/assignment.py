"""Who looks after a proposal, and until when it does not wait for whom: given to somebody for all to see, put off by
each for themselves. Neither changes what is proposed."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select

from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal, principal_for_user, require_permission
from treaty.registry.audit import audit_log
from treaty.registry.core.enums import AuditAction, Permission
from treaty.registry.core.errors import InvalidRequest
from treaty.registry.core.state_machines import PROPOSAL
from treaty.registry.review.proposals import proposals, revisions
from treaty.registry.tables import ProposalApprovalRow, ProposalRevisionRow, ProposalRow, ProposalSnoozeRow, UserRow

UNKNOWN = "nobody of that name may decide about it, or they wrote it"


def assign(session: Session, proposal_id: UUID, name: str | None, *, by: Principal, now: datetime) -> ProposalRow:
    """The proposal, given to the user of that name to decide; None: to nobody in particular.

    Raises Invalid for who may not decide about it, IllegalTransition where it is not in review."""
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
    """The proposal, which does not wait for the principal until then; for others it does. None: it waits again.

    Raises Invalid for a time that is over."""
    proposal = proposals.get(session, proposal_id, by=by, lock=True)
    if until is not None and until <= now:
        raise InvalidRequest("put it off until a time that is still to come")
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
    """The condition that the principal put a proposal off until later."""
    mine = select(ProposalSnoozeRow.proposal_id).where(
        ProposalSnoozeRow.user_id == by.user_id, ProposalSnoozeRow.snoozed_until > now
    )
    return col(ProposalRow.id).in_(mine)


def assigned_elsewhere(by: Principal) -> ColumnElement[bool]:
    """The condition that a proposal was given to somebody else, who can decide about it still: they did not leave, did
    not approve it, and did not edit it."""
    given = col(ProposalRow.assignee_id)
    here = select(UserRow.id).where(UserRow.id == given, col(UserRow.active))
    approved = select(ProposalApprovalRow.id).where(
        ProposalApprovalRow.proposal_id == ProposalRow.id,
        ProposalApprovalRow.approver_id == given,
        col(ProposalApprovalRow.voided_at).is_(None),
    )
    edited = select(ProposalRevisionRow.revision).where(
        ProposalRevisionRow.proposal_id == ProposalRow.id,
        ProposalRevisionRow.author_id == given,
        col(ProposalRevisionRow.edited_document),
    )
    # The query around it may read users, too, and means others.
    still, done, wrote = (each.correlate(ProposalRow).exists() for each in (here, approved, edited))
    return (given != by.user_id) & still & ~done & ~wrote


def _decider(session: Session, proposal: ProposalRow, name: str) -> UUID:
    user = session.exec(select(UserRow).where(UserRow.name == name, col(UserRow.active).is_(True))).first()
    able = user is not None and principal_for_user(session, user).may(
        Permission.DECIDE, visibility.proposal_resource(proposal)
    )
    if user is None or not able or user.id in revisions.editors(session, proposal):
        raise InvalidRequest(UNKNOWN)
    return user.id
