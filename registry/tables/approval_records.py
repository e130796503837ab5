"""Tables of proof: what each approval was given for."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index
from sqlmodel import Field

from treaty.registry.tables.base import BaseRow, data, moment, reference


class ApprovalRecordRow(BaseRow, table=True):
    """An approval as it was given: `hash` is that of `content`. Append-only; the audit's entry holds the hash."""

    __tablename__ = "approval_record"
    __table_args__ = (Index(None, "contract_id", "version"),)
    hash: str = Field(primary_key=True)
    proposal_id: UUID = reference("proposal.id", index=True)
    contract_id: str
    version: str
    approver_id: UUID = reference("user.id")
    created: datetime = moment()
    content: dict[str, Any] = data()
