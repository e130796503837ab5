"""The revisions of a proposal: what each change was, and what somebody missed who looked at an earlier one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select

from treaty.registry.access.authentication import Principal
from treaty.registry.audit import audit_log
from treaty.registry.core.enums import AuditAction
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
    """What was done, as it goes on after a name: 'edited the document'.

    `alters`: the document is another now, so what was approved of it before is void. `edited_document`: whoever did it
    had a hand in the document, and may not approve it."""

    description: str
    alters: bool = False
    edited_document: bool = False


def record_change(
    session: Session, proposal: ProposalRow, change: RevisionAction, *, by: Principal, now: datetime
) -> None:
    """Counts the change as the proposal's next revision. Where it alters the document, it voids approvals and answers
    what others asked to be changed."""
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
    """The open requests for changes of the proposal: those of that user, None: of everybody."""
    row = ProposalChangeRequestRow
    query = select(row).where(row.proposal_id == proposal_id, col(row.ended_at).is_(None))
    return session.exec(query if of is None else query.where(row.author_id == of)).all()


def end_request(session: Session, proposal: ProposalRow, request: ProposalChangeRequestRow, *, now: datetime) -> None:
    """Ends the request; with the last one the proposal is in review again."""
    request.ended_at = now
    if not requests(session, proposal.id):
        proposal.state = PROPOSAL.step(proposal.state, "resume")


def void(
    session: Session, proposal: ProposalRow, *, by: Principal, now: datetime, given_by: UUID | None = None
) -> None:
    """Voids the approvals of the proposal: those that user gave, None: all."""
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
    """Returns where that revision is the proposal's. Raises Outrun, naming who changed what since."""
    if revision != proposal.revision:
        raise RevisionConflict(changes_since(session, proposal, revision))


def changes_since(session: Session, proposal: ProposalRow, revision: int) -> str:
    """A sentence of who changed what after that revision."""
    found = _since(session, proposal, revision)
    now = f"the proposal is at revision {proposal.revision} now: look again"
    return f"{_changes_text(found)} in the meantime; {now}" if found else f"you saw another revision; {now}"


def last(session: Session, proposal: ProposalRow) -> str:
    """The last change, as it goes on after what it explains; '' where there was none."""
    found = _since(session, proposal, proposal.revision - 1)
    return f" (last, {_changes_text(found)})" if found else ""


def editors(session: Session, proposal: ProposalRow) -> frozenset[UUID]:
    """Who had a hand in what is proposed: its author, and whoever edited it."""
    query = select(ProposalRevisionRow.author_id).where(
        ProposalRevisionRow.proposal_id == proposal.id, col(ProposalRevisionRow.edited_document)
    )
    return frozenset({proposal.author_id, *session.exec(query)})


def wrote(user_id: UUID) -> ColumnElement[bool]:
    """The condition that the user had a hand in a proposal."""
    edited = select(ProposalRevisionRow.proposal_id).where(
        ProposalRevisionRow.author_id == user_id, col(ProposalRevisionRow.edited_document)
    )
    return (col(ProposalRow.author_id) == user_id) | col(ProposalRow.id).in_(edited)


def asked_by(user_id: UUID) -> ColumnElement[bool]:
    """The condition that the user asks for changes of a proposal."""
    row = ProposalChangeRequestRow
    return col(ProposalRow.id).in_(select(row.proposal_id).where(row.author_id == user_id, col(row.ended_at).is_(None)))


def last_writer(session: Session, proposal: ProposalRow) -> UUID:
    """Whose hand the document is in as it stands: who edited it last, else its author."""
    query = select(ProposalRevisionRow.author_id).where(
        ProposalRevisionRow.proposal_id == proposal.id, col(ProposalRevisionRow.edited_document)
    )
    return session.exec(query.order_by(col(ProposalRevisionRow.revision).desc()).limit(1)).first() or proposal.author_id


def _since(session: Session, proposal: ProposalRow, revision: int) -> Sequence[tuple[str, str]]:
    """What was done after that revision and by whom, the newest first."""
    query = (
        select(ProposalRevisionRow.description, UserRow.name)
        .join(UserRow, col(UserRow.id) == col(ProposalRevisionRow.author_id))
        .where(ProposalRevisionRow.proposal_id == proposal.id, ProposalRevisionRow.revision > revision)
        .order_by(col(ProposalRevisionRow.revision).desc())
    )
    return session.exec(query).all()


def _changes_text(found: Sequence[tuple[str, str]]) -> str:
    """The newest changes, oldest of them first."""
    told = "; ".join(f"{name} {what}" for what, name in reversed(found[:MAX_CHANGES]))
    return told if len(found) <= MAX_CHANGES else f"{len(found) - MAX_CHANGES} earlier changes; {told}"


def _answer(session: Session, proposal: ProposalRow, *, by: Principal, now: datetime) -> None:
    """Whoever asks for changes may go on reviewing: what they do themselves answers nobody, and not them."""
    for each in requests(session, proposal.id):
        if each.author_id != by.user_id:
            end_request(session, proposal, each, now=now)
            details = {"proposal": str(proposal.id), "revision": proposal.revision}
            action = AuditAction.CHANGES_ANSWERED
            audit_log.record(session, action, actor=by.name, object_id=each.comment_id, now=now, details=details)
