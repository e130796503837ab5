"""Revisions of a proposal: what each one changed, and what changed since a given one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select

from treaty.registry.access.authentication import Principal
from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.errors import RevisionConflict
from treaty.registry.core.state_machines import PROPOSAL
from treaty.registry.tables import (
    ProposalApprovalRow,
    ProposalChangeRequestRow,
    ProposalRevisionRow,
    ProposalRow,
    UserRow,
)

MAX_CHANGES = 3


@dataclass(frozen=True)
class RevisionAction:
    """A change of a proposal.

    `description`: verb phrase that follows a user's name, as 'edited the document'. `alters`: the document changes,
    so earlier approvals are voided. `edited_document`: the user becomes an editor and may not approve."""

    description: str
    alters: bool = False
    edited_document: bool = False


def record_change(
    session: Session, proposal: ProposalRow, change: RevisionAction, *, by: Principal, now: datetime
) -> None:
    """Store the change as the proposal's next revision.

    A change that alters the document voids approvals and resolves the change requests of other users."""
    proposal.revision += 1
    session.add(
        ProposalRevisionRow(
            proposal_id=proposal.id,
            revision=proposal.revision,
            author_id=by.user_id,
            description=change.description,
            edited_document=change.edited_document,
            created_at=now,
        )
    )
    if change.alters:
        void(session, proposal, by=by, now=now)
        _answer(session, proposal, by=by, now=now)


def requests(session: Session, proposal_id: UUID, *, of: UUID | None = None) -> Sequence[ProposalChangeRequestRow]:
    """Return the proposal's open change requests.

    `of`: only those of this user; None means all."""
    row = ProposalChangeRequestRow
    query = select(row).where(row.proposal_id == proposal_id, col(row.ended_at).is_(None))
    return session.exec(query if of is None else query.where(row.author_id == of)).all()


def end_request(session: Session, proposal: ProposalRow, request: ProposalChangeRequestRow, *, now: datetime) -> None:
    """End a change request; after the last one the proposal returns to review."""
    request.ended_at = now
    if not requests(session, proposal.id):
        proposal.state = PROPOSAL.step(proposal.state, "resume")


def void(
    session: Session, proposal: ProposalRow, *, by: Principal, now: datetime, given_by: UUID | None = None
) -> None:
    """Void the proposal's approvals.

    `given_by`: only those of this user; None means all."""
    query = select(ProposalApprovalRow).where(
        ProposalApprovalRow.proposal_id == proposal.id, col(ProposalApprovalRow.voided_at).is_(None)
    )
    for row in session.exec(
        query if given_by is None else query.where(ProposalApprovalRow.approver_id == given_by)
    ).all():
        row.voided_at = now
        details = {"proposal": str(proposal.id), "approver": str(row.approver_id), "revision": proposal.revision}
        audit_log.record(
            session, AuditAction.APPROVAL_VOIDED, actor=by.name, object_id=row.id, now=now, details=details
        )


def require(session: Session, proposal: ProposalRow, revision: int) -> None:
    """Raise RevisionConflict, with the changes since, unless the revision is the current one."""
    if revision != proposal.revision:
        raise RevisionConflict(changes_since(session, proposal, revision))


def changes_since(session: Session, proposal: ProposalRow, revision: int) -> str:
    """Describe in a sentence who changed what after the revision."""
    changes = _since(session, proposal, revision)
    current = f"revision {proposal.revision} is current: reload and review the changes"
    return (
        f"{_changes_text(changes)} in the meantime; {current}"
        if changes
        else f"you reviewed a different revision; {current}"
    )


def last(session: Session, proposal: ProposalRow) -> str:
    """Return the last change in parentheses, to append to a message; '' if there is none."""
    changes = _since(session, proposal, proposal.revision - 1)
    return f" (last change: {_changes_text(changes)})" if changes else ""


def editors(session: Session, proposal: ProposalRow) -> frozenset[UUID]:
    """Return the author of the proposal and all users who edited it."""
    query = select(ProposalRevisionRow.author_id).where(
        ProposalRevisionRow.proposal_id == proposal.id, col(ProposalRevisionRow.edited_document)
    )
    return frozenset({proposal.author_id, *session.exec(query)})


def wrote(user_id: UUID) -> ColumnElement[bool]:
    """Return the SQL filter for proposals that the user wrote or edited."""
    edited = select(ProposalRevisionRow.proposal_id).where(
        ProposalRevisionRow.author_id == user_id, col(ProposalRevisionRow.edited_document)
    )
    return (col(ProposalRow.author_id) == user_id) | col(ProposalRow.id).in_(edited)


def asked_by(user_id: UUID) -> ColumnElement[bool]:
    """Return the SQL filter for proposals with an open change request of the user."""
    row = ProposalChangeRequestRow
    return col(ProposalRow.id).in_(select(row.proposal_id).where(row.author_id == user_id, col(row.ended_at).is_(None)))


def last_writer(session: Session, proposal: ProposalRow) -> UUID:
    """Return the user who edited the document last, else the author."""
    query = select(ProposalRevisionRow.author_id).where(
        ProposalRevisionRow.proposal_id == proposal.id, col(ProposalRevisionRow.edited_document)
    )
    return session.exec(query.order_by(col(ProposalRevisionRow.revision).desc()).limit(1)).first() or proposal.author_id


def _since(session: Session, proposal: ProposalRow, revision: int) -> Sequence[tuple[str, str]]:
    """Return descriptions and authors of the changes after the revision, newest first."""
    query = (
        select(ProposalRevisionRow.description, UserRow.name)
        .join(UserRow, col(UserRow.id) == col(ProposalRevisionRow.author_id))
        .where(ProposalRevisionRow.proposal_id == proposal.id, ProposalRevisionRow.revision > revision)
        .order_by(col(ProposalRevisionRow.revision).desc())
    )
    return session.exec(query).all()


def _changes_text(changes: Sequence[tuple[str, str]]) -> str:
    """Return the newest changes as a phrase, in chronological order."""
    text = "; ".join(f"{name} {action}" for action, name in reversed(changes[:MAX_CHANGES]))
    if len(changes) <= MAX_CHANGES:
        return text
    earlier = len(changes) - MAX_CHANGES
    return f"{earlier:,} earlier change{'s' * (earlier > 1)}; {text}"


def _answer(session: Session, proposal: ProposalRow, *, by: Principal, now: datetime) -> None:
    """End the open change requests of all other users.

    A reviewer's own edit does not resolve their request."""
    for each in requests(session, proposal.id):
        if each.author_id != by.user_id:
            end_request(session, proposal, each, now=now)
            details = {"proposal": str(proposal.id), "revision": proposal.revision}
            action = AuditAction.CHANGES_ADDRESSED
            audit_log.record(session, action, actor=by.name, object_id=each.comment_id, now=now, details=details)
