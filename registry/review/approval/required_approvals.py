"""Consent: whose approvals a proposal needs, who gave theirs to exactly what is shown, and what is still missing.

The terms of the version in force decide about the next one: of the same group, else of the newest that is in force; a
first version is decided by its own. Nobody who had a hand in the document counts. The owner of a touched column, where
the terms ask for them, consents by an approval, or because the document stands as they wrote it last; for an owner who
cannot decide here (unknown, no longer active, without the right) an administrator does."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.contracts.document.model import Contract as Document
from treaty.contracts.document.model import Terms
from treaty.contracts.document.ownership import affected_owners
from treaty.registry.access import authentication, visibility
from treaty.registry.access.authentication import Principal, Resource
from treaty.registry.audit import audit_log
from treaty.registry.contracts.documents import Documents
from treaty.registry.core.enums import AuditAction, Permission, Role
from treaty.registry.core.errors import Conflict
from treaty.registry.core.state_machines import IN_FORCE
from treaty.registry.review.proposals import proposals, revisions
from treaty.registry.tables import ContractVersionRow, ProposalApprovalRow, ProposalRow, TeamMemberRow, TeamRow, UserRow


@dataclass(frozen=True)
class ApprovalPolicy:
    """The terms that decide about a proposal, and the version in force that they stand in; None: it is the first."""

    terms: Terms
    before: Document | None


@dataclass(frozen=True)
class ApprovalStatus:
    """Who approved exactly what is shown, and what is missing, in words; nothing missing: it may become a version."""

    approvers: frozenset[UUID]
    missing: tuple[str, ...]


def policy(session: Session, document: Document, documents: Documents) -> ApprovalPolicy:
    """The policy for the document, a contract's next version."""
    before = in_force(session, document.id, document.terms.group) or in_force(session, document.id)
    found = documents.stored(before.body) if before else None
    return ApprovalPolicy((found or document).terms, found)


def in_force(session: Session, contract_id: str, group: str | None = None) -> ContractVersionRow | None:
    """The contract's version in force of that group, None: the newest of any; None where there is none."""
    query = select(ContractVersionRow).where(
        ContractVersionRow.contract_id == contract_id, col(ContractVersionRow.state).in_(IN_FORCE)
    )
    if group is not None:
        query = query.where(ContractVersionRow.group == group)
    newest = col(ContractVersionRow.activated_at).desc(), col(ContractVersionRow.id).desc()
    return session.exec(query.order_by(*newest).limit(1)).first()


def record_approval(session: Session, row: ProposalApprovalRow, *, record: str, by: Principal, now: datetime) -> None:
    """Keeps the principal's approval, whose record has that hash. Raises Conflict where theirs is kept already."""
    given = _valid(session, row.proposal_id, row.fingerprint)
    if by.user_id in given:
        raise Conflict("you approved exactly this already: it waits for others")
    session.add(row)
    seen = {"proposal": str(row.proposal_id), "fingerprint": row.fingerprint, "revision": row.revision}
    details = {**seen, "record": record}
    audit_log.record(session, AuditAction.APPROVAL_GIVEN, actor=by.name, object_id=row.id, now=now, details=details)


def approval_status(
    session: Session, proposal: ProposalRow, document: Document, documents: Documents
) -> ApprovalStatus:
    """What the approvals of exactly that document amount to."""
    return _consent(session, proposal, policy(session, document, documents), document)


def missing(session: Session, proposal: ProposalRow, documents: Documents) -> tuple[str, ...]:
    """What is missing, in words. Suggestions leave the terms of the proposal as they are: what it would become is
    written where it matters alone, which takes long. Raises Invalid where that cannot be written."""
    drafted = documents.parsed(proposal.base)
    decided = policy(session, drafted, documents)
    matters = decided.terms.review.columns or _valid_approvals(session, proposal.id)
    shown = proposals.preview(session, proposal, documents).contract if matters else drafted
    return _consent(session, proposal, decided, shown).missing


def _consent(session: Session, proposal: ProposalRow, decided: ApprovalPolicy, document: Document) -> ApprovalStatus:
    review = decided.terms.review
    users = _approvers(session, proposal, document.fingerprint)
    lacking = review.quorum - len(users)
    missing = [f"{lacking} of {review.quorum} approvals by owners"] if lacking > 0 else []
    if review.columns:
        owners = affected_owners(decided.before.document if decided.before else None, document.document)
        missing.extend(_columns(session, proposal, owners, users))
    return ApprovalStatus(frozenset(users), tuple(missing))


def approvals(session: Session, proposal_id: UUID) -> Sequence[tuple[ProposalApprovalRow, str]]:
    """Every approval of the proposal with its approver's name, oldest first; those that are void, too."""
    query = select(ProposalApprovalRow, UserRow.name).join(
        UserRow, col(UserRow.id) == col(ProposalApprovalRow.approver_id)
    )
    ordered = query.order_by(col(ProposalApprovalRow.approved_at), col(ProposalApprovalRow.id))
    return session.exec(ordered.where(ProposalApprovalRow.proposal_id == proposal_id)).all()


def _valid_approvals(session: Session, proposal_id: UUID) -> Sequence[ProposalApprovalRow]:
    """The approvals that were not made void since."""
    query = select(ProposalApprovalRow).where(
        ProposalApprovalRow.proposal_id == proposal_id, col(ProposalApprovalRow.voided_at).is_(None)
    )
    return session.exec(query).all()


def _valid(session: Session, proposal_id: UUID, fingerprint: str) -> set[UUID]:
    """Who approved exactly that."""
    return {each.approver_id for each in _valid_approvals(session, proposal_id) if each.fingerprint == fingerprint}


def _approvers(session: Session, proposal: ProposalRow, fingerprint: str) -> dict[UUID, Principal]:
    """Those whose approval holds: they are still active and may still decide, and did not write it."""
    given = _valid(session, proposal.id, fingerprint) - revisions.editors(session, proposal)
    users = session.exec(select(UserRow).where(col(UserRow.id).in_(given))).all()
    return {each.user_id: each for each in _able(session, users, visibility.proposal_resource(proposal))}


def _able(session: Session, users: Iterable[UserRow], place: Resource) -> list[Principal]:
    """Those of them who can decide there, with all that they may."""
    found = [authentication.principal_for_user(session, user) for user in users if user.active]
    return [each for each in found if each.may(Permission.DECIDE, place)]


def _columns(
    session: Session, proposal: ProposalRow, owners: Mapping[str, str], users: Mapping[UUID, Principal]
) -> list[str]:
    """What is missing of the owners of these columns."""
    administered = any(Role.ADMIN in user.roles for user in users.values())
    consenting = {*users, revisions.last_writer(session, proposal)}
    found = _people(session, frozenset(owners.values()))
    missing = []
    for owner in sorted(set(owners.values())):
        able = {each.user_id for each in _able(session, found.get(owner, ()), visibility.proposal_resource(proposal))}
        if able & consenting or (not able and administered):
            continue
        named = ", ".join(column for column, each in owners.items() if each == owner)
        who = owner if able else f"an administrator in place of {owner}, who cannot decide here"
        missing.append(f"the approval of {who}, for {named}")
    return missing


def _people(session: Session, names: frozenset[str]) -> dict[str, Sequence[UserRow]]:
    """The users whom each owner's name stands for: who is called that, and who belongs to the team that is."""
    users = session.exec(select(UserRow).where(col(UserRow.name).in_({name.lower() for name in names}))).all()
    members = session.exec(
        select(UserRow, TeamRow.name)
        .join(TeamMemberRow, col(TeamMemberRow.user_id) == col(UserRow.id))
        .join(TeamRow, col(TeamRow.id) == col(TeamMemberRow.team_id))
        .where(col(TeamRow.name).in_(names))
    ).all()
    return {
        name: [
            *(user for user in users if user.name == name.lower()),
            *(user for user, team in members if team == name),
        ]
        for name in names
    }
