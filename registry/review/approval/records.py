"""Store approval records: who approved which document, with which evidence, and when.

Each record is identified by the hash of its content. The audit entry of the approval contains the hash, and an
exported contract carries it, so that anyone who has the document can verify what was approved."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.contracts.document.reader import read
from treaty.contracts.errors import ContractError
from treaty.contracts.fingerprint import fingerprint
from treaty.registry.access import users
from treaty.registry.access.authentication import Principal
from treaty.registry.audit import audit_log, hash_chain
from treaty.registry.contracts import lookup
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.review.proposals.proposals import ProposalPreview, suggestions_of
from treaty.registry.tables import (
    ApprovalRecordRow,
    AuditEntryRow,
    ContractVersionRow,
    ProposalApprovalRow,
    ProposalRow,
    ProposalSuggestionRow,
)

FORM = 1


@dataclass(frozen=True)
class ApprovalEvidence:
    """Comparison and replay shown to the approver together with the document.

    Plain data without values of a table. None means not shown."""

    comparison: Mapping[str, Any] | None = None
    replay: Mapping[str, Any] | None = None


NOTHING_SHOWN = ApprovalEvidence()


def make(
    session: Session,
    proposal: ProposalRow,
    shown: ProposalPreview,
    *,
    by: Principal,
    now: datetime,
    evidence: ApprovalEvidence = NOTHING_SHOWN,
) -> ApprovalRecordRow:
    """Add the record of an approval to the session's transaction.

    The audit entry of the approval must contain its hash under `record`. With a quorum, each approver has a record,
    which lists the hashes of the earlier ones."""
    content = _content(session, proposal, shown, by=by, now=now, evidence=evidence)
    record = ApprovalRecordRow(
        hash=fingerprint(content),
        proposal_id=proposal.id,
        contract_id=proposal.contract_id,
        version=shown.version,
        approver_id=by.user_id,
        created_at=now,
        content=content,
    )
    session.add(record)
    session.flush()
    return record


def of_version(session: Session, contract_id: str, version: str | None = None) -> Sequence[ApprovalRecordRow]:
    """Return the approval records of a version, oldest first.

    `version`: None selects the active one. The list is empty for a version approved before records existed. Raises
    NotFound if the version does not exist."""
    row = lookup.version(session, contract_id, version)
    if row.proposal_id is None:
        return []
    return [each for each in _valid_records(session, row.proposal_id) if each.content["fingerprint"] == row.fingerprint]


def seal_of(session: Session, contract_id: str, version: str) -> str | None:
    """Return the hash that an export names as proof of the version's approval.

    It is the hash of the last record, which covers the earlier ones; None if the version has no record. Raises
    NotFound if the version does not exist."""
    records = of_version(session, contract_id, version)
    return records[-1].hash if records else None


def faults(session: Session, record: ApprovalRecordRow) -> tuple[str, ...]:
    """Return the inconsistencies of a record; () if it is intact.

    Compares its own hash, the version created from it, and the audit entry. The audit log as a whole is verified
    separately."""
    return tuple(_faults(session, record))


def _faults(session: Session, record: ApprovalRecordRow) -> Iterator[str]:
    if fingerprint(record.content) != record.hash:
        yield "the content of the record does not match its hash"
    content_key = record.content.get("contract"), record.content.get("version")
    if content_key != (record.contract_id, record.version):
        yield "the record is stored for a different contract version than its content names"
    if not _audited(session, record):
        yield "the audit log has no valid entry of this approval with the hash of the record"
    yield from _faults_of_version(session, record)


def _faults_of_version(session: Session, record: ApprovalRecordRow) -> Iterator[str]:
    conditions = ContractVersionRow.contract_id == record.contract_id, ContractVersionRow.version == record.version
    version = session.exec(select(ContractVersionRow).where(*conditions)).first()
    if version is None or version.proposal_id != record.proposal_id:
        yield "the approved version does not exist"
    elif _document(version.body) != _stated(record):
        yield "the document of the version differs from the approved document"


def _audited(session: Session, record: ApprovalRecordRow) -> bool:
    """Return whether an untampered audit entry of the proposal's approvals contains the record's hash."""
    approvals = session.exec(
        select(ProposalApprovalRow.id).where(ProposalApprovalRow.proposal_id == record.proposal_id)
    ).all()
    conditions = (
        AuditEntryRow.action == AuditAction.APPROVAL_GIVEN,
        col(AuditEntryRow.object_id).in_(list(map(str, approvals))),
    )
    entries = session.exec(select(AuditEntryRow).where(*conditions)).all()
    matches = [each for each in entries if each.details.get("record") == record.hash]
    return any(hash_chain.seal(audit_log.plain(each)) == each.hash for each in matches)


def _document(body: bytes) -> tuple[str | None, str]:
    """Return the fingerprint of the document's content and the hash of its bytes.

    The fingerprint is None if the document cannot be parsed."""
    try:
        return read(body).fingerprint, sha256(body).hexdigest()
    except ContractError:
        return None, sha256(body).hexdigest()


def _stated(record: ApprovalRecordRow) -> tuple[Any, Any]:
    return record.content.get("fingerprint"), record.content.get("document_sha256")


def _content(
    session: Session,
    proposal: ProposalRow,
    shown: ProposalPreview,
    *,
    by: Principal,
    now: datetime,
    evidence: ApprovalEvidence,
) -> dict[str, Any]:
    suggestions = suggestions_of(session, proposal)
    names = users.names(session, {proposal.author_id, *(each.decided_by_id for each in suggestions)})
    return {
        "form": FORM,
        "contract": proposal.contract_id,
        "version": shown.version,
        "fingerprint": shown.fingerprint,
        "document_sha256": sha256(shown.document).hexdigest(),
        "proposal": str(proposal.id),
        "author": names.get(proposal.author_id),
        "approver": by.name,
        "time": hash_chain.written(now),
        "after": _before(session, proposal, shown),
        "suggestions": [_decided(each, names) for each in suggestions],
        "comparison": evidence.comparison and dict(evidence.comparison),
        "replay": evidence.replay and dict(evidence.replay),
    }


def _decided(row: ProposalSuggestionRow, names: Mapping[Any, str]) -> dict[str, Any]:
    return {"id": row.identity, "decision": row.decision.value, "by": names.get(row.decided_by_id)}


def _before(session: Session, proposal: ProposalRow, shown: ProposalPreview) -> list[str]:
    """Return the hashes of earlier valid approvals of the same document."""
    records = _valid_records(session, proposal.id)
    return [each.hash for each in records if each.content["fingerprint"] == shown.fingerprint]


def _valid_records(session: Session, proposal_id: UUID) -> list[ApprovalRecordRow]:
    """Return the proposal's records, oldest first, without those of voided approvals."""
    rows = session.exec(select(ProposalApprovalRow).where(ProposalApprovalRow.proposal_id == proposal_id)).all()
    void = {(each.approver_id, each.approved_at) for each in rows if each.voided_at}
    query = select(ApprovalRecordRow).where(ApprovalRecordRow.proposal_id == proposal_id)
    records = session.exec(query.order_by(col(ApprovalRecordRow.created_at))).all()
    return [each for each in records if (each.approver_id, each.created_at) not in void]
