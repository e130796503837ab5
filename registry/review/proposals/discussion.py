"""What people say about a proposal. Nobody edits or deletes it."""

from datetime import datetime
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal, decide
from treaty.registry.audit import audit_log
from treaty.registry.core.enums import Action, Permission
from treaty.registry.core.pagination import Asked, Order, Portion
from treaty.registry.notifications import dispatch, messages
from treaty.registry.review.proposals import proposals, revisions
from treaty.registry.tables import CommentRow, Proposal, User

OLDEST = Order((CommentRow.time, CommentRow.id))


def say(
    session: Session, proposal: Proposal, text: str, *, comment_id: UUID, by: Principal, now: datetime
) -> CommentRow:
    """The comment, kept for good, on a proposal in any state; who wrote the proposal or takes part is told."""
    row = keep(session, proposal, text, comment_id=comment_id, by=by, now=now)
    dispatch.tell(session, messages.said(proposal, row, to=_taking_part(session, proposal)), now=now)
    return row


def keep(
    session: Session, proposal: Proposal, text: str, *, comment_id: UUID, by: Principal, now: datetime
) -> CommentRow:
    """The comment, kept for good, as `say` keeps it; nobody is told of it by itself."""
    decide(by, Permission.PROPOSE, visibility.of_proposal(proposal))
    row = CommentRow(
        id=comment_id,
        proposal_id=proposal.id,
        author_id=by.user_id,
        revision=proposal.revision,
        text=text,
        time=now,
    )
    session.add(row)
    # What was said is in its own row: the audit goes to people who may not see the proposal.
    details = {"proposal": str(proposal.id), "revision": proposal.revision}
    audit_log.record(session, Action.COMMENT_ADDED, actor=by.name, object_id=row.id, now=now, details=details)
    return row


def comments(session: Session, proposal_id: UUID, asked: Asked, *, by: Principal) -> Portion[tuple[CommentRow, str]]:
    """The proposal's comments with their authors' names, oldest first."""
    proposal = proposals.get(session, proposal_id, by=by)
    query = select(CommentRow, User.name).join(User, col(User.id) == col(CommentRow.author_id))
    found = session.exec(OLDEST.of(query.where(CommentRow.proposal_id == proposal.id), asked)).all()
    return OLDEST.cut(found, asked, lambda each: each[0])


def _taking_part(session: Session, proposal: Proposal) -> frozenset[UUID]:
    """Who wrote the proposal, and whoever said something about it."""
    query = select(CommentRow.author_id).where(CommentRow.proposal_id == proposal.id)
    return revisions.writers(session, proposal) | frozenset(session.exec(query))
