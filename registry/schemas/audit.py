"""The audit and the records of approvals, as the API gives them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from treaty.registry.audit.hash_chain import AuditHead
from treaty.registry.core.enums import AuditAction
from treaty.registry.schemas.base import ApiModel

__all__ = ["ApprovalRecordOut", "AuditHead", "AuditOut", "ChainOut"]


class AuditOut(ApiModel):
    """One audited change."""

    position: int
    time: datetime
    actor: str
    action: AuditAction
    object_type: str
    object_id: str
    details: dict[str, Any]
    hash: str


class ChainOut(ApiModel):
    """Whether the audit is as it was written: so many entries are, up to the one of that hash.

    `broken_at` is the first position that is not, `fault` what is wrong there."""

    entries: int
    hash: str
    broken_at: int | None
    fault: str | None


class ApprovalRecordOut(ApiModel):
    """An approval as it was given, under the hash of `content`; `faults` says what no longer agrees with it."""

    hash: str
    proposal_id: UUID
    contract_id: str
    version: str
    content: dict[str, Any]
    faults: tuple[str, ...]
