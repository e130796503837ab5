"""Change requests of reviewers: they block approval until the proposal changes or they are withdrawn."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal, require_permission
from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import Permission
from treaty.registry.core.errors import Conflict, Forbidden
from treaty.registry.core.state_machines import PROPOSAL
from treaty.registry.notifications import dispatch, messages
from treaty.registry.review.proposals import discussion, proposals, revisions
from treaty.registry.review.proposals.revisions import RevisionAction
from treaty.registry.tables import ProposalChangeRequestRow, ProposalCommentRow, ProposalRow, UserRow


@dataclass(frozen=True)
class NewChangeRequest:
    """A reviewer's change request for a revision.

    `make_id`: generates the id of its comment."""

    text: str
    revision: int
    make_id: Callable[[], UUID]


@dataclass(frozen=True)
class ChangeRequestListing:
    """An open change request with its comment and its author's name."""

    request: ProposalChangeRequestRow
    comment: ProposalCommentRow
    author: str


def may_ask(proposal: ProposalRow, by: Principal, *, writers: Collection[UUID], asking: Collection[UUID]) -> bool:
    """Return whether the principal may request changes now.

    True for an owner who did not write the proposal and has no open request."""
    decides = by.may(Permission.DECIDE, visibility.proposal_resource(proposal))
    return proposal.state in PROPOSAL.states_allowing("return") and decides and by.user_id not in {*writers, *asking}


def request_changes(
    session: Session, proposal_id: UUID, request: NewChangeRequest, *, by: Principal, now: datetime
) -> ProposalRow:
    """Request changes of a proposal, which blocks its approval until it is changed.

    The text becomes a comment of the discussion. An approval that the principal gave is voided. Raises Forbidden for
    editors of the proposal, Conflict if the principal has an open request, and RevisionConflict if the reviewed
    revision is outdated."""
    proposal = proposals.get(session, proposal_id, by=by, lock=True)
    require_permission(by, Permission.DECIDE, visibility.proposal_resource(proposal))
    after = PROPOSAL.step(proposal.state, "return")
    writers = revisions.editors(session, proposal)
    if by.user_id in writers:
        raise Forbidden("you cannot request changes of a proposal that you wrote or edited: edit it instead")
    if revisions.requests(session, proposal.id, of=by.user_id):
        raise Conflict("you have already requested changes: add a comment, or withdraw your request first")
    revisions.require(session, proposal, request.revision)
    comment = discussion.store_comment(session, proposal, request.text, comment_id=request.make_id(), by=by, now=now)
    session.add(ProposalChangeRequestRow(comment_id=comment.id, proposal_id=proposal.id, author_id=by.user_id))
    proposal.state = after
    revisions.void(session, proposal, by=by, now=now, given_by=by.user_id)
    revisions.record_change(session, proposal, RevisionAction("requested changes"), by=by, now=now)
    notice = messages.changes_asked(proposal, comment, to=writers, by=by.user_id)
    dispatch.notify(session, notice, now=now)
    _record(session, AuditAction.CHANGES_REQUESTED, comment.id, proposal, by=by, now=now)
    return proposal


def take_back(session: Session, proposal_id: UUID, *, by: Principal, now: datetime) -> ProposalRow:
    """Withdraw the principal's change requests.

    The proposal returns to review unless others still request changes. Raises Forbidden if the principal requested
    none."""
    proposal = proposals.get(session, proposal_id, by=by, lock=True)
    require_permission(by, Permission.PROPOSE, visibility.proposal_resource(proposal))
    requests = revisions.requests(session, proposal.id, of=by.user_id)
    if not requests:
        raise Forbidden("you have no open change request to withdraw")
    for each in requests:
        revisions.end_request(session, proposal, each, now=now)
        _record(session, AuditAction.CHANGES_WITHDRAWN, each.comment_id, proposal, by=by, now=now)
    revisions.record_change(session, proposal, RevisionAction("withdrew the change request"), by=by, now=now)
    return proposal


def open_change_requests(
    session: Session, proposal_ids: Collection[UUID]
) -> Mapping[UUID, Sequence[ChangeRequestListing]]:
    """Return the open change requests by proposal, oldest first.

    Proposals without any are missing."""
    row = ProposalChangeRequestRow
    query = (
        select(row, ProposalCommentRow, UserRow.name)
        .join(ProposalCommentRow, col(ProposalCommentRow.id) == col(row.comment_id))
        .join(UserRow, col(UserRow.id) == col(row.author_id))
        .where(col(row.proposal_id).in_(proposal_ids), col(row.ended_at).is_(None))
    )
    listings: dict[UUID, list[ChangeRequestListing]] = {}
    for request, comment, author in session.exec(
        query.order_by(col(ProposalCommentRow.created_at), col(ProposalCommentRow.id))
    ).all():
        listings.setdefault(request.proposal_id, []).append(ChangeRequestListing(request, comment, author))
    return listings


def _record(
    session: Session, action: AuditAction, request_id: UUID, proposal: ProposalRow, *, by: Principal, now: datetime
) -> None:
    # The text stays in its own row, because the audit log is visible to people who may not see the proposal.
    details = {"proposal": str(proposal.id), "revision": proposal.revision}
    audit_log.record(session, action, actor=by.name, object_id=request_id, now=now, details=details)
