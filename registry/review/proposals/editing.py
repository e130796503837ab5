"""Edit a proposal: its author or an owner replaces the document or the effective period."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlmodel import Session

from treaty.contracts.errors import Fault
from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal, require_permission
from treaty.registry.audit import audit_log
from treaty.registry.contracts.documents import Documents
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import Permission
from treaty.registry.core.errors import Forbidden, InvalidRequest
from treaty.registry.core.state_machines import PROPOSAL
from treaty.registry.review.proposals import proposals, revisions, suggestion_decisions
from treaty.registry.review.proposals.revisions import RevisionAction
from treaty.registry.tables import ProposalRow


@dataclass(frozen=True)
class EffectivePeriod:
    """Period in which a version is in force.

    `effective_from`: None means at once. `effective_until`: None means until it is superseded."""

    effective_from: datetime | None = None
    effective_until: datetime | None = None


@dataclass(frozen=True)
class DocumentEdit:
    """Replacement of a proposal's document.

    `revision`: revision that the editor saw. `window`: None keeps the effective period."""

    document: bytes
    revision: int
    window: EffectivePeriod | None = None


def edit(session: Session, proposal_id: UUID, edit: DocumentEdit, *, by: Principal, now: datetime) -> ProposalRow:
    """Replace the proposal's document, stored byte for byte.

    The editor may not approve the proposal; earlier approvals are voided. Raises RevisionConflict, with the changes
    since, if the editor saw an older revision; InvalidRequest for a faulty document or one of another contract;
    Forbidden if the principal is neither the author nor an owner."""
    proposal = proposals.get(session, proposal_id, by=by, lock=True)
    PROPOSAL.step(proposal.state, "edit")
    if not suggestion_decisions.may_judge(proposal, by):
        raise Forbidden("only the author or an owner can edit a proposal")
    revisions.require(session, proposal, edit.revision)
    documents = Documents()
    contract = documents.checked(edit.document)
    _refuse_other_contract(proposal, contract.id)
    for resource in visibility.affected_resources(session, contract):
        require_permission(by, Permission.PROPOSE, resource)
    before = documents.checked(proposal.base).fingerprint
    proposal.base, proposal.domain = edit.document, visibility.proposed_resource(session, contract).domain
    if edit.window is not None:
        proposal.effective_from, proposal.effective_until = edit.window.effective_from, edit.window.effective_until
    proposals.refuse_window(proposal, now=now)
    revisions.record_change(
        session, proposal, RevisionAction("edited the document", alters=True, edited_document=True), by=by, now=now
    )
    details = {"contract": contract.id, "before": before, "after": contract.fingerprint, "revision": proposal.revision}
    audit_log.record(
        session, AuditAction.PROPOSAL_EDITED, actor=by.name, object_id=proposal.id, now=now, details=details
    )
    return proposal


def _refuse_other_contract(proposal: ProposalRow, contract_id: str) -> None:
    if contract_id != proposal.contract_id:
        fault = Fault(
            code="TR-CONTRACT",
            where="id",
            message="is the id of a different contract",
            remedy=f"keep the id {proposal.contract_id}",
        )
        raise InvalidRequest(
            "a proposal cannot be moved to a different contract: create a separate proposal", faults=[fault]
        )
