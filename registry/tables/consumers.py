"""Tables of consumers: who uses a contract's data and for what, their own checks, and what they are asked."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import UniqueConstraint
from sqlmodel import Field

from treaty.registry.core.enums import AcknowledgementState, PinKind, SubscriptionState
from treaty.registry.tables.base import BaseRow, enum_column, foreign_key_column, json_column, time_column


class SubscriptionRow(BaseRow, table=True):
    """A use of a contract's data by a user, for one purpose. `revision` grows with every change of it.

    `team_id`: the team whose use it is, so that every member of it may change it and answer; None: the user's own.
    `pinned_to`: the group or the version that `pin` speaks of. `reads`: the columns that are read, by object.
    `notification_kinds`: of which notices they are told as a consumer; []: of all. `channel_id`: through which of their
    channels; None: through all that are of no one contract."""

    __tablename__ = "subscription"
    id: UUID = Field(primary_key=True)
    contract_id: str = foreign_key_column("contract.id", index=True)
    user_id: UUID = foreign_key_column("user.id", index=True)
    team_id: UUID | None = Field(default=None, index=True)
    purpose: str
    contact: str
    pin: PinKind = enum_column(PinKind, default=PinKind.NONE)
    pinned_to: str | None = None
    reads: dict[str, list[str]] = json_column(default_factory=dict)
    notification_kinds: list[str] = json_column(default_factory=list)
    channel_id: UUID | None = Field(default=None)
    state: SubscriptionState = enum_column(SubscriptionState, default=SubscriptionState.ACTIVE)
    revision: int = 1
    created_at: datetime = time_column()
    ended_at: datetime | None = time_column(default=None)


class ConsumerCheckRow(BaseRow, table=True):
    """A consumer's check as it is from `created_at` on, until a row with a higher number. Rows are never changed.

    `patch` is what it would set in the producer's document, as `treaty.contracts.editing.patches` takes it; None: the
    check ended. `source`: which check of which contract's version it was copied from."""

    __tablename__ = "consumer_check"
    __table_args__ = (UniqueConstraint("subscription_id", "identity", "number"),)
    id: UUID = Field(primary_key=True)
    subscription_id: UUID = foreign_key_column("subscription.id")
    identity: str
    number: int
    object: str
    column: str | None = None
    patch: dict[str, Any] | None = json_column(default=None)
    source: dict[str, Any] | None = json_column(default=None)
    created_at: datetime = time_column()
    created_by_id: UUID = foreign_key_column("user.id")


class AcknowledgementRow(BaseRow, table=True):
    """What a consumer was told of an approved version, and their answer. `breaking_reasons`: why it breaks them; []: it
    does not.

    `due_at` None: they are told, not asked."""

    __tablename__ = "acknowledgement"
    __table_args__ = (UniqueConstraint("version_id", "subscription_id"),)
    id: UUID = Field(primary_key=True)
    version_id: UUID = foreign_key_column("contract_version.id")
    subscription_id: UUID = foreign_key_column("subscription.id", index=True)
    breaking_reasons: list[str] = json_column(default_factory=list)
    state: AcknowledgementState = enum_column(AcknowledgementState)
    requested_at: datetime = time_column()
    due_at: datetime | None = time_column(default=None)
    comment: str | None = None
    answered_by_id: UUID | None = foreign_key_column("user.id", default=None)
    answered_at: datetime | None = time_column(default=None)
