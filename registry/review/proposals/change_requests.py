"""Changes that a reviewer asks for: until the proposal is another, or they ask no longer, nobody approves it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal, require_permission
from treaty.registry.audit import audit_log
from treaty.registry.core.enums import AuditAction, Permission
from treaty.registry.core.errors import Conflict, Forbidden
from treaty.registry.core.state_machines import PROPOSAL
from treaty.registry.notifications import dispatch, messages
from treaty.registry.review.proposals import discussion, proposals, revisions
from treaty.registry.review.proposals.revisions import RevisionAction
from treaty.registry.tables import ProposalChangeRequestRow, ProposalCommentRow, ProposalRow, UserRow


@dataclass(frozen=True)
class NewChangeRequest:
    """What a reviewer asks of the proposal as it was at that revision, and the identity to give to their comment."""

    text: str
    revision: int
    make_id: Callable[[], UUID]


@dataclass(frozen=True)
class ChangeRequestListing:
    """A request for changes that is open, with the comment that says what is asked, and its author's name."""

    request: ProposalChangeRequestRow
    comment: ProposalCommentRow
    author: str


def may_ask(proposal: ProposalRow, by: Principal, *, writers: Collection[UUID], asking: Collection[UUID]) -> bool:
    """Whether the principal may ask for changes now: an owner who did not write it and does not ask already."""
    decides = by.may(Permission.DECIDE, visibility.proposal_resource(proposal))
    return proposal.state in PROPOSAL.states_allowing("return") and decides and by.user_id not in {*writers, *asking}


def request_changes(
    session: Session, proposal_id: UUID, asked: NewChangeRequest, *, by: Principal, now: datetime
) -> ProposalRow:
    """The proposal, which nobody approves until it is changed. What is asked stays in the discussion; an approval that
    the principal gave is void.

    Raises Forbidden for who wrote it, Conflict for who asks already, Outrun where they saw an older revision."""
    proposal = proposals.get(session, proposal_id, by=by, lock=True)
    require_permission(by, Permission.DECIDE, visibility.proposal_resource(proposal))
    after = PROPOSAL.step(proposal.state, "return")
    writers = revisions.editors(session, proposal)
    if by.user_id in writers:
        raise Forbidden("whoever wrote it edits it, and asks nobody for changes")
    if revisions.requests(session, proposal.id, of=by.user_id):
        raise Conflict("you ask for changes already: say more in the discussion, or take that back first")
    revisions.require(session, proposal, asked.revision)
    comment = discussion.store_comment(session, proposal, asked.text, comment_id=asked.make_id(), by=by, now=now)
    session.add(ProposalChangeRequestRow(comment_id=comment.id, proposal_id=proposal.id, author_id=by.user_id))
    proposal.state = after
    revisions.void(session, proposal, by=by, now=now, given_by=by.user_id)
    revisions.record_change(session, proposal, RevisionAction("asked for changes"), by=by, now=now)
    notice = messages.changes_asked(proposal, comment, to=writers, by=by.user_id)
    dispatch.notify(session, notice, now=now)
    _record(session, AuditAction.CHANGES_REQUESTED, comment.id, proposal, by=by, now=now)
    return proposal


def take_back(session: Session, proposal_id: UUID, *, by: Principal, now: datetime) -> ProposalRow:
    """The proposal, of which the principal asks no changes any more; it goes on in review unless others do.

    Raises Forbidden where the principal asks for none."""
    proposal = proposals.get(session, proposal_id, by=by, lock=True)
    require_permission(by, Permission.PROPOSE, visibility.proposal_resource(proposal))
    found = revisions.requests(session, proposal.id, of=by.user_id)
    if not found:
        raise Forbidden("only who asks for changes takes that back, and you ask for none")
    for each in found:
        revisions.end_request(session, proposal, each, now=now)
        _record(session, AuditAction.CHANGES_TAKEN_BACK, each.comment_id, proposal, by=by, now=now)
    revisions.record_change(session, proposal, RevisionAction("asks for changes no longer"), by=by, now=now)
    return proposal


def open_change_requests(
    session: Session, proposal_ids: Collection[UUID]
) -> Mapping[UUID, Sequence[ChangeRequestListing]]:
    """By proposal the requests that are open, the oldest first; nothing for one of which no changes are asked."""
    row = ProposalChangeRequestRow
    query = (
        select(row, ProposalCommentRow, UserRow.name)
        .join(ProposalCommentRow, col(ProposalCommentRow.id) == col(row.comment_id))
        .join(UserRow, col(UserRow.id) == col(row.author_id))
        .where(col(row.proposal_id).in_(proposal_ids), col(row.ended_at).is_(None))
    )
    found: dict[UUID, list[ChangeRequestListing]] = {}
    for request, comment, author in session.exec(
        query.order_by(col(ProposalCommentRow.created_at), col(ProposalCommentRow.id))
    ).all():
        found.setdefault(request.proposal_id, []).append(ChangeRequestListing(request, comment, author))
    return found


def _record(
    session: Session, action: AuditAction, request_id: UUID, proposal: ProposalRow, *, by: Principal, now: datetime
) -> None:
    # What was said is in its own row: the audit goes to people who may not see the proposal.
    details = {"proposal": str(proposal.id), "revision": proposal.revision}
    audit_log.record(session, action, actor=by.name, object_id=request_id, now=now, details=details)
