"""The procedure from proposal to version: submitted, approved by an owner who is not the author, or declined."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import update
from sqlmodel import Session, col, select

from contracts.document import Contract as Document
from registry import audit, datasets, drafts, reach, records, scope, tasks
from registry.access import Principal, decide, decide_somewhere
from registry.database import lock
from registry.errors import Conflict, Forbidden
from registry.tables import Contract, ContractVersion, Proposal
from registry.versions import next_free
from registry.words import Action, Decision, Permission, ProposalState, VersionState

APPROVING = 7_268_392_103


@dataclass(frozen=True)
class Approval:
    """What an approver brings: the fingerprint that they saw, and the identities to give to new rows."""

    fingerprint: str
    make_id: Callable[[], UUID]


def submit(session: Session, proposal_id: UUID, *, by: Principal, now: datetime) -> Proposal:
    """Puts the author's draft before the owners."""
    proposal = drafts.get(session, proposal_id, by=by, lock=True)
    _only_author(proposal, by, "submit")
    drafts.step(proposal, "submit")
    audit.record(session, Action.PROPOSAL_SUBMITTED, actor=by.name, object_id=proposal.id, now=now)
    return proposal


def withdraw(session: Session, proposal_id: UUID, *, by: Principal, reason: str | None, now: datetime) -> Proposal:
    """Takes the author's proposal back."""
    proposal = drafts.get(session, proposal_id, by=by, lock=True)
    _only_author(proposal, by, "withdraw")
    drafts.step(proposal, "withdraw")
    _close(proposal, by, reason=reason, now=now)
    details = {"reason": reason}
    audit.record(session, Action.PROPOSAL_WITHDRAWN, actor=by.name, object_id=proposal.id, now=now, details=details)
    return proposal


def reject(session: Session, proposal_id: UUID, *, by: Principal, reason: str, now: datetime) -> Proposal:
    """Declines the proposal, for a reason that its author will read."""
    proposal = drafts.get(session, proposal_id, by=by, lock=True)
    decide(by, Permission.DECIDE, scope.of_proposal(proposal))
    drafts.step(proposal, "reject")
    _close(proposal, by, reason=reason, now=now)
    details = {"reason": reason}
    audit.record(session, Action.PROPOSAL_REJECTED, actor=by.name, object_id=proposal.id, now=now, details=details)
    return proposal


def may_approve(proposal: Proposal, by: Principal) -> bool:
    """Whether the principal is one who may approve it: an owner, and never its author."""
    in_review = proposal.state is ProposalState.IN_REVIEW
    return in_review and by.may(Permission.DECIDE, scope.of_proposal(proposal)) and proposal.author_id != by.user_id


def approve(
    session: Session, proposal_id: UUID, approval: Approval, *, by: Principal, now: datetime
) -> ContractVersion:
    """Makes the proposal the contract's active version, and asks for the validation of its tables.

    Raises Forbidden for the author, administrators included; Conflict while a suggestion is pending, where the document
    is another than the one shown, or where its version or one of its datasets is taken."""
    decide_somewhere(by, Permission.DECIDE)
    lock(session, APPROVING)
    proposal = drafts.get(session, proposal_id, by=by, lock=True)
    decide(by, Permission.DECIDE, scope.of_proposal(proposal))
    drafts.step(proposal, "approve")
    if proposal.author_id == by.user_id:
        raise Forbidden("another owner must approve it: nobody approves their own proposal")
    _refuse_pending(session, proposal)
    shown = drafts.preview(session, proposal)
    if shown.fingerprint != approval.fingerprint:
        raise Conflict("the document has changed since it was shown: look at it again and approve what you see")
    document = drafts.read(shown.document)
    _refuse_beyond(session, document, by)
    version = _activate(session, proposal, shown, approval.make_id(), by=by, now=now)
    datasets.register(session, document, proposal.source or {}, make_id=approval.make_id)
    _validate(session, document, approval.make_id, now=now)
    _close(proposal, by, reason=None, now=now)
    kept = records.make(session, proposal, shown, by=by, now=now)
    told = {"contract": version.contract_id, "version": version.version, "fingerprint": version.fingerprint}
    details = {**told, "record": kept.hash}
    audit.record(session, Action.PROPOSAL_APPROVED, actor=by.name, object_id=proposal.id, now=now, details=details)
    return version


def _refuse_beyond(session: Session, document: Document, by: Principal) -> None:
    """The approver must be an owner where the contract is and where the document puts it, and may not reach further."""
    for place in scope.targets(session, document):
        decide(by, Permission.DECIDE, place)
    reach.refuse_beyond(session, document, by)


def _only_author(proposal: Proposal, by: Principal, name: str) -> None:
    decide(by, Permission.PROPOSE, scope.of_proposal(proposal))
    if proposal.author_id != by.user_id:
        raise Forbidden(f"only its author may {name} a proposal")


def _close(proposal: Proposal, by: Principal, *, reason: str | None, now: datetime) -> None:
    proposal.decided_by_id, proposal.decided_at, proposal.reason = by.user_id, now, reason


def _refuse_pending(session: Session, proposal: Proposal) -> None:
    pending = sum(row.decision is Decision.PENDING for row in drafts.suggestions_of(session, proposal))
    if pending:
        raise Conflict(f"{pending} of its suggestions are not decided yet: accept or reject each first")


def _activate(
    session: Session, proposal: Proposal, shown: drafts.Preview, version_id: UUID, *, by: Principal, now: datetime
) -> ContractVersion:
    contract = _contract(session, proposal, by=by, now=now)
    versions = session.exec(select(ContractVersion).where(ContractVersion.contract_id == contract.id)).all()
    taken = {each.version for each in versions}
    if shown.version in taken:
        free = next_free(taken)
        raise Conflict(f"{contract.id} has a version {shown.version} already; the next free one is {free}")
    for each in versions:
        each.state = VersionState.SUPERSEDED
    contract.active_version = shown.version
    version = ContractVersion(
        id=version_id,
        contract_id=contract.id,
        version=shown.version,
        body=shown.document,
        fingerprint=shown.fingerprint,
        state=VersionState.ACTIVE,
        proposal_id=proposal.id,
        approved_by_id=by.user_id,
        approved_at=now,
    )
    session.add(version)
    return version


def _contract(session: Session, proposal: Proposal, *, by: Principal, now: datetime) -> Contract:
    document = drafts.read(proposal.base)
    contract = session.get(Contract, proposal.contract_id, with_for_update=True)
    if contract is None:
        contract = Contract(id=proposal.contract_id, name=document.name, owner_id=by.user_id, created=now)
        session.add(contract)
    contract.name = document.name
    _place(session, contract, scope.domain_of(document))
    return contract


def _place(session: Session, contract: Contract, domain: str | None) -> None:
    """Puts the contract into the domain, with all of its proposals."""
    contract.domain = domain
    session.exec(update(Proposal).where(col(Proposal.contract_id) == contract.id).values(domain=domain))


def _validate(session: Session, document: Document, make_id: Callable[[], UUID], *, now: datetime) -> None:
    for each in document.objects:
        payload = {"contract_id": document.id, "version": document.version, "object": each.name, "all": True}
        key = f"validate/{document.id}/{document.version}/{each.name}"
        tasks.enqueue(session, kind="validate", payload=payload, key=key, now=now, task_id=make_id())
