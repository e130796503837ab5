"""Routes of the audit log and approval records."""

from collections.abc import Iterator
from typing import Annotated

from fastapi import Query
from fastapi.responses import StreamingResponse

from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.access import authentication, visibility
from treaty.registry.access.authentication import Principal
from treaty.registry.api.http import presenters
from treaty.registry.api.http.admission import admission_router
from treaty.registry.api.http.dependencies import Caller, ContractId, Paging, Reader, Service, Shared
from treaty.registry.audit import audit_log, hash_chain, signed_heads
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.bounded_values import Count, LookupText
from treaty.registry.core.database import read_session
from treaty.registry.core.enums import Permission
from treaty.registry.review.approval import records

router = admission_router(tags=["audit"])
LINES = "application/x-ndjson"
Action = Annotated[AuditAction | None, Query(description="Only entries of this action")]
ObjectId = Annotated[LookupText | None, Query(description="Only entries about the object with this id")]
Position = Annotated[Count, Query(description="Export the entries after this position; 0 means all")]
Number = Annotated[LookupText | None, Query(description="Version number; defaults to the version in force")]


@router.get("/audit")
def list_audit(
    by: Caller, tx: Reader, paging: Paging, action: Action = None, object_id: ObjectId = None
) -> schemas.Page[schemas.AuditOut]:
    """List audit entries, newest first."""
    _auditor(by)
    return presenters.page(
        schemas.AuditOut.model_validate, audit_log.entries(tx, paging, action=action, object_id=object_id)
    )


@router.get("/audit/chain")
def check_audit(by: Caller, tx: Reader) -> schemas.ChainOut:
    """Verify the whole audit log and report the first invalid entry."""
    _auditor(by)
    return schemas.ChainOut.model_validate(audit_log.verify(tx))


@router.get("/audit/head")
def get_head(by: Caller, tx: Reader, shared: Shared) -> schemas.AuditHead:
    """Retrieve the head of the audit log: its last entry, signed if an audit key is configured.

    Store the head: it proves later that no entry was cut off or rewritten."""
    _auditor(by)
    return signed_heads.signed_head(tx, signed_heads.keys(shared.settings), now=clock.now())


@router.get("/audit/export", response_class=StreamingResponse)
def export_audit(by: Caller, shared: Shared, after: Position = 0) -> StreamingResponse:
    """Export all entries after a position as JSON lines. Verify an export with `treaty audit verify --from`.

    The last line states the number of entries: an export without it is incomplete."""
    _auditor(by)
    return StreamingResponse(_lines(shared, after), media_type=LINES)


@router.get("/contract/approvals")
def list_approvals(
    contract_id: ContractId, by: Caller, tx: Reader, version: Number = None
) -> list[schemas.ApprovalRecordOut]:
    """List the approval records of a version, by default of the version in force.

    Each record is compared with the version and the audit log."""
    visibility.require_readable_contract(tx, contract_id, by)
    return [
        schemas.ApprovalRecordOut(**each.model_dump(include={*SHOWN}), faults=records.faults(tx, each))
        for each in records.of_version(tx, contract_id, version)
    ]


SHOWN = ("hash", "proposal_id", "contract_id", "version", "content")


def _auditor(by: Principal) -> None:
    authentication.require_permission(by, Permission.AUDIT)


def _lines(shared: Service, after: int) -> Iterator[bytes]:
    with read_session(shared.engine) as tx:
        yield from hash_chain.lines(audit_log.stream(tx, after=after))
