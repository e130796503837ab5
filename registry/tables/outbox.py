"""Tables of what goes out: messages that wait to be delivered, and the channels that people are told through."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index
from sqlmodel import Field

from treaty.registry.core.enums import ChannelKind, OutboxState
from treaty.registry.tables.base import BaseRow, enum_column, foreign_key_column, json_column, time_column


class OutboxMessageRow(BaseRow, table=True):
    """A message to somewhere outside, written with what it tells of. `key` is told to its receiver with every try.

    Those to one `destination` go out one after another, oldest first. `fence` grows with every try."""

    __tablename__ = "outbox_message"
    __table_args__ = (Index(None, "state", "destination", "id"), Index(None, "state", "available_at"))
    id: UUID = Field(primary_key=True)
    kind: str
    destination: str
    key: str = Field(unique=True)
    payload: dict[str, Any] = json_column()
    state: OutboxState = enum_column(OutboxState, default=OutboxState.WAITING)
    attempts: int = 0
    fence: int = 0
    lease_expires_at: datetime | None = time_column(default=None)
    available_at: datetime = time_column()
    error: str | None = None
    created_at: datetime = time_column()
    ended_at: datetime | None = time_column(default=None)


class ChannelRow(BaseRow, table=True):
    """Where a user or a team (one of both) is told what concerns them. `target`: an address or a URL, a secret like
    `secret`, which signs what a webhook is sent.

    `contract_id` None: of all contracts that concern them. `notification_kinds`: of which notices; []: of all."""

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
