"""Compute the approvals that a proposal needs, has, and still lacks.

The terms of the version in force apply to the next one: of the same group, else of the newest version in force. A
first version is subject to its own terms. Approvals of users who edited the document do not count. If the terms
require column owners, the owner of a changed column consents by an approval or by being the last editor of the
document. An administrator replaces an owner who cannot decide here (unknown, inactive or without the permission)."""

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
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import Permission, Role
from treaty.registry.core.errors import Conflict
from treaty.registry.core.state_machines import IN_FORCE
from treaty.registry.review.proposals import proposals, revisions
from treaty.registry.tables import ContractVersionRow, ProposalApprovalRow, ProposalRow, TeamMemberRow, TeamRow, UserRow


@dataclass(frozen=True)
class ApprovalPolicy:
    """Terms that apply to a proposal, and the version in force that defines them.

    `before`: None for a first version, whose own terms apply."""

    terms: Terms
    before: Document | None


@dataclass(frozen=True)
class ApprovalStatus:
    """Valid approvers of a document, and the approvals still missing.

    `missing`: one sentence fragment per missing approval; () means that the document may become a version."""

    approvers: frozenset[UUID]
    missing: tuple[str, ...]


def policy(session: Session, document: Document, documents: Documents) -> ApprovalPolicy:
    """Return the approval policy for the contract's next version."""
    before = in_force(session, document.id, document.terms.group) or in_force(session, document.id)
    previous = documents.stored(before.body) if before else None
    return ApprovalPolicy((previous or document).terms, previous)


def in_force(session: Session, contract_id: str, group: str | None = None) -> ContractVersionRow | None:
    """Return the newest version in force of the contract, or None.

    `group`: None selects the newest version of any group."""
    query = select(ContractVersionRow).where(
        ContractVersionRow.contract_id == contract_id, col(ContractVersionRow.state).in_(IN_FORCE)
    )
    if group is not None:
        query = query.where(ContractVersionRow.group == group)
    newest = col(ContractVersionRow.activated_at).desc(), col(ContractVersionRow.id).desc()
    return session.exec(query.order_by(*newest).limit(1)).first()


def record_approval(session: Session, row: ProposalApprovalRow, *, record: str, by: Principal, now: datetime) -> None:
    """Store the principal's approval with the hash of its record.

    Raises Conflict if the principal already has a valid approval of the same document."""
    approvers = _valid(session, row.proposal_id, row.fingerprint)
    if by.user_id in approvers:
        raise Conflict("you have already approved this document: it is waiting for other owners")
    session.add(row)
    reviewed = {"proposal": str(row.proposal_id), "fingerprint": row.fingerprint, "revision": row.revision}
    details = {**reviewed, "record": record}
    audit_log.record(session, AuditAction.APPROVAL_GIVEN, actor=by.name, object_id=row.id, now=now, details=details)


def approval_status(
    session: Session, proposal: ProposalRow, document: Document, documents: Documents
) -> ApprovalStatus:
    """Return the valid approvals of the document and those still missing."""
    return _consent(session, proposal, policy(session, document, documents), document)


def missing(session: Session, proposal: ProposalRow, documents: Documents) -> tuple[str, ...]:
    """Return the approvals that the proposal still needs.

    Suggestions do not change the terms of a proposal, so the resulting document is computed only if column owners or
    existing approvals depend on it, because that is slow. Raises InvalidRequest if the accepted suggestions do not
    fit the document."""
    document = documents.parsed(proposal.base)
    rules = policy(session, document, documents)
    depends = rules.terms.review.columns or _valid_approvals(session, proposal.id)
    preview = proposals.preview(session, proposal, documents).contract if depends else document
    return _consent(session, proposal, rules, preview).missing


def _consent(session: Session, proposal: ProposalRow, decided: ApprovalPolicy, document: Document) -> ApprovalStatus:
    review = decided.terms.review
    users = _approvers(session, proposal, document.fingerprint)
    missing_count = review.quorum - len(users)
    missing = [f"{missing_count} of {review.quorum} owner approvals"] if missing_count > 0 else []
    if review.columns:
        owners = affected_owners(decided.before.document if decided.before else None, document.document)
        missing.extend(_columns(session, proposal, owners, users))
    return ApprovalStatus(frozenset(users), tuple(missing))


def approvals(session: Session, proposal_id: UUID) -> Sequence[tuple[ProposalApprovalRow, str]]:
    """Return all approvals of the proposal with their approvers' names, oldest first, voided ones included."""
    query = select(ProposalApprovalRow, UserRow.name).join(
        UserRow, col(UserRow.id) == col(ProposalApprovalRow.approver_id)
    )
    ordered = query.order_by(col(ProposalApprovalRow.approved_at), col(ProposalApprovalRow.id))
    return session.exec(ordered.where(ProposalApprovalRow.proposal_id == proposal_id)).all()


def _valid_approvals(session: Session, proposal_id: UUID) -> Sequence[ProposalApprovalRow]:
    """Return the approvals that were not voided."""
    query = select(ProposalApprovalRow).where(
        ProposalApprovalRow.proposal_id == proposal_id, col(ProposalApprovalRow.voided_at).is_(None)
    )
    return session.exec(query).all()


def _valid(session: Session, proposal_id: UUID, fingerprint: str) -> set[UUID]:
    """Return the users with a valid approval of the fingerprint."""
    return {each.approver_id for each in _valid_approvals(session, proposal_id) if each.fingerprint == fingerprint}


def _approvers(session: Session, proposal: ProposalRow, fingerprint: str) -> dict[UUID, Principal]:
    """Return the approvers who are active, may still decide and did not edit the proposal."""
    approvers = _valid(session, proposal.id, fingerprint) - revisions.editors(session, proposal)
    users = session.exec(select(UserRow).where(col(UserRow.id).in_(approvers))).all()
    return {each.user_id: each for each in _able(session, users, visibility.proposal_resource(proposal))}


def _able(session: Session, users: Iterable[UserRow], place: Resource) -> list[Principal]:
    """Return the principals among the users who may decide there."""
    principals = [authentication.principal_for_user(session, user) for user in users if user.active]
    return [each for each in principals if each.may(Permission.DECIDE, place)]


def _columns(
    session: Session, proposal: ProposalRow, owners: Mapping[str, str], users: Mapping[UUID, Principal]
) -> list[str]:
    """Return the approvals of column owners that are still missing."""
    admin_approved = any(Role.ADMIN in user.roles for user in users.values())
    consenters = {*users, revisions.last_writer(session, proposal)}
    people = _people(session, frozenset(owners.values()))
    missing = []
    for owner in sorted(set(owners.values())):
        deciders = {
            each.user_id for each in _able(session, people.get(owner, ()), visibility.proposal_resource(proposal))
        }
        if deciders & consenters or (not deciders and admin_approved):
            continue
        columns = ", ".join(column for column, each in owners.items() if each == owner)
        approver = owner if deciders else f"an administrator (owner {owner} cannot approve here)"
        missing.append(f"approval by {approver} for {columns}")
    return missing


def _people(session: Session, names: frozenset[str]) -> dict[str, Sequence[UserRow]]:
    """Return the users behind each owner name: the user of that name and members of that team."""
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
