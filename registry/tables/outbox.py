"""Tables of outgoing messages and notification channels."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index
from sqlmodel import Field

from treaty.registry.core.enums import ChannelKind, OutboxState
from treaty.registry.tables.base import BaseRow, enum_column, foreign_key_column, json_column, time_column


class OutboxMessageRow(BaseRow, table=True):
    """A message to an external destination, stored in the transaction that caused it.

    `key`: sent with every attempt. `destination`: messages to the same one are sent in order. `fence`: increases with
    every attempt. `crashes`: attempts that ended the process of their `worker` or exceeded their time."""

    __tablename__ = "outbox_message"
    __table_args__ = (Index(None, "state", "destination", "id"), Index(None, "state", "available_at"))
    id: UUID = Field(primary_key=True)
    kind: str
    destination: str
    key: str = Field(unique=True)
    payload: dict[str, Any] = json_column()
    state: OutboxState = enum_column(OutboxState, default=OutboxState.WAITING)
    attempts: int = 0
    crashes: int = 0
    fence: int = 0
    worker: str | None = None
    lease_expires_at: datetime | None = time_column(default=None)
    available_at: datetime = time_column()
    error: str | None = None
    created_at: datetime = time_column()
    ended_at: datetime | None = time_column(default=None)


class ChannelRow(BaseRow, table=True):
    """A notification channel of either a user or a team.

    `target`: an address or URL, which is a secret. `secret`: signing key of a webhook. `contract_id`: only this
    contract; None means all contracts that concern the holder. `notification_kinds`: kinds to send; [] means all."""

    __tablename__ = "channel"
    id: UUID = Field(primary_key=True)
    user_id: UUID | None = foreign_key_column("user.id", default=None, index=True)
    team_id: UUID | None = foreign_key_column("team.id", default=None, index=True)
    kind: ChannelKind = enum_column(ChannelKind)
    target: str
    secret: str | None = None
    contract_id: str | None = foreign_key_column("contract.id", default=None)
    notification_kinds: list[str] = json_column(default_factory=list)
    created_at: datetime = time_column()
