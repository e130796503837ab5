"""Models of channels and outgoing messages."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field, SecretStr

from treaty.registry.core.enums import ChannelKind, NotificationKind, OutboxState
from treaty.registry.schemas.base import ApiModel, ApiRequest, EtagModel
from treaty.registry.schemas.consumers import ContractId


class ChannelIn(ApiRequest):
    """A new channel of the caller, or of a team that the caller leads.

    - `target`: email address or URL.
    - `contract_id`: null means all contracts that concern the owner of the channel.
    - `notification_kinds`: empty means all kinds."""

    kind: ChannelKind
    target: Annotated[SecretStr, Field(min_length=3, max_length=2000)]
    contract_id: ContractId | None = None
    notification_kinds: Annotated[tuple[NotificationKind, ...], Field(max_length=20)] = ()
    team_id: UUID | None = None


class OutboxMessageOut(ApiModel):
    """An outgoing message without its content.

    - `error`: why the last attempt failed; null if it did not.
    - `destination`: URL or address that the message is sent to, without secrets.
    - `available_at`: time from which the next attempt is made."""

    id: UUID
    kind: str
    destination: str
    state: OutboxState
    attempts: int
    error: str | None
    created_at: datetime
    available_at: datetime
    ended_at: datetime | None


class ChannelOut(EtagModel):
    """A notification channel.

    - `target`: email address, or only the host of a URL.
    - `holder`: the user or team that owns the channel.
    - `last_message`: null if no message was sent."""

    unversioned = frozenset({"last_message"})

    id: UUID
    kind: ChannelKind
    target: str
    holder: str
    contract_id: str | None
    notification_kinds: tuple[NotificationKind, ...]
    created_at: datetime
    last_message: OutboxMessageOut | None


class NewChannelOut(ApiModel):
    """A new channel.

    - `secret`: signs the channel's webhooks; shown only once. Null if the channel does not sign messages.
    - `channel`: the new channel."""

    channel: ChannelOut
    secret: str | None
