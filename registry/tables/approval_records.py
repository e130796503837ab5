"""Table of approval records: the exact content of each approval."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index
from sqlmodel import Field

from treaty.registry.tables.base import BaseRow, foreign_key_column, json_column, time_column


class ApprovalRecordRow(BaseRow, table=True):
    """The content of an approval, append-only. `hash`: hash of `content`, which is in the audit entry too."""

    __tablename__ = "approval_record"
    __table_args__ = (Index(None, "contract_id", "version"),)
    hash: str = Field(primary_key=True)
    proposal_id: UUID = foreign_key_column("proposal.id", index=True)
    contract_id: str
    version: str
    approver_id: UUID = foreign_key_column("user.id")
    created_at: datetime = time_column()
    content: dict[str, Any] = json_column()
