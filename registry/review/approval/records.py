"""Records of approvals: who approved which document, shown what, and when; each under the hash of all that.

The hash stands in the audit's entry of the approval and travels with the exported contract, so that whoever has the
document can have it confirmed what was approved."""

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
from treaty.registry.core.enums import AuditAction
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
    """What the approver was shown beside the document, as plain data without values of a table; None: nothing was."""

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
    """Adds the record of an approval to the session's transaction; the audit's entry of it must hold its hash, under
    `record`. With a quorum each approver has one, which names those before it."""
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
    """The records of the proposal that became the version (the active one where none is named), oldest first; [] for
    one that was approved before there were records. Raises NotFound where there is no such version."""
    found = lookup.version(session, contract_id, version)
    if found.proposal_id is None:
        return []
    return [
        each for each in _valid_records(session, found.proposal_id) if each.content["fingerprint"] == found.fingerprint
    ]


def seal_of(session: Session, contract_id: str, version: str) -> str | None:
    """The hash that stands for a version's approval, as its export names it: that of its last record, which covers
    those before; None for one that has none. Raises NotFound where there is no such version."""
    records = of_version(session, contract_id, version)
    return records[-1].hash if records else None


def faults(session: Session, record: ApprovalRecordRow) -> tuple[str, ...]:
    """What no longer agrees with the record: its own hash, the version it was given for, the audit; () where all do.

    The audit as a whole is verified apart."""
    return tuple(_faults(session, record))


def _faults(session: Session, record: ApprovalRecordRow) -> Iterator[str]:
    if fingerprint(record.content) != record.hash:
        yield "the record is not as it was made: its hash is another"
    stated = record.content.get("contract"), record.content.get("version")
    if stated != (record.contract_id, record.version):
        yield "the record speaks of another version than the one that it is kept for"
    if not _audited(session, record):
        yield "the audit has no entry of this approval with the record's hash"
    yield from _faults_of_version(session, record)


def _faults_of_version(session: Session, record: ApprovalRecordRow) -> Iterator[str]:
    named = ContractVersionRow.contract_id == record.contract_id, ContractVersionRow.version == record.version
    version = session.exec(select(ContractVersionRow).where(*named)).first()
    if version is None or version.proposal_id != record.proposal_id:
        yield "no version came of the approval"
    elif _document(version.body) != _stated(record):
        yield "the document of the version is another than the one that was approved"


def _audited(session: Session, record: ApprovalRecordRow) -> bool:
    """Whether the entry of an approval of the proposal holds the hash, and is itself as it was written."""
    given = session.exec(
        select(ProposalApprovalRow.id).where(ProposalApprovalRow.proposal_id == record.proposal_id)
    ).all()
    mine = AuditEntryRow.action == AuditAction.APPROVAL_GIVEN, col(AuditEntryRow.object_id).in_(list(map(str, given)))
    entries = session.exec(select(AuditEntryRow).where(*mine)).all()
    held = [each for each in entries if each.details.get("record") == record.hash]
    return any(hash_chain.seal(audit_log.plain(each)) == each.hash for each in held)


def _document(body: bytes) -> tuple[str | None, str]:
    """The fingerprint of the document's content and the hash of its bytes."""
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
    """The hashes of earlier approvals of the same document."""
    standing = _valid_records(session, proposal.id)
    return [each.hash for each in standing if each.content["fingerprint"] == shown.fingerprint]


def _valid_records(session: Session, proposal_id: UUID) -> list[ApprovalRecordRow]:
    """The proposal's records, oldest first, without those of approvals that an edit made void."""
    rows = session.exec(select(ProposalApprovalRow).where(ProposalApprovalRow.proposal_id == proposal_id)).all()
    void = {(each.approver_id, each.approved_at) for each in rows if each.voided_at}
    mine = select(ApprovalRecordRow).where(ApprovalRecordRow.proposal_id == proposal_id)
    records = session.exec(mine.order_by(col(ApprovalRecordRow.created_at))).all()
    return [each for each in records if (each.approver_id, each.created_at) not in void]
