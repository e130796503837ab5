"""Tables of consumers: subscriptions, consumer checks and acknowledgements."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import UniqueConstraint
from sqlmodel import Field

from treaty.registry.core.enums import AcknowledgementState, PinKind, SubscriptionState
from treaty.registry.tables.base import BaseRow, enum_column, foreign_key_column, json_column, time_column


class SubscriptionRow(BaseRow, table=True):
    """A user's subscription to a contract for one purpose.

    `team_id`: team that uses the data, whose members may edit the subscription and respond; None means the user alone.
    `pinned_to`: group or version of `pin`. `reads`: columns that are read, by object. `notification_kinds`: kinds of
    notifications to receive as a consumer; [] means all. `channel_id`: channel to use; None means all channels that are
    not restricted to one contract. `revision`: increases with every change."""

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
    """A consumer's check, valid from `created_at` until a row with a higher number. Rows never change.

    `patch`: patch of the producer's document, see `treaty.contracts.editing.patches`; None means the check ended.
    `source`: check of a contract version from which it was copied."""

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
    """A consumer's notification of an approved version, and the response.

    `breaking_reasons`: reasons why the version breaks the consumer; [] if it does not. `due_at`: deadline of the
    response; None means that none is required."""

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
