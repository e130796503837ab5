"""What people say about a proposal. Nobody edits or deletes it."""

from datetime import datetime
from uuid import UUID

from sqlmodel import Session, col, select

from registry import audit, drafts, scope
from registry.access import Principal, decide
from registry.cursors import Asked, Order, Portion
from registry.tables import CommentRow, User
from registry.words import Action, Permission

OLDEST = Order((CommentRow.time, CommentRow.id))


def say(
    session: Session, proposal_id: UUID, text: str, *, comment_id: UUID, by: Principal, now: datetime
) -> CommentRow:
    """The comment, kept for good, on a proposal in any state. Raises NotFound where the principal may not see it."""
    proposal = drafts.get(session, proposal_id, by=by)
    decide(by, Permission.PROPOSE, scope.of_proposal(proposal))
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
    audit.record(session, Action.COMMENT_ADDED, actor=by.name, object_id=row.id, now=now, details=details)
    return row


def comments(session: Session, proposal_id: UUID, asked: Asked, *, by: Principal) -> Portion[tuple[CommentRow, str]]:
    """The proposal's comments with their authors' names, oldest first."""
    proposal = drafts.get(session, proposal_id, by=by)
    query = select(CommentRow, User.name).join(User, col(User.id) == col(CommentRow.author_id))
    found = session.exec(OLDEST.of(query.where(CommentRow.proposal_id == proposal.id), asked)).all()
    return OLDEST.cut(found, asked, lambda each: each[0])
