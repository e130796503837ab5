"""Models of the audit log and approval records."""

from datetime import datetime
from typing import Any
from uuid import UUID

from treaty.registry.audit.hash_chain import AuditHead
from treaty.registry.schemas.base import ApiModel

__all__ = ["ApprovalRecordOut", "AuditHead", "AuditOut", "ChainOut"]


class AuditOut(ApiModel):
    """An entry of the audit log.

    - `action`: action as stored; entries of earlier versions may have a word that was replaced since.
    - `position`: position in the log, starting at 1.
    - `time`: time of the change.
    - `actor`: name of the user or the part of the service that made the change.
    - `object_type`: kind of object that changed.
    - `object_id`: id of the object that changed.
    - `details`: facts about the change, without data values.
    - `hash`: hash of the entry and of the entry before it."""

    position: int
    time: datetime
    actor: str
    action: str
    object_type: str
    object_id: str
    details: dict[str, Any]
    hash: str


class ChainOut(ApiModel):
    """Result of verifying the audit log.

    - `entries`: number of valid entries before the first fault.
    - `hash`: hash of the last valid entry.
    - `broken_at`: position of the first invalid entry; null if the log is intact.
    - `fault`: description of the fault; null if the log is intact."""

    entries: int
    hash: str
    broken_at: int | None
    fault: str | None


class ApprovalRecordOut(ApiModel):
    """The stored record of an approval.

    - `hash`: hash of `content`.
    - `content`: the record as signed off by the approver.
    - `faults`: disagreements of the record with the version or the audit log; empty if there are none."""

    hash: str
    proposal_id: UUID
    contract_id: str
    version: str
    content: dict[str, Any]
    faults: tuple[str, ...]
