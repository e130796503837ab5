"""The revisions of a proposal: what each change was, and what somebody missed who looked at an earlier one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select

from registry import audit
from registry.access import Principal
from registry.errors import Outrun
from registry.tables import ApprovalRow, ChangeRow, Proposal, User
from registry.words import Action

TOLD = 3


@dataclass(frozen=True)
class Change:
    """What was done, as it goes on after a name: 'edited the document'.

    `alters`: the document is another now, so what was approved of it before is void. `wrote`: whoever did it had a hand
    in the document, and may not approve it."""

    what: str
    alters: bool = False
    wrote: bool = False


def advance(session: Session, proposal: Proposal, change: Change, *, by: Principal, now: datetime) -> None:
    """Counts the change as the proposal's next revision, which voids approvals where it alters the document."""
    proposal.revision += 1
    session.add(
        ChangeRow(
            proposal_id=proposal.id,
            revision=proposal.revision,
            author_id=by.user_id,
            what=change.what,
            wrote=change.wrote,
            time=now,
        )
    )
    if change.alters:
        _void(session, proposal, by=by, now=now)


def require(session: Session, proposal: Proposal, revision: int) -> None:
    """Returns where that revision is the proposal's. Raises Outrun, naming who changed what since."""
    if revision != proposal.revision:
        raise Outrun(missed(session, proposal, revision))


def missed(session: Session, proposal: Proposal, revision: int) -> str:
    """A sentence of who changed what after that revision."""
    found = _since(session, proposal, revision)
    now = f"the proposal is at revision {proposal.revision} now: look again"
    return f"{_told(found)} in the meantime; {now}" if found else f"you saw another revision; {now}"


def last(session: Session, proposal: Proposal) -> str:
    """The last change, as it goes on after what it explains; '' where there was none."""
    found = _since(session, proposal, proposal.revision - 1)
    return f" (last, {_told(found)})" if found else ""


def writers(session: Session, proposal: Proposal) -> frozenset[UUID]:
    """Who had a hand in what is proposed: its author, and whoever edited it."""
    query = select(ChangeRow.author_id).where(ChangeRow.proposal_id == proposal.id, col(ChangeRow.wrote))
    return frozenset({proposal.author_id, *session.exec(query)})


def wrote(user_id: UUID) -> ColumnElement[bool]:
    """The condition that the user had a hand in a proposal."""
    edited = select(ChangeRow.proposal_id).where(ChangeRow.author_id == user_id, col(ChangeRow.wrote))
    return (col(Proposal.author_id) == user_id) | col(Proposal.id).in_(edited)


def last_writer(session: Session, proposal: Proposal) -> UUID:
    """Whose hand the document is in as it stands: who edited it last, else its author."""
    query = select(ChangeRow.author_id).where(ChangeRow.proposal_id == proposal.id, col(ChangeRow.wrote))
    return session.exec(query.order_by(col(ChangeRow.revision).desc()).limit(1)).first() or proposal.author_id


def _since(session: Session, proposal: Proposal, revision: int) -> Sequence[tuple[str, str]]:
    """What was done after that revision and by whom, the newest first."""
    query = (
        select(ChangeRow.what, User.name)
        .join(User, col(User.id) == col(ChangeRow.author_id))
        .where(ChangeRow.proposal_id == proposal.id, ChangeRow.revision > revision)
        .order_by(col(ChangeRow.revision).desc())
    )
    return session.exec(query).all()


def _told(found: Sequence[tuple[str, str]]) -> str:
    """The newest changes, oldest of them first."""
    told = "; ".join(f"{name} {what}" for what, name in reversed(found[:TOLD]))
    return told if len(found) <= TOLD else f"{len(found) - TOLD} earlier changes; {told}"


def _void(session: Session, proposal: Proposal, *, by: Principal, now: datetime) -> None:
    query = select(ApprovalRow).where(ApprovalRow.proposal_id == proposal.id, col(ApprovalRow.void_since).is_(None))
    for row in session.exec(query).all():
        row.void_since = now
        details = {"proposal": str(proposal.id), "approver": str(row.approver_id), "revision": proposal.revision}
        audit.record(session, Action.APPROVAL_VOIDED, actor=by.name, object_id=row.id, now=now, details=details)
