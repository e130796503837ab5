"""Comments on a proposal; they cannot be edited or deleted."""

from datetime import datetime
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal, require_permission
from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import Permission
from treaty.registry.core.pagination import PageRequest, RowPage, SortOrder
from treaty.registry.notifications import dispatch, messages
from treaty.registry.review.proposals import proposals, revisions
from treaty.registry.tables import ProposalCommentRow, ProposalRow, UserRow

OLDEST = SortOrder((ProposalCommentRow.created_at, ProposalCommentRow.id))


def add_comment(
    session: Session, proposal: ProposalRow, text: str, *, comment_id: UUID, by: Principal, now: datetime
) -> ProposalCommentRow:
    """Add a comment to a proposal in any state and notify its editors and commenters."""
    row = store_comment(session, proposal, text, comment_id=comment_id, by=by, now=now)
    dispatch.notify(session, messages.comment_added(proposal, row, to=_taking_part(session, proposal)), now=now)
    return row


def store_comment(
    session: Session, proposal: ProposalRow, text: str, *, comment_id: UUID, by: Principal, now: datetime
) -> ProposalCommentRow:
    """Store a comment without notifying anyone."""
    require_permission(by, Permission.PROPOSE, visibility.proposal_resource(proposal))
    row = ProposalCommentRow(
        id=comment_id,
        proposal_id=proposal.id,
        author_id=by.user_id,
        revision=proposal.revision,
        text=text,
        created_at=now,
    )
    session.add(row)
    # The text stays in its own row, because the audit log is visible to people who may not see the proposal.
    details = {"proposal": str(proposal.id), "revision": proposal.revision}
    audit_log.record(session, AuditAction.COMMENT_ADDED, actor=by.name, object_id=row.id, now=now, details=details)
    return row


def comments(
    session: Session, proposal_id: UUID, request: PageRequest, *, by: Principal
) -> RowPage[tuple[ProposalCommentRow, str]]:
    """Return the proposal's comments with their authors' names, oldest first."""
    proposal = proposals.get(session, proposal_id, by=by)
    query = select(ProposalCommentRow, UserRow.name).join(UserRow, col(UserRow.id) == col(ProposalCommentRow.author_id))
    rows = session.exec(OLDEST.of(query.where(ProposalCommentRow.proposal_id == proposal.id), request)).all()
    return OLDEST.cut(rows, request, lambda each: each[0])


def _taking_part(session: Session, proposal: ProposalRow) -> frozenset[UUID]:
    """Return the users who edited the proposal or commented on it."""
    query = select(ProposalCommentRow.author_id).where(ProposalCommentRow.proposal_id == proposal.id)
    return revisions.editors(session, proposal) | frozenset(session.exec(query))
