"""The audit and the records of approvals, as the API gives them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from treaty.registry.audit.hash_chain import Head
from treaty.registry.core.enums import Action
from treaty.registry.schemas.base import Schema

__all__ = ["ApprovalRecordOut", "AuditOut", "ChainOut", "Head"]


class AuditOut(Schema):
    """One audited change."""

    position: int
    time: datetime
    actor: str
    action: Action
    object_type: str
    object_id: str
    details: dict[str, Any]
    hash: str


class ChainOut(Schema):
    """Whether the audit is as it was written: so many entries are, up to the one of that hash.

    `broken_at` is the first position that is not, `fault` what is wrong there."""

    entries: int
    hash: str
    broken_at: int | None
    fault: str | None


class ApprovalRecordOut(Schema):
    """An approval as it was given, under the hash of `content`; `faults` says what no longer agrees with it."""

    hash: str
    proposal_id: UUID
    contract_id: str
    version: str
    content: dict[str, Any]
    faults: tuple[str, ...]
