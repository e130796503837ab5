"""Channels and messages that go out, as the API takes and gives them."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field, SecretStr

from treaty.registry.core.enums import ChannelKind, NotificationKind, OutboxState
from treaty.registry.schemas.base import ApiModel, ApiRequest
from treaty.registry.schemas.consumers import ContractId


class ChannelIn(ApiRequest):
    """A new channel: one's own, or of a team that one leads. `target`: an address, or a URL.

    `contract_id` None: for all contracts that concern its holder. `notification_kinds` (): for all notices."""

    kind: ChannelKind
    target: Annotated[SecretStr, Field(min_length=3, max_length=2000)]
    contract_id: ContractId | None = None
    notification_kinds: Annotated[tuple[NotificationKind, ...], Field(max_length=20)] = ()
    team_id: UUID | None = None


class OutboxMessageOut(ApiModel):
    """A message that goes out, without what it says. `error`: why the last try failed; None: it did not."""

    id: UUID
    kind: str
    destination: str
    state: OutboxState
    attempts: int
    error: str | None
    created_at: datetime
    available_at: datetime
    ended_at: datetime | None


class ChannelOut(ApiModel):
    """A channel. Of a URL, `target` shows the host alone. `last_message`: the last message to it; None: there was
    none."""

    id: UUID
    kind: ChannelKind
    target: str
    holder: str
    contract_id: str | None
    notification_kinds: tuple[NotificationKind, ...]
    created_at: datetime
    last_message: OutboxMessageOut | None


class NewChannelOut(ApiModel):
    """A channel just added. `secret`: what its webhooks are signed with, shown this once; None: they are not."""

    channel: ChannelOut
    secret: str | None
